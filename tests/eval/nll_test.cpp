// The loss of a text: windows in which a number is not finite, and ids without a row.
#include "harness/eval/nll.h"

#include <algorithm>
#include <limits>

#include "harness/base/error.h"
#include "tests/catch_torch.h"
#include "tests/model/support.h"
#include "tests/support.h"

namespace lw::eval_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Windows of 4 tokens, the last of which holds token 7 as its second.
const std::vector<int64_t> kIds = {1, 2, 3, 4, 5, 6, 1, 2, 3, 7, 4, 5};

std::string error_of(const std::shared_ptr<Transformer>& model) {
  size_t windows = 0;
  const std::string error = test::error_of([&] { nll_by_position(model, kIds, {4, 0, 0, {}}, [&] { ++windows; }); });
  return error + " after " + std::to_string(windows);
}

/// Puts NaN into a parameter, or a row of it.
std::shared_ptr<Transformer> broken(const std::string& parameter, std::optional<int64_t> row = {},
                                    const std::string& position = "scheme: rope") {
  ModelConfig c = model_test::small_config();
  c.tied_embeddings = false;
  auto model = model_test::small_model(position, c);
  at::NoGradGuard no_grad;
  auto tensor = model->named_parameters()[parameter];
  (row ? tensor[*row] : tensor).fill_(kNan);
  return model;
}

}  // namespace

// ik_llama.cpp 285, 649: a NaN was averaged away, or ended the run without a place.
TEST_CASE("a loss that is not finite ends with its window, its token and the layer where it began", "[eval]") {
  const std::string allowed = "; allowed: finite losses (a wider --dtype?)";
  // In the whole window: a weight of zero times NaN is none.
  CHECK(error_of(broken("embed_tokens", 7)) ==
        "window 2: the loss of token 9 is not finite; the first non-finite numbers are in the keys and values of layer "
        "0 (of 2, counted from 0)" +
            allowed + " after 2");
  CHECK(error_of(broken("layers_0.down_proj.weight")) ==
        "window 0: the loss of token 1 is not finite; the first non-finite numbers are in the keys and values of layer "
        "1 (of 2, counted from 0)" +
            allowed + " after 0");
  for (const char* last : {"layers_1.down_proj.weight", "lm_head.weight"})
    CHECK(error_of(broken(last)) ==
          "window 0: the loss of token 1 is not finite; the keys and values of every layer are finite, so the cause is "
          "the last "
          "layer or the output weights" +
              allowed + " after 0");
  // No keys may be kept here, so there is nothing to look at.
  CHECK(error_of(broken("layers_0.down_proj.weight", {},
                        "{scheme: rope, scaling: {rope_type: dynamic, factor: 2, "
                        "original_max_position_embeddings: 16}}")) ==
        "window 0: the loss of token 1 is not finite" + allowed + " after 0");
  CHECK(test::error_kind_of([] {
          nll_by_position(broken("lm_head.weight"), kIds, {4, 0, 0, {}}, [] {});
        }) == ErrorKind::kRuntime);
}

TEST_CASE("every token of the text is scored or counted as not scored", "[eval]") {
  const auto model = model_test::small_model("scheme: rope");
  const std::vector<int64_t> ids = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  for (int64_t context = 2; context <= 5; ++context)
    for (int64_t stride = 0; stride <= 7; ++stride) {
      INFO("context " << context << " stride " << stride);
      const NllResult r = nll_by_position(model, ids, {context, stride, 0, {}}, [] {});
      const int64_t step = stride == 0 ? context : stride;
      std::vector<bool> scored(ids.size(), false);
      int64_t covered = 0;
      for (int64_t begin = 0; begin + context <= std::ssize(ids); begin += step) {
        for (int64_t t = begin + 1; t < begin + context; ++t) scored[size_t(t)] = true;
        covered = begin + context;
      }
      const int64_t n = std::count(scored.begin(), scored.end(), true);
      CHECK(pooled(r, 0, r.positions.size()).n == n);
      CHECK(r.unused == std::ssize(ids) - covered);
      CHECK(r.unscored == covered - n);
      CHECK(n + r.unused + r.unscored == std::ssize(ids));
      if (stride > 0 && stride < context) CHECK(r.unscored == 1);  // the first of the text
    }
}

TEST_CASE("an id without a row is refused before any window is scored", "[eval]") {
  const auto model = model_test::small_model("scheme: rope");
  for (const int64_t id : {int64_t{40}, int64_t{-1}}) {
    std::vector<int64_t> ids = kIds;
    ids.back() = id;
    size_t windows = 0;
    CHECK(test::error_of([&] {
            nll_by_position(model, ids, {4, 0, 0, {}}, [&] { ++windows; });
          }) ==
          "text: token 11: found id " + std::to_string(id) + "; allowed: 0 to 39, the rows of the model's embedding");
    CHECK(windows == 0);
  }
}

}  // namespace lw::eval_test
