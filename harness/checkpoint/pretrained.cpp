#include "harness/checkpoint/pretrained.h"

#include "encodings/registry.h"
#include "harness/base/config.h"
#include "harness/checkpoint/gguf_family.h"
#include "harness/formats/container.h"
#include "harness/model/encoder_decoder.h"

namespace lw {
namespace {

std::shared_ptr<PositionEncoding> build_position(const Tree& position, const ModelConfig& model, int64_t train_length) {
  ConfigNode node(position);
  auto encoding = make_encoding(node, model.shape(train_length));
  node.finish();
  return encoding;
}

/// Schemes of one name have one set of parameters, in which the checkpoint's position tensors have their place.
bool keeps_position_tensors(const FamilyModel& own, const Tree& position) {
  const Tree *x = own.position.find("scheme"), *y = position.find("scheme");
  return x != nullptr && y != nullptr && x->text == y->text;
}

void refuse_two_stacks(const Checkpoint& checkpoint) {
  if (!checkpoint.model.encoder.empty())
    throw Error(ErrorKind::kUnsupported, checkpoint.source->place() + ": model_type: found " +
                                             std::string(checkpoint.family->name) +
                                             ", an encoder-decoder; allowed: models of one stack");
}

std::shared_ptr<PositionEncoding> position_of(const Checkpoint& checkpoint, const Tree& position,
                                              int64_t train_length) {
  const FamilyModel& m = checkpoint.model;
  return build_position(position, m.model, train_length > 0 ? train_length : m.train_length);
}

}  // namespace

Checkpoint open_checkpoint(const Json& config, const std::string& place, std::unique_ptr<TensorSource> source) {
  Checkpoint out;
  const auto type = json_get<std::string>(config, "model_type", place);
  out.family = &family_named(type, place);
  out.source = std::move(source);
  FamilyConfig cursor(config, type, place);
  out.model = out.family->read(cursor, *out.source);
  cursor.finish();
  out.values = cursor.values();
  out.map = out.family->names(out.model, *out.source);
  return out;
}

Checkpoint open_checkpoint(const std::filesystem::path& path) {
  auto container = std::make_shared<const Container>(path);
  Checkpoint out =
      container->gguf() != nullptr
          ? open_gguf_checkpoint(Json(model_metadata(*container->gguf())), path.string(), source_of(container))
          : open_checkpoint(Json(*container->config()), (path / "config.json").string(), source_of(container));
  out.container = std::move(container);
  return out;
}

std::shared_ptr<Transformer> load_transformer(const Checkpoint& checkpoint, LoadedWeights* told, const Tree* position,
                                              int64_t train_length) {
  const FamilyModel& m = checkpoint.model;
  refuse_two_stacks(checkpoint);
  const Tree& in_force = position != nullptr ? *position : m.position;
  auto model = std::make_shared<Transformer>(m.model, position_of(checkpoint, in_force, train_length));
  auto report = load_weights(*model, checkpoint.map, *checkpoint.source, !keeps_position_tensors(m, in_force));
  if (told != nullptr) *told = std::move(report);
  model->eval();
  return model;
}

void set_position(Transformer& model, const Checkpoint& checkpoint, const Tree& position, int64_t train_length) {
  refuse_two_stacks(checkpoint);
  auto encoding = position_of(checkpoint, position, train_length);
  if (keeps_position_tensors(checkpoint.model, position))
    load_position_weights(*encoding, checkpoint.map, *checkpoint.source);
  const auto weight = model.parameters().front();
  encoding->to(weight.device(), weight.scalar_type());
  encoding->eval();
  model.set_encoding(std::move(encoding));
}

std::shared_ptr<EncoderDecoder> load_encoder_decoder(const Checkpoint& checkpoint, LoadedWeights* told) {
  const FamilyModel& m = checkpoint.model;
  if (m.encoder.empty())
    throw Error(ErrorKind::kUnsupported, checkpoint.source->place() + ": model_type: found " +
                                             std::string(checkpoint.family->name) +
                                             ", which has one stack; allowed: encoder-decoders");
  const FamilyModel& e = m.encoder[0];
  auto model = std::make_shared<EncoderDecoder>(e.model, build_position(e.position, e.model, e.train_length), m.model,
                                                build_position(m.position, m.model, m.train_length));
  auto report = load_weights(*model, checkpoint.map, *checkpoint.source);
  if (told != nullptr) *told = std::move(report);
  model->eval();
  return model;
}

}  // namespace lw
