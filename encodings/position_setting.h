// A `position:` section as a value. It is read once, with all its errors; from then on modules are built from it
// without parsing, and it can be asked what weights are trained under and what is put on them afterwards.
//
//   PositionSetting setting = PositionSetting::read(node, shape);
//   auto encoding = setting.build();                    // a new module
//   auto in_training = setting.trained().build();       // the same without "linear x8"
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "encodings/position_encoding.h"
#include "harness/base/tree.h"

namespace lw {

class PositionSampler;

class PositionSetting {
 public:
  /// Holds nothing until one that was read is assigned to it.
  PositionSetting() = default;

  /// Reads the scheme, its options and those that go with any scheme. Unknown keys are left to position.finish().
  /// @throws Error(kConfig).
  static PositionSetting read(ConfigNode& position, const ModelShape& shape);
  /// A whole section, in which unknown keys are errors.
  static PositionSetting parse(const Tree& section, const ModelShape& shape);
  /// The setting without any position signal.
  static PositionSetting none(const ModelShape& shape);
  /// The same section on a model of another shape. @throws Error(kConfig) where it cannot be.
  PositionSetting on(const ModelShape& shape) const { return parse(resolved(), shape); }

  /// The section with every default filled in.
  const Tree& resolved() const;
  /// "rope"
  std::string scheme() const { return resolved().text_of("scheme"); }
  /// Of the model that the section was read for.
  const ModelShape& shape() const;

  /// A new module in float32, with parameters at zero or their fixed start.
  std::shared_ptr<PositionEncoding> build() const;
  /// How sequences are numbered; null for 0, 1, 2, ...
  std::shared_ptr<const PositionSampler> sampler() const;

  /// The setting that weights are trained under: without what its options put on after training. This very setting
  /// where they put on nothing. @throws Error(kConfig) where what is left cannot be built.
  const PositionSetting& trained() const;
  /// What trained() leaves out, in words: {"linear x8", "log_n temperature"}.
  const std::vector<std::string>& added_after_training() const;
  /// What is allowed and perhaps not meant, one line each: "position.scaling.factor: 8 is what counts, ...".
  const std::vector<std::string>& warnings() const;

 private:
  struct State;
  explicit PositionSetting(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  const State& state() const;

  std::shared_ptr<const State> state_;
};

}  // namespace lw
