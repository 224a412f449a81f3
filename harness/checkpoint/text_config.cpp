#include "harness/checkpoint/text_config.h"

#include <array>
#include <map>

#include "encodings/tensor.h"
#include "harness/base/json_read.h"
#include "harness/base/text.h"

namespace lw {
namespace {

constexpr const char* kText = "text_config";

struct Wrapper {
  const char* name;  // model_type
  const char* text;  // that of its text_config
  KeyNames others;   // keys that concern only images
};

/// Gemma 3 of 4B and more. In a text without images every token sees those before it, as in the text model.
const Wrapper kGemma3 = {"gemma3",
                         "gemma3_text",
                         {"vision_config", "mm_tokens_per_image", "boi_token_index", "eoi_token_index",
                          "image_token_index", "boi_token_id", "eoi_token_id", "image_token_id"}};

/// "" for tensors of other parts. Transformers has written both of the first forms.
std::string text_name(const std::string& name) {
  static const std::array<std::pair<std::string, std::string>, 4> kForms = {{{"language_model.model.", "model."},
                                                                             {"model.language_model.", "model."},
                                                                             {"language_model.lm_head.", "lm_head."},
                                                                             {"lm_head.", "lm_head."}}};
  for (const auto& [outer, inner] : kForms)
    if (name.rfind(outer, 0) == 0) return inner + name.substr(outer.size());
  return "";
}

class TextSource final : public TensorSource {
 public:
  explicit TextSource(std::unique_ptr<TensorSource> whole) : whole_(std::move(whole)) {
    for (const auto& tensor : whole_->tensors()) {
      const std::string name = text_name(tensor.name);
      if (name.empty()) {
        ++left_out_;
        continue;
      }
      if (!names_.emplace(name, tensor.name).second)
        throw Error(ErrorKind::kInput,
                    text(place(), ": ", tensor.name, ": ",
                         found_what(names_.at(name), " too, another name of the same tensor").allowed("one of them")));
      tensors_.push_back({name, tensor.shape});
    }
  }
  std::string place() const override { return whole_->place(); }
  const std::vector<TensorInfo>& tensors() const override { return tensors_; }
  at::Tensor read(std::string_view name) const override {
    const auto found = names_.find(std::string(name));
    return whole_->read(found == names_.end() ? std::string(name) : found->second);
  }
  int64_t left_out() const { return left_out_; }

 private:
  std::unique_ptr<TensorSource> whole_;
  std::map<std::string, std::string> names_;  // the text model's and the file's
  std::vector<TensorInfo> tensors_;
  int64_t left_out_ = 0;
};

/// For a key that may stand around the text model, in it, or in both.
void copy_into_text_config(FamilyConfig& outer, Json& inner, const char* key) {
  const auto value = outer.optional_json(key);
  if (!value) return;
  const auto own = inner.find(key);
  const bool stated = own != inner.end() && !own->is_null();
  outer.require(
      !stated || *own == *value, key,
      found_what(json_shown(*value), ", and ", stated ? json_shown(*own) : "", " in text_config").allowed("one value"));
  inner[key] = *value;
}

}  // namespace

bool has_text_config(const Json& config) {
  const auto found = config.find(kText);
  return found != config.end() && !found->is_null();
}

TextModel text_model_of(const Json& config, const std::string& place, std::unique_ptr<TensorSource> source) {
  const auto type = json_get<std::string>(config, "model_type", place);
  FamilyConfig outer(config, type, place);
  TextModel out;
  out.config = outer.optional_json(kText).value_or(nullptr);
  outer.require(out.config.is_object(), kText, found_what(json_shown(out.config)).allowed("an object"));
  const std::string inner = json_optional<std::string>(out.config, "model_type", place + ": text_config").value_or("");
  const Wrapper& known = kGemma3;
  if (type != known.name || (inner != known.text && !inner.empty()))
    throw Error(ErrorKind::kInput,
                place + ": model_type: " +
                    found(type, " around a text_config of '", inner, "'")
                        .allowed(known.name, " around ", known.text, ", or the text model in a folder of its own"));
  out.config["model_type"] = known.text;
  copy_into_text_config(outer, out.config, "tie_word_embeddings");
  outer.ignore(known.others);
  outer.finish();
  auto tensors = std::make_unique<TextSource>(std::move(source));
  outer.note("model_type",
             text(type, ", of which only the text model ", known.text, " is read; left out: ", tensors->left_out(),
                  " tensors of other parts"),
             "config.json");
  out.values = outer.values();
  std::erase_if(out.values, [](const SourcedValue& v) { return v.key == kText; });
  out.source = std::move(tensors);
  return out;
}

}  // namespace lw
