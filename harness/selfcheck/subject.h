// What the checks look at: a model and a position setting, with weights to be had.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "encodings/position_setting.h"
#include "harness/model/model_config.h"

namespace lw {

class Transformer;
struct Experiment;

struct Subject {
  std::string name;
  ModelConfig model;
  PositionSetting position;
  std::string device = "cpu";
  bool trained_here = true;   // else its weights are those of a checkpoint
  double parameters = 0;      // about
  bool fewer_layers = false;  // than the config asks for
  int64_t tokens = 0;         // of the sequences that its model is given
  int64_t probes = 0;         // that its model is asked
  /// The model in float32 on its device: equal weights at each call.
  std::function<std::shared_ptr<Transformer>()> make;
  std::string without_model;  // the reason that whole models are not checked; "" where they are

  MakeEncoding encoding() const {
    return [position = position] { return position.build(); };
  }
};

struct Subjects {
  std::vector<Subject> all;
  std::vector<std::string> bounds;  // what was bounded, a sentence each
};

/// Every position scheme and RoPE scaling of the registries, on a small decoder, and none on a small encoder.
Subjects built_in_subjects(const std::string& device = "cpu");

/// The variants of a config, which must outlive the result. @param all every one of them; else the first kMostSubjects
/// that differ in model or position.
Subjects subjects_of(const Experiment& experiment, bool all);

inline constexpr size_t kMostSubjects = 32;
/// Models with more parameters are left out, and only their positions are checked.
inline constexpr double kMostParameters = 200e6;
/// Models with more parameters get shorter sequences and fewer probes, and are not trained.
inline constexpr double kSmallModel = 5e6;

/// A decoder with random weights under a setting, for subjects that are made by hand.
std::function<std::shared_ptr<Transformer>()> random_model(const ModelConfig& model, const PositionSetting& position,
                                                           const std::string& device);

}  // namespace lw
