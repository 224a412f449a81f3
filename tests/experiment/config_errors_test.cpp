// Whole configs that cannot be, with the whole message that the user gets.
#include "encodings/position_encoding.h"
#include "encodings/registry.h"
#include "encodings/rope_scaling/rope_scaling.h"
#include "harness/experiment/experiment.h"
#include "tests/catch_torch.h"
#include "tests/support.h"

namespace lw::config_errors_test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// Four lines that every config below needs; what is tested follows from line 5, or is set.
const std::string kBase = "suites:\n  needle:\n  order_swap:\nposition: {scheme: rope}\n";

std::string whole_error(const std::string& text) {
  return test::error_of([&] { read_experiment(parse_yaml(text, "c.yaml")); });
}

std::string set_error(const std::vector<std::string>& sets) {
  Tree tree = parse_yaml(kBase, "c.yaml");
  for (const auto& s : sets) apply_set(tree, s, config_shape());
  return test::error_of([&] { read_experiment(tree); });
}

/// "alibi, cope, ...".
template <class Info>
std::string names_of(std::span<const Info* const> registry) {
  std::string names;
  for (const auto* info : registry) names += (names.empty() ? "" : ", ") + std::string(info->name);
  return names;
}

std::string schemes() { return names_of(encodings()); }

struct Bad {
  std::string text, message;
};

/// Each text is put behind kBase.
void check_all(const std::vector<Bad>& bad) {
  for (const auto& b : bad) {
    INFO(b.text);
    CHECK(whole_error(kBase + b.text) == b.message);
  }
}

}  // namespace

TEST_CASE("sections of a config", "[app]") {
  CHECK(whole_error(kBase).empty());
  const std::string no_suites =
      "suites: found none; allowed: one or more of fact_recall, length, needle, order_swap, text_nll";
  CHECK(whole_error("") == "c.yaml: position.scheme: found nothing; allowed: " + schemes() + "\nc.yaml: " + no_suites);
  CHECK(whole_error("position: {scheme: rope}\n") ==
        "c.yaml:1:1: suites: found none; allowed: one or more of fact_recall, length, needle, order_swap, text_nll");
  CHECK(whole_error("suites: {needle: }\n") == "c.yaml:1:1: position.scheme: found nothing; allowed: " + schemes());
  check_all({
      {"modle: {}",
       "c.yaml:5:1: modle: found an unknown key; allowed: eval, extends, limit, model, name, position, protocol, "
       "report, "
       "seeds, suites, "
       "sweep, train; did you mean 'model'?"},
      {"name: a/b", "c.yaml:5:7: name: found the name 'a/b'; allowed: a word without '/'"},
      {"name: ''", "c.yaml:5:7: name: found the name ''; allowed: a word without '/'"},
      {"name: ..", "c.yaml:5:7: name: found the name '..'; allowed: a word without '/'"},
      {"seeds: []", "c.yaml:5:8: seeds: found an empty list; allowed: at least one seed"},
      {"seeds: [1, 1]", "c.yaml:5:8: seeds: found a seed twice; each may stand once"},
      {"seeds: 3",
       "c.yaml:5:8: seeds: found '3'; allowed: a list, each entry a whole number from 0 to 9007199254740992"},
      {"seeds: [-1]",
       "c.yaml:5:9: seeds: found '-1' in the list; allowed: a list, each entry a whole number from 0 to "
       "9007199254740992"},
      {"model: {kv_heads: 3}", "c.yaml:5:19: model.kv_heads: found 3; allowed: a divisor of heads (4)"},
      {"model: {width: 30}",
       "c.yaml:5:16: model.width: found 30; allowed: a multiple of heads (4), or any width when head_width is given"},
      {"model: {kind: encoders}",
       "c.yaml:5:15: model.kind: found 'encoders'; allowed: decoder, encoder; did you mean 'encoder'?"},
      {"train: {length: {min: 40}}", "c.yaml:5:23: train.length.min: found 40; allowed: at most max (32)"},
      {"train: {length: 32}", "c.yaml:5:17: train.length: found '32'; allowed: a mapping of keys"},
      {"train: {length: {max: 2}}",
       "c.yaml:5:23: train.length.max: found '2'; allowed: a whole number from 4 to 1048576"},
      {"train: {lr: 0}", "c.yaml:5:13: train.lr: found '0'; allowed: a number above 0 and up to 10"},
      {"report: {formats: [md, doc]}",
       "c.yaml:5:19: report.formats: found 'doc'; allowed: md, html, csv, tex, json, svg, junit, lm-eval, png, pdf"},
      {"report: {formats: [htm]}",
       "c.yaml:5:19: report.formats: found 'htm'; allowed: md, html, csv, tex, json, svg, junit, lm-eval, png, pdf; "
       "did you mean 'html'?"},
      {"protocol: {bar: 2}", "c.yaml:5:17: protocol.bar: found '2'; allowed: a number from 0 to 1"},
      {"extends: base.yaml",
       "c.yaml:5:10: extends: found 'base.yaml' in a part of a config; allowed: at the top of a file"},
  });
}

