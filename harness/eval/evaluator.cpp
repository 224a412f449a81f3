#include "harness/eval/evaluator.h"

#include <algorithm>
#include <cmath>

#include "encodings/tensor.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/eval/slot_scores.h"
#include "harness/model/model.h"

namespace lw {
namespace {

/// Rows x length of one forward pass: small enough for a tiny model's activations to stay in cache.
constexpr int64_t kBatchTokens = 4096;

std::string hash_of(const std::vector<Token>& tokens) {
  std::string ids;
  for (const Token t : tokens) ids += std::to_string(t) + ' ';
  return sha256(ids).substr(0, 16);
}

Record blank_record(const EvalUnit& unit, const Probe& p) {
  Record r;
  r.id = p.id;
  r.suite = unit.suite_name;
  r.setting = unit.setting;
  r.seed = unit.seed;
  r.length = p.length();
  r.prompt_tokens = p.prompt_tokens();
  r.answer_budget = p.answer_budget;
  r.in_length = p.length() <= unit.train_length;
  for (const auto& t : p.targets)
    if (t.distance && (!r.distance || *t.distance > *r.distance)) r.distance = t.distance;
  r.depth = p.depth;
  r.needle_offsets = p.needle_offsets;
  r.query_offset = p.query_offset;
  r.group = p.group;
  r.prompt_hash = hash_of(p.tokens);
  if (!p.candidates.empty()) r.gold = unit.vocabulary->token_name(unit.vocabulary_part, p.targets.front().label);
  for (const auto& [name, guess] : p.guesses)
    r.baselines.emplace_back(name, guess == p.targets.front().label ? 1.0 : 0.0);
  if (p.ideal_nll) r.baselines.emplace_back("ideal_nll", *p.ideal_nll);
  return r;
}

/// The tokens whose log-probability a target needs: its label, then the candidates of the probe.
std::vector<int64_t> wanted_of(const Probe& p, const Target& target) {
  std::vector<int64_t> out = {target.label};
  out.insert(out.end(), p.candidates.begin(), p.candidates.end());
  return out;
}

/// The candidate with the highest log-probability. Ties go to the first in the suite's order and never to the gold one:
/// a model that does not know must not be helped.
/// @param logp of each candidate.
Token best_candidate(const Probe& p, const double* logp) {
  return p.candidates[size_t(std::max_element(logp, logp + p.candidates.size()) - logp)];
}

/// @param logp_KN log-probabilities of each target's wanted tokens, row-major, `wanted` in a row.
/// @param best_K the likeliest token at each target.
void score(const EvalUnit& unit, const Probe& p, const double* logp_KN, int64_t wanted, const int64_t* best_K,
           Record& r) {
  double sum = 0;
  int64_t summed = 0;
  for (size_t k = 0; k < p.targets.size(); ++k) {
    const double* logp = logp_KN + int64_t(k) * wanted;
    const auto& t = p.targets[k];
    TargetScore s{t.slot, t.distance, -logp[0], std::nullopt, t.depth, t.early};
    if (!std::isfinite(s.nll)) {
      r.status = Status::kFailed;
      r.reason = text("the logits at position ", t.slot, " are not finite");
      r.targets.clear();
      r.correct.reset(), r.correct_free.reset(), r.answer.clear();  // of the targets before this one
      return;
    }
    if (!p.candidates.empty()) {
      const Token best = best_candidate(p, logp + 1);
      s.correct = best == t.label;
      r.correct = r.correct.value_or(true) && *s.correct;
      r.correct_free = r.correct_free.value_or(true) && best_K[k] == t.label;
      r.answer = unit.vocabulary->token_name(unit.vocabulary_part, best);
    }
    r.targets.push_back(s);
    if (s.early) continue;
    sum += s.nll;
    ++summed;
  }
  if (summed > 0) r.nll = sum / double(summed);
}

void score_batch(Model& model, const EvalUnit& unit, const std::vector<Probe>& probes, size_t begin, size_t end,
                 std::vector<Record>& records) {
  std::vector<int64_t> tokens, slots, wanted;
  size_t most_wanted = 0;
  for (size_t i = begin; i < end; ++i) most_wanted = std::max(most_wanted, 1 + probes[i].candidates.size());
  for (size_t i = begin; i < end; ++i) {
    tokens.insert(tokens.end(), probes[i].tokens.begin(), probes[i].tokens.end());
    for (const auto& t : probes[i].targets) {
      slots.push_back(t.slot);
      auto row = wanted_of(probes[i], t);
      row.resize(most_wanted, t.label);
      wanted.insert(wanted.end(), row.begin(), row.end());
    }
  }
  const auto rows = int64_t(end - begin), n = int64_t(most_wanted);
  const auto table = [&](const std::vector<int64_t>& v) {
    return at::tensor(v, at::kLong).view({rows, -1}).to(at::Device(unit.device));
  };
  const auto slots_BK = table(slots);
  const int64_t k = slots_BK.size(1);
  const auto scores = score_slots(model, table(tokens), slots_BK, table(wanted).view({rows, k, n}));
  for (size_t i = begin; i < end; ++i) {
    const auto row = int64_t(i - begin) * k;
    score(unit, probes[i], scores.logp_BKN.data_ptr<double>() + row * n, n, scores.best_BK.data_ptr<int64_t>() + row,
          records[i]);
  }
}

}  // namespace

std::vector<Probe> make_probes(const EvalUnit& unit) {
  std::vector<Probe> probes;
  for (int64_t i = 0; i < unit.probes; ++i) {
    Probe p = unit.suite->make({unit.length, i, false, unit.stream});
    LW_CHECK(p.length() == unit.length, "a probe must have exactly the length of its request");
    p.id = text(unit.suite_name, "/", unit.length, "/", i);
    probes.push_back(std::move(p));
  }
  return probes;
}

UnitEvaluation::UnitEvaluation(Model& model, const EvalUnit& unit)
    : model_(model), unit_(unit), probes_(make_probes(unit)) {
  rows_ = std::clamp<int64_t>(kBatchTokens / unit.length, 1, 256);
  for (const auto& p : probes_) records_.push_back(blank_record(unit, p));
  const auto bound = model.max_length();
  reaches_ = !bound || *bound >= unit.length;
  if (reaches_) return;
  for (auto& r : records_) {
    r.status = Status::kNoPosition;
    r.reason = model.too_long(unit.length);
  }
}

int64_t UnitEvaluation::batches() const { return reaches_ ? (int64_t(probes_.size()) + rows_ - 1) / rows_ : 0; }

int64_t UnitEvaluation::probes_in(int64_t batch) const {
  return int64_t(std::min(begin_of(batch + 1), probes_.size()) - begin_of(batch));
}

void UnitEvaluation::score(int64_t batch) {
  score_batch(model_, unit_, probes_, begin_of(batch), std::min(begin_of(batch + 1), probes_.size()), records_);
}

std::vector<Record> evaluate(Model& model, const EvalUnit& unit, const std::function<void()>& between) {
  UnitEvaluation evaluation(model, unit);
  for (int64_t batch = 0; batch < evaluation.batches(); ++batch) {
    between();
    evaluation.score(batch);
  }
  return evaluation.take();
}

}  // namespace lw
