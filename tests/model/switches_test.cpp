// What checkpoints switch on in the one transformer: windows, caps, norms and residual sums.
#include <functional>

#include "tests/model/support.h"
#include "tests/support.h"

using namespace lw;
using namespace lw::model_test;
using lw::test::error_of;

namespace {

ModelConfig config_from(const std::string& yaml) {
  ConfigNode node = ConfigNode::parse(yaml);
  ModelConfig c = read_model_config(node);
  node.finish();
  return c;
}

at::Tensor hidden(Transformer& model, const at::Tensor& tokens_BT, int64_t tile = 0) {
  at::NoGradGuard no_grad;
  return model.hidden(tokens_BT, positions(0, tokens_BT.size(1)), nullptr, tile);
}

at::Tensor with_token(const at::Tensor& tokens_BT, int64_t at, int64_t token) {
  auto out = tokens_BT.clone();
  out.select(1, at).fill_(token);
  return out;
}

}  // namespace

TEST_CASE("a query sees its window and nothing before it", "[model]") {
  ModelConfig c = small_config();
  c.layers = 1;
  c.windows = {4};
  const auto model = small_model("scheme: rope", c);
  const auto tokens = random_tokens(1, 12);
  const auto before = hidden(*model, tokens);
  const auto after = hidden(*model, with_token(tokens, 5, (tokens[0][5].item<int64_t>() + 1) % 40));
  for (int64_t t = 0; t < 12; ++t) {
    const double change = apart(before.select(1, t), after.select(1, t));
    INFO(t);
    if (t >= 5 && t <= 8)
      CHECK(change > 1e-6);
    else
      CHECK(change == 0);
  }
}

TEST_CASE("windows of an encoder reach as far ahead as back", "[model]") {
  ModelConfig c = small_config(false);
  c.layers = 1;
  c.windows = {3};
  const auto model = small_model("scheme: none", c);
  const auto tokens = random_tokens(1, 12);
  const auto before = hidden(*model, tokens);
  const auto after = hidden(*model, with_token(tokens, 5, (tokens[0][5].item<int64_t>() + 1) % 40));
  for (int64_t t = 0; t < 12; ++t) {
    INFO(t);
    CHECK((apart(before.select(1, t), after.select(1, t)) > 1e-6) == (t >= 3 && t <= 7));
  }
}

TEST_CASE("layers with different windows are the same full, tiled, cached and in part", "[model]") {
  at::NoGradGuard no_grad;
  ModelConfig c = small_config();
  c.layers = 3;
  c.windows = {3, 0, 5};
  c.attention_softcap = 2;
  c.norm_placement = NormPlacement::kSandwich;
  const auto model = small_model("scheme: rope", c);
  const auto tokens = random_tokens(2, 17);
  const auto full = hidden(*model, tokens);
  CHECK(apart(full, hidden(*model, tokens, 4)) < 1e-12);
  Cache cache;
  std::vector<at::Tensor> steps;
  for (int64_t t = 0; t < 17; ++t) steps.push_back(model->hidden(tokens.narrow(1, t, 1), positions(t, 1), &cache));
  CHECK(apart(full, at::cat(steps, 1)) < 1e-12);
  const auto some = row_tensor({{2, 9, 16}, {0, 1, 15}});
  const auto part = model->hidden(tokens, positions(0, 17), nullptr, 0, some);
  CHECK(apart(part, full.gather(1, some.unsqueeze(-1).expand({-1, -1, full.size(-1)}))) < 1e-12);
}

TEST_CASE("every arrangement of norms and sums gives the same states in part", "[model]") {
  at::NoGradGuard no_grad;
  const auto check = [](const char* name, const std::function<void(ModelConfig&)>& change) {
    INFO(name);
    ModelConfig c = small_config();
    change(c);
    const auto model = small_model("scheme: rope", c);
    const auto tokens = random_tokens(2, 9);
    const auto full = hidden(*model, tokens);
    const auto some = row_tensor({{2, 8}, {0, 1}});
    CHECK(apart(model->hidden(tokens, positions(0, 9), nullptr, 0, some),
                full.gather(1, some.unsqueeze(-1).expand({-1, -1, full.size(-1)}))) < 1e-12);
    CHECK(apart(full, hidden(*small_model("scheme: rope"), tokens)) > 1e-3);
  };
  check("post", [](ModelConfig& c) { c.norm_placement = NormPlacement::kPost; });
  check("sandwich", [](ModelConfig& c) { c.norm_placement = NormPlacement::kSandwich; });
  check("parallel", [](ModelConfig& c) { c.parallel = true; });
  check("parallel with one norm", [](ModelConfig& c) { c.parallel = c.shared_norm = true; });
}

TEST_CASE("sliding windows of models that are trained here", "[model][config]") {
  CHECK(config_from("layers: 2").windows.empty());
  CHECK(config_from("layers: 2\nsliding_window: 8").windows == std::vector<int64_t>{8, 8});
  CHECK(config_from("layers: 4\nsliding_window: 8\nfull_attention_interval: 2").windows ==
        std::vector<int64_t>{8, 0, 8, 0});
  CHECK(config_from("layers: 4\nsliding_window: 8\nfull_attention_interval: 2").summary() ==
        "decoder, 4 layers, width 64, 4 heads, 2 layers see 8 tokens");
  CHECK(error_of([] {
          config_from("full_attention_interval: 2");
        }).find("full_attention_interval: found 2 without sliding_window; allowed: both, or neither") !=
        std::string::npos);
  CHECK(error_of([] { config_from("sliding_window: 0"); }).find("sliding_window: ") != std::string::npos);
}

TEST_CASE("keys that are absent leave no trace in a config, so that weights keep their names", "[model][config]") {
  ConfigNode node = ConfigNode::parse("layers: 2");
  read_model_config(node);
  const Tree resolved = node.resolved();
  CHECK(resolved.find("sliding_window") == nullptr);
  CHECK(resolved.find("full_attention_interval") == nullptr);
}

TEST_CASE("parameters of a plain model keep the names that stored weights have", "[model]") {
  const auto model = small_model("scheme: none");
  std::vector<std::string> names;
  for (const auto& item : model->named_parameters())
    if (item.key().find("layers_1") == std::string::npos) names.push_back(item.key());
  CHECK(names == std::vector<std::string>{
                     "embed_tokens", "layers_0.input_layernorm.weight", "layers_0.input_layernorm.bias",
                     "layers_0.q_proj.weight", "layers_0.q_proj.bias", "layers_0.k_proj.weight", "layers_0.k_proj.bias",
                     "layers_0.v_proj.weight", "layers_0.v_proj.bias", "layers_0.o_proj.weight", "layers_0.o_proj.bias",
                     "layers_0.post_attention_layernorm.weight", "layers_0.post_attention_layernorm.bias",
                     "layers_0.up_proj.weight", "layers_0.up_proj.bias", "layers_0.down_proj.weight",
                     "layers_0.down_proj.bias", "norm.weight", "norm.bias"});
}
