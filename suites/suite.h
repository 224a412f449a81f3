// A family of probes over length.
#pragma once
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/rng.h"
#include "suites/probe.h"

namespace lw {

class ConfigNode;

/// Which probe is wanted. Evaluation probes are a grid (index chooses depth, pair, order); training
/// probes are drawn freely.
struct ProbeRequest {
  int64_t length = 0;
  int64_t index = 0;
  bool training = false;
  Rng stream{0};  // named by purpose and suite; the suite itself derives streams by length and index
};

class Suite {
 public:
  virtual ~Suite() = default;
  /// A probe of exactly `request.length` tokens. Pure: the same request gives the same probe, so probes
  /// may be made in any order, in parallel, or again after a crash. `id` is left to the caller.
  /// The caller has checked length >= min_length().
  virtual Probe make(const ProbeRequest& request, const Vocabulary& vocabulary) const = 0;
  virtual int64_t min_length() const = 0;
  /// How many distinct symbols make() needs.
  virtual int64_t symbols() const = 0;
  /// How a symbol is shown to people: "k3", "v5", "~7".
  virtual std::string symbol_name(int64_t index) const = 0;
  /// Accuracy of a blind choice among the candidates; nullopt when only likelihood is judged.
  virtual std::optional<double> chance() const = 0;
  /// Probes 2i and 2i+1 hold the same tokens in two orders.
  virtual bool pairs() const { return false; }
  /// Only a causal model can be asked.
  virtual bool causal_only() const { return false; }
  /// Asks in text: only a model with a tokenizer can be asked (Vocabulary::text is there).
  virtual bool needs_text() const { return false; }
  /// Hash of what the probes depend on besides the options, such as a file of text; "" without.
  virtual std::string content_key() const { return ""; }
  /// The text that likelihoods are of, as ids, once bound; null where there is none.
  virtual const std::vector<Token>* text_tokens() const { return nullptr; }
  /// Called once, before make(), by what asks in text: encodes its pieces with the vocabulary that make() will get.
  /// @param longest the longest length that will be asked for. @param probes at each length.
  /// @throws Error(kConfig), "OPTION: what was found; what is allowed", when they cannot be made.
  virtual void bind(const Vocabulary& vocabulary, int64_t longest, int64_t probes) {
    (void)vocabulary, (void)longest, (void)probes;
  }
  /// @throws Error(kConfig) when the options cannot be met at this length ("distance 64 does not fit").
  virtual void check_length(int64_t length) const { (void)length; }
};

/// One line of the registry.
struct SuiteInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view paper;
  /// Which of the protocol's questions it answers: "retrieval", "grammar" (near distances), "binding" (far
  /// distances), "generation".
  std::initializer_list<const char*> covers;
  std::unique_ptr<Suite> (*make)(ConfigNode& options);
};

std::span<const SuiteInfo* const> suites();

}  // namespace lw
