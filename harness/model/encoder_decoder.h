// An encoder, and a decoder that attends to its output (T5): two transformers with a position scheme each, which share
// one table of token embeddings.
#pragma once
#include "harness/model/transformer.h"

namespace lw {

class EncoderDecoder : public Module {
 public:
  /// @param decoder with cross attention; widths alike.
  EncoderDecoder(ModelConfig encoder, std::shared_ptr<PositionEncoding> encoder_encoding, ModelConfig decoder,
                 std::shared_ptr<PositionEncoding> decoder_encoding);

  /// [B, S, D]. @param tokens_BS int64; all rows of one length.
  at::Tensor encode(const at::Tensor& tokens_BS);
  /// The decoder's hidden states, see Transformer::hidden. @param memory_BSD the result of encode().
  at::Tensor hidden(const at::Tensor& tokens_BT, const at::Tensor& pos_BT, const at::Tensor& memory_BSD,
                    Cache* cache = nullptr, int64_t tile = 0, const at::Tensor& only_BQ = {});
  at::Tensor logits(const at::Tensor& hidden_D) const { return decoder_->logits(hidden_D); }

  Transformer& encoder() { return *encoder_; }
  Transformer& decoder() { return *decoder_; }

 private:
  std::shared_ptr<Transformer> encoder_, decoder_;
};

}  // namespace lw
