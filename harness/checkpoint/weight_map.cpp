#include "harness/checkpoint/weight_map.h"

#include <set>

#include "encodings/module.h"
#include "encodings/tensor.h"
#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/formats/dtypes.h"

namespace lw {
namespace {

constexpr const char* kPositionPrefix = "position.";  // of a single stack's scheme

/// '*' stands for any number of characters.
bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] != '*') return !text.empty() && pattern[0] == text[0] && matches(pattern.substr(1), text.substr(1));
  for (size_t skip = 0; skip <= text.size(); ++skip)
    if (matches(pattern.substr(1), text.substr(skip))) return true;
  return false;
}

/// The first files of BERT use other names for a norm's parameters.
std::string old_norm_name(const std::string& name) {
  const auto swap = [&](std::string_view now, std::string_view before) {
    return name.size() > now.size() && name.ends_with(now)
               ? name.substr(0, name.size() - now.size()) + std::string(before)
               : "";
  };
  const std::string gamma = swap("LayerNorm.weight", "LayerNorm.gamma");
  return gamma.empty() ? swap("LayerNorm.bias", "LayerNorm.beta") : gamma;
}

class Loader {
 public:
  /// @param prefix of the module's parameters in the map.
  Loader(const Module& module, const std::string& prefix, const WeightMap& map, const TensorSource& source,
         bool position_replaced)
      : map_(map), source_(source), position_replaced_(position_replaced) {
    for (const auto& item : module.named_parameters()) parameters_.insert(prefix + item.key(), item.value());
  }

  LoadedWeights load() {
    at::NoGradGuard no_grad;
    for (const auto& rule : map_.rules()) apply(rule);
    for (const auto& [theirs, same_as] : map_.tied_pairs()) compare(theirs, same_as);
    for (const auto& tensor : source_.tensors()) {
      if (used_.count(tensor.name) > 0) continue;
      if (!map_.is_ignored(tensor.name))
        fail(tensor.name,
             text("found a tensor of shape ", shape_text(tensor.shape), " that this model has no use for"));
      out_.ignored.push_back(tensor.name);
    }
    check_filled();
    return std::move(out_);
  }

  /// Loads only a position scheme.
  void load_position() {
    at::NoGradGuard no_grad;
    for (const auto& rule : map_.rules())
      if (rule.ours.rfind(kPositionPrefix, 0) == 0) apply(rule);
    check_filled();
  }

 private:
  void check_filled() const {
    for (const auto& item : parameters_)
      if (filled_.count(item.key()) == 0 && !(position_replaced_ && is_position(item.key())))
        throw Error(ErrorKind::kInput, source_.place() + ": found nothing for the parameter " + item.key());
  }

  [[noreturn]] void fail(const std::string& tensor, const std::string& what) const {
    throw Error(ErrorKind::kInput, source_.place() + ": " + tensor + ": " + what);
  }

  static bool is_position(const std::string& ours) {
    return ours.rfind(kPositionPrefix, 0) == 0 || ours.find(".position.") != std::string::npos;
  }

  void apply(const WeightRule& rule) {
    const std::string name = map_.name_in(source_, rule.theirs);
    if (position_replaced_ && is_position(rule.ours)) {
      if (name.empty()) return;
      used_.insert(name);
      out_.left_out.push_back(name);
      return;
    }
    if (name.empty()) fail(rule.theirs, "found no such tensor, which this model needs");
    auto* parameter = parameters_.find(rule.ours);
    LW_CHECK(parameter != nullptr, "no parameter " + rule.ours);
    LW_CHECK(filled_.insert(rule.ours).second, "two origins of " + rule.ours);
    const auto& whole = tensor(name);
    const std::string& how = rule.change.how;
    at::Tensor value;
    try {  // the change checks shapes too: it throws for missing rows
      value = taken(rule.change, whole);
    } catch (const c10::Error&) {
      fail(name,
           text("found shape ", shape_text(whole.sizes()), ", of which ", how, " cannot be taken for ", rule.ours));
    }
    if (value.sizes() != parameter->sizes())
      fail(name, text("found shape ", shape_text(whole.sizes()),
                      how.empty() ? "" : text(", giving ", shape_text(value.sizes()), " (", how, ")"),
                      "; this model needs ", shape_text(parameter->sizes()), " for ", rule.ours));
    parameter->copy_(value);
    used_.insert(name);
    out_.used.push_back({rule.ours, name, how});
  }

