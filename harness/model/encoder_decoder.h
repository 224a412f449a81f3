// An encoder and a decoder that attends to its output (T5): two transformers, each with positions of its own, over
// one table of token embeddings.
#pragma once
#include "harness/model/transformer.h"

namespace lw {

class EncoderDecoder : public torch::nn::Module {
 public:
  /// @param decoder with cross attention; widths alike.
  EncoderDecoder(ModelConfig encoder, std::shared_ptr<PositionEncoding> encoder_encoding, ModelConfig decoder,
                 std::shared_ptr<PositionEncoding> decoder_encoding);

  /// [B, S, D]. @param tokens_BS int64; all rows of one length.
  torch::Tensor encode(const torch::Tensor& tokens_BS);
  /// The decoder's hidden states, see Transformer::hidden. @param memory_BSD what encode() gave.
  torch::Tensor hidden(const torch::Tensor& tokens_BT, const torch::Tensor& pos_BT, const torch::Tensor& memory_BSD,
                       Cache* cache = nullptr, int64_t tile = 0, const torch::Tensor& only_BQ = {});
  torch::Tensor logits(const torch::Tensor& hidden_D) const { return decoder_->logits(hidden_D); }

  Transformer& encoder() { return *encoder_; }
  Transformer& decoder() { return *decoder_; }

 private:
  std::shared_ptr<Transformer> encoder_, decoder_;
};

}  // namespace lw
