// Which methods look at the length, that each does so as a pure function of its own row, and declared_length.
#include "tests/encodings/rope_support.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

const std::vector<std::string> kByLength = {"dynamic",          "dynamic_linear", "dynamic_longrope",
                                            "dynamic_part_ntk", "dynamic_yarn",   "longrope"};

/// The last of `length` tokens, turned.
at::Tensor last_query(PositionEncoding& encoding, int64_t length) {
  static const auto q = draw({1, 1, 1, 64}, "q");
  return encoding.rotate_query(q, {positions(1, length - 1), positions(length), 0, nullptr});
}

std::string declared(const std::string& type, int64_t length, int64_t pairs = 32) {
  return scaling_block(type, pairs) + ", declared_length: " + std::to_string(length);
}

}  // namespace

TEST_CASE("the methods that look at the length are these, and no others are uncacheable", "[encodings]") {
  CHECK(types_with("declared_length") == kByLength);
  for (const auto& type : types_with()) {
    INFO(type);
    const auto rope = rope_with(scaling_block(type, 32));
    const bool by_length = std::count(kByLength.begin(), kByLength.end(), type) == 1;
    CHECK(rope->key_cache() == (by_length ? KeyCache::kNone : KeyCache::kRotated));
    for (const int64_t length : {1, 2048, 2049, 8192})
      if (!by_length) CHECK(fact_numbers(*rope, "inv_freq", length) == fact_numbers(*rope, "inv_freq"));
    if (by_length) CHECK(fact_numbers(*rope, "inv_freq", 2049) != fact_numbers(*rope, "inv_freq", 2048));
  }
}

// transformers 27226 and 5.16: the longest sequence so far counts, and T == L after it stays scaled. LongRoPE there:
// a second long call with a layer type raises.
TEST_CASE("no method remembers earlier lengths", "[encodings][fault]") {
  for (const auto& type : types_with()) {
    INFO(type);
    const auto used = rope_with(scaling_block(type, 32));
    for (const int64_t length : {512, 2048, 4096, 4096, 8192, 2048, 2049, 2047, 3000, 8192, 8192, 1024, 1}) {
      INFO(length);
      const auto fresh = rope_with(scaling_block(type, 32));
      CHECK(at::equal(last_query(*used, length), last_query(*fresh, length)));
      CHECK(at::equal(last_query(*used, length), last_query(*used, length)));
      CHECK(fact_numbers(*used, "inv_freq", length) == fact_numbers(*fresh, "inv_freq", length));
    }
  }
}

// The peer's trace of calls on one object: ours agrees wherever the peer has not kept an older length.
TEST_CASE("dynamic NTK equals Hugging Face's trace where that has no memory", "[encodings][fault][golden]") {
  const Json& trace = goldens()["state_traces"]["dynamic d=64 b=10000 factor=2 max=2048"];
  CHECK(goldens()["state_traces"].size() == 3);  // with the names of the columns, and LongRoPE's trace
  CHECK(trace.size() == 11);
  const auto encoding = rope_with("rope_type: dynamic, factor: 2");
  const auto matches = [&](int64_t length, const Json& row) {
    const auto w = fact_numbers(*encoding, "inv_freq", length);
    return worst_relative({w[1], w[31]}, {row[1].get<double>(), row[2].get<double>()}) < 6e-7;  // float32 peers
  };
  const std::set<size_t> kept_older = {4, 5, 9};  // 3000 after 4096, 2048 after 4096, 4096 after 8192
  for (size_t i = 0; i < trace.size(); ++i) {
    INFO(trace[i].dump());
    CHECK(matches(trace[i][0].get<int64_t>(), trace[i]) == (kept_older.count(i) == 0));
  }
  CHECK(matches(2048, trace[1]));  // T == L after a long call: plain again
}

// transformers: T is the longest row of the batch. mlx-lm 1545: T was read from the wrong axis.
TEST_CASE("each row has its own length, from its key positions", "[encodings][fault]") {
  const auto short_keys = row_tensor({{0, 1, 2}});
  const auto long_keys = row_tensor({{0, 1, 99}});
  const auto padded_keys = row_tensor({{-1, 0, 99}});  // -1 is kPadding
  const auto pos = positions(3);
  for (const auto& type : types_with()) {
    INFO(type);
    const auto rope = rope_with(scaling_block(type, 32), 64, 16);
    for (const int64_t heads : {1, 3, 40}) {
      const auto q = draw({3, heads, 3, 64}, "q");
      const Site together{pos.expand({3, 3}), at::cat({short_keys, long_keys, padded_keys}), 0, nullptr};
      const auto all = rope->rotate_query(q, together), all_keys = rope->rotate_key(q, together);
      for (const auto& [row, keys] : {std::pair{0, short_keys}, std::pair{1, long_keys}, std::pair{2, padded_keys}}) {
        const Site alone{pos, keys, 0, nullptr};
        CHECK(at::equal(all.narrow(0, row, 1), rope->rotate_query(q.narrow(0, row, 1), alone)));
        CHECK(at::equal(all_keys.narrow(0, row, 1), rope->rotate_key(q.narrow(0, row, 1), alone)));
      }
      const bool by_length = std::count(kByLength.begin(), kByLength.end(), type) == 1;
      const Site longer{pos, long_keys, 0, nullptr};  // the same positions in a longer sequence
      CHECK(at::equal(all[0][0], rope->rotate_query(q.narrow(0, 0, 1), longer)[0][0]) == !by_length);
    }
  }
}

