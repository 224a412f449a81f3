// A real model trained to 512 tokens (stories260K) against an independent float64 forward pass, in every container.
#include "harness/experiment/checkpoint_model.h"

#include <cmath>
#include <filesystem>
#include <sstream>

#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/eval/nll.h"
#include "harness/model/model.h"
#include "tests/catch_torch.h"

namespace lw::app_test {
namespace {

const std::filesystem::path kData = std::filesystem::path(LW_SOURCE_DIR) / "../shared/data";

bool data_is_here() {
  if (std::filesystem::exists(kData / "stories260K/hf/config.json")) return true;
  WARN("skipped: no " << kData.string() << "/stories260K, which holds the model and its golden losses");
  SUCCEED("nothing to compare");
  return false;
}

/// The whole text, tokenised once with BOS.
std::vector<int64_t> text_ids(const Tokenizer& tokenizer) {
  return tokenizer.encode(read_file(kData / "text/tinystories-train-head.txt"), {.add_special = true}).ids;
}

struct Golden {
  std::vector<double> mean;
  int64_t windows = 0;
};

Golden golden_in(const std::filesystem::path& table, int64_t context) {
  std::istringstream lines(read_file(table));
  Golden out;
  std::string line;
  std::getline(lines, line);
  REQUIRE(line == "position\tmean_nll\tn");
  double position = 0, mean = 0;
  while (lines >> position >> mean >> out.windows) out.mean.push_back(mean);
  REQUIRE(int64_t(out.mean.size()) == context - 1);
  return out;
}

/// Of the independent pass.
Golden golden(const std::string& method, int64_t context) {
  return golden_in(kData / "stories260K/golden" / ("nll_" + method + "_ctx" + std::to_string(context) + ".tsv"),
                   context);
}

/// Settings of the golden tables.
std::vector<std::string> sets_of(const std::string& method) {
  const std::string scaling = "position.scaling=";
  if (method == "base20000") return {"position.rope_theta=20000"};
  if (method == "base80000") return {"position.rope_theta=80000"};
  if (method == "linear2") return {scaling + "{rope_type: linear, factor: 2}"};
  if (method == "linear4") return {scaling + "{rope_type: linear, factor: 4}"};
  if (method == "ntk2") return {scaling + "{rope_type: ntk, alpha: 2}"};
  if (method == "ntk4") return {scaling + "{rope_type: ntk, alpha: 4}"};
  if (method == "yarn2") return {scaling + "{rope_type: yarn, factor: 2}"};
  if (method == "yarn4") return {scaling + "{rope_type: yarn, factor: 4}"};
  return {};
}

/// Differences of a position's mean NLL from the golden table.
struct Gaps {
  double largest = 0, mean = 0;
};

Gaps gaps_to(const Golden& want, const std::string& container, const std::string& method, int64_t context,
             const std::string& dtype = "float32") {
  CheckpointOptions options;
  options.dtype = dtype;
  options.path = (kData / "stories260K" / container).string();
  options.sets = sets_of(method);
  options.train_length = 512;  // the GGUF file says 128
  const CheckpointModel model = load_model(options);
  const Tokenizer& tokenizer = model.source->text().tokenizer();
  const auto ids = text_ids(tokenizer);
  REQUIRE(ids.size() == 100708);
  NllOptions nll{context, 0, want.windows, tokenizer.bos()};
  const NllResult got = nll_by_position(model.transformer, ids, nll, [] {});
  REQUIRE(got.windows == want.windows);
  Gaps gaps;
  for (size_t p = 0; p < want.mean.size(); ++p) {
    const double gap = std::abs(got.positions[p].mean() - want.mean[p]);
    gaps.largest = std::max(gaps.largest, gap);
    gaps.mean += gap / double(want.mean.size());
  }
  return gaps;
}

double worst_gap(const std::string& container, const std::string& method, int64_t context,
                 const std::string& dtype = "float32") {
  return gaps_to(golden(method, context), container, method, context, dtype).largest;
}

}  // namespace

TEST_CASE("losses by position equal the independent pass in every container", "[checkpoint]") {
  if (!data_is_here()) return;
  CHECK(worst_gap("hf", "none", 512) < 1e-4);
  CHECK(worst_gap("stories260K.gguf", "none", 512) < 1e-4);
  // The shards hold weights rounded to bfloat16, which are other weights. transformers, which computes with them in
  // float32 (tests/data), is 0.01185 off the independent pass at position 347 itself, beyond 0.01 at 2 of 511
  // positions, and 0.00246 on average. So what reading adds is held against transformers, and the rest is bounded.
  const Golden theirs = golden_in(std::filesystem::path(LW_TEST_DATA) / "stories260K-bf16.tsv", 512);
  CHECK(gaps_to(theirs, "hf-sharded-bf16", "none", 512).largest < 1e-4);
  const Gaps rounded = gaps_to(golden("none", 512), "hf-sharded-bf16", "none", 512);
  CHECK(rounded.mean < 3e-3);
  CHECK(rounded.largest == Catch::Approx(0.01185).margin(1e-4));
}

TEST_CASE("losses by position equal the independent pass under every scaling", "[checkpoint][slow]") {
  if (!data_is_here()) return;
  for (const int64_t context : {128, 256, 768, 1024, 2048}) {
    INFO(context);
    CHECK(worst_gap("hf", "none", context) < 1e-4);
  }
  // Eight times too long the model is at sea (perplexity 224) and amplifies how float32 rounds: 1.01e-4.
  CHECK(worst_gap("hf", "none", 4096) < 2e-4);
  CHECK(worst_gap("hf", "none", 4096, "float64") < 1e-5);
  for (const char* method : {"base20000", "base80000", "linear2", "linear4", "ntk2", "ntk4", "yarn2", "yarn4"})
    for (const int64_t context : {512, 1024, 2048}) {
      INFO(method << " at " << context);
      CHECK(worst_gap("hf", method, context) < 1e-4);
      if (context == 1024) CHECK(worst_gap("stories260K.gguf", method, context) < 1e-4);
    }
}

TEST_CASE("the second half's perplexity is llama.cpp's", "[checkpoint]") {
  if (!data_is_here()) return;
  CheckpointOptions options;
  options.path = (kData / "stories260K/stories260K.gguf").string();
  options.train_length = 512;
  const CheckpointModel model = load_model(options);
  const Tokenizer& tokenizer = model.source->text().tokenizer();
  const auto perplexity = [&](int64_t context, int64_t windows) {
    const NllResult r =
        nll_by_position(model.transformer, text_ids(tokenizer), {context, 0, windows, tokenizer.bos()}, [] {});
    const PositionNll half = pooled(r, size_t(context / 2), r.positions.size());
    CHECK(half.n == windows * (context - context / 2 - 1));
    return std::exp(half.mean());
  };
  CHECK(perplexity(128, 64) == Catch::Approx(4.2409).epsilon(5e-4));
  CHECK(perplexity(512, 16) == Catch::Approx(4.0036).epsilon(5e-4));
  CHECK(perplexity(2048, 4) == Catch::Approx(6.1871).epsilon(5e-4));
}

TEST_CASE("ids equal llama.cpp's, and the greedy story begins as it is known to", "[checkpoint]") {
  if (!data_is_here()) return;
  const Json want = parse_json(read_file(kData / "stories260K/golden/tinystories-train-head.ids.json"), "ids.json");
  for (const char* container : {"hf", "stories260K.gguf", "hf-sharded-bf16"}) {
    INFO(container);
    CheckpointOptions options;
    options.path = (kData / "stories260K" / container).string();
    const CheckpointModel model = load_model(options);
    if (!std::filesystem::exists(kData / "stories260K" / container / "tokenizer.json") &&
        std::string(container) != "stories260K.gguf")
      continue;  // the shards come without a tokenizer
    const Tokenizer& tokenizer = model.source->text().tokenizer();
    CHECK(text_ids(tokenizer) == (want.is_array() ? want : want.begin().value()).get<std::vector<int64_t>>());
    const auto start = at::tensor({*tokenizer.bos()}, at::kLong).view({1, 1});
    const auto story = make_model(model.transformer, 0)->continue_greedily(start, 60).contiguous();
    const std::vector<int64_t> ids(story.data_ptr<int64_t>(), story.data_ptr<int64_t>() + story.numel());
    CHECK_THAT(tokenizer.decode(ids, true),
               Catch::Matchers::ContainsSubstring(
                   "Once upon a time, there was a little girl named Lily. She loved to play outside in the park."));
  }
}

}  // namespace lw::app_test
