// Small models under every position setting, for tests of the model, its decoder and its card.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "encodings/position_setting.h"
#include "harness/model/transformer.h"
#include "tests/catch_torch.h"
#include "tests/encodings/settings.h"

namespace lw::model_test {

/// The `position:` block of every setting, for sequences of up to 64 tokens; dynamic methods change at 16.
inline std::vector<std::string> all_positions(bool causal = true) {
  std::vector<std::string> out;
  for (const auto& setting : encoding_test::all_settings())
    if (causal || setting.works_on_encoders()) out.push_back(setting.for_length(64));
  return out;
}

inline ModelConfig small_config(bool causal = true) {
  ModelConfig c;
  c.kind = causal ? ModelKind::kDecoder : ModelKind::kEncoder;
  c.width = 32;
  c.head_width = 8;
  c.ffn = 64;
  c.vocabulary = 40;
  return c;
}

inline std::shared_ptr<PositionEncoding> encoding_of(const std::string& position, const ModelConfig& c,
                                                     int64_t train_length = 16) {
  return PositionSetting::parse(parse_yaml(position, "<string>"), c.shape(train_length)).build();
}

/// In float64, with weights drawn from `seed`.
inline std::shared_ptr<Transformer> small_model(const std::string& position, ModelConfig c = small_config(),
                                                uint64_t seed = 3) {
  auto model = std::make_shared<Transformer>(c, encoding_of(position, c));
  model->reset_parameters(Rng(seed));
  model->to(at::kDouble);
  return model;
}

inline at::Tensor random_tokens(int64_t rows, int64_t length, uint64_t seed = 5) {
  Rng rng(seed);
  std::vector<int64_t> v;
  for (int64_t i = 0; i < rows * length; ++i) v.push_back(rng.below(40));
  return at::tensor(v, at::kLong).view({rows, length});
}

inline at::Tensor positions(int64_t begin, int64_t count) {
  return at::arange(begin, begin + count, at::kLong).unsqueeze(0);
}

inline double apart(const at::Tensor& a, const at::Tensor& b) { return (a - b).abs().max().item<double>(); }

}  // namespace lw::model_test
