// The checks of scores and training see one changed bit.
#include <atomic>

#include "harness/model/model.h"
#include "harness/selfcheck/check.h"
#include "harness/selfcheck/evaluation.h"
#include "harness/selfcheck/training.h"
#include "tests/model/support.h"

namespace lw::model_test {
namespace {

std::vector<Record> some_records() {
  std::vector<Record> out;
  for (int i = 0; i < 4; ++i) {
    Record r;
    r.id = "needle/16/" + std::to_string(i);
    r.nll = 0.5 + i;
    out.push_back(std::move(r));
  }
  return out;
}

Finding compared(const std::vector<Record>& a, const std::vector<Record>& b) {
  FaultCount found("probe");
  add_records("x", a, b, found);
  return found.finding();
}

/// Equal logits, but for what `error` adds in a pass of so many rows.
class FakeRows final : public Model {
 public:
  explicit FakeRows(double error) : error_(error) {}
  at::Tensor logits_at(const at::Tensor& tokens_BT, const at::Tensor& slots_BK) override {
    auto out = at::zeros({tokens_BT.size(0), slots_BK.size(1), 40});
    if (tokens_BT.size(0) > 1) out.select(2, 0).add_(error_);
    return out;
  }
  at::Tensor continue_greedily(const at::Tensor& tokens_BT, int64_t) override { return tokens_BT; }
  std::optional<int64_t> max_length() const override { return std::nullopt; }

 private:
  double error_;
};

std::shared_ptr<Transformer> seeded_model(uint64_t seed) { return small_model("scheme: rope", small_config(), seed); }

Finding trainings(const std::function<std::shared_ptr<Transformer>()>& trained) {
  FaultCount found("tensor");
  add_trainings("x", trained, found);
  return found.finding();
}

}  // namespace

TEST_CASE("the checks of records see one bit, one probe without a score, and no probe", "[selfcheck]") {
  const auto records = some_records();
  CHECK(compared(records, records).holds());
  CHECK(compared(records, {records.begin(), records.begin() + 2}).compared == 2);
  auto moved = records;
  moved[2].nll = std::nextafter(*moved[2].nll, 9.0);
  CHECK(compared(records, moved).measured == 1.0);
  CHECK(compared(records, moved).where == "x, needle/16/2");
  auto failed = records;
  failed[1].status = Status::kFailed;
  CHECK(compared(failed, failed).fails());
  CHECK(compared(records, {}).fails());
}

TEST_CASE("batch_rows sees a loss that depends on the rows beside it", "[selfcheck]") {
  FakeRows good(0), bad(0.01);
  const auto tokens = at::zeros({4, 9}, at::kLong);
  CHECK(rows_apart(good, tokens) <= kRowsBound);
  CHECK(rows_apart(bad, tokens) > kRowsBound);
}

TEST_CASE("float32 sees weights that lost their precision", "[selfcheck]") {
  const auto tokens = drawn_tokens(2, 24, 40);
  const auto exact = seeded_model(3), single = seeded_model(3), half = seeded_model(3);
  single->to(at::kFloat);
  half->to(at::kBFloat16);
  half->to(at::kFloat);
  CHECK(losses_apart(*exact, *single, tokens) <= kFloat32Bound);
  CHECK(losses_apart(*exact, *half, tokens) > kFloat32Bound);
}

TEST_CASE("training_repeated sees another seed, and one bit of one weight", "[selfcheck]") {
  CHECK(trainings([] { return seeded_model(3); }).holds());
  std::atomic<uint64_t> seed{0};
  CHECK(trainings([&] { return seeded_model(seed++); }).fails());
  std::atomic<int> calls{0};
  const Finding one_bit = trainings([&] {
    auto model = seeded_model(3);
    if (calls++ == 2) {
      const at::NoGradGuard no_grad;
      const auto first = model->parameters().front();
      double* weight = first.data_ptr<double>();
      *weight = std::nextafter(*weight, 9.0);
    }
    return model;
  });
  CHECK(one_bit.measured == 1.0);
}

TEST_CASE("the models that are checked are trained, and asked on as many threads as they should be", "[selfcheck]") {
  const Subjects built_in = built_in_subjects();
  const auto rope = std::find_if(built_in.all.begin(), built_in.all.end(), [](auto& s) { return s.name == "rope"; });
  REQUIRE(rope != built_in.all.end());
  CHECK(why_not_asked(*rope) == "");
  const auto records = ask_of(*rope)({.probes = rope->probes});
  REQUIRE(std::ssize(records) == rope->probes);
  for (const auto& r : records) CHECK(r.status == Status::kScored);
  // Several batches, or their order could not matter.
  CHECK(rope->probes > 32);
}

}  // namespace lw::model_test
