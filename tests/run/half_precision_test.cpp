// What a real model (stories260K, trained to 512 tokens) loses in half precision.
#include <cmath>
#include <filesystem>

#include "harness/base/files.h"
#include "harness/eval/nll.h"
#include "harness/experiment/checkpoint_model.h"
#include "tests/catch_torch.h"

namespace lw::app_test {
namespace {

const std::filesystem::path kData = std::filesystem::path(LW_SOURCE_DIR) / "../shared/data";

NllResult losses(const std::string& dtype, int64_t context, int64_t windows) {
  CheckpointOptions options;
  options.path = (kData / "stories260K/hf").string();
  options.train_length = 512;
  options.dtype = dtype;
  const CheckpointModel model = load_model(options);
  const Tokenizer& tokenizer = model.source->text().tokenizer();
  const auto ids = tokenizer.encode(read_file(kData / "text/tinystories-train-head.txt"), {.add_special = true}).ids;
  return nll_by_position(model.transformer, ids, {context, 0, windows, tokenizer.bos()}, [] {});
}

}  // namespace

TEST_CASE("half precision costs a real model less than a hundredth of a nat", "[checkpoint][half]") {
  if (!std::filesystem::exists(kData / "stories260K/hf/config.json")) {
    WARN("skipped: no " << kData.string() << "/stories260K, which holds the model");
    SUCCEED("nothing to compare");
    return;
  }
  const auto full = losses("float32", 512, 8);
  struct Bound {
    std::string dtype;
    double mean, worst;  // of all tokens; of one position's mean over 8 windows
  };
  for (const auto& [dtype, mean, worst] : {Bound{"bfloat16", 2e-3, 0.12}, Bound{"float16", 2e-4, 0.015}}) {
    INFO(dtype);
    const auto half = losses(dtype, 512, 8);
    CHECK(std::abs(pooled(half, 0, 511).mean() - pooled(full, 0, 511).mean()) < mean);
    double gap = 0;
    for (size_t p = 0; p < 511; ++p) gap = std::max(gap, std::abs(half.positions[p].mean() - full.positions[p].mean()));
    CHECK(gap < worst);
    CHECK(gap > 1e-7);  // it is another computation
  }
}

}  // namespace lw::app_test
