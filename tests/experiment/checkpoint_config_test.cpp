// model.checkpoint in configs: what is read, how positions are laid on the checkpoint's own, and that every suite
// is evaluated.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/checkpoint/export.h"
#include "harness/experiment/checkpoint_position.h"
#include "harness/run/evaluate_stage.h"
#include "harness/run/train_stage.h"
#include "harness/run/work.h"
#include "tests/catch_torch.h"
#include "tests/model/support.h"
#include "tests/support.h"

namespace lw::app_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Equals;
using test::error_of;

constexpr int64_t kWords = 400;

/// "baa", "bab", ...: words of three letters.
std::string word(int64_t i) {
  return {static_cast<char>('b' + i / 100), static_cast<char>('a' + i / 10 % 10), static_cast<char>('a' + i % 10)};
}

/// A random LLaMA with a tokenizer of whole words, as a Hugging Face folder.
class TinyCheckpoint {
 public:
  explicit TinyCheckpoint(const std::string& position = "scheme: rope\nrope_theta: 500", int64_t train_length = 64) {
    ModelConfig c = model_test::small_config();
    c.norm = NormKind::kRmsNorm;
    c.gated = true;
    c.bias = false;
    c.activation = Activation::kSilu;
    c.vocabulary = kWords + 3;
    const auto model = model_test::small_model(position, c);
    export_checkpoint(*model, parse_yaml(position, "test"), train_length, folder_.path());
    nlohmann::ordered_json vocab{{"[UNK]", 0}, {"?", 1}, {".", 2}};
    std::string text;
    for (int64_t i = 0; i < kWords; ++i) {
      vocab[word(i)] = i + 3;
      text += word(i * 7 % kWords) + (i % 9 == 8 ? "." : "") + " ";
    }
    const nlohmann::ordered_json tokenizer{{"version", "1.0"},
                                           {"normalizer", nullptr},
                                           {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
                                           {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", false}}},
                                           {"model",
                                            {{"type", "WordPiece"},
                                             {"unk_token", "[UNK]"},
                                             {"continuing_subword_prefix", "##"},
                                             {"max_input_chars_per_word", 100},
                                             {"vocab", vocab}}}};
    write_file(folder_.path() / "tokenizer.json", tokenizer.dump());
    write_file(folder_.path() / "text.txt", text);
  }

  std::string path() const { return folder_.path().string(); }

 private:
  test::TempFolder folder_;
};

/// A config on the checkpoint; `rest` is YAML lines at the top level.
std::string config(const TinyCheckpoint& tiny, const std::string& rest) {
  return "name: tiny\nmodel: {checkpoint: " + tiny.path() + "}\n" + rest;
}

const std::string kNeedle = "suites: {needle: {keys: 4, values: 4}}\neval: {lengths: [24, 96], probes: 4}\n";

Experiment read(const std::string& text) { return read_experiment(parse_yaml(text, "c.yaml")); }

Tree yaml(const std::string& text) { return parse_yaml(text, "c.yaml"); }

std::string laid(const std::string& own, const std::string& given) {
  return to_yaml(merge_position(yaml(own), given.empty() ? Tree() : yaml(given)));
}

}  // namespace

TEST_CASE("positions are kept, changed or replaced", "[app][checkpoint]") {
  const std::string own = "{scheme: rope, rope_theta: 500}";
  CHECK(laid(own, "") == to_yaml(yaml(own)));
  CHECK(laid(own, "{rope_theta: 9}") == to_yaml(yaml("{scheme: rope, rope_theta: 9}")));
  CHECK(laid(own, "{scheme: rope, layout: half}") == to_yaml(yaml("{scheme: rope, rope_theta: 500, layout: half}")));
  CHECK(laid(own, "{scheme: alibi}") == to_yaml(yaml("{scheme: alibi}")));
  CHECK(laid(own, "{scaling: {rope_type: linear, factor: 2}}") ==
        to_yaml(yaml("{scheme: rope, rope_theta: 500, scaling: {rope_type: linear, factor: 2}}")));
}

TEST_CASE("a scaling over the checkpoint's own is put in its place or on it, and which must be said",
          "[app][checkpoint]") {
  const std::string own = "{scheme: rope, rope_theta: 500, scaling: {rope_type: factors, factors: [1, 2, 4]}}";
  const std::string linear = "scaling: {rope_type: linear, factor: 2}";
  CHECK_THAT(
      error_of([&] { laid(own, "{" + linear + "}"); }),
      Equals("c.yaml:1:11: position.checkpoint_scaling: found nothing, and a scaling beside the checkpoint's own "
             "(rope_type factors); allowed: replace, which puts this one in its place, or compose, which puts "
             "this one on it"));
  CHECK_THAT(error_of([&] { laid(own, "{checkpoint_scaling: composed, " + linear + "}"); }),
             ContainsSubstring("found 'composed'; allowed: replace, compose; did you mean 'compose'?"));
  CHECK(laid(own, "{checkpoint_scaling: replace, " + linear + "}") ==
        to_yaml(yaml("{scheme: rope, rope_theta: 500, " + linear + "}")));
  CHECK(laid(own, "{checkpoint_scaling: compose, " + linear + "}") ==
        to_yaml(yaml("{scheme: rope, rope_theta: 500, scaling: {rope_type: composed, first: {rope_type: factors, "
                     "factors: [1, 2, 4]}, then: {rope_type: linear, factor: 2}}}")));
  CHECK(laid(own, "{scaling: {rope_type: factors, factors: [1, 2, 4]}}") == to_yaml(yaml(own)));  // said again
}

TEST_CASE("blocks for types of layers keep their bases", "[app][checkpoint]") {
  const std::string own =
      "{scheme: rope, scaling: {full: {rope_type: linear, factor: 8, rope_theta: 1000}, slides: {rope_type: default, "
      "rope_theta: 10}}}";
  CHECK_THAT(error_of([&] { laid(own, "{checkpoint_scaling: replace, scaling: {rope_type: yarn, factor: 4}}"); }),
             ContainsSubstring("found one block for all layers; allowed: one under each type of layers that is to "
                               "change, as the checkpoint has (full, slides)"));
  CHECK(laid(own,
             "{checkpoint_scaling: replace, scaling: {full: {rope_type: yarn, factor: 4}, slides: {rope_type: "
             "ntk, alpha: 2}}}") ==
        to_yaml(yaml("{scheme: rope, scaling: {full: {rope_type: yarn, factor: 4, rope_theta: 1000}, slides: "
                     "{rope_type: ntk, alpha: 2, rope_theta: 10}}}")));
}

TEST_CASE("a config on a checkpoint says what is declared and what is used", "[app][checkpoint]") {
  const TinyCheckpoint tiny;
  const Experiment e = read(config(tiny, kNeedle + "sweep:\n  - {name: own}\n  - {name: longer, model: {train_length: "
                                                   "32}, position: {rope_theta: 900}}\n"));
  const CheckpointInfo own = checkpoint_info(e.variants[0]), longer = checkpoint_info(e.variants[1]);
  CHECK(own.train_length.declared == 64);
  CHECK(own.train_length.declared_by == "max_position_embeddings, config.json");
  CHECK(own.train_length.used_by == "the checkpoint");
  CHECK(own.position_changes.empty());
  CHECK(e.variants[0].scaling() == "none");
  CHECK(longer.train_length.used == 32);
  CHECK(longer.train_length.used_by == "model.train_length of the config");
  REQUIRE(longer.position_changes.size() == 1);
  CHECK(longer.position_changes[0] == ChangedOption{"rope_theta", "500", "900"});
  CHECK(to_json(longer)["position_changes"][0]["checkpoint"] == "500");
  CHECK(e.variants[1].scaling() == "rope_theta 900");
  CHECK(e.variants[1].train_length == 32);
}

TEST_CASE("a resolved config on a checkpoint is the same experiment again", "[app][checkpoint]") {
  const TinyCheckpoint tiny("scheme: rope\nscaling: {rope_type: linear, factor: 2}");
  const Experiment first = read(config(
      tiny, kNeedle + "sweep:\n  - {name: own}\n  - {name: yarn, position: {checkpoint_scaling: replace, scaling: "
                      "{rope_type: yarn, factor: 4}}}\n  - {name: none, position: {checkpoint_scaling: replace, "
                      "scaling: {rope_type: default}}}\n  - {name: alibi, position: {scheme: alibi}}\n"));
  const std::string text = to_yaml(first.resolved);
  const Experiment second = read(text);
  CHECK(to_yaml(second.resolved) == text);
  for (size_t i = 0; i < first.variants.size(); ++i)
    CHECK(to_yaml(first.variants[i].position.resolved()) == to_yaml(second.variants[i].position.resolved()));
  CHECK(first.variants[1].scaling() == "yarn x4");
  CHECK(first.variants[0].scaling() == "none");
}

TEST_CASE("every suite is evaluated on a checkpoint, the same whatever the number of threads", "[app][checkpoint]") {
  const TinyCheckpoint tiny;
  std::string suites =
      "suites:\n  needle: {keys: 4, values: 4}\n  pairs: {kind: needle, style: pair}\n  order_swap: "
      "{}\n  length: {}\n  text_nll: {text: " +
      tiny.path() + "/text.txt}\n";
  const Experiment e = read(config(tiny, suites + "eval: {lengths: [32, 96], probes: 4}\nsweep:\n  - {name: own}\n  - "
                                                  "{name: linear, position: {scaling: {rope_type: linear, factor: 2}}}"
                                                  "\n  - {name: alibi, position: {scheme: alibi}}\n"));
  const Work work = plan_work(e, 0);
  REQUIRE(work.weights.size() == 1);  // one set for all settings
  CHECK(work.gates.empty());
  const test::TempFolder one, three;
  const auto trained = train_all(work, Store(one.path()), {});
  CHECK(trained[0].steps == 0);
  CHECK(trained[0].parameters > 0);
  const auto records = evaluate_all(work, work.evals, Store(one.path()), {1, "cpu", false}, "evaluating");
  const auto again = evaluate_all(work, work.evals, Store(three.path()), {3, "cpu", false}, "evaluating");
  REQUIRE(records.size() == 3);
  for (size_t j = 0; j < records.size(); ++j) {
    REQUIRE(records[j].size() == 5 * 2 * 4);
    for (size_t i = 0; i < records[j].size(); ++i) {
      const Record& r = records[j][i];
      INFO(r.setting << " " << r.id);
      CHECK(r.status == Status::kScored);
      CHECK(std::isfinite(r.nll.value()));
      CHECK(r.in_length == (r.length == 32));
      CHECK(to_json_line(r) == to_json_line(again[j][i]));
    }
  }
  CHECK(*records[0][0].nll != *records[1][0].nll);
  CHECK(*records[0][0].nll != *records[2][0].nll);
  // From the store this time.
  CHECK(evaluate_all(work, work.evals, Store(one.path()), {}, "evaluating")[2].back().nll == records[2].back().nll);
}

TEST_CASE("what a config on a checkpoint may not hold", "[app][checkpoint]") {
  const TinyCheckpoint tiny;
  const auto error = [&](const std::string& rest) { return error_of([&] { read(config(tiny, rest)); }); };
  CHECK_THAT(
      error(kNeedle + "train: {steps: 4}\n"),
      Equals("c.yaml:5:8: train: found a section beside model.checkpoint; allowed: none, since weights are loaded"));
  CHECK_THAT(error(kNeedle + "seeds: [0, 1]\n"),
             ContainsSubstring("seeds: found 2 beside model.checkpoint; allowed: one"));
  CHECK_THAT(error("suites: {needle: }\neval: {dtype: float64, lengths: [24]}\n"),
             ContainsSubstring("eval.dtype: found a value beside model.checkpoint; allowed: model.dtype"));
  CHECK_THAT(error("suites: {needle: {keys: 200, values: 200}}\neval: {lengths: [24]}\n"),
             ContainsSubstring("model.checkpoint: "));  // too few words
  CHECK_THAT(error("suites: {text_nll: {text: " + tiny.path() + "/text.txt}}\neval: {lengths: [96], probes: 40}\n"),
             ContainsSubstring("suites.text_nll.probes: found 40 windows of 96 tokens"));
  CHECK_THAT(error("suites: {text_nll: {text: none.txt}}\neval: {lengths: [96]}\n"), ContainsSubstring("none.txt"));
  for (const std::string scheme : {"shaw", "learned", "t5", "kerple", "fire"})
    CHECK_THAT(error(kNeedle + "position: {scheme: " + scheme + "}\n"),
               ContainsSubstring("position.scheme: found " + scheme + ", whose learned parameters (") &&
                   ContainsSubstring("allowed: the checkpoint's own scheme, or one that learns nothing"));
  CHECK_THAT(error_of([&] { read("model: {checkpoint: no/such/folder}\n" + kNeedle); }),
             ContainsSubstring("c.yaml:1:21: model.checkpoint: no/such/folder: found nothing there"));
  CHECK_THAT(
      error_of([&] { read("suites: {text_nll: {text: " + tiny.path() + "/text.txt}}\nposition: {scheme: rope}\n"); }),
      ContainsSubstring("allowed: a model that reads text (model.checkpoint)"));
}

}  // namespace lw::app_test
