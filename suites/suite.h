// A suite is a family of probes over length. It is built from its options, says what it needs of a model, and bind()
// gives it the model's vocabulary; only the bound suite makes probes.
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
class Suite;

/// Which probe is wanted. Evaluation probes are a grid (the index chooses depth, pair, order); training probes are
/// drawn freely.
struct ProbeRequest {
  int64_t length = 0;
  int64_t index = 0;
  bool training = false;
  Rng stream{0};  // named by purpose and suite; the suite itself derives streams by length and index
};

/// How far the requests of a bound suite go.
struct ProbeRange {
  int64_t longest = 0;  // the longest length
  int64_t probes = 0;   // at each length
};

/// A suite with a vocabulary. The suite outlives it.
class BoundSuite {
 public:
  explicit BoundSuite(const Suite& suite) : suite_(suite) {}
  virtual ~BoundSuite() = default;
  BoundSuite(const BoundSuite&) = delete;
  BoundSuite& operator=(const BoundSuite&) = delete;

  /// A probe of exactly `request.length` tokens, at least min_length(). Pure: the same request gives the same probe, so
  /// probes may be made in any order, in parallel, or again after a crash. The caller sets `id`.
  [[nodiscard]] virtual Probe make(const ProbeRequest& request) const = 0;
  /// Those of the suite, unless they depend on the tokenizer.
  [[nodiscard]] virtual int64_t min_length() const;
  virtual void check_length(int64_t length) const;
  /// The ids of the text whose likelihood is measured; null where there is none.
  [[nodiscard]] virtual const std::vector<Token>* text_tokens() const { return nullptr; }

 private:
  const Suite& suite_;
};

/// What the rest of the program knows of a suite.
struct SuiteTraits {
  int64_t min_length = 0;             // the shortest probe; an estimate where it depends on the tokenizer
  int64_t symbols = 0;                // distinct symbols that probes need
  std::optional<double> chance = {};  // accuracy of a blind choice; nullopt when likelihood alone is scored
  bool pairs = false;                 // probes 2i and 2i+1 hold the same tokens in two orders
  bool causal_only = false;           // needs a causal model
  bool needs_text = false;            // needs a model with a tokenizer: Vocabulary::text is set
  std::string content_key = {};       // hash of what shapes probes besides the options, such as a file; else ""
};

class Suite {
 public:
  explicit Suite(SuiteTraits facts) : facts_(std::move(facts)) {}
  virtual ~Suite() = default;

  [[nodiscard]] int64_t min_length() const { return facts_.min_length; }
  [[nodiscard]] int64_t symbols() const { return facts_.symbols; }
  [[nodiscard]] std::optional<double> chance() const { return facts_.chance; }
  [[nodiscard]] bool pairs() const { return facts_.pairs; }
  [[nodiscard]] bool causal_only() const { return facts_.causal_only; }
  [[nodiscard]] bool needs_text() const { return facts_.needs_text; }
  [[nodiscard]] const std::string& content_key() const { return facts_.content_key; }

  /// The name of a symbol in listings of probes: "k3", "v5", "~7".
  [[nodiscard]] virtual std::string symbol_name(int64_t index) const { return "#" + std::to_string(index); }
  /// @throws Error(kConfig) when the options cannot be met at this length ("distance 64 does not fit").
  virtual void check_length(int64_t /*length*/) const {}
  /// @param vocabulary is copied; its text codec outlives the bound suite.
  /// @throws Error(kConfig), "OPTION: what was found; what is allowed", when the probes cannot be made.
  [[nodiscard]] virtual std::unique_ptr<BoundSuite> bind(const Vocabulary& vocabulary,
                                                         const ProbeRange& range) const = 0;

 private:
  SuiteTraits facts_;
};

/// A suite that makes its probes from symbols alone, so that binding it needs no work.
class SymbolSuite : public Suite {
 public:
  using Suite::Suite;
  std::unique_ptr<BoundSuite> bind(const Vocabulary& vocabulary, const ProbeRange& range) const final;
  /// See BoundSuite::make.
  [[nodiscard]] virtual Probe make(const ProbeRequest& request, const Vocabulary& vocabulary) const = 0;
};

/// One line of the registry.
struct SuiteInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view paper;
  /// Which of the protocol's questions it answers: "retrieval", "grammar" (near distances), "binding" (far distances),
  /// "generation".
  std::initializer_list<const char*> covers;
  std::unique_ptr<Suite> (*make)(ConfigNode& options);
};

[[nodiscard]] std::span<const SuiteInfo* const> suites();

}  // namespace lw
