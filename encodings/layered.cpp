// Different position schemes in different layers, in a pattern that repeats over the model: RoPE in three layers of
// four and none in the fourth (Yang et al. 2025, "Rope to Nope and Back Again", arXiv:2501.18795, and Llama 4's iRoPE),
// or one base for local and another for global layers (Gemma Team 2025, "Gemma 3", arXiv:2503.19786, section 2). It
// chooses a layer's positions, not its window: every layer attends to all keys.
#include "encodings/layered.h"

#include <algorithm>
#include <numeric>

#include "encodings/parts/facts.h"
#include "encodings/registry.h"
#include "harness/base/config.h"
#include "harness/base/rng.h"
#include "harness/base/text.h"

namespace lw {

Layered::Layered(std::vector<Kind> kinds, std::vector<size_t> kind_of_layer)
    : kinds_(std::move(kinds)), kind_of_layer_(std::move(kind_of_layer)) {
  for (const auto& kind : kinds_) {
    LW_CHECK(!kind.encoding->touches_input(), "a kind of layer cannot change the one input");
    register_module(kind.name, kind.encoding);
  }
  std::vector<int64_t> seen(kinds_.size(), 0);
  for (const size_t kind : kind_of_layer_) layer_in_kind_.push_back(seen.at(kind)++);
}

PositionEncoding& Layered::kind_at(int64_t layer) const { return *kinds_[kind_of_layer_.at(size_t(layer))].encoding; }

Site Layered::inside(const Site& at) const {
  Site own = at;
  own.layer = layer_in_kind_.at(size_t(at.layer));
  return own;
}

at::Tensor Layered::rotate_query(const at::Tensor& q_BHQE, const Site& at) {
  return kind_at(at.layer).rotate_query(q_BHQE, inside(at));
}

at::Tensor Layered::rotate_key(const at::Tensor& k_BHKE, const Site& at) {
  return kind_at(at.layer).rotate_key(k_BHKE, inside(at));
}

at::Tensor Layered::adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE,
                                  const Site& at) {
  return kind_at(at.layer).adjust_logits(logits_BHQK, q_BHQE, k_BHKE, inside(at));
}

at::Tensor Layered::adjust_output(const at::Tensor& out_BHQE, const at::Tensor& weights_BHQK, const Site& at) {
  return kind_at(at.layer).adjust_output(out_BHQE, weights_BHQK, inside(at));
}

KeyCache Layered::key_cache() const {
  const auto holds = [&](KeyCache cache) {
    return std::any_of(kinds_.begin(), kinds_.end(), [&](const Kind& k) { return k.encoding->key_cache() == cache; });
  };
  return holds(KeyCache::kNone) ? KeyCache::kNone : holds(KeyCache::kRaw) ? KeyCache::kRaw : KeyCache::kRotated;
}

KeyCache Layered::key_cache_of(int64_t layer) const {
  return kind_at(layer).key_cache_of(layer_in_kind_.at(size_t(layer)));
}

