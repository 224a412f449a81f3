#include "harness/model/encoder_decoder.h"

#include "harness/base/error.h"

namespace lw {

EncoderDecoder::EncoderDecoder(ModelConfig encoder, std::shared_ptr<PositionEncoding> encoder_encoding,
                               ModelConfig decoder, std::shared_ptr<PositionEncoding> decoder_encoding) {
  LW_CHECK(!encoder.causal() && !encoder.head && decoder.causal() && decoder.cross_attention,
           "an encoder without output weights, and a decoder that attends to it");
  LW_CHECK(encoder.width == decoder.width, "two widths");
  encoder_ = register_module("encoder", std::make_shared<Transformer>(std::move(encoder), std::move(encoder_encoding)));
  decoder_ = register_module("decoder", std::make_shared<Transformer>(std::move(decoder), std::move(decoder_encoding)));
  encoder_->share_embedding(*decoder_);
}

at::Tensor EncoderDecoder::encode(const at::Tensor& tokens_BS) {
  return encoder_->hidden(tokens_BS, at::arange(tokens_BS.size(1), tokens_BS.options()).unsqueeze(0));
}

at::Tensor EncoderDecoder::hidden(const at::Tensor& tokens_BT, const at::Tensor& pos_BT, const at::Tensor& memory_BSD,
                                  Cache* cache, int64_t tile, const at::Tensor& only_BQ) {
  return decoder_->hidden(tokens_BT, pos_BT, cache, tile, only_BQ, memory_BSD);
}

}  // namespace lw