TEST_CASE("lengths and probes", "[app]") {
  check_all({
      {"eval: {lengths: []}", "c.yaml:5:17: eval.lengths: found an empty list; allowed: at least one length"},
      {"eval: {lengths: [4, 16]}",
       "c.yaml:2:3: suites.needle.lengths: found 4 (from eval.lengths); allowed: 8 or more for this suite\n"
       "c.yaml:3:3: suites.order_swap.lengths: found 4 (from eval.lengths); allowed: 5 or more for this suite"},
      {"eval: {lengths: [1]}",
       "c.yaml:5:18: eval.lengths: found '1' in the list; allowed: a list, each entry a whole number from 2 to "
       "16777216"},
      {"eval: {probes: 7}",
       "c.yaml:3:3: suites.order_swap.probes: found 7 (from eval.probes); allowed: an even number, since probes come "
       "in pairs"},
      {"eval: {suites: [neddle]}",
       "c.yaml:5:16: eval.suites: found 'neddle'; allowed: names under suites: needle, order_swap; did you mean "
       "'needle'?"},
      {"eval: {suites: needle}", "c.yaml:5:16: eval.suites: found 'needle'; allowed: a list of words"},
      {"eval: {dtype: float16}",
       "c.yaml:5:15: eval.dtype: found 'float16'; allowed: float32, float64; did you mean 'float32'?"},
  });
  const std::string position = "position: {scheme: none}\n";
  for (const auto& b : std::vector<Bad>{
           {"suites: {needle: {lengths: [7]}}",
            "c.yaml:2:28: suites.needle.lengths: found 7; allowed: 8 or more for this suite"},
           {"suites: {needle: {lengths: []}}",
            "c.yaml:2:28: suites.needle.lengths: found an empty list; allowed: at least one length"},
           {"suites: {order_swap: {probes: 5}}",
            "c.yaml:2:31: suites.order_swap.probes: found 5; allowed: an even number, since probes come in pairs"},
           {"suites: {needle: {distances: [8, 64], lengths: [64]}}",
            "c.yaml:2:30: suites.needle.distances: found 64, which does not fit length 64; allowed: up to 61"},
           {"suites: {length: {document: 100}}",
            "c.yaml:2:29: suites.length.document: found 100, shorter than length 128; allowed: the longest length or "
            "more"},
           {"suites: {needle: {needles: 9}}",
            "c.yaml:2:28: suites.needle.needles: found 9; allowed: at most keys and values (8 and 8), so that all "
            "differ"},
           {"suites: {needle: {gap: 3}}",
            "c.yaml:2:19: suites.needle.gap: found an unknown key; allowed: depths, distances, filler, keys, kind, "
            "lengths, needles, probes, style, values; it goes with kind order_swap"},
           {"suites: {neddle: {}}",
            "c.yaml:2:18: suites.neddle.kind: found nothing, and 'neddle' is no suite; allowed: fact_recall, length, "
            "needle, "
            "order_swap, text_nll; did you mean 'needle'?"},
           {"suites: {mine: {kind: ordr_swap}}",
            "c.yaml:2:23: suites.mine.kind: found 'ordr_swap'; allowed: fact_recall, length, needle, order_swap, "
            "text_nll; did you mean "
            "'order_swap'?"},
           {"suites: {a/b: {kind: needle}}",
            "c.yaml:2:15: suites.a/b: found the name 'a/b'; allowed: a word without '/'"},
           {"suites: [needle]", "c.yaml:2:9: suites: found a list; allowed: a mapping of names to mappings"},
           {"suites: {length: }\nmodel: {kind: encoder}",
            "c.yaml:2:10: suites.length.kind: found 'length' for an encoder; allowed: a decoder (model.kind), since it "
            "scores every next token"},
           {"suites: {length: {scored: 40}}",
            "c.yaml:2:18: suites.length: found a training length of 32; allowed: 45 or more for this suite "
            "(train.length.max)"},
       }) {
    INFO(b.text);
    CHECK(whole_error(position + b.text) == b.message);
  }
}

