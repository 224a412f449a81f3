// What every encoding must keep, run over the registries: a new line there is tested with no line here.
#include "tests/encodings/support.h"

namespace lw::encoding_test {
namespace {

at::Tensor hidden_input(int64_t rows, int64_t length) { return draw({rows, length, small_shape().width}, "x"); }

}  // namespace

TEST_CASE("every encoding keeps shapes and dtypes, and its results are finite", "[encodings]") {
  const Stack stack;
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16}) {
      auto encoding = build_drawn(setting.yaml);
      encoding->to(type);
      const auto x = hidden_input(2, 16).to(type);
      const auto out = stack.run(*encoding, x, positions(16));
      CHECK(out.sizes() == x.sizes());
      CHECK(out.scalar_type() == type);
      CHECK(out.isfinite().all().item<bool>());
      CHECK(stack.logits(*encoding, x, positions(16)).sizes().vec() == std::vector<int64_t>{2, 4, 16, 16});
    }
  }
}

TEST_CASE("attention in tiles of queries equals attention at once", "[encodings]") {
  const Stack stack;
  const auto x = hidden_input(2, 16);
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    auto encoding = build_drawn(setting.yaml);
    CHECK(largest_gap(stack.run(*encoding, x, positions(16)), stack.run(*encoding, x, positions(16), 5)) < 1e-12);
  }
}

TEST_CASE("tables kept over a pass change no number", "[encodings]") {
  const Stack stack;
  const auto x = hidden_input(1, 24);
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    auto encoding = build_drawn(setting.for_length(24));
    CHECK(at::equal(stack.run(*encoding, x, positions(24), 0, true), stack.run(*encoding, x, positions(24), 0, false)));
  }
}

// Within the original length: past it a method that looks at the length sees the longest sequence of the row.
TEST_CASE("sequences packed into one row have the logits of separate ones", "[encodings]") {
  const Stack stack;
  const auto x = hidden_input(1, 12);
  const auto pos = at::cat({positions(5), positions(7)}, 1);
  for (const auto& setting : all_settings()) {
    if (!packs(setting)) continue;
    INFO(setting.name);
    auto encoding = build_drawn(setting.yaml);
    const auto packed = stack.logits(*encoding, x, pos);
    CHECK(largest_gap(packed.slice(2, 0, 5).slice(3, 0, 5), stack.logits(*encoding, x.narrow(1, 0, 5), positions(5))) <
          1e-12);
    CHECK(largest_gap(packed.slice(2, 5).slice(3, 5), stack.logits(*encoding, x.narrow(1, 5, 7), positions(7))) <
          1e-12);
  }
}

TEST_CASE("a row of a batch does not see the positions of another row", "[encodings]") {
  const Stack stack;
  const auto x = hidden_input(2, 12);
  const auto pos = at::cat({positions(12), positions(12, 40)});  // the second row is past L = 16
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    auto encoding = build_drawn(setting.for_length(52));
    const auto both = stack.run(*encoding, x, pos);
    for (int64_t row = 0; row < 2; ++row)
      CHECK(largest_gap(both.narrow(0, row, 1), stack.run(*encoding, x.narrow(0, row, 1), pos.narrow(0, row, 1))) <
            1e-12);
  }
}

// A shift at equal length: the last key stands at a fixed far position and is left out of the comparison, so
// that methods that look at the length see the same one.
TEST_CASE("logits follow a shift of all positions as declared", "[encodings]") {
  const Stack stack;
  const auto x = hidden_input(1, 13);
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    auto encoding = build_drawn(setting.for_length(8192));
    const auto logits_from = [&](int64_t first) {
      const auto pos = at::cat({positions(12, first), positions(1, 8191)}, 1);
      return stack.logits(*encoding, x, pos).slice(2, 0, 12).slice(3, 0, 12);
    };
    double worst = 0;
    for (const int64_t shift : {1, 97, 4096}) worst = std::max(worst, largest_gap(logits_from(0), logits_from(shift)));
    if (encoding->shift_invariant()) {
      CHECK(worst < 1e-9);
    } else {
      CHECK(worst > 1e-3);
    }
  }
}

