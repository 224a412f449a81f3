// Rules between RoPE scalings: what each is where it changes nothing, and how each relates to the others.
#include <algorithm>

#include "tests/encodings/rope_support.h"

namespace lw::encoding_test {
namespace {

/// Pairs whose wavelength is longer than `length`.
int64_t longer_than(const PositionEncoding& encoding, int64_t length) {
  const auto wavelengths = fact_numbers(encoding, "wavelengths", length);
  return std::count_if(wavelengths.begin(), wavelengths.end(), [&](double w) { return w > double(length); });
}

}  // namespace

TEST_CASE("every method reduces to plain RoPE where it changes nothing", "[encodings]") {
  const std::string ones = factor_list(32, 0);
  struct Reduction {
    std::string scaling;
    std::vector<int64_t> lengths;
    double tolerance;  // 0 where no rounding step is left
  };
  const std::vector<int64_t> any = {1, 2048, 2049, 100000}, up_to_original = {1, 2047, 2048};
  const std::vector<Reduction> reductions = {
      {"rope_type: by_parts_index, factor: 1", any, 2e-16},
      {"rope_type: by_parts_turns, factor: 1", any, 2e-16},
      {"rope_type: composed, first: {rope_type: linear, factor: 1}, then: {rope_type: ntk, alpha: 1}", any, 0},
      {"rope_type: composed", any, 0},
      {"rope_type: default", any, 0},
      {"rope_type: dynamic, factor: 4", up_to_original, 0},
      {"rope_type: dynamic_linear", up_to_original, 0},
      {"rope_type: dynamic_longrope, factor: 4, attention_factor: 1, long_factor: " + ones, any, 0},
      {"rope_type: dynamic_longrope, factor: 4, long_factor: " + factor_list(32, 0.5), up_to_original, 0},
      {"rope_type: dynamic_part_ntk", up_to_original, 0},
      {"rope_type: dynamic_yarn", up_to_original, 0},
      {"rope_type: factors, factors: " + ones, any, 0},
      {"rope_type: linear, factor: 1", any, 0},
      {"rope_type: llama3, factor: 1", any, 2e-16},
      {"rope_type: longrope, factor: 1, short_factor: " + ones + ", long_factor: " + ones, any, 0},
      {"rope_type: ntk, alpha: 1", any, 0},
      {"rope_type: ntk_kexue, factor: 1", any, 0},
      {"rope_type: ntk_kexue, factor: 1, mixed_b: 0.625", any, 0},
      {"rope_type: part_ntk, factor: 1", any, 4e-16},
      {"rope_type: proportional", any, 0},
      {"rope_type: yarn, factor: 1", any, 2e-16}};
  std::set<std::string> reduced;
  for (const std::string theta : {"10000", "500000"}) {
    const auto plain = frequencies("rope_type: default", 64, theta);
    for (const auto& [scaling, lengths, tolerance] : reductions) {
      INFO(scaling);
      const auto rope = rope_with(scaling, 64, 2048, "rope_theta: " + theta + "\n");
      for (const int64_t length : lengths) {
        CHECK(worst_relative(fact_numbers(*rope, "inv_freq", length), plain) <= tolerance);
        CHECK(fact_number(*rope, "attention_factor", length) == 1);
      }
      reduced.insert(scaling.substr(11, scaling.find(',') - 11));
    }
  }
  CHECK(reduced.size() == rope_scalings().size());
}

TEST_CASE("every method does something with the settings that tests give it", "[encodings]") {
  const auto plain = frequencies("rope_type: default");
  for (const auto& type : types_with()) {
    INFO(type);
    const bool same = frequencies(scaling_block(type, 32), 64, "10000", 2049) == plain;
    CHECK(same == (type == "default" || type == "proportional"));
  }
  CHECK(frequencies("rope_type: proportional, factor: 2") != plain);
}

TEST_CASE("dynamic methods are their fixed forms at the current ratio", "[encodings]") {
  const auto equal = [](const std::string& dynamic, const std::string& fixed) {
    INFO(dynamic);
    const auto a = rope_with(dynamic), b = rope_with(fixed);
    CHECK(worst_relative(fact_numbers(*a, "inv_freq", 6144), fact_numbers(*b, "inv_freq")) < 1e-14);
    CHECK(fact_number(*a, "attention_factor", 6144) == fact_number(*b, "attention_factor"));
    // The ratio is a real number: 2049 tokens are a little more than 2048.
    CHECK(worst_relative(fact_numbers(*a, "inv_freq", 2049), fact_numbers(*a, "inv_freq", 2048)) > 0);
    CHECK(worst_relative(fact_numbers(*a, "inv_freq", 2049), fact_numbers(*a, "inv_freq", 2048)) < 1e-2);
  };
  equal("rope_type: dynamic, factor: 1", "rope_type: ntk, alpha: 3");  // the paper's form
  equal("rope_type: dynamic, factor: 4", "rope_type: ntk, alpha: 9");  // 4 (3 - 1) + 1
  equal("rope_type: dynamic_linear", "rope_type: linear, factor: 3");
  equal("rope_type: dynamic_part_ntk", "rope_type: part_ntk, factor: 3");
  equal("rope_type: dynamic_yarn, beta_fast: 16", "rope_type: yarn, factor: 3, beta_fast: 16");
}

TEST_CASE("NTK-aware keeps the fastest pair and slows the slowest by alpha", "[encodings]") {
  const auto plain = frequencies("rope_type: default", 128), slow = frequencies("rope_type: ntk, alpha: 8", 128);
  CHECK(slow.front() == 1);
  CHECK(slow.back() == Catch::Approx(plain.back() / 8).epsilon(1e-13));
}

TEST_CASE("vLLM's ntk slows the fastest pair too", "[encodings]") {
  const auto plain = frequencies("rope_type: default", 128), slow = frequencies("rope_type: ntk_kexue, factor: 8", 128);
  CHECK(slow.front() == Catch::Approx(std::pow(8.0, -1.0 / 64)).epsilon(1e-15));
  CHECK(slow.back() == Catch::Approx(plain.back() / 8).epsilon(1e-13));
  CHECK(frequencies("rope_type: ntk_kexue, factor: 8, mixed_b: 1", 128) == slow);
  // (b f)^(-2i/d) f^(-2/d), as vLLM writes it.
  for (size_t i = 0; i < 64; ++i)
    CHECK(slow[i] == Catch::Approx(std::pow(80000.0, -double(i) / 64) * std::pow(8.0, -1.0 / 64)).epsilon(1e-13));
}

// coreai-models 66: done inside the first block instead of across the head. pie 603: partial taken for it.
TEST_CASE("proportional turns the fastest pairs of the whole head and no others", "[encodings][fault]") {
  const std::string half = "partial_rotary_factor: 0.5\n";
  for (const std::string layout : {"half", "interleaved"}) {
    INFO(layout);
    const auto rope = rope_with("rope_type: proportional", 8, 2048, half + "layout: " + layout + "\n");
    const auto x = draw({1, 1, 1, 8}, "x");
    const auto changed = (rope->rotate_query(x, {positions(1, 5), positions(1, 5), 0, nullptr}) != x).flatten();
    const std::set<int64_t> want = layout == "half" ? std::set<int64_t>{0, 1, 4, 5} : std::set<int64_t>{0, 1, 2, 3};
    for (int64_t c = 0; c < 8; ++c) CHECK(changed[c].item<bool>() == (want.count(c) == 1));
  }
  const auto partial = rope_with("rope_type: default", 8, 2048, half);
  const auto x = draw({1, 1, 1, 8}, "x");
  const auto changed = (partial->rotate_query(x, {positions(1, 5), positions(1, 5), 0, nullptr}) != x).flatten();
  for (int64_t c = 0; c < 8; ++c) CHECK(changed[c].item<bool>() == (c < 4));

  const auto quarter = fact_numbers(*rope_with("rope_type: proportional, partial_rotary_factor: 0.25"), "inv_freq");
  CHECK(quarter.size() == 32);
  CHECK(quarter[1] == Catch::Approx(0.749894).epsilon(1e-6));
}

TEST_CASE("pairs that never turn have no wavelength", "[encodings]") {
  const auto rope = rope_with("rope_type: proportional", 8, 2048, "partial_rotary_factor: 0.5\n");
  CHECK(fact_number(*rope, "rotary_dim") == 8);
  CHECK(fact_number(*rope, "rotated_pairs") == 2);
  CHECK(fact_numbers(*rope, "inv_freq") == std::vector<double>{1, 0.1, 0, 0});
  CHECK(longer_than(*rope, 1 << 20) == 2);
  for (const auto& fact : rope->facts(64)) {
    if (fact.name != "wavelengths") continue;
    CHECK(fact.value == "4 numbers: " + format_number(2 * M_PI) + " ... never");
    CHECK(Json(fact.numbers)[2].dump() == "null");
    CHECK(std::isinf(fact.numbers[3]));
  }
  // Slow pairs carry content at any distance, and nothing is lost to a division by zero.
  const auto far = rope->rotate_query(draw({1, 1, 1, 8}, "x"), {positions(1, 1'000'003), positions(1), 0, nullptr});
  CHECK(far.isfinite().all().item<bool>());
}

TEST_CASE("proportional accepts parts that partial rotation cannot", "[encodings]") {
  // 0.3 of 64 channels are 19, which no pairs fill; 0.3 of 32 pairs are 9.
  CHECK(fact_number(*rope_with("rope_type: proportional, partial_rotary_factor: 0.3"), "rotated_pairs") == 9);
  // 0.29 of 50 pairs are 14.499999999999998 in floating point, and 0.58 of 50 are 28.999999999999996: cut and whole.
  CHECK(fact_number(*rope_with("rope_type: proportional, partial_rotary_factor: 0.29", 100), "rotated_pairs") == 14);
  CHECK(fact_number(*rope_with("rope_type: proportional, partial_rotary_factor: 0.58", 100), "rotated_pairs") == 29);
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(config_error(rope_yaml("rope_type: proportional, partial_rotary_factor: 0.01"), rope_shape(64)),
             ContainsSubstring("rotates 0 of 32 pairs; allowed: 1 pair or more"));
  CHECK_THAT(config_error(rope_yaml("rope_type: proportional"), rope_shape(7)),
             ContainsSubstring("scaling.rope_type: found a method that pairs the whole head with a head width of 7; "
                               "allowed: an even number"));
}

TEST_CASE("wavelengths show which pairs never complete a rotation", "[encodings]") {
  // theta 10000, width 64, 2048 tokens: wavelengths 2 pi 10000^(i/32) pass 2048 at i = 20.1 (the correction
  // range's upper end in the golden table), so pairs 21 to 31 never complete one.
  const auto plain = rope_with("rope_type: default");
  CHECK(longer_than(*plain, 2048) == 11);
  CHECK(longer_than(*plain, 8192) == 7);  // 24.9
  CHECK(longer_than(*plain, 1 << 20) == 0);
  const auto wavelengths = fact_numbers(*plain, "wavelengths");
  CHECK(wavelengths.front() == Catch::Approx(2 * M_PI));
  CHECK(wavelengths[16] == Catch::Approx(200 * M_PI));
}

}  // namespace lw::encoding_test
