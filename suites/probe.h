// One probe: the tokens that a model sees, and the slots where it is scored, all at exact positions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/vocabulary.h"

namespace lw {

/// The token at `slot` must be `label`. A causal model is scored at slot - 1; a bidirectional one sees a mask at the
/// slot and is scored there.
struct Target {
  int64_t slot = 0;
  Token label = 0;
  std::optional<int64_t> distance;   // from the query back to the farthest token that the label depends on
  std::optional<double> depth = {};  // of its evidence, where a probe has several
  bool early = false;                // for the breakdown by position alone; left out of the probe's own score
};

struct Probe {
  std::string id;                 // "needle/64/3": suite, length, index; unique in a run, stable across runs
  std::vector<Token> tokens;      // the whole sequence, answer included (teacher forcing)
  std::vector<Target> targets;    // in order of slot
  std::vector<Token> candidates;  // the answers to choose from; empty when likelihood alone is scored
  int64_t answer_budget = 0;      // tokens at the end that the model must supply
  std::optional<double> depth;    // where the evidence is: 0 start of the haystack, 1 its end
  std::vector<int64_t> needle_offsets;
  int64_t query_offset = 0;
  std::string group;                                   // pair or document; equal groups are not independent
  std::vector<std::pair<std::string, Token>> guesses;  // the answers of position-blind rules, by name
  std::optional<double> ideal_nll;                     // of a model that knows the source, mean nats per target

  [[nodiscard]] int64_t length() const { return int64_t(tokens.size()); }
  [[nodiscard]] int64_t prompt_tokens() const { return length() - answer_budget; }
};

}  // namespace lw