TEST_CASE("a declared length holds every method at that length", "[encodings]") {
  for (const auto& type : kByLength) {
    INFO(type);
    const auto free = rope_with(scaling_block(type, 32));
    for (const int64_t length : {100, 2048, 2049, 8192}) {
      const auto held = rope_with(declared(type, length));
      CHECK(held->key_cache() == KeyCache::kRotated);
      CHECK(fact_number(*held, "declared_length") == double(length));
      for (const int64_t now : {1, 2048, 2049, 8192, 20000}) {
        CHECK(fact_numbers(*held, "inv_freq", now) == fact_numbers(*free, "inv_freq", length));
        CHECK(fact_number(*held, "attention_factor", now) == fact_number(*free, "attention_factor", length));
      }
      CHECK(at::equal(last_query(*held, length), last_query(*free, length)));
    }
    for (const auto& fact : free->facts(1)) CHECK(fact.name != "declared_length");
  }
}

// transformers 25104, 33129, vllm 27414, llama.cpp 8995: keys of another length stay in the cache when the sequence
// grows past the original length.
TEST_CASE("decoding across the original length equals the full pass when the length is declared",
          "[encodings][fault]") {
  const Stack stack;
  const auto x = draw({2, 40, 32}, "x");  // L is 16
  for (const auto& type : kByLength) {
    INFO(type);
    for (const int64_t length : {16, 40}) {
      const auto held = build_drawn(rope_yaml(declared(type, length, 4)));
      CHECK(largest_gap(stack.run(*held, x, positions(40)), stack.decode(*held, x, positions(40))) < 1e-12);
    }
    const auto held = build_drawn(rope_yaml(declared(type, 40, 4))), free = build_drawn(rope_yaml(scaling_block(type)));
    const auto full = stack.run(*free, x, positions(40));
    CHECK(at::equal(stack.run(*held, x, positions(40)), full));
    CHECK(largest_gap(stack.decode(*free, x, positions(40)), full) > 1e-4);  // what a plain cache would do
  }
}

TEST_CASE("a declared length is a whole number, and for methods that look at one", "[encodings]") {
  for (const auto& type : types_with()) {
    INFO(type);
    if (std::count(kByLength.begin(), kByLength.end(), type) == 0) {
      const std::string yaml = rope_yaml(declared(type, 64, 4));
      CHECK_THAT(config_error(yaml), ContainsSubstring("scaling.declared_length: found an unknown key"));
      continue;
    }
    for (const std::string bad : {"0", "-5", "2.5", "\"64\"", "true"}) {
      const std::string yaml = rope_yaml(scaling_block(type) + ", declared_length: " + bad);
      CHECK_THAT(config_error(yaml),
                 ContainsSubstring(place_of(yaml, "declared_length") + ": scaling.declared_length: found ") &&
                     ContainsSubstring("allowed: a whole number, 1 or more"));
    }
    CHECK_THAT(config_error(rope_yaml(scaling_block(type) + ", declard_length: 64")),
               ContainsSubstring("did you mean 'declared_length'?"));
  }
}

// jquesnelle/yarn: the class divides by the original length, the model file by the longest.
TEST_CASE("dynamic YaRN divides by the original length, or as the authors' model file does", "[encodings][fault]") {
  const std::string lengths = "rope_type: dynamic_yarn, original_max_position_embeddings: 2048";
  const auto class_form = rope_with(lengths), named = rope_with(lengths + ", ratio: stand_alone_class");
  const auto file_form = rope_with(lengths + ", ratio: model_file, max_position_embeddings: 4096");
  const auto yarn_by = [](const std::string& factor) {
    return rope_with("rope_type: yarn, original_max_position_embeddings: 2048, factor: " + factor);
  };
  for (const auto& [form, factor] : {std::pair{class_form, "4"}, std::pair{named, "4"}, std::pair{file_form, "2"}}) {
    CHECK(fact_numbers(*form, "inv_freq", 8192) == fact_numbers(*yarn_by(factor), "inv_freq"));
    CHECK(fact_number(*form, "attention_factor", 8192) == fact_number(*yarn_by(factor), "attention_factor"));
    CHECK(fact_number(*form, "length_ratio", 8192) == std::stod(factor));
  }
  CHECK(fact_numbers(*file_form, "inv_freq", 4096) == frequencies("rope_type: default"));
  CHECK_THAT(config_error(rope_yaml(lengths + ", ratio: model_file")),
             ContainsSubstring("scaling.max_position_embeddings: found nothing; allowed: a whole number, for ratio: "
                               "model_file"));
  CHECK_THAT(config_error(rope_yaml(lengths + ", ratio: model_file, max_position_embeddings: 1024")),
             ContainsSubstring("found 1024 with original_max_position_embeddings 2048; allowed: the original length"));
  CHECK_THAT(config_error(rope_yaml(lengths + ", max_position_embeddings: 4096")),
             ContainsSubstring("scaling.max_position_embeddings: found an unknown key"));
  CHECK_THAT(config_error(rope_yaml(lengths + ", ratio: model")), ContainsSubstring("did you mean 'model_file'?"));
}

}  // namespace lw::encoding_test
