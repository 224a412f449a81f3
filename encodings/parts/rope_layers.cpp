// Per-layer RoPE settings of Hugging Face configs (transformers 5): `rope_parameters` nested per layer type, and Gemma
// 3's older form, a flat `rope_scaling` that is meant for full_attention layers while sliding_attention ones keep
// `rope_local_base_freq` unscaled. `no_rope_layer_interval: N` leaves layer l without positions where (l + 1) % N == 0,
// counted from 0 (SmolLM3, Llama 4; Yang et al. 2025, arXiv:2501.18795).
// Deviation: a layer type chooses a layer's positions, not its window, since all layers here see all keys.
#include "encodings/parts/rope_layers.h"

#include <algorithm>
#include <string>
#include <vector>

#include "encodings/layered.h"
#include "encodings/none.h"
#include "harness/base/config.h"
#include "harness/base/text.h"

namespace lw {

namespace {

using MakeRope = std::function<MakeEncoding(RopeRotation)>;

constexpr const char* kSliding = "sliding_attention";
const std::vector<std::string> kLayerTypes = {"full_attention", kSliding, "chunked_attention"};

class RopeLayersReader {
 public:
  RopeLayersReader(ConfigNode& options, const ModelShape& shape, const MakeRope& make)
      : options_(options), shape_(shape), make_(make), scaling_(options.map("scaling", "")) {
    pattern_ = options.words(
        "layer_types", {},
        "the type of each layer, " + join(kLayerTypes) + "; a pattern is repeated. Scaling may then be given per type");
    interval_ = options.optional_integer("no_rope_layer_interval", {.min = 2},
                                         "N: layers whose number, from 1, is a multiple of N have no position");
    local_theta_ = options.optional_number("rope_local_base_freq", {.min = 1.0, .above_min = true},
                                           "the base of sliding_attention layers; rope_theta when absent");
  }

  MakeEncoding read() {
    options_.describe([&] { describe(); });
    check();
    if (pattern_.empty() && !interval_) return make_(RopeRotation::read(options_, shape_));
    std::vector<std::string> names = pattern_.empty() ? std::vector<std::string>{"rope"} : kLayerTypes;
    auto kind_of_layer = pattern_.empty() ? std::vector<size_t>(size_t(shape_.layers), 0)
                                          : kinds_of_layers(options_, "layer_types", pattern_, names, shape_.layers);
    const size_t none = names.size();
    names.push_back("none");
    if (interval_)
      for (size_t l = 0; l < kind_of_layer.size(); ++l)
        if ((l + 1) % size_t(*interval_) == 0) kind_of_layer[l] = none;
    if (nested_) check_nested(names, kind_of_layer);
    return build(names, kind_of_layer);
  }

 private:
  /// Each layer type may have a block of its own.
  void describe() {
    for (const auto& type : kLayerTypes) {
      auto one = options_.with("scaling", block(type), {});
      RopeRotation::read(one, shape_, RotaryLayout::kHalf, type);
    }
  }

  ConfigNode block(const std::string& type) { return scaling_.map(type, "the scaling of " + type + " layers"); }

  void check() {
    for (const auto& type : kLayerTypes) {
      nested_ = nested_ || scaling_.has(type);
      scaling_.require(!scaling_.has(type) || !pattern_.empty(), type,
                       "found a scaling for one type of layer, and no layer_types; allowed: both, or a flat scaling");
    }
    const bool slides = std::find(pattern_.begin(), pattern_.end(), kSliding) != pattern_.end();
    options_.require(!local_theta_ || (slides && !nested_), "rope_local_base_freq",
                     nested_ ? "found a base beside scaling per layer type; allowed: rope_theta under each type"
                             : "found a base for no layer; allowed: with sliding_attention in layer_types");
    options_.require(pattern_.empty() || nested_ || !scaling_.has("partial_rotary_factor"), "scaling",
                     "found partial_rotary_factor, and layers that are not scaled; allowed: above scaling, for all "
                     "layers, or under each layer type");
    options_.require(pattern_.empty() || nested_ || !scaling_.has("rope_type") || pattern_ != all_sliding(), "scaling",
                     found_what("a flat scaling, and no layer that it applies to")
                         .allowed("with a layer type that is not ", kSliding, ", or given per layer type"));
    options_.require(
        !interval_ || *interval_ <= shape_.layers, "no_rope_layer_interval",
        found(interval_.value_or(0), " with ", plural(shape_.layers, "layer")).allowed("at most the number of layers"));
  }

  std::vector<std::string> all_sliding() const { return {pattern_.size(), kSliding}; }

  /// Every layer type in use needs a block, and no other type may have one.
  void check_nested(const std::vector<std::string>& names, const std::vector<size_t>& kind_of_layer) {
    for (size_t kind = 0; kind < kLayerTypes.size(); ++kind) {
      const bool used = std::count(kind_of_layer.begin(), kind_of_layer.end(), kind) > 0;
      scaling_.require(used == scaling_.has(names[kind]), names[kind],
                       used ? "found nothing; allowed: a scaling for each of layer_types"
                            : "found a scaling for a type that no layer has; allowed: those of layer_types");
      for (const char* key : {"rope_theta", "partial_rotary_factor"})
        if (used && !block(names[kind]).has(key)) needed_above_.emplace_back(key);
    }
    for (const char* key : {"rope_theta", "partial_rotary_factor"})
      options_.require(
          !options_.has(key) || std::find(needed_above_.begin(), needed_above_.end(), key) != needed_above_.end(), key,
          "found a value beside one under each layer type; allowed: one or the other");
  }

  RopeRotation rotation(const std::string& type) {
    if (nested_) {
      ConfigNode own = block(type);
      Tree inside = Tree::map();  // keys of the block itself are not looked up above it
      for (const char* key : {"rope_theta", "partial_rotary_factor"})
        if (own.has(key)) inside.set(key, {});
      auto one = options_.with("scaling", own, inside);
      return RopeRotation::read(one, shape_, RotaryLayout::kHalf, type);
    }
    RopeRotation scaled = RopeRotation::read(options_, shape_);
    if (type != kSliding) return scaled;
    Tree local = Tree::map();
    local.set("rope_theta", Tree::scalar(format_number(local_theta_.value_or(scaled.basis().rope_theta))));
    auto one = options_.with("scaling", ConfigNode(Tree::map()), local);
    return RopeRotation::read(one, shape_);
  }

  MakeEncoding build(const std::vector<std::string>& names, std::vector<size_t> kind_of_layer) {
    std::vector<LayerKind> kinds;
    std::vector<size_t> place(names.size(), names.size());
    for (size_t& kind : kind_of_layer) {
      if (place[kind] == names.size()) {
        place[kind] = kinds.size();
        const bool none = names[kind] == "none";
        kinds.push_back(
            {names[kind], none ? "none" : "rope", none ? maker_of<NoPositions>() : make_(rotation(names[kind]))});
      }
      kind = place[kind];
    }
    return maker_of_layers(std::move(kinds), std::move(kind_of_layer));
  }

  ConfigNode& options_;
  const ModelShape& shape_;
  const MakeRope& make_;
  ConfigNode scaling_;
  std::vector<std::string> pattern_;
  std::optional<int64_t> interval_;
  std::optional<double> local_theta_;
  bool nested_ = false;
  std::vector<std::string> needed_above_;  // keys that a block takes from above it
};

}  // namespace

MakeEncoding read_rope_layers(ConfigNode& options, const ModelShape& shape, const MakeRope& make) {
  return RopeLayersReader(options, shape, make).read();
}

}  // namespace lw
