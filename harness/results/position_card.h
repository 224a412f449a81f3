// The position card: everything needed to reproduce a position setting, each declared property beside what was
// measured on the spot. Filled by harness/measure, kept in summary.json, shown by reports and by `inspect`.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/results/fields.h"

namespace lw {

/// A yes-or-no property as the scheme declares it and as it was measured.
struct CardProperty {
  bool declared = false;
  std::optional<bool> measured;
  std::optional<double> residual;  // largest difference found; infinite where a value was not finite
  /// It shows only past this position, which was not reached: nothing is measured.
  std::optional<int64_t> shows_after;

  bool disagrees() const { return measured && *measured != declared; }
  bool operator==(const CardProperty&) const = default;
};

/// Something the scheme says about itself: words, one number, or a list of numbers (infinite: without an end).
struct SchemeFact {
  std::string name;  // "attention_factor"
  std::string text;
  std::vector<double> numbers;
  bool list = false;  // more than one number, or a list of one
  bool operator==(const SchemeFact&) const = default;
};

/// Rotary pairs whose wavelength is longer than a length: no position in it sees them complete a rotation.
/// Pairs count from 0.
struct UnfinishedPairs {
  int64_t train_length = 0;
  std::vector<int64_t> in_training;
  int64_t deployed_length = 0;
  std::vector<int64_t> deployed;
  bool operator==(const UnfinishedPairs&) const = default;
};

/// What the literature says about position schemes, measured on this one.
struct PositionClaim {
  std::string name;             // "neighbours_distinct"
  std::string claim;            // in one clause
  std::optional<bool> holds;    // absent: the claim is about other schemes
  std::optional<double> value;  // what was measured
  std::string detail;           // what the value is, or the reason that there is none

  /// The claim is about this scheme, but nothing could be measured.
  bool unmeasured() const {
    return !holds && (detail.starts_with("cannot be told") || detail.starts_with("not measured"));
  }
  bool operator==(const PositionClaim&) const = default;
};

struct PositionCard {
  std::string scheme;
  std::vector<std::string> applies_to;  // "input", "query", "key", "logits", "value"
  bool learned = false;
  int64_t parameters = 0, parameter_bytes = 0;
  std::optional<int64_t> max_positions;  // absent: unbounded
  std::string cache;                     // which keys may be kept: "rotated", "raw", "none"
  CardProperty shift_invariant, input_touched, value_touched;
  std::optional<CardProperty> cache_valid;  // of decoders
  std::vector<SchemeFact> facts;
  std::optional<UnfinishedPairs> unfinished;  // of schemes with wavelengths
  std::vector<PositionClaim> claims;
  std::string position_numbering;  // "0, 1, 2, ..."; "" where nothing numbers positions

  bool operator==(const PositionCard&) const = default;
};

/// Names of the properties whose measured value is not the declared one, in the order of the card.
std::vector<std::string> card_disagreements(const PositionCard& card);

/// The card in summary.json and in `inspect --json`.
nlohmann::ordered_json to_json(const PositionCard& card);
/// Keys that are not listed below are facts. @param place what errors call the card. @throws Error(kInput).
PositionCard position_card_from_json(const nlohmann::ordered_json& json, const std::string& place);

// One list of keys a struct, for writing and reading: `auto` is const when writing.

void fields(auto& io, FieldsOf<CardProperty> auto& p) {
  io("declared", p.declared);
  io("measured", p.measured);
  io.unbounded("residual", p.residual);
  io.sparse("shows_after", p.shows_after);
}

void fields(auto& io, FieldsOf<UnfinishedPairs> auto& pairs) {
  io("train_length", pairs.train_length);
  io("unfinished_pairs_in_training", pairs.in_training);
  io("deployed_length", pairs.deployed_length);
  io("unfinished_pairs", pairs.deployed);
}

void fields(auto& io, FieldsOf<PositionClaim> auto& c) {
  io("name", c.name);
  io("claim", c.claim);
  io("holds", c.holds);
  io("value", c.value);
  io("detail", c.detail);
}

void fields(auto& io, FieldsOf<PositionCard> auto& c) {
  io("scheme", c.scheme);
  io("applies_to", c.applies_to);
  io("learned", c.learned);
  io("parameters", c.parameters);
  io("parameter_bytes", c.parameter_bytes);
  io("max_positions", c.max_positions);
  io("cache", c.cache);
  io("shift_invariant", c.shift_invariant);
  io("input_touched", c.input_touched);
  io("value_touched", c.value_touched);
  io.sparse("cache_valid", c.cache_valid);
  io.rest(c.facts);
  io.part("train_length", c.unfinished);
  io.sparse("checks", c.claims);
  io.sparse("position_numbering", c.position_numbering);
}

/// Calls use(name, property) for each declared property of a card.
template <class Card, class Use>
void each_property(Card& card, const Use& use) {
  use("shift_invariant", card.shift_invariant);
  use("input_touched", card.input_touched);
  use("value_touched", card.value_touched);
  if (card.cache_valid) use("cache_valid", *card.cache_valid);
}

}  // namespace lw
