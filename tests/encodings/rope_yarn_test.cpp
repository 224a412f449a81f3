// YaRN: its options one by one, its temperature, DeepSeek's, and where the paper and the peers part.
#include "encodings/rope_scaling/frequencies.h"
#include "tests/encodings/rope_support.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr auto kUsual = "rope_type: yarn, factor: 4, original_max_position_embeddings: 4096";

double factor_of(const std::string& options) {
  return fact_number(*rope_with("rope_type: yarn, original_max_position_embeddings: 4096, " + options),
                     "attention_factor");
}

}  // namespace

TEST_CASE("YaRN's options change frequencies as in Hugging Face", "[encodings][golden]") {
  const Json& want = goldens()["yarn_options"];
  std::set<std::string> checked;
  const auto check = [&](const std::string& key, const std::vector<double>& got) {
    INFO(key);
    CHECK(golden_gap(got, numbers_of(want.at(key))) <= 1);
    checked.insert(key);
  };
  const std::string usual = kUsual;
  check("truncate=false|d=64|b=10000|o=4096|f=4", frequencies(usual + ", truncate: false"));
  check("truncate=true|d=64|b=10000|o=4096|f=4", frequencies(usual));
  check("truncate=false|d=64|b=150000|o=4096|f=32 (gpt-oss)",
        frequencies("rope_type: yarn, factor: 32, original_max_position_embeddings: 4096, truncate: false", 64,
                    "150000"));
  check("beta_fast=64,beta_slow=2|d=64|b=10000|o=4096|f=4", frequencies(usual + ", beta_fast: 64, beta_slow: 2"));
  check("beta_slow=0 (falls back to 1)|d=64|b=10000|o=4096|f=4", frequencies(usual + ", beta_slow: 0"));
  check("orig=128|d=64|b=10000|f=4 (low clipped at 0)",
        frequencies("rope_type: yarn, factor: 4, original_max_position_embeddings: 128"));
  check("orig=1048576|d=64|b=100|f=4 (high clipped at dim-1, beyond last pair)",
        frequencies("rope_type: yarn, factor: 4, original_max_position_embeddings: 1048576", 64, "100"));

  // Equal betas are refused as options, since no ramp runs between them; the formula still does as the peer's.
  RopeBasis basis;
  basis.rotary_dim = basis.head_width = 64;
  const auto one_turn = [&](bool truncate) {
    return interpolate_slow_pairs(basis, ramp_over_pairs(basis, 4096, {1, 1, truncate}), 4);
  };
  check("beta_fast=1,beta_slow=1 (low==floor,high==ceil)|d=64|b=10000|o=4096|f=4", one_turn(true));
  check("beta_fast=1,beta_slow=1,truncate=false (low==high singular)|d=64|b=10000|o=4096|f=4", one_turn(false));

  // Hugging Face divides by a negative ramp width here and scales nothing: its numbers are plain RoPE's.
  const std::string negative = "orig=4|d=64|b=10000|f=4 (both negative before clipping)";
  check(negative, frequencies("rope_type: default"));
  const auto plain = frequencies("rope_type: default");
  const auto got = frequencies("rope_type: yarn, factor: 4, original_max_position_embeddings: 4");
  CHECK(got[0] == plain[0]);
  for (size_t i = 1; i < got.size(); ++i) CHECK(got[i] == Catch::Approx(plain[i] / 4).epsilon(1e-14));

  CHECK(checked.size() == want.size());
}

TEST_CASE("YaRN's correction range equals Hugging Face's", "[encodings][golden]") {
  int checked = 0;
  for (const auto& [key, value] : goldens()["yarn_correction_range"].items()) {
    INFO(key);
    for (const std::string type : {"yarn", "by_parts_index", "dynamic_yarn"}) {
      const auto golden = golden_rope((type == "dynamic_yarn" ? "dynamic_yarn|" : type + "|f=4|") + key);
      const double low = fact_number(*golden.encoding, "pair_of_beta_fast");
      const double high = fact_number(*golden.encoding, "pair_of_beta_slow");
      CHECK(golden_gap({low, high}, numbers_of(value)) <= 1);
      CHECK(fact_number(*golden.encoding, "correction_low") == std::floor(low));
      CHECK(fact_number(*golden.encoding, "correction_high") == std::ceil(high));
    }
    ++checked;
  }
  CHECK(checked == 24);
}

