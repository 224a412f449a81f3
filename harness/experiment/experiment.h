// A config as objects: every key consumed, every error found, before any work starts.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "encodings/position_setting.h"
#include "harness/base/tree.h"
#include "harness/experiment/checkpoint_variant.h"
#include "harness/model/model_config.h"
#include "harness/train/train_config.h"
#include "suites/vocabulary_plan.h"

namespace lw {
struct SchemaNode;

class PositionEncoding;

struct SuitePlan {
  std::string name;  // the user's
  std::string kind;  // the registry's
  std::string summary;
  std::vector<std::string> covers;  // see SuiteInfo
  std::shared_ptr<Suite> suite;
  std::shared_ptr<const BoundSuite> bound;  // to the tokenizer of a checkpoint; null for models that are trained here
  std::vector<int64_t> lengths;
  int64_t probes = 0;    // at each length
  std::string identity;  // kind and options, without lengths and probes: what shapes a single probe
};

struct EvalConfig {
  int64_t seed = 0;   // of the probes; the same for every setting and training seed
  std::string dtype;  // of weights and arithmetic: "float32", "float64"; checkpoints: "bfloat16", "float16"
};

/// One model x position; each seed of it is a setting.
struct Variant {
  std::string name;
  ModelConfig model;
  TrainConfig train;                           // of models that are trained here
  std::optional<CheckpointUse> checkpoint;     // else this
  std::shared_ptr<VocabularyPlan> vocabulary;  // of a checkpoint: what the suites see of its tokenizer
  int64_t train_length = 0;                    // what lies beyond is extrapolation
  EvalConfig eval;
  std::vector<SuitePlan> suites;  // those that this variant is trained and evaluated on
  PositionSetting position;
  Tree model_tree, train_tree;  // resolved sections

  /// What is added after training: {"linear x8"}. For a checkpoint, what differs from its own position section.
  std::vector<std::string> added() const;
  /// The same on one line, or "none".
  std::string scaling() const;
  bool scaled() const { return !added().empty(); }
  /// The positions that weights are trained with and that gates are evaluated with.
  const PositionSetting& trained_position() const { return train.with_scaling ? position : position.trained(); }
  const ModelShape& shape() const { return position.shape(); }
  /// Tokens in the probes of any of its suites.
  std::set<int64_t> evaluated_lengths() const;
  /// The longest sequence that it is trained or evaluated on, in tokens.
  int64_t deployed_length() const;
  /// Each token is predicted from those before it: true of decoders without an encoder.
  bool predicts_next() const { return model.causal() && !model.cross_attention; }
};

struct Experiment {
  std::string name;
  std::vector<int64_t> seeds;
  std::vector<Variant> variants;
  std::string device = "cpu";        // where models run
  double bar = 0.85, margin = 0.05;  // of the reports
  std::vector<std::string> formats;
  std::optional<int64_t> limit;  // probes at each length, for a quick look
  Tree resolved;                 // everything filled in; read again, it gives the same experiment

  /// What a user should know about the position sections before hours of work, one line each.
  std::vector<std::string> warnings() const;
};

/// What a config is read for: a run needs suites; a position card needs only a position section.
enum class ReadFor { kRun, kCard };

/// @throws ConfigErrors with everything that is wrong, each with its file, line, column and key.
Experiment read_experiment(const Tree& config, ReadFor use = ReadFor::kRun);

/// What a config may hold, as the reader above describes itself; made once. Merging uses it (tree.h).
const SchemaNode& config_shape();
/// The same as a JSON Schema, for editors.
std::string config_schema();

}  // namespace lw