TEST_CASE("keys may be cached as declared", "[encodings]") {
  const Stack stack;
  const auto x = hidden_input(2, 40);  // 2.5 times the original length
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    auto encoding = build_drawn(setting.for_length(40));
    const double gap = largest_gap(stack.run(*encoding, x, positions(40)), stack.decode(*encoding, x, positions(40)));
    if (encoding->key_cache() != KeyCache::kNone) {
      CHECK(gap < 1e-10);
    } else {
      CHECK(gap > 1e-4);
    }
  }
}

TEST_CASE("the input is touched as declared", "[encodings]") {
  const auto x = hidden_input(1, 8);
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    auto encoding = build_drawn(setting.yaml);
    CHECK(encoding->touches_input() == (largest_gap(encoding->embed(x, positions(8, 1)), x) > 0));
  }
}

TEST_CASE("constraining parameters that are in range changes nothing", "[encodings]") {
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    const auto encoding = build_drawn(setting.yaml), kept = build_drawn(setting.yaml);
    encoding->constrain();
    for (const auto& parameter : encoding->named_parameters())
      CHECK(at::equal(parameter.value(), kept->named_parameters()[parameter.key()]));
  }
}

TEST_CASE("a longer call leaves nothing behind", "[encodings]") {
  const Stack stack;
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    const std::string yaml = setting.for_length(64);
    const auto used = build_drawn(yaml), fresh = build_drawn(yaml);
    stack.run(*used, hidden_input(1, 64), positions(64));
    const auto x = hidden_input(1, 16);
    CHECK(at::equal(stack.run(*used, x, positions(16)), stack.run(*fresh, x, positions(16))));
  }
}

TEST_CASE("positions end exactly where max_positions says", "[encodings]") {
  const Stack stack;
  const auto x = hidden_input(1, 1);
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    auto encoding = build_drawn(setting.yaml);
    const auto bound = encoding->max_positions();
    const int64_t last = bound ? *bound - 1 : 1'000'003;
    CHECK(stack.run(*encoding, x, positions(1, last)).isfinite().all().item<bool>());
    if (!bound) continue;
    try {
      stack.run(*encoding, x, positions(1, *bound));
      FAIL("position " << *bound << " was accepted");
    } catch (const Error& error) {
      CHECK(error.what() == encoding->undefined_position(*bound));
      CHECK(error.kind() == ErrorKind::kUnsupported);
    }
  }
}

TEST_CASE("gradients reach every parameter of every layer", "[encodings]") {
  const Stack stack;
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    auto encoding = build_drawn(setting.yaml);
    const auto out = stack.run(*encoding, hidden_input(2, 16), positions(16));
    CHECK(out.requires_grad() == !encoding->parameters().empty());
    if (encoding->parameters().empty()) continue;
    (out * draw({2, 16, 32}, "direction")).sum().backward();
    for (const auto& parameter : encoding->named_parameters()) {
      INFO(parameter.key());
      REQUIRE(parameter.value().grad().defined());
      CHECK(parameter.value().grad().isfinite().all().item<bool>());
      const auto by_first_axis = parameter.value().grad().reshape({parameter.value().size(0), -1}).abs().amax(1);
      if (reached_by_16_tokens(setting)) CHECK((by_first_axis > 0).all().item<bool>());
      CHECK((by_first_axis > 0).any().item<bool>());
    }
  }
}

TEST_CASE("parameters start fixed and are drawn from the stream alone", "[encodings]") {
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    const auto undrawn = build(setting.yaml), again = build(setting.yaml);
    const auto one = build(setting.yaml), other = build(setting.yaml);
    Rng rng_one(3), rng_other(3);
    one->reset_parameters(rng_one);
    other->reset_parameters(rng_other);
    for (const auto& parameter : one->named_parameters()) {
      INFO(parameter.key());
      CHECK(at::equal(undrawn->named_parameters()[parameter.key()], again->named_parameters()[parameter.key()]));
      CHECK(at::equal(parameter.value(), other->named_parameters()[parameter.key()]));
      CHECK(parameter.value().isfinite().all().item<bool>());
    }
  }
}

