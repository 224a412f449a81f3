#include "harness/selfcheck/probing.h"

#include "harness/base/config.h"
#include "harness/base/parallel.h"
#include "harness/base/registry.h"
#include "harness/base/text.h"
#include "harness/eval/evaluator.h"
#include "harness/model/model.h"
#include "harness/model/transformer.h"

namespace lw {
namespace {

/// One suite and its vocabulary, made once.
struct Probing {
  std::unique_ptr<Suite> suite = [] {
    ConfigNode options = ConfigNode::parse("{needles: 2}", "selfcheck");
    return find_named(suites(), "needle")->make(options);
  }();
  VocabularyPlan plan{{suite.get()}, false};
  std::shared_ptr<const BoundSuite> bound = suite->bind(plan.of(0), {.longest = 64, .probes = 64});
};

const Probing& probing() {
  static const Probing kOnly;
  return kOnly;
}

}  // namespace

const Suite& probing_suite() { return *probing().suite; }
const VocabularyPlan& probing_plan() { return probing().plan; }
int64_t probing_vocabulary() { return probing().plan.size(); }
int64_t fewest_probing_tokens() { return probing().suite->min_length(); }

std::string why_not_asked(const Subject& s) {
  if (!s.without_model.empty()) return s.without_model;
  if (s.tokens < fewest_probing_tokens())
    return text("it takes ", s.tokens, " tokens, and a probe has ", fewest_probing_tokens(), " or more");
  if (s.model.vocabulary < probing_vocabulary())
    return text("it knows ", s.model.vocabulary, " tokens, and probes use ", probing_vocabulary());
  return "";
}

EvalUnit probing_unit(const Subject& s, int64_t probes) {
  EvalUnit unit;
  unit.suite_name = "needle";
  unit.suite = probing().bound;
  unit.vocabulary = &probing().plan;
  unit.length = s.tokens;
  unit.probes = probes;
  unit.train_length = s.position.shape().train_length;
  unit.width = s.model.width;
  unit.stream = Rng(0).stream("selfcheck");
  unit.setting = s.name;
  unit.device = s.device;
  return unit;
}

Ask ask_of(const Subject& subject) {
  return [subject](const Asking& asking) {
    const auto model = make_model(subject.make(), VocabularyPlan::kMask);
    const EvalUnit unit = probing_unit(subject, asking.probes);
    UnitEvaluation evaluation(*model, unit);
    const int64_t batches = evaluation.batches();
    run_jobs(batches, subject.device == "cpu" ? asking.threads : 1,
             [&](int64_t i) { evaluation.score(asking.backwards ? batches - 1 - i : i); });
    return evaluation.take();
  };
}

}  // namespace lw
