// A config as objects: every key consumed, every error found, before any work starts.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "encodings/position_sampler.h"
#include "harness/base/tree.h"
#include "harness/experiment/checkpoint_variant.h"
#include "harness/model/model_config.h"
#include "harness/train/train_config.h"
#include "suites/vocabulary_plan.h"

namespace lw {

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
  std::vector<SuitePlan> suites;          // those that this variant is trained and judged on
  Tree model_tree, train_tree, position;  // resolved sections

  std::string scheme() const;
  /// What is put on after training, "linear x8", or "none"; for a checkpoint, what differs from its own.
  std::string scaling() const;
  bool scaled() const { return scaling() != "none"; }
  ModelShape shape() const { return model.shape(train_length); }
  /// Each token is judged by those before it: true of decoders that stand alone.
  bool predicts_next() const { return model.causal() && !model.cross_attention; }
};

struct Experiment {
  std::string name;
  std::vector<int64_t> seeds;
  std::vector<Variant> variants;
  std::string device = "cpu";        // where models run
  double bar = 0.85, margin = 0.05;  // of the reports
  std::vector<std::string> formats;
  Tree resolved;  // everything filled in; read again, it gives the same experiment
};

/// @throws Error(kConfig) with file, line, column and key.
Experiment read_experiment(const Tree& config);

/// JSON Schema of a config file, as the reader above describes itself.
std::string config_schema();

/// An encoding from a resolved position section. @param with_scaling false leaves out what is put on after
/// training (trained_position.h).
std::shared_ptr<PositionEncoding> build_encoding(const Tree& position, const ModelShape& shape, bool with_scaling);

/// How sequences are numbered under a resolved position section; null for 0, 1, 2, ...
std::shared_ptr<const PositionSampler> build_sampler(const Tree& position);

}  // namespace lw
