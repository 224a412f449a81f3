// A `position:` section as a value. It is read once, with all its errors; from then on modules are built without
// parsing, and it tells which setting weights are trained with and what is added afterwards.
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
  /// Empty until a setting that was read is assigned to it.
  PositionSetting() = default;

  /// Reads the scheme, its options and those that every scheme has. Unknown keys are left to position.finish().
  /// @throws Error(kConfig).
  static PositionSetting read(ConfigNode& position, const ModelShape& shape);
  /// A whole section, in which unknown keys are errors.
  static PositionSetting parse(const Tree& section, const ModelShape& shape);
  /// The setting without any position signal.
  static PositionSetting none(const ModelShape& shape);
  /// The same section on a model of another shape. @throws Error(kConfig) where the section does not fit that shape.
  PositionSetting on(const ModelShape& shape) const { return parse(resolved(), shape); }

  /// The section with every default filled in.
  const Tree& resolved() const;
  /// "rope"
  std::string scheme() const { return resolved().text_of("scheme"); }
  /// The shape that the section was read for.
  const ModelShape& shape() const;

  /// A new module in float32, with parameters at zero or their fixed start.
  std::shared_ptr<PositionEncoding> build() const;
  /// How sequences are numbered; null for 0, 1, 2, ...
  std::shared_ptr<const PositionSampler> sampler() const;

  /// The setting that weights are trained with: this one without what is added after training, or itself where nothing
  /// is added. @throws Error(kConfig) where the rest cannot be built.
  const PositionSetting& trained() const;
  /// What trained() leaves out, in words: {"linear x8", "log_n temperature"}.
  const std::vector<std::string>& added_after_training() const;
  /// Values that are allowed but perhaps not intended, one line each: "position.scaling.factor: 8 is what counts, ...".
  const std::vector<std::string>& warnings() const;

 private:
  struct State;
  explicit PositionSetting(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  const State& state() const;

  std::shared_ptr<const State> state_;
};

}  // namespace lw
