#include "encodings/position_setting.h"

#include <mutex>
#include <optional>

#include "encodings/position_sampler.h"
#include "encodings/registry.h"
#include "harness/base/config.h"

namespace lw {

struct PositionSetting::State {
  ModelShape shape;
  MakeEncoding make;
  std::shared_ptr<const PositionSampler> sampler;
  Tree resolved;
  std::vector<std::string> added, warnings;
  std::optional<Tree> trained_section;  // where it differs
  mutable std::once_flag trained_once;
  mutable PositionSetting trained;
};

PositionSetting PositionSetting::read(ConfigNode& position, const ModelShape& shape) {
  auto state = std::make_shared<State>();
  state->shape = shape;
  state->make = read_encoding(position, shape);
  state->sampler = PositionSampler::read(position);
  state->resolved = position.resolved();
  state->added = position.added_after_training();
  state->warnings = position.warnings();
  Tree trained = position.trained();
  if (to_yaml(trained) != to_yaml(state->resolved)) state->trained_section = std::move(trained);
  return PositionSetting(std::move(state));
}

PositionSetting PositionSetting::parse(const Tree& section, const ModelShape& shape) {
  ConfigNode node(section);
  PositionSetting setting = read(node, shape);
  node.finish();
  return setting;
}

PositionSetting PositionSetting::none(const ModelShape& shape) {
  Tree section = Tree::map();
  section.set("scheme", Tree::scalar(std::string(no_positions().name), true));
  return parse(section, shape);
}

const PositionSetting& PositionSetting::trained() const {
  const State& s = state();
  if (!s.trained_section) return *this;
  std::call_once(s.trained_once, [&] {
    // No finish(): the section may hold keys of a scheme added after training, which the trained scheme does not know.
    ConfigNode node(*s.trained_section);
    s.trained = read(node, s.shape);
  });
  return s.trained;
}

const PositionSetting::State& PositionSetting::state() const {
  LW_CHECK(state_ != nullptr, "a position setting is read before it is used");
  return *state_;
}

const Tree& PositionSetting::resolved() const { return state().resolved; }
const ModelShape& PositionSetting::shape() const { return state().shape; }
std::shared_ptr<PositionEncoding> PositionSetting::build() const { return state().make(); }
std::shared_ptr<const PositionSampler> PositionSetting::sampler() const { return state().sampler; }
const std::vector<std::string>& PositionSetting::added_after_training() const { return state().added; }
const std::vector<std::string>& PositionSetting::warnings() const { return state().warnings; }

}  // namespace lw
