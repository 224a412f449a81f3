// Public faults in other projects' position code, each with the input that showed it.
#include "tests/encodings/support.h"

namespace lw::encoding_test {
namespace {

std::shared_ptr<PositionEncoding> rope_with(const std::string& scaling, int64_t head_width = 64,
                                            int64_t train_length = 2048, const std::string& more = "") {
  ModelShape shape = small_shape();
  shape.head_width = head_width;
  shape.heads = 1;
  shape.width = head_width;
  shape.train_length = train_length;
  return build("scheme: rope\n" + more + "scaling: {" + scaling + "}\n", shape);
}

}  // namespace

// vllm 41236: the formula was fed factor times the length, so every length got one base.
TEST_CASE("dynamic NTK depends on the ratio of lengths", "[encodings][fault]") {
  const auto encoding = rope_with("rope_type: dynamic, factor: 2", 128);
  CHECK(fact_numbers(*encoding, "inv_freq", 2048)[63] == Catch::Approx(1.15478e-4).epsilon(1e-5));
  CHECK(fact_numbers(*encoding, "inv_freq", 8192)[63] == Catch::Approx(1.64969e-5).epsilon(1e-5));
}

// transformers 27226, and its state as of 5.16: the base of the longest sequence so far is kept.
TEST_CASE("dynamic NTK is a pure function of the length, whatever came before", "[encodings][fault][golden]") {
  const Json& trace = goldens()["state_traces"]["dynamic d=64 b=10000 factor=2 max=2048"];
  const auto encoding = rope_with("rope_type: dynamic, factor: 2");
  const auto matches = [&](int64_t length, const Json& row) {
    const auto w = fact_numbers(*encoding, "inv_freq", length);
    return worst_relative({w[1], w[31]}, {row[1].get<double>(), row[2].get<double>()}) < 6e-7;  // float32 peers
  };
  const std::vector<size_t> without_memory = {0, 1, 2, 3, 6, 7, 8, 10};
  for (const size_t i : without_memory) CHECK(matches(trace[i][0].get<int64_t>(), trace[i]));
  CHECK(matches(3000, trace[7]));  // not the 4096 that came before
  CHECK_FALSE(matches(3000, trace[4]));
  CHECK(matches(2048, trace[1]));  // T == L after a long call: default again
  CHECK_FALSE(matches(2048, trace[5]));
  CHECK(matches(4096, trace[3]));
  CHECK_FALSE(matches(4096, trace[9]));

  // The rotation itself, 4096 then 1024 on one object.
  const auto q = draw({1, 1, 1, 64}, "q");
  const auto turned = [&](PositionEncoding& on, int64_t length) {
    return on.rotate_query(q, {positions(1, length - 1), positions(length), 0, nullptr});
  };
  const auto fresh = rope_with("rope_type: dynamic, factor: 2");
  turned(*encoding, 4096);
  CHECK(torch::equal(turned(*encoding, 1024), turned(*fresh, 1024)));
}

// transformers: T is the longest row of the batch. mlx-lm 1545: T was read from the wrong axis.
TEST_CASE("dynamic NTK takes each row's own length, from its key positions", "[encodings][fault]") {
  const auto encoding = rope_with("rope_type: dynamic, factor: 6", 64, 16);
  const auto q = draw({2, 1, 3, 64}, "q");
  const auto short_keys = torch::tensor({{0, 1, 2}}, torch::kInt64),
             long_keys = torch::tensor({{0, 1, 99}}, torch::kInt64);
  const auto pos = torch::cat({positions(3), positions(3)});
  const auto both = encoding->rotate_query(q, {pos, torch::cat({short_keys, long_keys}), 0, nullptr});
  const auto alone = [&](int64_t row, const torch::Tensor& keys) {
    return encoding->rotate_query(q.narrow(0, row, 1), {positions(3), keys, 0, nullptr});
  };
  CHECK(torch::equal(both.narrow(0, 0, 1), alone(0, short_keys)));
  CHECK(torch::equal(both.narrow(0, 1, 1), alone(1, long_keys)));
  const auto plain = rope_with("rope_type: default", 64, 16);
  CHECK(torch::equal(both.narrow(0, 0, 1),
                     plain->rotate_query(q.narrow(0, 0, 1), {positions(3), short_keys, 0, nullptr})));
  CHECK_FALSE(torch::equal(both.narrow(0, 1, 1),
                           plain->rotate_query(q.narrow(0, 1, 1), {positions(3), long_keys, 0, nullptr})));
}

// transformers 25104: cached keys keep the base of an older length.
TEST_CASE("dynamic NTK declares that nothing may be cached", "[encodings][fault]") {
  CHECK(rope_with("rope_type: dynamic, factor: 2")->key_cache() == KeyCache::kNone);
  for (const char* fixed :
       {"rope_type: default", "rope_type: linear, factor: 2", "rope_type: ntk, alpha: 2", "rope_type: yarn, factor: 2"})
    CHECK(rope_with(fixed)->key_cache() == KeyCache::kRotated);
  CHECK(key_cache_name(KeyCache::kNone) == "none");
  CHECK(key_cache_name(KeyCache::kRaw) == "raw");
  CHECK(key_cache_name(KeyCache::kRotated) == "rotated");
}

// vllm 55910: a table sized without the factor was read past its end.
TEST_CASE("positions past factor times the original length have values", "[encodings][fault]") {
  for (const char* scaling :
       {"rope_type: ntk, alpha: 4", "rope_type: linear, factor: 2", "rope_type: yarn, factor: 2"}) {
    const auto encoding = rope_with(scaling);
    CHECK_FALSE(encoding->max_positions().has_value());
    const auto x = draw({1, 1, 1, 64}, "x");
    const auto y = encoding->rotate_query(x, {positions(1, 5000), positions(1, 5000), 0, nullptr});
    const double factor = fact_number(*encoding, "attention_factor");
    CHECK(y.norm().item<double>() == Catch::Approx(factor * x.norm().item<double>()).epsilon(1e-12));
  }
}

// Megatron-LM 1418, Fast-LLM 145: one field was both the longest position and YaRN's original length.
TEST_CASE("YaRN's original length is the one given, not the model's longest", "[encodings][fault]") {
  const std::string yarn = "rope_type: yarn, factor: 4, original_max_position_embeddings: 4096";
  const auto want = fact_numbers(*rope_with(yarn, 64, 4096), "inv_freq");
  CHECK(fact_numbers(*rope_with(yarn, 64, 8192), "inv_freq") == want);
  CHECK(fact_numbers(*rope_with(yarn, 64, 131072), "inv_freq", 131072) == want);
  CHECK(fact_numbers(*rope_with("rope_type: yarn, factor: 4", 64, 4096), "inv_freq") == want);
  CHECK(fact_numbers(*rope_with("rope_type: yarn, factor: 4", 64, 8192), "inv_freq") != want);
}

// mlx-lm 1507: an explicit attention_factor was ignored. llama.cpp 17945: the factor was applied twice.
TEST_CASE("YaRN's attention factor enters a logit exactly squared", "[encodings][fault]") {
  const auto dot = [](const std::string& more) {
    const auto encoding = rope_with("rope_type: yarn, factor: 4, original_max_position_embeddings: 4096" + more);
    const Site at{positions(1, 5), positions(1, 3), 0, nullptr};
    return (encoding->rotate_query(draw({1, 1, 1, 64}, "q"), at) * encoding->rotate_key(draw({1, 1, 1, 64}, "k"), at))
        .sum()
        .item<double>();
  };
  CHECK(dot("") / dot(", attention_factor: 1.0") == Catch::Approx(1.296477).epsilon(1e-6));
}

// exllamav3 259, sglang 22711: what equal mscale and mscale_all_dim mean.
TEST_CASE("equal mscale and mscale_all_dim give an attention factor of 1", "[encodings][fault]") {
  CHECK(fact_number(*rope_with("rope_type: yarn, factor: 16, mscale: 1, mscale_all_dim: 1"), "attention_factor") == 1);
}

// llama.cpp 3401: 10000 meant "use the model's value".
TEST_CASE("an explicit theta of 10000 is 10000", "[encodings][fault]") {
  const auto explicit_theta = rope_with("rope_type: default", 64, 2048, "rope_theta: 10000\n");
  CHECK(fact_number(*explicit_theta, "rope_theta") == 10000);
}

// transformers 48652, pie 603: frequencies over the whole head, or pairs across it.
TEST_CASE("partial rotary has the frequencies of its own width", "[encodings][fault]") {
  CHECK(fact_numbers(*rope_with("rope_type: default", 8, 2048, "partial_rotary_factor: 0.5\n"), "inv_freq") ==
        std::vector<double>{1, 0.01});
  const auto quarter =
      fact_numbers(*rope_with("rope_type: default", 64, 2048, "partial_rotary_factor: 0.25\n"), "inv_freq");
  CHECK(quarter.size() == 8);
  CHECK(quarter[1] == Catch::Approx(0.316228).epsilon(1e-6));
}

// coreai-models 66: which channels turn.
TEST_CASE("partial rotary turns the first block of the head", "[encodings][fault]") {
  const auto encoding = rope_with("rope_type: default", 8, 2048, "partial_rotary_factor: 0.5\n");
  const auto x = draw({1, 1, 1, 8}, "x");
  const auto changed = (encoding->rotate_query(x, {positions(1, 5), positions(1, 5), 0, nullptr}) != x).flatten();
  for (int64_t c = 0; c < 8; ++c) CHECK(changed[c].item<bool>() == (c < 4));
}

// exllama 101: positions ran on across the rows of a batch.
TEST_CASE("two rows at the same positions are turned alike", "[encodings][fault]") {
  const auto encoding = rope_with("rope_type: default");
  const auto x = draw({1, 1, 3, 64}, "x").expand({2, 1, 3, 64});
  for (const auto& pos : {positions(3), torch::cat({positions(3), positions(3)})}) {
    const auto y = encoding->rotate_key(x, {pos, pos, 0, nullptr});
    CHECK(torch::equal(y[0], y[1]));
    CHECK(torch::equal(y[1][0][0], x[1][0][0]));  // the second row starts at position 0
  }
}

// transformers 22161: with left padding, positions were counted from the padding.
TEST_CASE("left-padded rows give the logits of unpadded ones", "[encodings][fault]") {
  const Stack stack;
  const auto x = draw({1, 5, 32}, "x");
  const auto padded = torch::tensor({{0, 0, 0, 1, 2}}, torch::kInt64);  // two pads, then positions 0, 1, 2
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    const auto encoding = build_drawn(setting.yaml);
    const auto real = stack.logits(*encoding, x, padded).slice(2, 2, 5).slice(3, 2, 5);
    CHECK(largest_gap(real, stack.logits(*encoding, x.narrow(1, 2, 3), positions(3))) < 1e-12);
  }
}

// The YaRN paper against every implementation: a ramp in turns or in the pair index.
TEST_CASE("YaRN's ramp runs over the pair index", "[encodings][fault]") {
  const auto w =
      fact_numbers(*rope_with("rope_type: yarn, factor: 32, original_max_position_embeddings: 4096", 128), "inv_freq");
  const double plain = std::pow(10000.0, -80.0 / 128), turns = 4096 * plain / (2 * M_PI);
  const double keep = (turns - 1) / 31;  // the paper's gamma
  CHECK(w[40] / ((1 - keep) * plain / 32 + keep * plain) == Catch::Approx(3.96).epsilon(2e-3));
}

}  // namespace lw::encoding_test
