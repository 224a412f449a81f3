#include "harness/results/cache_entry.h"

#include <fstream>
#include <system_error>

#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/base/text.h"
#include "harness/base/version.h"
#include "harness/results/sealed.h"

namespace lw {
namespace {

namespace fs = std::filesystem;

/// Raise when the files change, so that entries of other versions are made again.
constexpr int kFormat = 1;

constexpr std::string_view kDamaged = ".damaged";

[[noreturn]] void damaged(const std::string& reason) { throw Error(ErrorKind::kInput, reason); }

Json label_json(const CacheLabel& label) {
  return Json{
      {"format", kFormat}, {"key", label.key}, {"what", label.what}, {"lengthwise", version()}, {"build", build_id()}};
}

/// A file that is missing, or a folder or a pipe in its place, is damage.
void require_entry_file(const fs::path& file) {
  try {
    require_plain_file(file);
  } catch (const FileError& e) {
    if (e.is_of_system()) throw;
    damaged(file.filename().string() + " " + e.reason());
  }
}

std::string bytes_of(const fs::path& file) {
  require_entry_file(file);
  return read_file(file);
}

std::string text_of(const fs::path& file) {
  const auto text = unsealed(bytes_of(file));
  if (!text) damaged("the checksum of " + file.filename().string() + " does not fit");
  return *text;
}

CacheLabel label_from(const Json& json, const std::string& key) {
  const auto format = json_get<int64_t>(json, "format", "label");
  if (format != kFormat) damaged("format: " + found(format).allowed(kFormat));
  CacheLabel label{json_get<std::string>(json, "key", "label"), json_get<std::string>(json, "what", "label")};
  if (label.key != key) damaged("it is the entry of another key, " + label.key);
  return label;
}

/// One hash of which probes they are.
std::string hash_of_probes(const std::vector<Record>& records) {
  std::string all;
  for (const auto& r : records) all += r.id + ' ' + r.prompt_hash + '\n';
  return sha256(all);
}

std::string what_of(const std::string& text) {
  try {
    return json_get<std::string>(parse_json(text, "label"), "what", "label");
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

void write_weights_entry(const fs::path& folder, const CachedWeights& weights, std::string_view tensors) {
  Json json = label_json(weights.label);
  Json loss = Json::array();
  for (const auto& p : weights.loss) loss.push_back(Json::array({p.step, p.loss}));
  json["description"] = weights.description;
  json["vocabulary"] = weights.vocabulary;
  json["parameters"] = weights.parameters;
  json["loss"] = loss;
  json["tensors_sha256"] = sha256(tensors);
  write_file(folder / kWeightsLabel, sealed(json.dump(2) + "\n"));
  write_file(folder / kWeightsFile, tensors);
}

void write_unit_entry(const fs::path& file, const CachedUnit& unit) {
  Json label = label_json(unit.label);
  label["probes"] = unit.records.size();
  label["probes_sha256"] = hash_of_probes(unit.records);
  std::string text = label.dump() + "\n";
  for (const auto& r : unit.records) text += to_json_line(r) + "\n";
  write_file(file, sealed(text));
}

CachedWeights read_weights_entry(const fs::path& folder) {
  const fs::path label = folder / kWeightsLabel, tensors = folder / kWeightsFile;
  const Json json = parse_json(text_of(label), "label");
  CachedWeights out;
  out.label = label_from(json, folder.filename().string());
  out.description = json_get<std::string>(json, "description", "label");
  out.vocabulary = json_get<int64_t>(json, "vocabulary", "label");
  out.parameters = json_get<int64_t>(json, "parameters", "label");
  for (const auto& p : json_get<Json>(json, "loss", "label"))
    out.loss.push_back({p.at(0).get<int64_t>(), p.at(1).get<double>()});
  require_entry_file(tensors);
  if (sha256_of_file(tensors) != json_get<std::string>(json, "tensors_sha256", "label"))
    damaged("the checksum of " + std::string(kWeightsFile) + " does not fit");
  return out;
}

CachedUnit read_unit_entry(const fs::path& file) {
  const std::string text = text_of(file);
  const size_t end = text.find('\n');
  if (end == std::string::npos) damaged("its label has no end");
  const Json json = parse_json(std::string_view(text).substr(0, end), "label");
  CachedUnit out;
  out.label = label_from(json, file.stem().string());
  out.records = records_from_text(std::string_view(text).substr(end + 1), "records");
  if (std::ssize(out.records) != json_get<int64_t>(json, "probes", "label") ||
      hash_of_probes(out.records) != json_get<std::string>(json, "probes_sha256", "label"))
    damaged("its probes are not those of its label");
  return out;
}

std::string what_of_weights(const fs::path& folder) {
  try {
    return what_of(bytes_of(folder / kWeightsLabel));
  } catch (const Error&) {
    return "";
  }
}

std::string what_of_unit(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return "";
  std::ifstream in(file, std::ios::binary);
  std::string line;
  return std::getline(in, line) ? what_of(line) : "";
}

fs::path set_aside(const fs::path& entry) {
  std::error_code error;
  for (int i = 1; i < 1000; ++i) {
    fs::path aside = entry;
    aside += std::string(kDamaged) + (i == 1 ? "" : "-" + std::to_string(i));
    if (fs::exists(aside, error)) continue;
    fs::rename(entry, aside, error);
    return error ? fs::path() : aside;
  }
  return {};
}

bool is_set_aside(std::string_view name) {
  const size_t at = name.rfind(kDamaged);
  if (at == std::string_view::npos || at == 0) return false;
  const std::string_view rest = name.substr(at + kDamaged.size());
  return rest.empty() || rest.front() == '-';
}

}  // namespace lw
