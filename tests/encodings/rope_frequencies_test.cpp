// RoPE frequencies against peers' own functions (tests/data/positions.json), and rules between methods.
#include "tests/encodings/support.h"

namespace lw::encoding_test {
namespace {

ModelShape rope_shape(int64_t head_width, int64_t train_length = 2048) {
  ModelShape shape = small_shape();
  shape.head_width = head_width;
  shape.train_length = train_length;
  return shape;
}

/// The `position:` block of a golden key such as "yarn|d=64|b=10000|p=0.5|f=4|o=4096".
std::string golden_yaml(std::map<std::string, std::string> fields) {
  std::string scaling = "rope_type: " + fields[""];
  if (fields.count("f")) scaling += ", factor: " + fields["f"];
  if (fields.count("alpha")) scaling += ", alpha: " + fields["alpha"];
  if (fields.count("o")) scaling += ", original_max_position_embeddings: " + fields["o"];
  if (!fields.count("p")) fields["p"] = "1";
  return "scheme: rope\nrope_theta: " + fields["b"] + "\npartial_rotary_factor: " + fields["p"] + "\nscaling: {" +
         scaling + "}\n";
}

std::vector<double> frequencies(const std::string& scaling, int64_t head_width, const std::string& theta = "10000",
                                int64_t length = 1, int64_t train_length = 2048) {
  const auto encoding = build("scheme: rope\nrope_theta: " + theta + "\nscaling: {" + scaling + "}\n",
                              rope_shape(head_width, train_length));
  return fact_numbers(*encoding, "inv_freq", length);
}

}  // namespace

TEST_CASE("inverse frequencies and attention factor equal the peers' in every kept setting", "[encodings][golden]") {
  std::map<std::string, int> checked;
  for (const auto& [key, value] : goldens()["rope"].items()) {
    auto fields = golden_fields(key);
    const std::string type = fields[""];
    if (type != "default" && type != "linear" && type != "dynamic" && type != "yarn") continue;
    INFO(key);
    const auto encoding = build(golden_yaml(fields), rope_shape(std::stoll(fields["d"])));
    const int64_t length = type == "dynamic" ? 2048 * std::stoll(fields["r"]) : 1;
    CHECK(worst_relative(fact_numbers(*encoding, "inv_freq", length), value[0].get<std::vector<double>>()) <
          kGoldenDigits);
    CHECK(worst_relative(fact_numbers(*encoding, "attention_factor", length), {value[1].get<double>()}) <
          kGoldenDigits);
    ++checked[type];
  }
  CHECK(checked == std::map<std::string, int>{{"default", 24}, {"linear", 96}, {"dynamic", 176}, {"yarn", 288}});
}

TEST_CASE("NTK-aware and YaRN equal their authors' classes", "[encodings][golden]") {
  int checked = 0;
  for (const auto& [key, value] : goldens()["originals"].items()) {
    INFO(key);
    auto fields = golden_fields(key);
    Json want_frequencies = value, want_factor = 1.0;
    if (fields[""] == "dyn_yarn") {  // their dynamic class at ratio r is YaRN with factor r
      fields[""] = "yarn";
      fields["f"] = fields["r"];
      want_frequencies = value[0];
      want_factor = value[1];
    } else if (fields[""] != "ntk") {
      continue;
    }
    const auto encoding = build(golden_yaml(fields), rope_shape(std::stoll(fields["d"])));
    CHECK(worst_relative(fact_numbers(*encoding, "inv_freq"), numbers_of(want_frequencies)) < kGoldenDigits);
    CHECK(worst_relative(fact_numbers(*encoding, "attention_factor"), {want_factor.get<double>()}) < kGoldenDigits);
    ++checked;
  }
  CHECK(checked == 64);
}

TEST_CASE("YaRN's options change frequencies as in Hugging Face", "[encodings][golden]") {
  const Json& want = goldens()["yarn_options"];
  const auto check = [&](const std::string& key, const std::string& options, const std::string& theta = "10000") {
    INFO(key);
    const auto got = frequencies("rope_type: yarn, " + options, 64, theta);
    CHECK(worst_relative(got, want.at(key).get<std::vector<double>>()) < kGoldenDigits);
  };
  const std::string usual = "factor: 4, original_max_position_embeddings: 4096";
  check("truncate=false|d=64|b=10000|o=4096|f=4", usual + ", truncate: false");
  check("truncate=true|d=64|b=10000|o=4096|f=4", usual);
  check("truncate=false|d=64|b=150000|o=4096|f=32 (gpt-oss)",
        "factor: 32, original_max_position_embeddings: 4096, truncate: false", "150000");
  check("beta_fast=64,beta_slow=2|d=64|b=10000|o=4096|f=4", usual + ", beta_fast: 64, beta_slow: 2");
  check("beta_slow=0 (falls back to 1)|d=64|b=10000|o=4096|f=4", usual + ", beta_slow: 0");
  check("orig=128|d=64|b=10000|f=4 (low clipped at 0)", "factor: 4, original_max_position_embeddings: 128");
  check("orig=1048576|d=64|b=100|f=4 (high clipped at dim-1, beyond last pair)",
        "factor: 4, original_max_position_embeddings: 1048576", "100");
}

TEST_CASE("YaRN with an original length below one turn interpolates all pairs but the first", "[encodings]") {
  // Hugging Face divides by a negative ramp width here and scales nothing: its numbers are the default's.
  const auto plain = frequencies("rope_type: default", 64);
  const Json& theirs = goldens()["yarn_options"]["orig=4|d=64|b=10000|f=4 (both negative before clipping)"];
  CHECK(worst_relative(numbers_of(theirs), plain) < kGoldenDigits);
  const auto got = frequencies("rope_type: yarn, factor: 4, original_max_position_embeddings: 4", 64);
  CHECK(got[0] == plain[0]);
  for (size_t i = 1; i < got.size(); ++i) CHECK(got[i] == Catch::Approx(plain[i] / 4).epsilon(1e-14));
}

TEST_CASE("YaRN's correction range equals Hugging Face's", "[encodings][golden]") {
  for (const auto& [key, value] : goldens()["yarn_correction_range"].items()) {
    INFO(key);
    auto fields = golden_fields("yarn|f=4|" + key);
    const auto encoding = build(golden_yaml(fields), rope_shape(std::stoll(fields["d"])));
    const double low = fact_number(*encoding, "pair_of_beta_fast"), high = fact_number(*encoding, "pair_of_beta_slow");
    CHECK(worst_relative({low, high}, value.get<std::vector<double>>()) < kGoldenDigits);
    CHECK(fact_number(*encoding, "correction_low") == std::floor(low));
    CHECK(fact_number(*encoding, "correction_high") == std::ceil(high));
  }
}

TEST_CASE("YaRN's attention factor follows factor, mscale and mscale_all_dim", "[encodings][golden]") {
  const Json& want = goldens()["attention_factor"];
  const auto factor_of = [&](const std::string& options) {
    const auto encoding =
        build("scheme: rope\nscaling: {rope_type: yarn, original_max_position_embeddings: 4096, " + options + "}\n",
              rope_shape(64));
    return fact_number(*encoding, "attention_factor");
  };
  const auto near = [](const Json& value) {
    return Catch::Approx(value.get<double>()).epsilon(kGoldenDigits).margin(0);
  };
  for (const auto& [key, value] : want["yarn_by_factor"].items()) {
    INFO(key);
    CHECK(factor_of("factor: " + key.substr(2)) == near(value.get<double>()));
  }
  CHECK(factor_of("factor: 40, mscale: 1, mscale_all_dim: 1") == near(want["yarn_mscale1_alldim1_f40"]));
  CHECK(factor_of("factor: 40, mscale: 0.707, mscale_all_dim: 0.707") ==
        near(want["yarn_mscale0.707_alldim0.707_f40"]));
  CHECK(factor_of("factor: 40, mscale: 1, mscale_all_dim: 0.5") == near(want["yarn_mscale1_alldim0.5_f40"]));
  CHECK(factor_of("factor: 40, mscale: 2") == near(want["yarn_mscale2_alldim_absent_f40 (mscale ignored)"]));
  CHECK(factor_of("factor: 40, mscale: 1, mscale_all_dim: 0") ==
        near(want["yarn_mscale1_alldim0_f40 (0 counts as absent)"]));
  CHECK(factor_of("factor: 4, attention_factor: 1.0") == 1.0);
  CHECK(factor_of("factor: 40, mscale: 1, mscale_all_dim: 0.5, attention_factor: 1.25") == 1.25);

  const auto lone = build("scheme: rope\nscaling: {rope_type: yarn, factor: 40, mscale: 2}\n");
  CHECK(fact_number(*lone, "mscale_without_effect") == 2);  // accepted, and the card says that it does nothing
}

TEST_CASE("published models' frequencies", "[encodings][golden]") {
  const auto check = [](const std::string& name, int64_t head_width, const std::string& yaml) {
    INFO(name);
    const Json& want = goldens()["presets"].at(name);
    const auto encoding = build("scheme: rope\n" + yaml, rope_shape(head_width));
    CHECK(worst_relative(fact_numbers(*encoding, "inv_freq"), want["inv_freq"].get<std::vector<double>>()) <
          kGoldenDigits);
    CHECK(worst_relative(fact_numbers(*encoding, "attention_factor"), {want["attention_factor"].get<double>()}) <
          kGoldenDigits);
  };
  check("qwen2.5/3 yarn (d=128,b=1e6,f=4 o=32768)", 128,
        "rope_theta: 1000000\nscaling: {type: yarn, factor: 4.0, original_max_position_embeddings: 32768}\n");
  check(
      "gpt-oss yarn (d=64,b=150000,f=32 o=4096 truncate=false)", 64,
      "rope_theta: 150000\nscaling: {rope_type: yarn, factor: 32.0, beta_fast: 32.0, beta_slow: 1.0, truncate: false, "
      "original_max_position_embeddings: 4096}\n");
  check("deepseek-v3 yarn (rope dim 64,b=10000,f=40 o=4096 mscale=1 all=1)", 64,
        "scaling: {type: yarn, factor: 40, beta_fast: 32, beta_slow: 1, mscale: 1.0, mscale_all_dim: 1.0, "
        "original_max_position_embeddings: 4096}\n");
  check("gemma3 global (d=256,b=1e6,linear f=8)", 256,
        "rope_theta: 1000000.0\nscaling: {rope_type: linear, factor: 8.0}\n");
  check("gemma3 local (d=256,b=10000,default)", 256, "scaling: {rope_type: default}\n");
  check("gpt-neox-20b (d=96,b=10000,p=0.25)", 96, "partial_rotary_factor: 0.25\n");
  check("phi-2 (d=80,b=10000,p=0.4)", 80, "partial_rotary_factor: 0.4\n");
}

TEST_CASE("methods reduce to plain RoPE where they change nothing", "[encodings]") {
  for (const std::string theta : {"10000", "500000"}) {
    const auto plain = frequencies("rope_type: default", 64, theta);
    CHECK(frequencies("rope_type: linear, factor: 1", 64, theta) == plain);
    CHECK(frequencies("rope_type: ntk, alpha: 1", 64, theta) == plain);
    CHECK(frequencies("rope_type: dynamic, factor: 4", 64, theta, 1) == plain);
    CHECK(frequencies("rope_type: dynamic, factor: 4", 64, theta, 2047) == plain);
    CHECK(frequencies("rope_type: dynamic, factor: 4", 64, theta, 2048) == plain);
    CHECK(frequencies("rope_type: dynamic, factor: 4", 64, theta, 2049) != plain);
    CHECK(worst_relative(frequencies("rope_type: yarn, factor: 1", 64, theta), plain) < 1e-15);
  }
  CHECK(fact_number(*build("scheme: rope\nscaling: {rope_type: yarn, factor: 1}\n"), "attention_factor") == 1);
}

TEST_CASE("NTK-aware keeps the fastest pair and slows the slowest by alpha", "[encodings]") {
  const auto plain = frequencies("rope_type: default", 128), slow = frequencies("rope_type: ntk, alpha: 8", 128);
  CHECK(slow.front() == 1);
  CHECK(slow.back() == Catch::Approx(plain.back() / 8).epsilon(1e-13));
}

TEST_CASE("dynamic NTK without a factor is the paper's form", "[encodings]") {
  // Base times r^(d / (d - 2)): what NTK-aware with alpha = r gives.
  CHECK(worst_relative(frequencies("rope_type: dynamic, factor: 1", 64, "10000", 6144),
                       frequencies("rope_type: ntk, alpha: 3", 64)) < 1e-14);
}

TEST_CASE("whole-number factors mean the same as fractions", "[encodings]") {
  for (const std::string type : {"linear", "dynamic", "yarn"})
    CHECK(frequencies("rope_type: " + type + ", factor: 40", 64, "10000", 8192) ==
          frequencies("rope_type: " + type + ", factor: 40.0", 64, "10000", 8192));
}

TEST_CASE("the card counts pairs that never finish a turn", "[encodings]") {
  // theta 10000, width 64, 2048 tokens: wavelengths 2 pi 10000^(i/32) pass 2048 at i = 20.1 (the correction
  // range's upper end in the golden table), so pairs 21 to 31 never finish one.
  const auto plain = build("scheme: rope\n", rope_shape(64));
  CHECK(fact_number(*plain, "pairs_without_a_turn_in_training", 8192) == 11);
  CHECK(fact_number(*plain, "pairs_without_a_turn", 8192) == 7);  // 24.9
  CHECK(fact_number(*plain, "pairs_without_a_turn", 1 << 20) == 0);
  const auto wavelengths = fact_numbers(*plain, "wavelengths");
  CHECK(wavelengths.front() == Catch::Approx(2 * M_PI));
  CHECK(wavelengths[16] == Catch::Approx(200 * M_PI));
}

}  // namespace lw::encoding_test