TEST_CASE("default lengths leave out what is too short for a suite, chosen ones do not", "[app]") {
  const Experiment e =
      read_experiment(parse_yaml("{suites: {length: , order_swap: }, position: {scheme: none}}", "c.yaml"));
  CHECK(e.variants[0].suites[0].lengths == std::vector<int64_t>{32, 64, 128, 256});
  CHECK(e.variants[0].suites[1].lengths == std::vector<int64_t>{16, 32, 64, 128, 256});
  const Experiment again = read_experiment(parse_yaml(to_yaml(e.resolved), "r.yaml"));
  CHECK(to_yaml(again.resolved) == to_yaml(e.resolved));
  CHECK_THAT(
      whole_error("{suites: {length: }, position: {scheme: none}, eval: {lengths: [16]}}"),
      ContainsSubstring("suites.length.lengths: found 16 (from eval.lengths); allowed: 21 or more for this suite"));
}

TEST_CASE("options of position schemes", "[app]") {
  const auto error = [](const std::string& position) {
    return whole_error("suites: {needle: }\nposition: " + position + "\n");
  };
  CHECK(error("{scheme: ropee}") ==
        "c.yaml:2:20: position.scheme: found 'ropee'; allowed: " + schemes() + "; did you mean 'rope'?");
  CHECK(error("{scheme: alibi, rope_theta: 3}")
            .rfind("c.yaml:2:27: position.rope_theta: found an unknown key; allowed: ", 0) == 0);
  CHECK(error("{scheme: none, scale: 3}") ==
        "c.yaml:2:26: position.scale: found an unknown key; allowed: query_temperature, randomized, scheme; "
        "it goes with scheme sinusoidal");
  CHECK(error("{scheme: rope, rope_theta: 1}") ==
        "c.yaml:2:38: position.rope_theta: found '1'; allowed: a number above 1");
  CHECK(error("{scheme: rope, partial_rotary_factor: 0.2}") ==
        "c.yaml:2:49: position.partial_rotary_factor: found 0.2, which rotates 3 of 16 channels of a head; allowed: an "
        "even number of them, 2 or more");
  CHECK(error("{scheme: rope, layout: halves}") ==
        "c.yaml:2:34: position.layout: found 'halves'; allowed: half, interleaved");
  CHECK(error("{scheme: rope, scaling: {rope_type: linaer, factor: 2}}") ==
        "c.yaml:2:47: position.scaling.rope_type: found 'linaer'; allowed: " + names_of(rope_scalings()) + ", su" +
            "; did you mean 'linear'?");
  CHECK(error("{scheme: rope, scaling: {rope_type: linear}}") ==
        "c.yaml:2:35: position.scaling.factor: found nothing; allowed: a number, 1 or more");
  CHECK(error("{scheme: rope, scaling: {rope_type: linear, factor: 0.5}}") ==
        "c.yaml:2:63: position.scaling.factor: found '0.5'; allowed: a number, 1 or more");
  CHECK_THAT(error("{scheme: rope, scaling: {rope_type: linear, factor: 2, alpha: 2}}"),
             ContainsSubstring("c.yaml:2:66: position.scaling.alpha: found an unknown key; allowed: factor"));
  CHECK(error("{scheme: rope, scaling: {rope_type: yarn, factor: 2, beta_fast: 1, beta_slow: 4}}") ==
        "c.yaml:2:75: position.scaling.beta_fast: found 1 with beta_slow 4; allowed: beta_fast above beta_slow");
  CHECK(error("{scheme: rope, scaling: {rope_type: yarn, factor: 2, truncate: yes}}") ==
        "c.yaml:2:74: position.scaling.truncate: found 'yes'; allowed: true or false");
  CHECK(error("{scheme: rope, scaling: linear}") ==
        "c.yaml:2:35: position.scaling: found 'linear'; allowed: a mapping of keys");
  CHECK(error("{scheme: t5, num_buckets: 31}") ==
        "c.yaml:2:37: position.num_buckets: found 31; allowed: an even number");
  CHECK(error("{scheme: learned, positions: 8}") ==
        "c.yaml:2:40: position.positions: found 8; allowed: the training length or more (32)");
  CHECK(error("{scheme: learned, positions: 0}")
            .rfind("c.yaml:2:40: position.positions: found '0'; allowed: a whole number from 1 to ", 0) == 0);
}

