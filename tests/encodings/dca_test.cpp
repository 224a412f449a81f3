// Dual Chunk Attention against ChunkLlama's distances, the paper's cap, and pair by pair.
#include "tests/encodings/effective_distance.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string dca(int64_t chunk_size, int64_t local_window, const std::string& more = "") {
  return "scheme: dca\nchunk_size: " + std::to_string(chunk_size) + "\nlocal_window: " + std::to_string(local_window) +
         "\n" + more;
}

DistanceRule rule_of(int64_t chunk_size, int64_t local_window, bool paper = false) {
  const int64_t s = chunk_size - local_window, cap = paper ? chunk_size - 1 : chunk_size;
  return [=](int64_t i, int64_t j) {
    if (i / s == j / s) return double(i - j);
    if (i / s == j / s + 1) return double(std::min(i % s + s, cap) - j % s);
    return double((paper ? cap : std::min(2 * s - 1, cap)) - j % s);
  };
}

}  // namespace

TEST_CASE("dual chunk distances equal ChunkLlama's", "[encodings][golden]") {
  const auto want = goldens()["grouped"]["dca"]["chunk_size=8,local=2,L=14 rows"].get<Matrix>();
  REQUIRE(want.size() == 14);
  CHECK(worst_gap(effective_distances(dca(8, 2), 14, 16), want) < 1e-9);
  CHECK(worst_gap(effective_distances(dca(8, 2, "cap: paper\n"), 14, 16), want) > 0.9);
}

// ChunkLlama caps positions at chunk_size, its paper at chunk_size - 1.
TEST_CASE("the cap of dual chunks is stated, and both are there", "[encodings][fault]") {
  const auto second_chunk_to_first_key = [](const std::string& cap) {
    const auto distances = effective_distances(dca(10, 4, "cap: " + cap + "\n"), 20, 16);
    std::vector<double> out;
    for (size_t i = 6; i < 12; ++i) out.push_back(std::round(distances[i][0] * 1e6) / 1e6);
    return out;
  };
  CHECK(second_chunk_to_first_key("paper") == std::vector<double>{6, 7, 8, 9, 9, 9});
  CHECK(second_chunk_to_first_key("code") == std::vector<double>{6, 7, 8, 9, 10, 10});
}

TEST_CASE("dual chunks equal their rule pair by pair", "[encodings]") {
  // A local window wider than the chunks, too.
  for (const auto& [chunk_size, local] :
       std::vector<std::pair<int64_t, int64_t>>{{8, 2}, {7, 3}, {10, 4}, {9, 7}, {4, 3}})
    for (const bool paper : {false, true}) {
      INFO(chunk_size << " " << local << " " << paper);
      const std::string yaml = dca(chunk_size, local, paper ? "cap: paper\n" : "");
      CHECK(worst_gap(effective_distances(yaml, 40, 16), distances_by(rule_of(chunk_size, local, paper), 40)) < 1e-9);
      CHECK(worst_gap_to_pairs(yaml, rule_of(chunk_size, local, paper), 40) < 1e-12);
      for (const int64_t length : {1, 4, 5, 6, 7, 11, 12, 13, 14, 40})
        CHECK(fact_number(*build(yaml), "largest_distance", length) ==
              largest_of(distances_by(rule_of(chunk_size, local, paper), length)));
    }
}

TEST_CASE("dual chunks are RoPE while one chunk lasts", "[encodings]") {
  CHECK(worst_gap_to_rope(dca(48, 8), 40) < 1e-12);
  CHECK(worst_gap_to_rope(dca(48, 8, "cap: paper\n"), 40) < 1e-12);
  // The chunk before is at its true distances as long as the cap allows.
  CHECK(worst_gap_to_rope(dca(47, 8), 40) < 1e-12);
  CHECK(worst_gap_to_rope(dca(30, 8), 40) > 1e-3);
}

TEST_CASE("neighbours across a chunk boundary keep their distance", "[encodings]") {
  const auto distances = effective_distances(dca(10, 4), 40, 16);
  for (size_t i = 6; i < 40; ++i)
    for (size_t back = 1; back <= 4; ++back) CHECK(std::abs(distances[i][i - back] - double(back)) < 1e-9);
}

TEST_CASE("ChunkLlama's length temperature is squared on logits and counts each row's own length", "[encodings]") {
  const std::string on = "length_temperature: chunk_llama\n";
  const auto plain = build(dca(8, 3)), warm = build(dca(8, 3, on));
  const double side = 0.05 * std::log(40.0 / 16) + 1;
  CHECK(largest_gap(logits_of(*warm, 40), logits_of(*plain, 40) * side * side) < 1e-12);
  CHECK(at::equal(logits_of(*warm, 16), logits_of(*plain, 16)));
  CHECK(fact_number(*warm, "length_temperature", 40) == Catch::Approx(side * side).epsilon(1e-14));
  CHECK(fact_number(*warm, "length_temperature", 16) == 1);
  CHECK(fact_number(*plain, "length_temperature", 40) == 1);
  CHECK(plain->key_cache() == KeyCache::kRaw);
  CHECK(warm->key_cache() == KeyCache::kNone);

  const auto longer = build(dca(8, 3, on + "original_max_position_embeddings: 20\n"));
  CHECK(fact_number(*longer, "length_temperature", 40) ==
        Catch::Approx(std::pow(0.05 * std::log(2.0) + 1, 2)).epsilon(1e-14));
  const auto rows = at::cat({positions(8), positions(8, 32)});
  const auto q = draw({2, 1, 8, 8}, "q");
  const auto both = warm->adjust_logits({}, q, q, {rows, rows, 0, nullptr}),
             cold = plain->adjust_logits({}, q, q, {rows, rows, 0, nullptr});
  CHECK(at::equal(both[0], cold[0]));
  CHECK(largest_gap(both[1], cold[1] * side * side) < 1e-12);
}

TEST_CASE("dual chunk options are checked", "[encodings]") {
  for (const std::string local : {"8", "9"})
    CHECK_THAT(
        config_error("scheme: dca\nchunk_size: 8\nlocal_window: " + local + "\n"),
        ContainsSubstring("position.yaml:3:15: local_window: found " + local + "; allowed: below chunk_size, 8"));
  CHECK_THAT(config_error("scheme: dca\nchunk_size: 0\n"),
             ContainsSubstring("position.yaml:2:13: chunk_size: found '0'"));
  CHECK_THAT(config_error("scheme: dca\nlocal_window: 0\n"),
             ContainsSubstring("position.yaml:2:15: local_window: found '0'"));
  CHECK_THAT(config_error("scheme: dca\ncap: 9\n"),
             ContainsSubstring("position.yaml:2:6: cap: found '9'; allowed: code, paper"));
  CHECK_THAT(config_error("scheme: dca\nlength_temperature: on\n"), ContainsSubstring("allowed: none, chunk_llama"));
  ModelShape unknown = small_shape();
  unknown.train_length = 0;
  CHECK_THAT(config_error("scheme: dca\nlength_temperature: chunk_llama\n", unknown),
             ContainsSubstring("original_max_position_embeddings: found nothing"));
  ModelShape shape = small_shape();
  shape.train_length = 4096;
  const auto usual = build("scheme: dca\n", shape);
  CHECK(fact_number(*usual, "chunk_size") == 3072);
  CHECK(fact_number(*usual, "local_window") == 512);
  CHECK(fact_number(*usual, "tokens_per_chunk") == 2560);
}

}  // namespace lw::encoding_test
