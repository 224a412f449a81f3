// Evaluates one suite at one length under one model: probes in, records out.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/rng.h"
#include "harness/results/record.h"
#include "suites/probe.h"
#include "suites/vocabulary_plan.h"

namespace lw {

class Model;

struct EvalUnit {
  std::string suite_name;
  std::shared_ptr<const BoundSuite> suite;
  const VocabularyPlan* vocabulary = nullptr;
  size_t vocabulary_part = 0;  // the index of this suite in the plan
  int64_t length = 0;
  int64_t probes = 0;
  int64_t train_length = 0;
  int64_t width = 64;   // of the model
  Rng stream{0};        // named by purpose and suite
  std::string setting;  // id for the records
  int64_t seed = 0;
  std::string device = "cpu";
};

/// The probes of a unit, with their ids.
[[nodiscard]] std::vector<Probe> make_probes(const EvalUnit& unit);

/// The work of a pass over `length` tokens, up to a constant: 24 width^2 operations a token for a layer's matrices and
/// 2 width length for its causal attention.
[[nodiscard]] inline double pass_work(int64_t length, int64_t width) {
  return double(length) * (double(length) + 12.0 * double(width));
}

/// The probes of one unit, scored a batch at a time, in any order and by any thread: batches share nothing.
class UnitEvaluation {
 public:
  /// @param unit outlives this.
  UnitEvaluation(Model& model, const EvalUnit& unit);

  /// 0 when the position scheme does not reach this length: records then have status kNoPosition and the reason.
  [[nodiscard]] int64_t batches() const;
  [[nodiscard]] int64_t probes_in(int64_t batch) const;
  /// Logits that are not finite give records with status kFailed.
  void score(int64_t batch);
  /// In order of probes, once all batches are scored.
  std::vector<Record> take() { return std::move(records_); }

 private:
  size_t begin_of(int64_t batch) const { return size_t(batch * rows_); }

  Model& model_;
  const EvalUnit& unit_;
  std::vector<Probe> probes_;
  std::vector<Record> records_;
  int64_t rows_ = 1;
  bool reaches_ = true;
};

/// Scores every probe on the calling thread. @param between called between batches; may throw to stop.
std::vector<Record> evaluate(Model& model, const EvalUnit& unit, const std::function<void()>& between);

}  // namespace lw
