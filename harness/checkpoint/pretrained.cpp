#include "harness/checkpoint/pretrained.h"

#include "harness/base/json_read.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "harness/checkpoint/gguf_family.h"
#include "harness/checkpoint/position_fit.h"
#include "harness/checkpoint/text_config.h"
#include "harness/formats/container.h"
#include "harness/formats/gguf_vocabulary.h"
#include "harness/model/encoder_decoder.h"

namespace lw {
namespace {

/// Sets the file that errors in a position section name.
void set_place(Tree& tree, const std::string& place) {
  tree.pos.file = place;
  for (auto& item : tree.items) set_place(item, place);
  for (auto& entry : tree.entries) {
    entry.key_pos.file = place;
    set_place(entry.value, place);
  }
}

/// Switches that any config.json may have and of which one setting is supported.
void read_common(FamilyConfig& config) {
  config.require(!config.has("quantization_config"), "quantization_config",
                 "found quantised weights; allowed: none, since those are read only from GGUF files");
  config.only_empty_object("pruned_heads", "layers have the same number of heads");
  config.only("add_cross_attention", false, "nothing is attended to but the sequence itself");
  config.only("tie_encoder_decoder", false, "encoder and decoder have weights of their own");
  config.ignore({"is_decoder"});  // families that may be either read it themselves
}

/// The count of numbers in a stack's matrices, by its config.
double size_of(const FamilyModel& f) {
  const ModelConfig& m = f.model;
  const double width = double(m.width), attention = 2.0 * width * double(m.head_width) * double(m.heads + m.kv_heads),
               tables = double(m.vocabulary) * (m.head && !m.tied_embeddings ? 2 : 1);
  const Tree* learned = f.position.find("positions");
  double out = width * (tables + (learned == nullptr ? 0.0 : std::stod(learned->text)));
  out += double(m.layers) * (attention * (m.cross_attention ? 2 : 1) + width * double(m.ffn) * (m.gated ? 3 : 2));
  for (const auto& encoder : f.encoder) out += size_of(encoder);
  return out;
}

/// Memory for the model is allocated before tensors are checked one by one, so a config that the file cannot fill is
/// refused first.
void require_fits(const Checkpoint& checkpoint) {
  double stored = 0;
  for (const auto& tensor : checkpoint.source->tensors()) {
    double count = 1;
    for (const int64_t n : tensor.shape) count *= double(n);
    stored += count;
  }
  const double needed = size_of(checkpoint.model);
  if (needed > 2 * stored + 1e6)
    throw Error(ErrorKind::kInput, checkpoint.source->place() + ": found " + format_fixed(stored, 0) +
                                       " numbers in tensors, and " + format_fixed(needed, 0) +
                                       " in the model that the config describes; are they of one model?");
}

void refuse_two_stacks(const Checkpoint& checkpoint) {
  if (!checkpoint.model.encoder.empty())
    throw Error(ErrorKind::kInput,
                checkpoint.source->place() + ": model_type: " +
                    found_what(checkpoint.family->name, ", an encoder-decoder").allowed("models of one stack"));
}

std::shared_ptr<PositionEncoding> encoding_for(const Checkpoint& checkpoint, const PositionSetting& position) {
  auto out = position.build();
  const std::string misfit = position_misfit(checkpoint, position, *out);
  if (!misfit.empty()) throw Error(ErrorKind::kInput, "position.scheme: " + misfit);
  return out;
}

}  // namespace

Checkpoint open_checkpoint(const Json& config, const std::string& place, std::unique_ptr<TensorSource> source) {
  if (has_text_config(config)) {
    TextModel text = text_model_of(config, place, std::move(source));
    Checkpoint out = open_checkpoint(text.config, place + ": text_config", std::move(text.source));
    out.values.insert(out.values.begin(), text.values.begin(), text.values.end());
    return out;
  }
  Checkpoint out;
  const auto type = json_get<std::string>(config, "model_type", place);
  out.family = &family_named(type, place);
  out.source = std::move(source);
  FamilyConfig cursor(config, type, place);
  read_common(cursor);
  out.model = out.family->read(cursor, *out.source);
  cursor.finish();
  set_place(out.model.position, place);
  out.values = cursor.values();
  out.remarks = cursor.remarks();
  out.map = out.family->names(out.model);
  return out;
}

Checkpoint open_checkpoint(const std::filesystem::path& path) {
  auto container = std::make_shared<const Container>(path);
  Checkpoint out =
      container->gguf() != nullptr
          ? open_gguf_checkpoint(Json(model_metadata(*container->gguf())), path.string(), source_of(container))
          : open_checkpoint(Json(*container->config()), (path / "config.json").string(), source_of(container));
  if (container->gguf() != nullptr) require_rows_for_tokens(*container->gguf(), out.model.model.vocabulary);
  out.container = std::move(container);
  return out;
}

PositionSetting position_on(const Checkpoint& checkpoint, const Tree& section, int64_t train_length) {
  const FamilyModel& m = checkpoint.model;
  return PositionSetting::parse(section, m.model.shape(train_length > 0 ? train_length : m.train_length));
}

std::shared_ptr<Transformer> load_transformer(const Checkpoint& checkpoint, LoadedWeights* report,
                                              const PositionSetting* position) {
  const FamilyModel& m = checkpoint.model;
  refuse_two_stacks(checkpoint);
  require_fits(checkpoint);
  const PositionSetting used = position != nullptr ? *position : position_on(checkpoint, m.position);
  auto model = std::make_shared<Transformer>(m.model, encoding_for(checkpoint, used));
  auto read = fill_weights(*model, checkpoint.map, *checkpoint.source, !keeps_position_tensors(m, used));
  if (report != nullptr) *report = std::move(read);
  return model;
}

void set_position(Transformer& model, const Checkpoint& checkpoint, const PositionSetting& position) {
  refuse_two_stacks(checkpoint);
  auto encoding = encoding_for(checkpoint, position);
  if (keeps_position_tensors(checkpoint.model, position))
    fill_position_weights(*encoding, checkpoint.map, *checkpoint.source);
  const auto weight = model.parameters().front();
  encoding->to(weight.device(), weight.scalar_type());
  model.set_encoding(std::move(encoding));
}

std::shared_ptr<EncoderDecoder> load_encoder_decoder(const Checkpoint& checkpoint, LoadedWeights* report,
                                                     const PositionSetting* position) {
  const FamilyModel& m = checkpoint.model;
  if (m.encoder.empty())
    throw Error(ErrorKind::kInput,
                checkpoint.source->place() + ": model_type: " +
                    found_what(checkpoint.family->name, ", which has one stack").allowed("encoder-decoders"));
  require_fits(checkpoint);
  const FamilyModel& e = m.encoder[0];
  const PositionSetting used = position != nullptr ? *position : position_on(checkpoint, m.position);
  const PositionSetting of_encoder =  // the stacks have one scheme
      position != nullptr ? position->on(e.model.shape(position->shape().train_length))
                          : PositionSetting::parse(m.position, e.model.shape(e.train_length));
  auto model = std::make_shared<EncoderDecoder>(e.model, encoding_for(checkpoint, of_encoder), m.model,
                                                encoding_for(checkpoint, used));
  auto read = fill_weights(*model, checkpoint.map, *checkpoint.source, !keeps_position_tensors(m, used));
  if (report != nullptr) *report = std::move(read);
  return model;
}

}  // namespace lw
