// Sweeps: what they expand to, what folds them back, and what is wrong with them.
#include "harness/experiment/sweep.h"

#include <filesystem>

#include "harness/experiment/experiment.h"
#include "tests/catch_torch.h"
#include "tests/support.h"

namespace lw::sweep_test {
namespace {

Tree yaml(const std::string& text) { return parse_yaml(text, "s.yaml"); }

bool expands_to(const std::string& config, const std::vector<std::pair<std::string, std::string>>& expected) {
  const auto variants = expand_sweep(yaml(config));
  if (variants.size() != expected.size()) return false;
  for (size_t i = 0; i < expected.size(); ++i)
    if (variants[i].first != expected[i].first || !variants[i].second.same(yaml(expected[i].second))) return false;
  return true;
}

std::string sweep_error(const std::string& sweep) {
  return test::error_of([&] { expand_sweep(yaml("a: 1\nsweep: " + sweep)); });
}

}  // namespace

TEST_CASE("without a sweep there is one variant without a name", "[sweep]") {
  CHECK(expands_to("{a: 1}", {{"", "{a: 1}"}}));
  CHECK(expands_to("{a: 1, sweep: }", {{"", "{a: 1}"}}));
  CHECK(expands_to("{a: 1, sweep: []}", {{"", "{a: 1}"}}));
}

TEST_CASE("named overrides are alternatives, laid over what stands above", "[sweep]") {
  CHECK(expands_to("{m: {x: 1, y: 2}, sweep: [{name: one}, {name: two, m: {y: 3}, b: 4}]}",
                   {{"one", "{m: {x: 1, y: 2}}"}, {"two", "{m: {x: 1, y: 3}, b: 4}"}}));
  CHECK(expands_to("{position: {scheme: rope, rope_theta: 5}, sweep: [{name: a, position: {scheme: alibi}}]}",
                   {{"a", "{position: {scheme: alibi}}"}}));
  CHECK(
      expands_to("{position: {scheme: rope, scaling: {rope_type: ntk, alpha: 2}}, sweep: [{name: a, position: "
                 "{scaling: {rope_type: linear, "
                 "factor: 4}}}]}",
                 {{"a", "{position: {scheme: rope, scaling: {rope_type: linear, factor: 4}}}"}}));
}

TEST_CASE("an axis multiplies the variants", "[sweep]") {
  CHECK(expands_to("{m: {x: 0}, sweep: [{axis: m.x, values: [1, 2]}]}",
                   {{"x=1", "{m: {x: 1}}"}, {"x=2", "{m: {x: 2}}"}}));
  CHECK(expands_to("{sweep: [{axis: a, values: [1, 2]}, {axis: b.c, values: [u, v]}]}",
                   {{"a=1 c=u", "{a: 1, b: {c: u}}"},
                    {"a=1 c=v", "{a: 1, b: {c: v}}"},
                    {"a=2 c=u", "{a: 2, b: {c: u}}"},
                    {"a=2 c=v", "{a: 2, b: {c: v}}"}}));
  CHECK(expands_to("{sweep: [{axis: a, values: [1, 2]}, {name: n, b: 3}, {name: m}]}",
                   {{"n a=1", "{a: 1, b: 3}"}, {"n a=2", "{a: 2, b: 3}"}, {"m a=1", "{a: 1}"}, {"m a=2", "{a: 2}"}}));
}

TEST_CASE("a sweep may change any key that chooses a variant", "[sweep]") {
  const std::string temperature =
      "{scheme: rope, query_temperature: {kind: log_n, original_max_position_embeddings: 32}}";
  CHECK(
      expands_to("{position: " + temperature + ", sweep: [{axis: position.query_temperature.kind, values: [llama4]}]}",
                 {{"kind=llama4", "{position: {scheme: rope, query_temperature: {kind: llama4}}}"}}));
  CHECK(
      expands_to("{suites: {s: {kind: needle, keys: 4, lengths: [16]}}, sweep: [{axis: suites.s.kind, values: "
                 "[order_swap]}]}",
                 {{"kind=order_swap", "{suites: {s: {kind: order_swap, lengths: [16]}}}"}}));
  CHECK(
      expands_to("{position: {scheme: dca, chunk_size: 8, length_temperature: chunk_llama, "
                 "original_max_position_embeddings: 32}, sweep: [{axis: position.length_temperature, values: [none]}]}",
                 {{"length_temperature=none", "{position: {scheme: dca, chunk_size: 8, length_temperature: none}}"}}));
  CHECK(
      expands_to("{position: {scheme: learned, positions: 32, extension: divide, factor: 2}, sweep: "
                 "[{name: tiled, position: {extension: tile, extended_positions: 64}}]}",
                 {{"tiled", "{position: {scheme: learned, positions: 32, extension: tile, extended_positions: 64}}"}}));
}

TEST_CASE("what goes with any scheme stays when a sweep changes the scheme", "[sweep]") {
  CHECK(
      expands_to("{position: {scheme: rope, rope_theta: 5, randomized: {max_position: 64}}, sweep: [{axis: "
                 "position.scheme, values: [none]}]}",
                 {{"scheme=none", "{position: {scheme: none, randomized: {max_position: 64}}}"}}));
}

TEST_CASE("a sweep over kinds is read without an error", "[sweep][app]") {
  for (const char* config :
       {"{position: {scheme: rope, query_temperature: {kind: log_n, original_max_position_embeddings: 32}}, suites: "
        "{needle: }, sweep: [{axis: position.query_temperature.kind, values: [log_n, llama4, mistral4, "
        "scalable_softmax]}]}",
        "{position: {scheme: none}, suites: {s: {kind: needle, keys: 4, needles: 2}}, sweep: [{axis: suites.s.kind, "
        "values: [needle, order_swap, length]}]}",
        "{position: {scheme: dca, length_temperature: chunk_llama, original_max_position_embeddings: 32}, suites: "
        "{needle: }, sweep: [{axis: position.length_temperature, values: [none, chunk_llama]}]}"}) {
    INFO(config);
    CHECK(read_experiment(yaml(config)).variants.size() > 1);
  }
}

TEST_CASE("a sweep that cannot be is an error with its place", "[sweep]") {
  const std::string allowed = "; allowed: {name: NAME, SECTION: ...} or {axis: PATH, values: [...]}";
  struct Bad {
    std::string sweep, message;
  };
  for (const Bad& b : std::vector<Bad>{
           {"{name: a}", "s.yaml:2:8: sweep: found no list" + allowed},
           {"3", "s.yaml:2:8: sweep: found no list" + allowed},
           {"[a]", "s.yaml:2:9: sweep: found an entry that is not a mapping" + allowed},
           {"[{a: 2}]", "s.yaml:2:9: sweep: found an override without a name" + allowed},
           {"[{name: [x]}]", "s.yaml:2:9: sweep: found an override without a name" + allowed},
           {"[{name: }]", "s.yaml:2:9: sweep: found an override without a name" + allowed},
           {"[{name: ''}]", "s.yaml:2:16: sweep: found the name ''; allowed: a word without '/'"},
           {"[{name: a/b}]", "s.yaml:2:16: sweep: found the name 'a/b'; allowed: a word without '/'"},
           {"[{name: a}, {name: a, a: 2}]",
            "s.yaml:2:8: sweep: found two variants named 'a'; each name may stand once"},
           {"[{name: \"a\\u0301\"}, {name: \"\\u00E1\"}]",
            "s.yaml:2:8: sweep: found two variants named '\u00E1', one of them in decomposed letters (NFD); each name "
            "may "
            "stand once"},
           {"[{axis: a, values: [1, 1]}]",
            "s.yaml:2:8: sweep: found two variants named 'a=1'; each name may stand once"},
           {"[{axis: a}]", "s.yaml:2:9: sweep: found an axis without values" + allowed},
           {"[{axis: a, values: []}]", "s.yaml:2:9: sweep: found an axis without values" + allowed},
           {"[{axis: a, values: 3}]", "s.yaml:2:9: sweep: found an axis without values" + allowed},
           {"[{axis: [a], values: [1]}]", "s.yaml:2:9: sweep: found an axis without a path" + allowed},
           {"[{axis: a..b, values: [1]}]",
            "s.yaml:2:16: sweep: found the path 'a..b'; allowed: keys with one dot between them"},
           {"[{axis: .a, values: [1]}]",
            "s.yaml:2:16: sweep: found the path '.a'; allowed: keys with one dot between them"},
           {"[{axis: a, values: [1], name: x}]", "s.yaml:2:9: sweep: found 'name' in an axis" + allowed},
           {"[{axis: a, values: [[1]]}]", "s.yaml:2:28: sweep: found a value that is not a number or word" + allowed},
           {"[{axis: a, values: [x/y]}]", "s.yaml:2:8: sweep: found the name 'a=x/y'; allowed: a word without '/'"},
       }) {
    INFO(b.sweep);
    CHECK(sweep_error(b.sweep) == b.message);
  }
}

TEST_CASE("folding a sweep keeps every variant", "[sweep]") {
  for (const char* config : {"{a: 1, sweep: [{name: x, a: 2}, {name: y, b: {c: 1}}]}",
                             "{m: {p: 1, q: 2}, k: 5, sweep: [{name: x, m: {p: 3}}, {name: y}]}",
                             "{sweep: [{axis: a, values: [1, 2, 3]}, {axis: b, values: [u, v]}]}",
                             "{position: {scheme: rope}, sweep: [{name: x, position: {scheme: none}}]}"}) {
    INFO(config);
    const auto variants = expand_sweep(yaml(config));
    const Tree folded = fold_sweep(variants);
    const auto again = expand_sweep(yaml(to_yaml(folded)));
    REQUIRE(again.size() == variants.size());
    for (size_t i = 0; i < variants.size(); ++i) {
      CHECK(again[i].first == variants[i].first);
      CHECK(again[i].second.same(variants[i].second));
    }
    CHECK(to_yaml(fold_sweep(again)) == to_yaml(folded));
  }
}

TEST_CASE("what all variants share stands once", "[sweep]") {
  const Tree folded = fold_sweep(expand_sweep(yaml("{a: 1, b: 2, sweep: [{name: x, b: 3}, {name: y}]}")));
  CHECK(to_yaml(folded) == "a: 1\nsweep:\n  - name: x\n    b: 3\n  - name: y\n    b: 2\n");
}

// Property over every config that ships with the program.
TEST_CASE("a resolved config read again gives the same resolved config", "[sweep][app]") {
  int configs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LW_SOURCE_DIR "/configs")) {
    if (entry.path().extension() != ".yaml") continue;
    INFO(entry.path());
    const Tree config = load_yaml(entry.path().string(), config_shape());
    if (const Tree* model = config.find("model"); model != nullptr && model->find("checkpoint") != nullptr &&
                                                  !std::filesystem::exists(model->find("checkpoint")->text)) {
      WARN("skipped: " << entry.path().filename() << " needs " << model->find("checkpoint")->text);
      continue;
    }
    ++configs;
    const Experiment first = read_experiment(config);
    const std::string text = to_yaml(first.resolved);
    const Experiment second = read_experiment(parse_yaml(text, "resolved"));
    CHECK(to_yaml(second.resolved) == text);
    REQUIRE(second.variants.size() == first.variants.size());
    for (size_t i = 0; i < first.variants.size(); ++i) {
      const Variant &a = first.variants[i], &b = second.variants[i];
      CHECK(a.name == b.name);
      CHECK(to_yaml(a.position.resolved()) == to_yaml(b.position.resolved()));
      CHECK(to_yaml(a.model_tree) == to_yaml(b.model_tree));
      CHECK(to_yaml(a.train_tree) == to_yaml(b.train_tree));
      REQUIRE(a.suites.size() == b.suites.size());
      for (size_t s = 0; s < a.suites.size(); ++s) {
        CHECK(a.suites[s].identity == b.suites[s].identity);
        CHECK(a.suites[s].lengths == b.suites[s].lengths);
        CHECK(a.suites[s].probes == b.suites[s].probes);
      }
    }
  }
  CHECK(configs >= 1);
}

}  // namespace lw::sweep_test
