// Every check of `selfcheck` passes here, and fails for what it is there to find.
#include <limits>
#include <set>
#include <thread>

#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/selfcheck/build_checks.h"
#include "harness/selfcheck/subjects.h"
#include "tests/model/support.h"

namespace lw::selfcheck_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using model_test::random_tokens;

/// Logits that depend on whatever `wrong` adds to them.
class Odd final : public Model {
 public:
  using Wrong = std::function<double(const at::Tensor& tokens_BT)>;
  explicit Odd(Wrong wrong) : wrong_(std::move(wrong)) {}
  at::Tensor logits_at(const at::Tensor& tokens_BT, const at::Tensor& slots_BK) override {
    auto out = at::zeros({slots_BK.size(0), slots_BK.size(1), 40}, at::kDouble);
    out.select(2, 3).add_(wrong_(tokens_BT));
    return out;
  }
  at::Tensor continue_greedily(const at::Tensor&, int64_t) override { return {}; }
  std::optional<int64_t> max_length() const override { return std::nullopt; }

 private:
  Wrong wrong_;
};

const at::Tensor kTokens = random_tokens(4, 9);

CheckResult failed_only_by(const CheckResult& good, const CheckResult& bad) {
  CHECK_FALSE(good.failed());
  CHECK(bad.failed());
  CHECK(good.compared == bad.compared);
  return bad;
}

/// A scheme whose bias depends on how many queries it is asked about at once.
class TileBias final : public PositionEncoding {
 public:
  at::Tensor adjust_logits(const at::Tensor& logits, const at::Tensor&, const at::Tensor&, const Site&) override {
    return logits * (1 + 0.1 * double(logits.size(2)));
  }
  KeyCache key_cache() const override { return KeyCache::kRaw; }
  bool shift_invariant() const override { return true; }
};

}  // namespace

TEST_CASE("all checks of this build pass", "[selfcheck]") {
  for (const auto& r : check_build()) {
    INFO(r.name << ": " << r.measured << " of " << r.bound);
    CHECK_FALSE(r.failed());
    CHECK(r.skipped.empty());
  }
}

TEST_CASE("all checks of the built-in models pass, and every kind of check is asked", "[selfcheck]") {
  const Experiment e = built_in_subjects();
  std::set<std::string> asked;
  for (const auto& subject : subjects_of(e)) {
    auto results = check_model(subject);
    results.push_back(check_card(subject));
    for (const auto& r : results) {
      INFO(r.name << " of " << r.subject << ": " << r.measured << " of " << r.bound);
      CHECK_FALSE(r.failed());
      if (r.skipped.empty()) asked.insert(r.name);
    }
  }
  CHECK(asked ==
        std::set<std::string>{"batch", "cache", "card", "finite", "order", "precision", "repeat", "threads", "tiles"});
}

TEST_CASE("a model that depends on its batch, on time, on threads or is not finite is found", "[selfcheck]") {
  Odd good([](const at::Tensor&) { return 0.5; });
  Odd by_rows([](const at::Tensor& t) { return 1e-4 * double(t.size(0)); });
  failed_only_by(check_batch("m", good, kTokens), check_batch("m", by_rows, kTokens));
  Odd by_first([](const at::Tensor& t) { return 1e-4 * t[0][0].item<double>(); });
  failed_only_by(check_order("m", good, kTokens), check_order("m", by_first, kTokens));
  int64_t calls = 0;
  Odd by_call([&](const at::Tensor&) { return 1e-12 * double(++calls); });
  failed_only_by(check_repeat("m", good, good, kTokens), check_repeat("m", by_call, by_call, kTokens));
  Odd other([](const at::Tensor&) { return 0.6; });
  CHECK(check_repeat("m", good, other, kTokens).failed());
  const auto here = std::this_thread::get_id();
  Odd by_thread([&](const at::Tensor&) { return std::this_thread::get_id() == here ? 0.0 : 1e-9; });
  failed_only_by(check_threads("m", good, kTokens), check_threads("m", by_thread, kTokens));
  Odd broken([](const at::Tensor&) { return std::numeric_limits<double>::quiet_NaN(); });
  CHECK(failed_only_by(check_finite("m", good, kTokens), check_finite("m", broken, kTokens)).measured == 32);
  CHECK(check_batch("m", broken, kTokens).failed());
}

TEST_CASE("a scheme whose tiles or cached keys differ from the whole is found", "[selfcheck]") {
  at::NoGradGuard no_grad;
  const auto good = model_test::small_model("scheme: rope"), bad = model_test::small_model("scheme: none");
  bad->set_encoding(std::make_shared<TileBias>());
  failed_only_by(check_tiles("m", *good, kTokens), check_tiles("m", *bad, kTokens));
  failed_only_by(check_cache("m", *good, kTokens), check_cache("m", *bad, kTokens));
  const auto dynamic = model_test::small_model("{scheme: rope, scaling: {rope_type: dynamic, factor: 2}}");
  CHECK(check_cache("m", *dynamic, kTokens).skipped == "keys of this scheme cannot be kept");
}

TEST_CASE("wrong numbers, other draws, other weights, believed damage and memory that grows are found", "[selfcheck]") {
  auto draws = first_draws();
  draws[2] ^= 1;
  failed_only_by(check_random_numbers(first_draws()), check_random_numbers(draws));
  CHECK(check_random_numbers({}).failed());
  auto values = statistics_beside_tables();
  values[3].found += 1e-5;
  failed_only_by(check_statistics(statistics_beside_tables()), check_statistics(values));
  CHECK(check_statistics({}).failed());
  values = frequencies_beside_formulas();
  values.back().found *= 1 + 1e-9;
  failed_only_by(check_frequencies(frequencies_beside_formulas()), check_frequencies(values));
  values.back().found = std::numeric_limits<double>::quiet_NaN();
  CHECK(check_frequencies(values).failed());
  int64_t calls = 0;
  failed_only_by(check_training([] { return std::string("weights"); }),
                 check_training([&] { return "weights" + std::to_string(++calls); }));
  CHECK(failed_only_by(check_damage(flip_one_bit), check_damage([](const std::string&, int64_t) {})).measured == 24);
  failed_only_by(check_memory([](int64_t length) { return 100 * length; }),
                 check_memory([](int64_t length) { return length * length; }));
}

TEST_CASE("the exit code tells a machine from a scheme, and a failure by its name", "[selfcheck]") {
  const CheckResult good{"a", "rope", "x", 0, 1}, bad{"a", "alibi", "x", 2, 1, "nats"};
  CheckResult scheme{"card", "alibi", "y", 1, 0};
  scheme.concern = Concern::kScheme;
  const CheckResult skipped{"b", "none", "z", 9, 1, "", "not a decoder"};
  CHECK(exit_code_of({good, skipped}) == 0);
  CHECK(exit_code_of({good, scheme}) == kExitDisagrees);
  CHECK(exit_code_of({good, scheme, bad}) == 1);
  const std::string table = check_table({good, bad, scheme, skipped}, false);
  CHECK_THAT(table, ContainsSubstring("alibi") && ContainsSubstring("2 nats") && ContainsSubstring("FAILED") &&
                        ContainsSubstring("not asked: none (not a decoder)"));
  CHECK(to_json(bad)["result"] == "failed");
  CHECK(to_json(skipped)["result"] == "not asked");
  CHECK(to_json(skipped)["measured"] == nullptr);
}

}  // namespace lw::selfcheck_test
