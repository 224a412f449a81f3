// The probes that checks ask a model, and how it is asked.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/results/record.h"
#include "harness/selfcheck/subject.h"
#include "suites/vocabulary_plan.h"

namespace lw {

struct EvalUnit;

/// How the same probes are evaluated.
struct Asking {
  int64_t probes = 0;
  int64_t threads = 1;
  bool backwards = false;  // the last batch first
};
using Ask = std::function<std::vector<Record>(const Asking&)>;

/// Evaluates needle probes with a model of the subject, as runs do. Each call of the result uses a model made anew.
Ask ask_of(const Subject& subject);

/// The evaluation behind ask_of(). Symbols are the lowest token ids, whatever these mean to a checkpoint's tokenizer.
EvalUnit probing_unit(const Subject& subject, int64_t probes);

/// The suite of the probes, and its vocabulary: of this suite alone.
const Suite& probing_suite();
const VocabularyPlan& probing_plan();
/// Token ids that the probes use, from 0.
int64_t probing_vocabulary();
/// The fewest tokens of a probe.
int64_t fewest_probing_tokens();
/// "" where the subject's model can be asked, else the reason.
std::string why_not_asked(const Subject& subject);

}  // namespace lw
