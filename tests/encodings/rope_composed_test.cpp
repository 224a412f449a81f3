// Two RoPE scalings one after the other: what that reduces to, and where ramps and bases come from.
#include "tests/encodings/rope_support.h"

namespace lw::encoding_test {
namespace {

std::string composed(const std::string& first, const std::string& then) {
  return "rope_type: composed, first: {" + first + "}, then: {" + then + "}";
}

/// `scaling` and `want` agree in frequencies and factors at several lengths.
void check_same(const std::string& scaling, const std::string& want, double tolerance, const std::string& more = "") {
  INFO(scaling << " and " << want);
  const auto a = rope_with(scaling, 64, 2048, more), b = rope_with(want, 64, 2048, more);
  for (const int64_t length : {1, 2048, 2049, 6000}) {
    INFO(length);
    CHECK(worst_relative(fact_numbers(*a, "inv_freq", length), fact_numbers(*b, "inv_freq", length)) <= tolerance);
    CHECK(fact_number(*a, "attention_factor", length) == fact_number(*b, "attention_factor", length));
  }
  CHECK(a->key_cache() == b->key_cache());
}

}  // namespace

TEST_CASE("composed with no scaling, any method is itself", "[encodings][composed]") {
  for (const auto& type : types_with()) {
    if (type == "composed") continue;
    const std::string block = scaling_block(type, 32);
    // A base that grows is a ratio of powers when it is applied to given frequencies.
    const bool exact = type.find("ntk") == std::string::npos && type != "dynamic";
    check_same(composed("rope_type: default", block), block, exact ? 0 : 4e-15);
    check_same(composed(block, "rope_type: default"), block, 0);
  }
}

TEST_CASE("composed scalings multiply", "[encodings][composed]") {
  check_same(composed("rope_type: linear, factor: 2", "rope_type: linear, factor: 4"), "rope_type: linear, factor: 8",
             3e-16);
  check_same(composed("rope_type: factors, factors: " + factor_list(32, 0.5), "rope_type: linear, factor: 2"),
             composed("rope_type: linear, factor: 2", "rope_type: factors, factors: " + factor_list(32, 0.5)), 3e-16);
  std::string doubled = "[";
  for (int i = 0; i < 32; ++i) doubled += (i > 0 ? ", " : "") + format_number(2 * (1 + 0.5 * i));
  check_same(composed("rope_type: factors, factors: " + factor_list(32, 0.5), "rope_type: linear, factor: 2"),
             "rope_type: factors, factors: " + doubled + "]", 3e-16);
  check_same(composed("rope_type: ntk, alpha: 2", "rope_type: ntk, alpha: 3"), "rope_type: ntk, alpha: 6", 4e-15);
  check_same(composed("rope_type: dynamic, factor: 2", "rope_type: linear, factor: 2"),
             composed("rope_type: linear, factor: 2", "rope_type: dynamic, factor: 2"), 4e-15);
  // YaRN's temperatures multiply, 1.1386 twice.
  const std::string yarn = "rope_type: yarn, factor: 4";
  const double once = fact_number(*rope_with(yarn), "attention_factor");
  CHECK(fact_number(*rope_with(composed(yarn, yarn)), "attention_factor") == Catch::Approx(once * once).epsilon(1e-15));
  const std::string sharp = "rope_type: yarn, factor: 4, mscale_all_dim: 1, softmax_mscale: true";
  CHECK(fact_number(*rope_with(composed(sharp, sharp)), "query_factor") ==
        Catch::Approx(std::pow(fact_number(*rope_with(sharp), "query_factor"), 2)).epsilon(1e-15));
}

TEST_CASE("a ramp over pairs comes from the base, one over wavelengths from what is given", "[encodings][composed]") {
  // Written out apart from this program (Python, float64): theta 500000, width 16, original length 300; llama3 of
  // factor 8 between 1 and 4 turns, YaRN of factor 4 between 32 turns and 1.
  const std::string llama3 = "rope_type: llama3, factor: 8, original_max_position_embeddings: 300";
  const std::string yarn = "rope_type: yarn, factor: 4, original_max_position_embeddings: 300";
  const auto check = [](const std::string& scaling, const std::vector<double>& want) {
    INFO(scaling);
    CHECK(worst_relative(frequencies(scaling, 16, "500000"), want) < 1e-14);
  };
  check(composed(llama3, yarn),
        {1.0, 0.14544205856151435, 0.006713373797063019, 0.00022789577303803467, 4.419417382415922e-05,
         8.570255489881478e-06, 1.6619674677953088e-06, 3.2229329303788936e-07});
  // Pair 2 makes 1.8 turns, and 0.45 after YaRN: slow, for a method that looks at turns.
  check(composed(yarn, llama3),
        {1.0, 0.14544205856151435, 0.002350376933178996, 0.00022789577303803467, 4.419417382415922e-05,
         8.570255489881478e-06, 1.6619674677953088e-06, 3.2229329303788936e-07});
}

TEST_CASE("the length that a part depends on may be declared, there or for both", "[encodings][composed]") {
  const std::string dynamic = "rope_type: dynamic, factor: 2", linear = "rope_type: linear, factor: 2";
  const auto free = rope_with(composed(dynamic, linear));
  CHECK(free->key_cache() == KeyCache::kNone);
  CHECK(fact_number(*free, "first.length_ratio", 6144) == 3);
  for (const auto& scaling :
       {composed(dynamic + ", declared_length: 6144", linear), composed(dynamic, linear) + ", declared_length: 6144",
        composed(linear, dynamic) + ", declared_length: 6144"}) {
    INFO(scaling);
    const auto held = rope_with(scaling);
    CHECK(held->key_cache() == KeyCache::kRotated);
    CHECK(worst_relative(fact_numbers(*held, "inv_freq", 10), fact_numbers(*free, "inv_freq", 6144)) < 4e-15);
  }
}

TEST_CASE("the card names both parts and their numbers", "[encodings][composed]") {
  const auto rope = rope_with(composed("rope_type: yarn, factor: 2", "rope_type: llama3, factor: 8"));
  CHECK(fact_number(*rope, "first.factor") == 2);
  CHECK(fact_number(*rope, "then.factor") == 8);
  std::set<std::string> names;
  for (const auto& fact : rope->facts(10)) {
    names.insert(fact.name);
    if (fact.name == "scaling") CHECK(fact.value == "composed: yarn, then llama3");
  }
  CHECK(names.count("first.correction_low") == 1);
  CHECK(names.count("then.pair_of_low_freq") == 0);  // of plain frequencies, and these are not
}

TEST_CASE("p-RoPE may come first, or second where the whole head is paired", "[encodings][composed]") {
  const std::string half = "partial_rotary_factor: 0.5\n";
  const auto first = rope_with(composed("rope_type: proportional", "rope_type: linear, factor: 2"), 8, 2048, half);
  CHECK(fact_numbers(*first, "inv_freq") == std::vector<double>{0.5, 0.05, 0, 0});
  const auto ramp = rope_with(composed("rope_type: proportional", "rope_type: llama3, factor: 2"), 8, 2048, half);
  CHECK(fact_numbers(*ramp, "inv_freq") == std::vector<double>{1, 0.1, 0, 0});
  const std::string wrong = rope_yaml(composed("rope_type: linear, factor: 2", "rope_type: proportional"), half);
  CHECK_THAT(config_error(wrong, rope_shape(8)),
             Catch::Matchers::ContainsSubstring("scaling.then: found a method that pairs the whole head after one that "
                                                "pairs 4 of its 8 channels; allowed: the two the other way round"));
}

TEST_CASE("composed scalings do not nest, and their parts are read strictly", "[encodings][composed]") {
  using Catch::Matchers::ContainsSubstring;
  const std::string linear = "rope_type: linear, factor: 2";
  CHECK_THAT(config_error(rope_yaml(composed(composed(linear, linear), linear))),
             ContainsSubstring("scaling.first.rope_type: found 'composed'; allowed: by_parts_index,"));
  CHECK_THAT(config_error(rope_yaml(composed(linear, "rope_type: linear, factr: 2"))),
             ContainsSubstring("scaling.then.factor"));
  CHECK_THAT(config_error(rope_yaml(composed(linear + ", alpha: 2", linear))),
             ContainsSubstring("scaling.first.alpha: found an unknown key"));
  CHECK_THAT(config_error(rope_yaml("rope_type: composed, firts: {rope_type: default}")),
             ContainsSubstring("did you mean 'first'?"));
}

}  // namespace lw::encoding_test
