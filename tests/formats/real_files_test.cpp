// Files that others wrote.
#include <cmath>

#include "tests/formats/support.h"

namespace lw::formats_test {

TEST_CASE("a real model is the same in one file, in bfloat16 shards and in GGUF", "[formats]") {
  const auto data = real_data("stories260K");
  if (!data) return;
  const Container hf(*data / "hf"), shards(*data / "hf-sharded-bf16"), gguf(*data / "stories260K.gguf"),
      half(*data / "stories260K-F16.gguf");
  CHECK(shards.files().size() == 2);
  CHECK(shards.tensors().size() == hf.tensors().size());
  for (const auto& tensor : hf.tensors()) {
    INFO(tensor.name);
    const auto exact = values_of(hf, tensor.name), rounded = values_of(shards, tensor.name);
    CHECK(shards.find(tensor.name)->dtype == "BF16");
    CHECK(shards.find(tensor.name)->shape == tensor.shape);
    double worst = 0;
    for (size_t i = 0; i < exact.size(); ++i)
      if (exact[i] != 0) worst = std::max(worst, double{std::abs(rounded[i] / exact[i] - 1)});
    CHECK(worst <= 0x1p-8);
  }
  const std::vector<std::pair<const char*, const char*>> names = {
      {"model.embed_tokens.weight", "token_embd.weight"},
      {"model.layers.3.mlp.down_proj.weight", "blk.3.ffn_down.weight"},
      {"model.layers.4.self_attn.v_proj.weight", "blk.4.attn_v.weight"},
      {"model.norm.weight", "output_norm.weight"}};
  for (const auto& [theirs, name] : names) {
    CHECK(values_of(hf, theirs) == values_of(gguf, name));
    CHECK(hf.find(theirs)->shape == gguf.find(name)->shape);
    CHECK(half.find(name)->count == gguf.find(name)->count);
  }
}

TEST_CASE("safetensors files of other writers", "[formats]") {
  const auto folder = real_data("vectors/swift-transformers");
  if (!folder) return;
  const SafetensorsFile three(*folder / "tensor-3d-float32.safetensors"),
      two(*folder / "tensor-2d-float64.safetensors"), one(*folder / "tensor-1d-int32.safetensors");
  CHECK(three.entries().at(0).shape == std::vector<int64_t>{2, 2, 3});
  CHECK(two.entries().at(0).dtype == "F64");
  CHECK(one.entries().at(0).bytes.size() == 12);
}

}  // namespace lw::formats_test