TEST_CASE("unknown options are refused with the nearest right word", "[encodings]") {
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    CHECK_THAT(config_error(setting.yaml + "no_such_option: 1\n"),
               Catch::Matchers::ContainsSubstring("no_such_option: found an unknown key; allowed: "));
  }
  for (const auto* info : rope_scalings())
    CHECK_THAT(config_error("scheme: rope\nscaling: {" + scaling_block(info->name) + ", no_such_option: 1}\n"),
               Catch::Matchers::ContainsSubstring("scaling.no_such_option: found an unknown key; allowed: "));
  CHECK_THAT(config_error("scheme: rope\nrope_tetha: 500000\n"),
             Catch::Matchers::ContainsSubstring("position.yaml:2:1: rope_tetha: found an unknown key") &&
                 Catch::Matchers::ContainsSubstring("did you mean 'rope_theta'?"));
  CHECK_THAT(config_error("scheme: rpoe\n"), Catch::Matchers::ContainsSubstring("did you mean 'rope'?"));
}

TEST_CASE("every encoding describes its options without a config", "[encodings]") {
  ConfigNode node = ConfigNode::describing();
  REQUIRE_NOTHROW(PositionSetting::read(node, ModelShape{}));
  const SchemaNode& schema = node.schema();
  REQUIRE(schema.variants.size() == 1);
  CHECK(schema.variants.front().key == "scheme");
  for (const auto* info : encodings()) REQUIRE(schema.branch(info->name) != nullptr);
  CHECK(schema.branch("rope")->every_name() == std::set<std::string>{"scaling", "rope_theta", "partial_rotary_factor",
                                                                     "layout", "layer_types", "no_rope_layer_interval",
                                                                     "rope_local_base_freq"});
  CHECK(schema.branch("none")->keys.empty());
  const SchemaNode* scaling = schema.branch("rope")->find("scaling");
  REQUIRE(scaling != nullptr);
  for (const auto* info : rope_scalings()) REQUIRE(scaling->branch(info->name) != nullptr);
  CHECK(scaling->branch("dynamic")->every_name() ==
        std::set<std::string>{"declared_length", "factor", "original_max_position_embeddings"});
  // One key, and in each branch its own default.
  const auto fallback = [&](const char* scheme, const char* key) { return schema.branch(scheme)->find(key)->fallback; };
  CHECK(fallback("rope", "layout") == "half");
  CHECK(fallback("xpos", "layout") == "interleaved");
  CHECK(scaling->branch("linear")->find("factor")->required);
  CHECK_FALSE(scaling->branch("yarn")->find("factor")->required);
}

TEST_CASE("what was read, defaults included, builds the same encoding again", "[encodings]") {
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    const auto first = PositionSetting::parse(parse_yaml(setting.yaml, "position.yaml"), small_shape());
    const std::string resolved = to_yaml(first.resolved());
    INFO(resolved);
    const auto again = build(resolved);
    const auto facts = first.build()->facts(40), facts_again = again->facts(40);
    REQUIRE(facts.size() == facts_again.size());
    for (size_t i = 0; i < facts.size(); ++i) {
      CHECK(facts[i].name == facts_again[i].name);
      CHECK(facts[i].value == facts_again[i].value);
      CHECK(facts[i].numbers == facts_again[i].numbers);
    }
  }
}

TEST_CASE("a pass keeps one table for one pair of position tensors", "[encodings]") {
  PassMemo memo;
  int made = 0;
  const auto make = [&] { return at::full({1}, double(++made)); };
  const auto a = positions(4), b = positions(4);
  const int owner = 0, other_owner = 0;
  CHECK(memo.get({&owner, 0}, a, a, make).item<double>() == 1);
  CHECK(memo.get({&owner, 0}, a, a, make).item<double>() == 1);
  CHECK(memo.get({&owner, 0}, a, b, make).item<double>() == 2);  // equal numbers, but another tensor
  CHECK(memo.get({&owner, 1}, a, a, make).item<double>() == 3);
  CHECK(memo.get({&other_owner, 0}, a, a, make).item<double>() == 4);
  CHECK(memo.get({&owner, 0}, a, b, make).item<double>() == 2);
  CHECK((Site{a, a, 0, nullptr}.once({&owner, 0}, a, a, make)).item<double>() == 5);
  CHECK(memo.get({&owner, 0, at::kDouble}, a, a, make).item<double>() == 6);
  const at::NoGradGuard no_grad;
  CHECK(memo.get({&owner, 0}, a, a, make).item<double>() == 7);  // a table without gradients serves no training
  CHECK(memo.get({&owner, 0}, a, a, make).item<double>() == 7);
}

}  // namespace lw::encoding_test