  void compare(const std::string& theirs, const std::string& same_as) {
    const std::string name = map_.name_in(source_, theirs), other = map_.name_in(source_, same_as);
    if (name.empty()) return;
    used_.insert(name);
    out_.ignored.push_back(name);
    if (!other.empty() && source_.read(name).equal(source_.read(other))) return;
    fail(name, found_what("other values than in ", same_as, ", to which it is tied").allowed("the same, or none"));
  }

  /// Keeps the last tensor, since the parts of a fused one are read one after another.
  const at::Tensor& tensor(const std::string& name) {
    if (name == last_name_) return last_;
    last_ = source_.read(name);
    last_name_ = name;
    const int64_t bad = (~last_.isfinite()).sum().item<int64_t>();
    if (bad > 0)
      fail(name, found_what(plural(bad, "value that is not finite", "values that are not finite")).allowed("numbers"));
    return last_;
  }

  const WeightMap& map_;
  const TensorSource& source_;
  NamedTensors parameters_;
  bool position_replaced_;
  std::set<std::string> used_, filled_;
  std::string last_name_;
  at::Tensor last_;
  LoadedWeights out_;
};

}  // namespace

void WeightMap::add(std::string ours, std::string theirs, WeightChange change) {
  rules_.push_back({std::move(ours), std::move(theirs), std::move(change)});
}

void WeightMap::add_outside(std::string ours, std::string theirs) {
  rules_.push_back({std::move(ours), std::move(theirs), {}, /*in_body=*/false});
}

void WeightMap::tied(std::string theirs, std::string same_as) {
  tied_.emplace_back(std::move(theirs), std::move(same_as));
}

void WeightMap::also_named(std::string theirs, std::string other) {
  others_.emplace_back(std::move(theirs), std::move(other));
}

std::string WeightMap::name_in(const TensorSource& source, const std::string& theirs) const {
  std::vector<std::string> names = {theirs, old_norm_name(theirs)};
  for (const auto& [name, other] : others_)
    if (name == theirs) names.push_back(other);
  for (const auto& name : names) {
    if (name.empty()) continue;
    if (!prefix_.empty() && source.has(prefix_ + name)) return prefix_ + name;
    if (source.has(name)) return name;
  }
  return "";
}

bool WeightMap::is_ignored(const std::string& name) const {
  for (const auto& pattern : ignored_)
    if (matches(pattern, name)) return true;
  for (const auto& pair : others_)
    if (pair.second == name) return true;
  return false;
}

LoadedWeights fill_weights(Module& model, const WeightMap& map, const TensorSource& source, bool position_replaced) {
  return Loader(model, "", map, source, position_replaced).load();
}

void fill_position_weights(Module& encoding, const WeightMap& map, const TensorSource& source) {
  Loader(encoding, kPositionPrefix, map, source, /*position_replaced=*/false).load_position();
}

std::map<std::string, at::Tensor> exported_tensors(const Module& model, const WeightMap& map) {
  at::NoGradGuard no_grad;
  const auto parameters = model.named_parameters();
  std::map<std::string, at::Tensor> out;
  std::set<std::string> written;
  for (const auto& rule : map.rules()) {
    const auto* parameter = parameters.find(rule.ours);
    LW_CHECK(parameter != nullptr, "no parameter " + rule.ours);
    put_back(rule.change, parameter->detach(), out[map.exported_name(rule)]);
    written.insert(rule.ours);
  }
  for (const auto& [name, other] : map.other_names()) out[other] = out.at(name).clone();
  for (const auto& item : parameters) LW_CHECK(written.count(item.key()) > 0, "no rule for " + item.key());
  return out;
}

}  // namespace lw
