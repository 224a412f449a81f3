// Query temperatures, over any scheme.
#include "tests/encodings/support.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// What queries are multiplied by at `pos`, in layer `layer`: [H, Q].
at::Tensor factors(PositionEncoding& encoding, const at::Tensor& pos_1Q, int64_t layer = 0) {
  const auto q = at::ones({1, 4, pos_1Q.size(1), 8}, at::kDouble);
  return encoding.rotate_query(q, {pos_1Q, pos_1Q, layer, nullptr})[0].select(-1, 0).detach();
}

std::string temperature(const std::string& options) { return "scheme: none\nquery_temperature: {" + options + "}\n"; }

}  // namespace

TEST_CASE("query temperatures equal the peers'", "[encodings][golden]") {
  const Json& golden = goldens()["attention_temperature"];
  const auto pos = at::tensor(golden["positions"].get<std::vector<int64_t>>(), at::kLong).unsqueeze(0);
  const std::map<std::string, std::string> options = {
      {"mistral4", "kind: mistral4, original_max_position_embeddings: 8192"},
      {"llama4", "kind: llama4"},
      {"logn", "kind: log_n, original_max_position_embeddings: 4096"}};
  int checked = 0;
  for (const auto& [key, value] : golden.items()) {
    if (key == "positions") continue;
    INFO(key);
    const auto name =
        std::find_if(options.begin(), options.end(), [&](const auto& o) { return key.rfind(o.first, 0) == 0; });
    REQUIRE(name != options.end());
    const auto got = factors(*build(temperature(name->second)), pos);
    const auto want = at::tensor(numbers_of(value), at::kDouble).expand({4, -1});
    CHECK(largest_gap(got, want) < kGoldenDigits);
    ++checked;
  }
  CHECK(checked == 3);
}

TEST_CASE("the first steps of llama4 and mistral4 are one position apart", "[encodings]") {
  const auto llama = build(temperature("kind: llama4, attn_scale: 0.5, floor_scale: 10"));
  const auto mistral = build(temperature("kind: mistral4, beta: 0.5, original_max_position_embeddings: 10"));
  const double step = 1 + 0.5 * std::log(2.0);
  const auto at = [](PositionEncoding& e, int64_t m) { return factors(e, positions(1, m))[0][0].item<double>(); };
  CHECK(at(*llama, 8) == 1);
  CHECK(at(*llama, 9) == Catch::Approx(step).epsilon(1e-15));
  CHECK(at(*mistral, 9) == 1);
  CHECK(at(*mistral, 10) == Catch::Approx(step).epsilon(1e-15));
}

TEST_CASE("original lengths default to the training length", "[encodings]") {
  const auto pos = positions(40);
  CHECK(at::equal(factors(*build(temperature("kind: log_n")), pos),
                  factors(*build(temperature("kind: log_n, original_max_position_embeddings: 16")), pos)));
  CHECK(at::equal(factors(*build(temperature("kind: mistral4")), pos),
                  factors(*build(temperature("kind: mistral4, original_max_position_embeddings: 16")), pos)));
  ModelShape unknown = small_shape();
  unknown.train_length = 0;
  CHECK_THAT(config_error(temperature("kind: log_n"), unknown),
             ContainsSubstring("query_temperature.original_max_position_embeddings: found nothing; allowed: a whole "
                               "number, 2 or more"));
}

TEST_CASE("scalable softmax learns s for each layer and head", "[encodings]") {
  const auto encoding = build_drawn(temperature("kind: scalable_softmax, init: 0.25"));
  const auto s = encoding->named_parameters()["query_temperature"];
  REQUIRE(s.sizes().vec() == std::vector<int64_t>{2, 4});
  CHECK((s == 0.25).all().item<bool>());
  {
    const at::NoGradGuard no_grad;
    s.copy_(at::arange(1, 9, at::kDouble).view({2, 4}));
  }
  for (int64_t layer = 0; layer < 2; ++layer) {
    const auto want = s[layer].unsqueeze(-1) * (positions(20)[0] + 1).to(at::kDouble).log();
    CHECK(largest_gap(factors(*encoding, positions(20), layer), want) < 1e-14);
  }
  // By default the factor is 1 on average over the training length.
  const auto by_default = build_drawn(temperature("kind: scalable_softmax"));
  CHECK(factors(*by_default, positions(16))[0].mean().item<double>() == Catch::Approx(1).epsilon(1e-6));
  CHECK_THAT(config_error(temperature("kind: scalable_softmax"), small_shape(false)),
             ContainsSubstring("query_temperature.kind: found 'scalable_softmax' for an encoder") &&
                 ContainsSubstring("allowed: a decoder"));
}

