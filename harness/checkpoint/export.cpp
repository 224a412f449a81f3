#include "harness/checkpoint/export.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "encodings/tensor.h"
#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/base/text.h"
#include "harness/checkpoint/config_writer.h"
#include "harness/checkpoint/model_difference.h"
#include "harness/formats/safetensors.h"
#include "harness/model/transformer.h"

namespace lw {
namespace {

/// The names of a file that is not written yet, for readers that ask which tensors it holds.
class WrittenNames final : public TensorSource {
 public:
  explicit WrittenNames(const WeightMap& map) {
    for (const auto& rule : map.rules()) names_.push_back({map.exported_name(rule), {}});
  }
  std::string place() const override { return "export"; }
  const std::vector<TensorInfo>& tensors() const override { return names_; }
  at::Tensor read(std::string_view name) const override {
    LW_CHECK(false, "a family read " + std::string(name) + " of an export that is not written yet");
    return {};
  }

 private:
  std::vector<TensorInfo> names_;
};

/// A model as one family would store it.
struct Attempt {
  const Family* family = nullptr;
  Json config;
  std::vector<ModelDifference> differences;  // of the model that would be read back
  std::string refusal;                       // of the family's writer or reader; "" without one

  bool fits() const { return differences.empty() && refusal.empty(); }
  /// How far the family is from the model: the number of switches that differ. A tie goes to a family with the same
  /// position scheme, since options of another scheme are not counted, then to one whose reader refuses nothing.
  /// Families with another number of stacks come last.
  std::tuple<size_t, bool, bool> distance() const {
    constexpr size_t kOtherStacks = 1000;
    const bool other_scheme = std::any_of(differences.begin(), differences.end(),
                                          [](const ModelDifference& d) { return d.key == "position.scheme"; });
    const size_t refused = refusal.empty() ? 0 : refusal.starts_with("model.stacks") ? kOtherStacks : 1;
    return {differences.size() + refused, other_scheme, refused > 0};
  }
};

void write_common(const Family& family, const FamilyModel& model, ConfigWriter& config) {
  config.set("model_type", std::string(family.name));
  config.set("vocab_size", model.model.vocabulary);
  config.set("tie_word_embeddings", model.model.tied_embeddings);
  config.set("torch_dtype", "float32");
  for (const char* token : {"bos_token_id", "eos_token_id", "pad_token_id"}) config.set_null(token);
}

Attempt attempt(const Family& family, const FamilyModel& model) {
  Attempt out{&family, {}, {}, ""};
  try {
    ConfigWriter config;
    write_common(family, model, config);
    family.export_as(model, config);
    out.config = config.json();
    FamilyConfig cursor(out.config, std::string(family.name), "config.json");
    const FamilyModel back = family.read(cursor, WrittenNames(family.names(model)));
    cursor.finish();
    out.differences = differences(model, back);
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kInternal) throw;
    out.refusal = e.what();
  }
  return out;
}

/// The message of a refused export: the first switch that the nearest families cannot express, and the values that they
/// allow.
std::string refusal_of(const std::vector<Attempt>& attempts) {
  const auto nearest = std::min_element(attempts.begin(), attempts.end(),
                                        [](const Attempt& a, const Attempt& b) { return a.distance() < b.distance(); });
  if (!nearest->refusal.empty()) return text("export as ", nearest->family->name, ": ", nearest->refusal);
  const ModelDifference& first = nearest->differences.front();
  std::vector<std::pair<std::string, std::vector<std::string>>> allowed;  // a value, and the families that have it
  for (const auto& one : attempts) {
    if (!one.refusal.empty() || one.distance() != nearest->distance()) continue;
    const ModelDifference& other = one.differences.front();
    if (other.key != first.key) continue;
    auto known = std::find_if(allowed.begin(), allowed.end(), [&](const auto& a) { return a.first == other.allowed; });
    if (known == allowed.end()) known = allowed.insert(allowed.end(), {other.allowed, {}});
    known->second.emplace_back(one.family->name);
  }
  std::vector<std::string> values;
  for (const auto& [value, names] : allowed) values.push_back(text(value, " (", join(names), ")"));
  return text("export: ", first.key, ": ", found_what(first.found).allowed(join(values)));
}

/// The model with the defaults of its position section filled in.
FamilyModel resolved(FamilyModel model) {
  model.position = resolved_position(model);
  for (auto& encoder : model.encoder) encoder.position = resolved_position(encoder);
  return model;
}

Attempt fitting_attempt(const FamilyModel& model, const Family* wanted) {
  std::vector<Attempt> attempts;
  for (const Family* family : families()) {
    if (wanted != nullptr && family != wanted) continue;
    attempts.push_back(attempt(*family, model));
    if (attempts.back().fits()) return std::move(attempts.back());
  }
  throw Error(ErrorKind::kUnsupported, refusal_of(attempts));
}

void write_tensors(const std::map<std::string, at::Tensor>& tensors, const std::filesystem::path& file) {
  std::vector<at::Tensor> held;
  std::vector<SafetensorsEntry> entries;
  for (const auto& [name, tensor] : tensors) {
    held.push_back(tensor.contiguous());
    const auto& t = held.back();
    entries.push_back({name, "F32", t.sizes().vec(), {static_cast<const std::byte*>(t.data_ptr()), t.nbytes()}});
  }
  write_safetensors(file, std::move(entries), {{"format", "pt"}});
}

}  // namespace

const Family& export_family(const FamilyModel& model) { return *fitting_attempt(resolved(model), nullptr).family; }

void export_checkpoint(const Module& weights, const FamilyModel& model, const std::filesystem::path& folder,
                       const Family* family) {
  const FamilyModel whole = resolved(model);
  const Attempt found = fitting_attempt(whole, family);
  write_tensors(exported_tensors(weights, found.family->names(whole)), folder / "model.safetensors");
  write_file(folder / "config.json", found.config.dump(2) + "\n");
}

void export_checkpoint(const Transformer& model, const Tree& position, int64_t train_length,
                       const std::filesystem::path& folder) {
  FamilyModel whole;
  whole.model = model.config();
  whole.position = position;
  whole.train_length = train_length;
  export_checkpoint(model, whole, folder);
}

}  // namespace lw
