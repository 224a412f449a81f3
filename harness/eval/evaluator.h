// Probes in, records out: one suite at one length under one model.
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/rng.h"
#include "harness/results/record.h"
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

/// Judges every probe. A length that the position scheme has no vector for gives records with status
/// kNoPosition and the reason; logits that are not finite give kFailed. Runs on the calling thread.
/// @param between called between batches; may throw to stop.
std::vector<Record> evaluate(Model& model, const EvalUnit& unit, const std::function<void()>& between);

}  // namespace lw