TEST_CASE("padding has a temperature of 1", "[encodings]") {
  for (const std::string kind : {"log_n", "llama4, floor_scale: 2", "mistral4", "scalable_softmax"}) {
    INFO(kind);
    const auto encoding = build_drawn(temperature("kind: " + kind));
    const auto got = factors(*encoding, row_tensor({{-1, -1, 30}}));
    CHECK((got.narrow(1, 0, 2) == 1).all().item<bool>());
    CHECK((got.narrow(1, 2, 1) > 1).all().item<bool>());
  }
}

TEST_CASE("a temperature leaves the names, draws and other hooks of its scheme", "[encodings]") {
  for (const std::string scheme : {"scheme: shaw\n", "scheme: learned\n", "scheme: t5\n",
                                   "scheme: layered\nlayers: [a, b]\nkinds: {a: {scheme: t5}, b: {scheme: shaw}}\n"}) {
    INFO(scheme);
    const auto plain = build_drawn(scheme), hot = build_drawn(scheme + "query_temperature: {kind: log_n}\n");
    auto theirs = hot->named_parameters();
    REQUIRE(plain->named_parameters().size() == theirs.size());
    for (const auto& item : plain->named_parameters()) {
      REQUIRE(theirs.find(item.key()) != nullptr);
      CHECK(at::equal(theirs[item.key()], item.value()));
    }
    CHECK(hot->max_positions() == plain->max_positions());
    CHECK(hot->touches_input() == plain->touches_input());
    CHECK(hot->touches_values() == plain->touches_values());
    CHECK(hot->key_cache() == plain->key_cache());
    CHECK(hot->layers_of_each_kind() == plain->layers_of_each_kind());
    // ln(m + 1) / ln(16) is below 1 within the training length: nothing changes there.
    const auto x = draw({1, 16, 32}, "x");
    const Stack stack;
    CHECK(at::equal(stack.run(*hot, x, positions(16)), stack.run(*plain, x, positions(16))));
    // A cast reaches the parameters through either.
    hot->to(at::kFloat);
    CHECK(stack.run(*hot, x.to(at::kFloat), positions(16)).scalar_type() == at::kFloat);
  }
}

TEST_CASE("the card shows the temperature, and its value at the length", "[encodings]") {
  const auto encoding = build("scheme: rope\nquery_temperature: {kind: llama4, floor_scale: 100}\n");
  CHECK(fact_number(*encoding, "query_temperature.floor_scale") == 100);
  CHECK(fact_number(*encoding, "query_temperature.attn_scale") == 0.1);
  CHECK(fact_number(*encoding, "query_temperature.at_last_position", 50) == 1);
  CHECK(fact_number(*encoding, "query_temperature.at_last_position", 100) ==
        Catch::Approx(1 + 0.1 * std::log(2.0)).epsilon(1e-15));
  CHECK(fact_number(*encoding, "rope_theta") == 10000);
}

TEST_CASE("temperatures that cannot be are refused", "[encodings]") {
  CHECK(config_error("scheme: rope\nquery_temperature: {kind: logn}\n") ==
        "position.yaml:2:27: query_temperature.kind: found 'logn'; allowed: log_n, llama4, mistral4, "
        "scalable_softmax; did you mean 'log_n'?");
  CHECK_THAT(config_error("scheme: rope\nquery_temperature: {}\n"),
             ContainsSubstring("query_temperature.kind: found nothing"));
  CHECK_THAT(config_error(temperature("kind: log_n, original_max_position_embeddings: 1")),
             ContainsSubstring("found '1'; allowed: a whole number, 2 or more"));
  CHECK_THAT(config_error(temperature("kind: llama4, beta: 1")),
             ContainsSubstring("query_temperature.beta: found an unknown key"));
  CHECK(config_error("scheme: rope\nquery_temperature:\n").empty());  // absent
}

}  // namespace lw::encoding_test