TEST_CASE("--set is checked like the file, and named in its errors", "[app]") {
  CHECK(set_error({"model.width=30"}) ==
        "--set model.width:1:1: model.width: found 30; allowed: a multiple of heads (4), or any width when head_width "
        "is given");
  CHECK(set_error({"position.scaling.factor=4"})
            .rfind("--set position.scaling.factor:1:1: position.scaling.factor: found an unknown key; ", 0) == 0);
  CHECK(set_error({"position.scaling.rope_type=linear", "position.scaling.factor=4"}).empty());
  CHECK(set_error({"position.scheme=none"}).empty());
  CHECK(set_error({"suites.extra.kind=needle"}).empty());
  CHECK(set_error({"sed=[1]"}).rfind("--set sed:1:1: sed: found an unknown key; ", 0) == 0);
  CHECK(set_error({"extends=other.yaml"}) ==
        "--set extends:1:1: extends: found 'other.yaml' in a part of a config; allowed: at the top of a file");
}

TEST_CASE("sweeps that say what no variant may say", "[app]") {
  check_all({
      {"sweep:\n  - {axis: train.stepps, values: [1, 2]}",
       "c.yaml:6:12: train.stepps: found an unknown key; allowed: batch, beta1, beta2, clip, gate, length, lr, lr_end, "
       "models, steps, warmup, "
       "weight_decay, with_scaling; did you mean 'steps'?"},
      {"sweep:\n  - {axis: train.steps, values: [1, many]}",
       "c.yaml:6:37: train.steps: found 'many'; allowed: a whole number from 0 to 1099511627776"},
      {"sweep:\n  - {axis: model, values: [big]}", "c.yaml:6:28: model: found 'big'; allowed: a mapping of keys"},
      {"sweep:\n  - {name: a, modle: {}}",
       "c.yaml:6:15: modle: found an unknown key; allowed: eval, extends, limit, model, name, position, protocol, "
       "report, "
       "seeds, suites, sweep, train; "
       "did you mean 'model'?"},
      {"sweep:\n  - {name: a}\n  - {name: b, seeds: [5]}",
       "c.yaml:7:22: seeds: found a value of one variant's own; allowed: one for the whole run"},
      {"sweep:\n  - {axis: name, values: [a, b]}",
       "c.yaml:6:30: name: found a value of one variant's own; allowed: one for the whole run"},
      {"sweep:\n  - {name: a}\n  - {name: b, protocol: {bar: 0.5}}",
       "c.yaml:7:25: protocol: found a value of one variant's own; allowed: one for the whole run"},
      {"sweep:\n  - {name: a, sweep: [{name: b}]}",
       "c.yaml:6:22: sweep: found a sweep inside a sweep; allowed: one, at the top of the config"},
      {"sweep:\n  - {name: a, extends: b.yaml}",
       "c.yaml:6:24: extends: found 'b.yaml' in a part of a config; allowed: at the top of a file"},
  });
}