TEST_CASE("YaRN's attention factor follows factor, mscale and mscale_all_dim", "[encodings][golden]") {
  const Json& want = goldens()["attention_factor"];
  std::set<std::string> checked;
  const auto check = [&](const std::string& key, double got) {
    INFO(key);
    CHECK(golden_gap(got, want.at(key).get<double>()) <= 1);
    checked.insert(key);
  };
  CHECK(want["yarn_by_factor"].size() == 6);
  for (const auto& [key, value] : want["yarn_by_factor"].items()) {
    INFO(key);
    CHECK(golden_gap(factor_of("factor: " + key.substr(2)), value.get<double>()) <= 1);
  }
  check("yarn_mscale1_alldim1_f40", factor_of("factor: 40, mscale: 1, mscale_all_dim: 1"));
  check("yarn_mscale0.707_alldim0.707_f40", factor_of("factor: 40, mscale: 0.707, mscale_all_dim: 0.707"));
  check("yarn_mscale1_alldim0.5_f40", factor_of("factor: 40, mscale: 1, mscale_all_dim: 0.5"));
  check("yarn_mscale2_alldim_absent_f40 (mscale ignored)", factor_of("factor: 40, mscale: 2"));
  check("yarn_mscale1_alldim0_f40 (0 counts as absent)", factor_of("factor: 40, mscale: 1, mscale_all_dim: 0"));
  check("yarn_factor_absent_max163840_orig4096", factor_of("max_position_embeddings: 163840"));
  // The peer goes on with a factor below 1; as an option it is refused here, and the formula agrees.
  check("yarn_factor_0.5", yarn_mscale(0.5));
  CHECK_THAT(config_error(rope_yaml("rope_type: yarn, factor: 0.5")), ContainsSubstring("scaling.factor: found '0.5'"));
  CHECK(checked.size() == 7);
  CHECK(want.size() == 7 + 1 + 3);  // with yarn_by_factor, and LongRoPE's three (rope_longrope_test.cpp)

  CHECK(factor_of("factor: 4, attention_factor: 1.0") == 1.0);
  CHECK(factor_of("factor: 40, mscale: 1, mscale_all_dim: 0.5, attention_factor: 1.25") == 1.25);
  // A lone mscale is accepted, and the card says that it does nothing.
  CHECK(fact_number(*rope_with("rope_type: yarn, factor: 40, mscale: 2"), "mscale_without_effect") == 2);
}

// mobius 548, transformers 47435: the part of mscale_all_dim that belongs to the softmax was missing.
TEST_CASE("DeepSeek's softmax temperature multiplies whole logits, on request", "[encodings][fault][golden]") {
  const Json& golden = goldens()["deepseek_v3_softmax_scale"];
  const std::string block =
      "rope_type: yarn, factor: 40, original_max_position_embeddings: 4096, mscale: 1, mscale_all_dim: 1";
  // 192 channels of which 64 turn, as in DeepSeek-V3.
  const std::string more = "partial_rotary_factor: " + format_number(1.0 / 3) + "\n";
  const auto with = rope_with(block + ", softmax_mscale: true", 192, 4096, more);
  const auto without = rope_with(block, 192, 4096, more);
  const double scale = golden["qk_head_dim=192,factor=40,mscale_all_dim=1"].get<double>();
  CHECK(golden_gap(fact_number(*with, "query_factor") / std::sqrt(192.0), scale) <= 1);
  CHECK(fact_number(*with, "rotary_dim") == 64);
  CHECK(fact_number(*with, "attention_factor") == 1);
  CHECK(golden.size() == 2);

  for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16}) {
    const auto q = draw({1, 1, 1, 192}, "q").to(type), k = draw({1, 1, 5, 192}, "k").to(type);
    const Site at{positions(1, 4), positions(5), 0, nullptr};
    const auto logits = [&](PositionEncoding& encoding) {
      return at::matmul(encoding.rotate_query(q, at).to(at::kDouble),
                        encoding.rotate_key(k, at).to(at::kDouble).transpose(-1, -2));
    };
    const double tolerance = type == at::kDouble ? 1e-13 : type == at::kFloat ? 1e-5 : 0.2;
    CHECK(largest_gap(logits(*with), logits(*without) * fact_number(*with, "query_factor")) < tolerance);
    CHECK(largest_gap(with->rotate_key(k, at), without->rotate_key(k, at)) == 0);
  }
  for (const auto& fact : without->facts(1)) CHECK(fact.name != "query_factor");

  CHECK_THAT(config_error(rope_yaml("rope_type: yarn, factor: 40, mscale: 1, softmax_mscale: true")),
             ContainsSubstring("scaling.softmax_mscale: found true without mscale_all_dim; allowed: "));
  CHECK_THAT(config_error(rope_yaml("rope_type: yarn, factor: 40, mscale_all_dim: 0, softmax_mscale: true")),
             ContainsSubstring("softmax_mscale: found true without"));
}

