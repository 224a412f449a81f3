// Several kinds of layers, each with its own position scheme, as one encoding: each hook is passed on to the kind of
// its layer.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "encodings/position_encoding.h"

namespace lw {

class Layered final : public PositionEncoding {
 public:
  /// One kind of layer. Its encoding counts its own layers: the first that it serves is its layer 0.
  struct Kind {
    std::string name;    // prefix of its parameters and facts: letters, digits, '_' and '-'
    std::string scheme;  // for the card
    std::shared_ptr<PositionEncoding> encoding;
  };

  /// @param kind_of_layer for each layer of the model an index into `kinds`. No kind may change the input, since all
  /// layers share it.
  Layered(std::vector<Kind> kinds, std::vector<size_t> kind_of_layer);

  at::Tensor rotate_query(const at::Tensor& q_BHQE, const Site& at) override;
  at::Tensor rotate_key(const at::Tensor& k_BHKE, const Site& at) override;
  at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE,
                           const Site& at) override;
  at::Tensor adjust_output(const at::Tensor& out_BHQE, const at::Tensor& weights_BHQK, const Site& at) override;

  /// The weakest among the kinds: "none" before "raw" before "rotated".
  KeyCache key_cache() const override;
  KeyCache key_cache_of(int64_t layer) const override;
  std::vector<int64_t> layers_of_each_kind() const override;
  std::optional<int64_t> max_positions() const override;  // the smallest
  int64_t changes_after() const override;                 // the largest
  bool shift_invariant() const override;
  bool touches_logits(int64_t layer) const override;
  bool touches_values() const override;
  std::vector<CardFact> facts(int64_t length) const override;
  void reset_parameters(Rng& rng) override;
  void constrain() override;

 private:
  PositionEncoding& kind_at(int64_t layer) const;
  Site inside(const Site& at) const;

  std::vector<Kind> kinds_;
  std::vector<size_t> kind_of_layer_;
  std::vector<int64_t> layer_in_kind_;
};

/// One kind of layer before it is built.
struct LayerKind {
  std::string name, scheme;  // as in Layered::Kind
  MakeEncoding make;
};

/// A maker of a Layered with these kinds.
MakeEncoding maker_of_layers(std::vector<LayerKind> kinds, std::vector<size_t> kind_of_layer);

/// `pattern` repeated over `layers`: indices into `names`.
/// @throws Error(kConfig) at `key` for a word that is not a name, or a length that does not divide the layers.
[[nodiscard]] std::vector<size_t> kinds_of_layers(const ConfigNode& options, const char* key,
                                                  const std::vector<std::string>& pattern,
                                                  const std::vector<std::string>& names, int64_t layers);

}  // namespace lw