TEST_CASE("all errors come at once, a misspelt key before the rest", "[app]") {
  CHECK(whole_error("suites: {needle: }\npositon: {scheme: rope}\n") ==
        "c.yaml:2:1: positon: found an unknown key; allowed: eval, extends, limit, model, name, position, protocol, "
        "report, "
        "seeds, suites, sweep, train; did you mean 'position'?");
  CHECK(
      whole_error("name: a/b\nseeds: []\nmodel: {kv_heads: 3, width: 30, layrs: 2}\ntrain: {lr: 0, steps: x}\n"
                  "position: {scheme: rope, layout: halves, scaling: {rope_type: linear}}\n"
                  "suites: {needle: {keys: 0}, mine: {kind: neddle}, order_swap: {probes: 5}}\n"
                  "protocol: {bar: 2}\nreport: {formats: [htm, doc]}\n") ==
      "c.yaml:3:33: model.layrs: found an unknown key; allowed: activation, begin_token, bias, checkpoint, device, "
      "ffn, full_attention_interval, gated, head_width, heads, init_std, kind, kv_heads, layers, norm, norm_eps, "
      "sliding_window, tied_embeddings, width; did you mean 'layers'?\n"
      "c.yaml:1:7: name: found the name 'a/b'; allowed: a word without '/'\n"
      "c.yaml:2:8: seeds: found an empty list; allowed: at least one seed\n"
      "c.yaml:3:19: model.kv_heads: found 3; allowed: a divisor of heads (4)\n"
      "c.yaml:3:29: model.width: found 30; allowed: a multiple of heads (4), or any width when head_width is given\n"
      "c.yaml:4:13: train.lr: found '0'; allowed: a number above 0 and up to 10\n"
      "c.yaml:4:23: train.steps: found 'x'; allowed: a whole number from 0 to 1099511627776\n"
      "c.yaml:5:34: position.layout: found 'halves'; allowed: half, interleaved\n"
      "c.yaml:5:51: position.scaling.factor: found nothing; allowed: a number, 1 or more\n"
      "c.yaml:6:25: suites.needle.keys: found '0'; allowed: a whole number from 1 to 256\n"
      "c.yaml:6:42: suites.mine.kind: found 'neddle'; allowed: fact_recall, length, needle, order_swap, text_nll; did "
      "you mean 'needle'?\n"
      "c.yaml:7:17: protocol.bar: found '2'; allowed: a number from 0 to 1\n"
      "c.yaml:8:19: report.formats: found 'htm'; allowed: md, html, csv, tex, json, svg, junit, lm-eval, png, pdf; did "
      "you mean 'html'?\n"
      "c.yaml:8:19: report.formats: found 'doc'; allowed: md, html, csv, tex, json, svg, junit, lm-eval, png, pdf");
}

TEST_CASE("options of an unknown scheme are not unknown keys", "[app]") {
  CHECK(whole_error(
            "suites: {needle: }\nposition: {scheme: ropee, rope_theta: 5, scaling: {rope_type: yarn, factor: 2}}\n") ==
        "c.yaml:2:20: position.scheme: found 'ropee'; allowed: " + schemes() + "; did you mean 'rope'?");
  CHECK_THAT(whole_error("suites: {needle: }\nposition: {scheme: ropee, rope_tetha: 5}\n"),
             ContainsSubstring("c.yaml:2:27: position.rope_tetha: found an unknown key; allowed: ") &&
                 ContainsSubstring("did you mean 'rope_theta'?\nc.yaml:2:20: position.scheme: found 'ropee'"));
}

TEST_CASE("what is wrong in many variants is said once", "[app]") {
  CHECK(whole_error(kBase + "train: {lr: 0}\nsweep:\n  - {name: a}\n  - {name: b, position: {scheme: ropee}}\n"
                            "  - {axis: train.steps, values: [1, 2]}\n") ==
        "c.yaml:5:13: train.lr: found '0'; allowed: a number above 0 and up to 10\n"
        "c.yaml:8:34: position.scheme: found 'ropee'; allowed: " +
            schemes() + "; did you mean 'rope'?");
}

TEST_CASE("keys of the user's own begin with x-", "[app]") {
  CHECK(whole_error("x-steps: &steps {steps: 3}\ntrain: *steps\n" + kBase).empty());
  const Experiment e = read_experiment(parse_yaml("x-a: 1\ntrain: {steps: 3}\n" + kBase, "c.yaml"));
  CHECK(e.resolved.find("x-a") == nullptr);
}

TEST_CASE("a model that cannot be loaded is the only error", "[app]") {
  const std::string error = whole_error("model: {checkpoint: /nowhere/at-all}\nsuites: {needle: }\npositon: {}\n");
  CHECK_THAT(error, ContainsSubstring("c.yaml:3:1: positon: found an unknown key") &&
                        ContainsSubstring("\nc.yaml:1:21: model.checkpoint: ") && !ContainsSubstring("scheme"));
}

}  // namespace lw::config_errors_test