TEST_CASE("what transformers 5.16 gets wrong about YaRN and LongRoPE is right", "[encodings][fault][golden]") {
  const Json& faults = goldens()["transformers_5_16_faults"];
  CHECK(faults.size() == 4);
  // An ignored truncate: false would give the frequencies of truncate: true, this far off.
  const auto cut = frequencies(kUsual), uncut = frequencies(std::string(kUsual) + ", truncate: false");
  CHECK(golden_gap(worst_relative(cut, uncut), faults["differs from true truncate=false by max rel"].get<double>()) <=
        1e-11 / 1e-12);
  CHECK(faults["yarn truncate=false inside a per-layer-type dict is ignored"] == true);
  // A factor left out is derived, or missed by name.
  CHECK(faults["yarn without the key factor (comment says it is derived)"] == "KeyError: 'factor'");
  const std::string derived = "rope_type: yarn, original_max_position_embeddings: 4096, max_position_embeddings: 16384";
  CHECK(frequencies(derived) == cut);
  CHECK_THAT(config_error(rope_yaml("rope_type: yarn, original_max_position_embeddings: 4096")),
             ContainsSubstring("scaling.factor: found nothing; allowed: a number, 1 or more, or "
                               "max_position_embeddings to derive it from"));
  // "longrope with layer_type, second long call": two calls in a row, for every method, are in rope_length_test.cpp.
  CHECK(faults.contains("longrope with layer_type, second long call"));
}

// The YaRN paper against every implementation: a ramp in turns or in the pair index.
TEST_CASE("NTK-by-parts ramps over turns in the paper and over the index in the code", "[encodings][fault]") {
  for (const auto& [factor, pair_40, worst] : {std::tuple{"32", 3.96, 3.96}, std::tuple{"4", 1.73, 1.73}}) {
    INFO(factor);
    const std::string options = std::string(", factor: ") + factor + ", original_max_position_embeddings: 4096";
    const auto code = frequencies("rope_type: by_parts_index" + options, 128);
    const auto paper = frequencies("rope_type: by_parts_turns" + options, 128);
    CHECK(frequencies("rope_type: yarn" + options, 128) == code);
    double most = 0;
    for (size_t i = 0; i < 64; ++i) {
      // Equations 18 to 20, as they stand there.
      const double plain = std::pow(10000.0, -double(i) / 64), wavelength = 2 * M_PI / plain;
      const double r = 4096 / wavelength, gamma = r < 1 ? 0 : r > 32 ? 1 : (r - 1) / 31;
      CHECK(paper[i] == Catch::Approx((1 - gamma) * plain / std::stod(factor) + gamma * plain).epsilon(1e-14));
      most = std::max(most, code[i] / paper[i]);
    }
    CHECK(most == Catch::Approx(worst).epsilon(2e-3));
    if (std::string(factor) == "32") CHECK(code[40] / paper[40] == Catch::Approx(pair_40).epsilon(2e-3));
  }
}

TEST_CASE("NTK-by-parts over turns takes the paper's alpha and beta", "[encodings]") {
  const std::string usual = "rope_type: by_parts_turns, factor: 8, original_max_position_embeddings: 4096";
  CHECK(frequencies(usual + ", alpha: 1, beta: 32") == frequencies(usual));
  const auto plain = frequencies("rope_type: default");
  const auto all_kept = frequencies(usual + ", alpha: 0, beta: 0.0001");
  for (size_t i = 0; i < 32; ++i) CHECK(all_kept[i] == plain[i]);
  const auto all_slow = frequencies(usual + ", alpha: 4096, beta: 5000");
  for (size_t i = 0; i < 32; ++i) CHECK(all_slow[i] == plain[i] / 8);
  CHECK_THAT(config_error(rope_yaml(usual + ", alpha: 32")),
             ContainsSubstring("scaling.beta: found 32 with alpha 32; allowed: beta above alpha"));
}

}  // namespace lw::encoding_test
