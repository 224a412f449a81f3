// An encoder-decoder in a config: T5 with a tokenizer of its kind, asked by sentinels, under its own positions and
// under others.
#include <ATen/ops/randn.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/base/files.h"
#include "harness/experiment/checkpoint_variant.h"
#include "harness/formats/safetensors.h"
#include "harness/model/model.h"
#include "harness/run/evaluate_stage.h"
#include "harness/run/work.h"
#include "tests/checkpoint/fixtures.h"

namespace lw::app_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::error_of;
using Ordered = nlohmann::ordered_json;

const std::string kMark = "\u2581";  // what stands for a space
constexpr int64_t kT5Words = 400, kSentinels = 20, kFirstWord = 4, kRows = kFirstWord + kT5Words + kSentinels;

std::string t5_word(int64_t i) {
  return {static_cast<char>('b' + i / 100), static_cast<char>('a' + i / 10 % 10), static_cast<char>('a' + i % 10)};
}

/// T5's pipeline as its tokenizer.json states it; sentinels count down, the first being the last row.
std::string tokenizer_json() {
  Ordered vocab = Ordered::array({{"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}, {kMark, -9}}), added = Ordered::array();
  for (int64_t i = 0; i < kT5Words; ++i) vocab.push_back({kMark + t5_word(i), -5});
  for (int64_t i = kSentinels; i-- > 0;) vocab.push_back({"<extra_id_" + std::to_string(i) + ">", 0});
  for (int64_t id = 0; id < kRows; ++id)
    if (id < 3 || id >= kFirstWord + kT5Words)
      added.push_back({{"id", id}, {"content", vocab[static_cast<size_t>(id)][0]}, {"special", true}});
  const Ordered metaspace = {{"type", "Metaspace"}, {"replacement", kMark}, {"add_prefix_space", true}};
  const Ordered end = {{"SpecialToken", {{"id", "</s>"}, {"type_id", 0}}}};
  const Ordered text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  return Ordered{
      {"version", "1.0"},
      {"added_tokens", added},
      {"normalizer", nullptr},
      {"pre_tokenizer",
       {{"type", "Sequence"}, {"pretokenizers", Ordered::array({{{"type", "WhitespaceSplit"}}, metaspace})}}},
      {"post_processor",
       {{"type", "TemplateProcessing"},
        {"single", Ordered::array({text, end})},
        {"pair", Ordered::array({text, end})},
        {"special_tokens", {{"</s>", {{"id", "</s>"}, {"ids", {1}}, {"tokens", {"</s>"}}}}}}}},
      {"decoder", metaspace},
      {"model", {{"type", "Unigram"}, {"unk_id", 2}, {"vocab", vocab}}}}
      .dump();
}

/// The fixture's T5 with more rows, as a Hugging Face folder.
class TinyT5 {
 public:
  explicit TinyT5(const std::string& name) {
    at::manual_seed(7);
    const auto& fixture = checkpoint_test::fixtures().named(name);
    auto tensors =
        checkpoint_test::tensors_in(*checkpoint_test::open_safetensors(checkpoint_test::kFolder + fixture.weights));
    tensors["shared.weight"] = at::randn({kRows, tensors.at("shared.weight").size(1)});
    if (tensors.count("lm_head.weight") > 0) tensors["lm_head.weight"] = tensors["shared.weight"];
    std::vector<SafetensorsEntry> entries;
    for (auto& [key, t] : tensors) {
      t = t.contiguous();
      entries.push_back({key,
                         "F32",
                         t.sizes().vec(),
                         {static_cast<const std::byte*>(t.data_ptr()), static_cast<size_t>(t.nbytes())}});
    }
    write_safetensors(folder_.path() / "model.safetensors", std::move(entries), {{"format", "pt"}});
    Json config = fixture.config;
    config["vocab_size"] = kRows;
    config["n_positions"] = 64;
    write_file(folder_.path() / "config.json", config.dump());
    write_file(folder_.path() / "tokenizer.json", tokenizer_json());
    std::string words;
    for (int64_t i = 0; i < kT5Words; ++i) words += t5_word(i * 7 % kT5Words) + " ";
    write_file(folder_.path() / "text.txt", words);
  }

  std::string path() const { return folder_.path().string(); }

 private:
  test::TempFolder folder_;
};

Experiment read(const TinyT5& tiny, const std::string& rest) {
  return read_experiment(parse_yaml("name: t5\nmodel: {checkpoint: " + tiny.path() + "}\n" + rest, "c.yaml"));
}

const std::string kSuites =
    "suites:\n  needle: {keys: 4, values: 4}\n  pairs: {kind: needle, style: pair}\n  order_swap: {}\n"
    "eval: {lengths: [32, 96], probes: 4}\n";

}  // namespace

TEST_CASE("T5 is evaluated by sentinels of its tokenizer under any scheme", "[app][checkpoint]") {
  for (const char* name : {"t5", "t5-gated"}) {
    INFO(name);
    const TinyT5 tiny(name);
    const Experiment e = read(tiny, kSuites +
                                        "sweep:\n  - {name: own}\n  - {name: none, position: {scheme: none}}\n"
                                        "  - {name: alibi, position: {scheme: alibi}}\n"
                                        "  - {name: again}\n");
    CHECK(e.variants[0].model.summary().rfind("encoder-decoder, ", 0) == 0);
    const auto info = checkpoint_info(e.variants[0]);
    CHECK(info.train_length.declared == 64);
    CHECK(info.train_length.declared_by == "n_positions, config.json");
    const Work work = plan_work(e, 0);
    const test::TempFolder store, other;
    const auto records = evaluate_all(work, work.evals, Store(store.path()), {1, "cpu", false}, "evaluating");
    const auto again = evaluate_all(work, work.evals, Store(other.path()), {3, "cpu", false}, "evaluating");
    REQUIRE(records.size() == 4);
    for (size_t j = 0; j < records.size(); ++j) {
      REQUIRE(records[j].size() == 3 * 2 * 4);
      for (size_t i = 0; i < records[j].size(); ++i) {
        INFO(records[j][i].setting << " " << records[j][i].id);
        CHECK(records[j][i].status == Status::kScored);
        CHECK(std::isfinite(records[j][i].nll.value()));
        CHECK(to_json_line(records[j][i]) == to_json_line(again[j][i]));
      }
    }
    CHECK(*records[0][0].nll != *records[1][0].nll);
    CHECK(*records[0][0].nll != *records[2][0].nll);
    CHECK(*records[1][0].nll != *records[2][0].nll);
    CHECK(*records[0][0].nll == *records[3][0].nll);
  }
}

TEST_CASE("a needle's loss in T5 is that of its answer after the sentinel", "[app][checkpoint]") {
  at::NoGradGuard no_grad;
  const TinyT5 tiny("t5");
  const Experiment e = read(tiny, "suites: {needle: {keys: 4, values: 4}}\neval: {lengths: [32], probes: 2}\n");
  const Work work = plan_work(e, 0);
  const test::TempFolder store;
  const auto records = evaluate_all(work, work.evals, Store(store.path()), {1, "cpu", false}, "evaluating");
  const auto both = load_encoder_decoder(open_checkpoint(std::filesystem::path(tiny.path())));
  const auto& unit = work.evals.at(0).units.at(0);
  const Probe probe = make_probes(unit).at(0);
  REQUIRE(probe.targets.size() == 1);
  const int64_t at = probe.targets[0].slot, answer = probe.tokens[static_cast<size_t>(at)];
  auto seen = at::tensor(std::vector<int64_t>(probe.tokens.begin(), probe.tokens.end()), at::kLong).unsqueeze(0);
  seen[0][at] = kRows - 1;  // <extra_id_0>
  const auto logits =
      both->logits(both->hidden(row_tensor({{0, kRows - 1}}), at::arange(2).unsqueeze(0), both->encode(seen)))[0][1];
  const double nll = -logits.to(at::kDouble).log_softmax(0)[answer].item<double>();
  CHECK(std::abs(nll - records[0][0].nll.value()) < 1e-5);
}

TEST_CASE("what T5 in a config cannot be asked", "[app][checkpoint]") {
  const TinyT5 tiny("t5");
  const auto error = [&](const std::string& rest) { return error_of([&] { read(tiny, rest); }); };
  CHECK_THAT(error("suites: {text_nll: {text: " + tiny.path() + "/text.txt}}\neval: {lengths: [32]}\n"),
             ContainsSubstring("found 'text_nll' for an encoder-decoder; allowed: a decoder"));
  CHECK_THAT(error(kSuites + "position: {randomized: {max_position: 256}}\n"),
             ContainsSubstring("position.randomized: found a section; allowed: none for an encoder-decoder"));
}

}  // namespace lw::app_test
