// Probes in, records out: one suite at one length under one model.
#pragma once
#include <atomic>
#include <functional>
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
  const Suite* suite = nullptr;
  const VocabularyPlan* vocabulary = nullptr;
  size_t vocabulary_part = 0;  // which suite of the plan this is
  int64_t length = 0;
  int64_t probes = 0;
  int64_t train_length = 0;
  Rng stream{0};        // named by purpose and suite
  std::string setting;  // id for the records
  int64_t seed = 0;
  std::string device = "cpu";
};

/// The probes of a unit, with their ids.
std::vector<Probe> make_probes(const EvalUnit& unit);

/// In proportion to what a pass over `length` tokens takes: a layer's matrices against its causal attention,
/// 24 width^2 operations a token against 2 width length.
inline double pass_work(int64_t length, int64_t width) {
  return double(length) * (double(length) + 12.0 * double(width));
}

/// The probes of one unit, judged a batch at a time, in any order and by any thread: batches share nothing.
class UnitJudging {
 public:
  /// @param unit outlives this.
  UnitJudging(Model& model, const EvalUnit& unit);

  /// 0 when nothing can be asked, since the position scheme has no vector for this length: records then have
  /// status kNoPosition and the reason.
  int64_t batches() const;
  int64_t probes_in(int64_t batch) const;
  /// Logits that are not finite give records with status kFailed.
  void judge(int64_t batch);
  /// In order of probes, once all batches are judged.
  std::vector<Record> take() { return std::move(records_); }

 private:
  size_t begin_of(int64_t batch) const { return static_cast<size_t>(batch * rows_); }

  Model& model_;
  const EvalUnit& unit_;
  std::vector<Probe> probes_;
  std::vector<Record> records_;
  int64_t rows_ = 1;
  bool reaches_ = true;
};

/// Judges every probe on the calling thread. @param between called between batches; may throw to stop.
std::vector<Record> evaluate(Model& model, const EvalUnit& unit, const std::function<void()>& between);

}  // namespace lw