std::vector<int64_t> Layered::layers_of_each_kind() const {
  std::vector<int64_t> out;
  for (size_t kind = 0; kind < kinds_.size(); ++kind) {
    std::vector<int64_t> layers;  // of this kind, in the order in which it counts them
    for (size_t l = 0; l < kind_of_layer_.size(); ++l)
      if (kind_of_layer_[l] == kind) layers.push_back(int64_t(l));
    for (const int64_t own : kinds_[kind].encoding->layers_of_each_kind())
      if (own < int64_t(layers.size())) out.push_back(layers[size_t(own)]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<int64_t> Layered::max_positions() const {
  std::optional<int64_t> least;
  for (const auto& kind : kinds_)
    if (const auto bound = kind.encoding->max_positions()) least = std::min(*bound, least.value_or(*bound));
  return least;
}

int64_t Layered::changes_after() const {
  int64_t most = 0;
  for (const auto& kind : kinds_) most = std::max(most, kind.encoding->changes_after());
  return most;
}

bool Layered::shift_invariant() const {
  return std::all_of(kinds_.begin(), kinds_.end(), [](const Kind& k) { return k.encoding->shift_invariant(); });
}

bool Layered::touches_values() const {
  return std::any_of(kinds_.begin(), kinds_.end(), [](const Kind& k) { return k.encoding->touches_values(); });
}

bool Layered::touches_logits(int64_t layer) const {
  return kind_at(layer).touches_logits(layer_in_kind_.at(size_t(layer)));
}

std::vector<CardFact> Layered::facts(int64_t length) const {
  std::vector<CardFact> out;
  for (size_t kind = 0; kind < kinds_.size(); ++kind) {
    const std::string prefix = kinds_[kind].name + ".";
    std::vector<double> layers;
    std::string printed;
    for (size_t l = 0; l < kind_of_layer_.size(); ++l) {
      if (kind_of_layer_[l] != kind) continue;
      layers.push_back(double(l));
      printed += (printed.empty() ? "" : ", ") + std::to_string(l);
    }
    out.push_back(text_fact(prefix + "scheme", kinds_[kind].scheme));
    out.push_back({prefix + "layers", printed, std::move(layers), true});
    for (auto& fact : kinds_[kind].encoding->facts(length)) {
      fact.name = prefix + fact.name;
      out.push_back(std::move(fact));
    }
  }
  return out;
}

void Layered::reset_parameters(Rng& rng) {
  for (const auto& kind : kinds_) {
    Rng stream = rng.stream(kind.name);
    kind.encoding->reset_parameters(stream);
  }
}

void Layered::constrain() {
  for (const auto& kind : kinds_) kind.encoding->constrain();
}

MakeEncoding maker_of_layers(std::vector<LayerKind> kinds, std::vector<size_t> kind_of_layer) {
  return [kinds = std::move(kinds), kind_of_layer = std::move(kind_of_layer)]() -> std::shared_ptr<PositionEncoding> {
    std::vector<Layered::Kind> built;
    for (const auto& kind : kinds) built.push_back({kind.name, kind.scheme, kind.make()});
    return std::make_shared<Layered>(std::move(built), kind_of_layer);
  };
}

std::vector<size_t> kinds_of_layers(const ConfigNode& options, const char* key, const std::vector<std::string>& pattern,
                                    const std::vector<std::string>& names, int64_t layers) {
  const auto count = int64_t(pattern.size());
  options.require(count > 0, key,
                  found_what("nothing").allowed("a list of ", join(names), ", in the order of the layers"));
  options.require(count == 0 || layers % count == 0, key,
                  found_what(plural(count, "word"), " for ", plural(layers, "layer"))
                      .allowed("as many as there are layers, or a divisor of that, repeated"));
  std::vector<size_t> out;
  for (int64_t l = 0; l < layers && count > 0; ++l) {
    const std::string& word = pattern[size_t(l % count)];
    const auto name = std::find(names.begin(), names.end(), word);
    if (name == names.end()) options.fail(key, found(word).allowed(join(names)) + did_you_mean(word, names));
    out.push_back(size_t(name - names.begin()));
  }
  return out;
}

namespace {

bool is_name(const std::string& text) {
  constexpr auto kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !text.empty() && text.find_first_not_of(kAllowed) == std::string::npos;
}

/// Indices sorted by name, so that the order of the kinds in a file changes nothing, not even messages.
std::vector<size_t> by_name(const std::vector<std::string>& names) {
  std::vector<size_t> order(names.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return names[a] < names[b]; });
  return order;
}

MakeEncoding read_layered(ConfigNode& options, const ModelShape& shape) {
  const auto pattern = options.words("layers", {}, "names of kinds, in the order of the layers; repeated");
  auto blocks = options.named_maps("kinds", "a position block of its own for each kind of layer");
  std::vector<std::string> names;
  for (const auto& [name, block] : blocks) names.push_back(name);
  options.require(!names.empty(), "kinds", "found nothing; allowed: a position block under each name in layers");
  const auto kind_of_layer = kinds_of_layers(options, "layers", pattern, names, shape.layers);
  std::vector<LayerKind> kinds(blocks.size());
  for (const size_t i : by_name(names)) {
    auto& [name, block] = blocks[i];
    block.require(is_name(name), "", found_what("the name '", name, "'").allowed("letters, digits, '_' and '-'"));
    ModelShape own = shape;
    own.layers = std::count(kind_of_layer.begin(), kind_of_layer.end(), i);
    block.require(own.layers > 0, "", "found a kind that no layer has; allowed: names in layers");
    MakeEncoding make = read_layer_encoding(block, own);
    const std::string scheme = block.resolved().text_of("scheme");
    block.verify([&, &block = block] {
      block.require(!make()->touches_input(), "scheme",
                    found(scheme, ", which changes the embeddings, and all layers share those")
                        .allowed("schemes that act in attention"));
    });
    kinds[i] = {name, scheme, std::move(make)};
  }
  return maker_of_layers(std::move(kinds), kind_of_layer);
}

}  // namespace

extern const EncodingInfo layered_encoding{
    .name = "layered",
    .summary = "another scheme in another kind of layer (iRoPE, Gemma 3)",
    .paper = "Yang et al. 2025, arXiv:2501.18795",
    .golden = "each layer's logits equal those of its kind alone; Gemma 3's frequencies",
    .read = read_layered,
    .needed_options = "{layers: [rope, nope], kinds: {rope: {scheme: rope}, nope: {scheme: none}}}",
};

}  // namespace lw
