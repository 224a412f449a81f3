// What lies where in a file's tensors, in both directions.
#include "harness/checkpoint/weight_change.h"

#include "harness/checkpoint/weight_map.h"
#include "harness/model/transformer.h"
#include "tests/checkpoint/fixtures.h"
#include "tests/model/support.h"
#include "tests/support.h"

using namespace lw;
using namespace lw::checkpoint_test;

namespace {

at::Tensor counted(std::vector<int64_t> shape) {
  int64_t count = 1;
  for (const int64_t n : shape) count *= n;
  return at::arange(count, at::kFloat).reshape(shape);
}

/// The tensor that all parts give together when they are put back.
at::Tensor rebuilt(const std::vector<WeightChange>& parts, const at::Tensor& theirs) {
  at::Tensor out;
  for (const auto& part : parts) put_back(part, taken(part, theirs), out);
  return out;
}

}  // namespace

TEST_CASE("parts of a file's tensor are put back where they were taken", "[families][export]") {
  const auto fused = counted({24, 5});  // 2 heads of 4 channels, q, k and v
  const auto blocks = [](int64_t part) { return rows_of(part * 8, 8, 24, "part"); };
  const auto heads = [](int64_t part) { return part_of_each_head(2, 4, part, 3, "part"); };
  CHECK(at::equal(rebuilt({blocks(0), blocks(1), blocks(2)}, fused), fused));
  CHECK(at::equal(rebuilt({heads(0), heads(1), heads(2)}, fused), fused));
  CHECK(at::equal(rebuilt({heads(0), heads(1), heads(2)}, fused.select(1, 0)), fused.select(1, 0)));
  const auto wide = counted({5, 24});
  CHECK(at::equal(rebuilt({transposed(blocks(0)), transposed(blocks(1)), transposed(blocks(2))}, wide), wide));
  CHECK(at::equal(rebuilt({transposed()}, wide), wide));
  CHECK(at::equal(rebuilt({halves_of_pairs(3, 8)}, fused), fused));
  CHECK(at::equal(rebuilt({plus(-1, "less 1")}, fused), fused));
  CHECK(at::equal(rebuilt({first_row("row 0")}, counted({1, 5})), counted({1, 5})));
}

TEST_CASE("parts of a fused tensor are the rows that the format says", "[families]") {
  const auto fused = counted({24, 1});
  const auto rows = [&](const WeightChange& change) {
    std::vector<int64_t> out;
    const auto values = taken(change, fused).flatten();
    for (int64_t i = 0; i < values.size(0); ++i) out.push_back(values[i].item<int64_t>());
    return out;
  };
  CHECK(rows(rows_of(8, 3, 24, "")) == std::vector<int64_t>{8, 9, 10});
  CHECK(rows(part_of_each_head(2, 4, 1, 3, "")) == std::vector<int64_t>{4, 5, 6, 7, 16, 17, 18, 19});
  const auto pairs = rows(halves_of_pairs(3, 8));
  CHECK(std::vector<int64_t>(pairs.begin(), pairs.begin() + 8) == std::vector<int64_t>{0, 2, 4, 6, 1, 3, 5, 7});
  CHECK_THROWS_AS(taken(rows_of(0, 8, 25, ""), fused), c10::Error);
  CHECK_THROWS_AS(taken(part_of_each_head(2, 5, 0, 3, ""), fused), c10::Error);
}

TEST_CASE("a tensor under one of two names is read from the first that is there, and written to both", "[families]") {
  const auto source = open_safetensors(kFolder + "bert-untied.safetensors");
  auto tensors = tensors_in(*source);
  const Json config = fixtures().named("bert-untied").config;
  const auto load = [&](const Tensors& t) {
    return load_transformer(open_checkpoint(config, "bert", std::make_unique<MemorySource>(t)));
  };
  const std::string own = "cls.predictions.decoder.bias", other = "cls.predictions.bias";
  const auto bias = [](const Transformer& model) { return model.named_parameters()["lm_head.bias"]; };
  CHECK(at::equal(bias(*load(tensors)), tensors.at(own)));
  tensors[other] = tensors.at(own) + 1;
  CHECK(at::equal(bias(*load(tensors)), tensors.at(own)));
  tensors.erase(own);
  const auto model = load(tensors);
  CHECK(at::equal(bias(*model), tensors.at(other)));
  const auto written =
      exported_tensors(*model, open_checkpoint(config, "bert", std::make_unique<MemorySource>(tensors)).map);
  CHECK(at::equal(written.at(own), tensors.at(other)));
  CHECK(at::equal(written.at(other), tensors.at(other)));
}
