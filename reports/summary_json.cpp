// summary.json out and in.
#include <concepts>
#include <initializer_list>

#include "reports/summary_fields.h"

namespace lw {
namespace {

template <class T>
Json object_of(const T& value) {
  Json json = Json::object();
  FieldWriter io{json};
  fields(io, value);
  return json;
}

/// One line an entry, so that two summaries can be compared with line tools.
template <class T, class Encode>
void put_list(std::string& out, const char* key, const std::vector<T>& items, const Encode& encode) {
  out += ",\n\"" + std::string(key) + "\": [";
  for (size_t i = 0; i < items.size(); ++i) out += (i == 0 ? "\n" : ",\n") + encode(items[i]).dump();
  out += items.empty() ? "]" : "\n]";
}

template <class T>
void put_list(std::string& out, const char* key, const std::vector<T>& items) {
  put_list(out, key, items, object_of<T>);
}

template <class T>
void get_list(const Json& json, const char* key, const std::string& place, std::vector<T>& items) {
  const Json list = json_get<Json>(json, key, place);
  if (!list.is_array()) throw Error(ErrorKind::kInput, place + ": " + key + ": found no list");
  for (const auto& entry : list) {
    FieldReader io{entry, place};
    fields(io, items.emplace_back());
  }
}

void check_schema(const Json& json, const std::string& place) {
  if (!json.is_object()) throw Error(ErrorKind::kInput, place + ": found no object; allowed: the summary of a run");
  const auto schema = json_get<int64_t>(json, "schema", place);
  if (schema != Summary::kSchema)
    throw Error(ErrorKind::kInput,
                place + ": schema: found " + std::to_string(schema) + "; allowed: " + std::to_string(Summary::kSchema));
}

void read_manifest(const Json& json, const std::string& place, Manifest& manifest, SummaryOptions& options) {
  check_schema(json, place);
  manifest.name = json_get<std::string>(json, "name", place);
  manifest.command = json_get<std::string>(json, "command", place);
  for (const auto& s : json_get<Json>(json, "settings", place)) manifest.settings.push_back(setting_from_json(s));
  for (const auto& s : json_get<Json>(json, "suites", place)) manifest.suites.push_back(suite_from_json(s));
  // What was counted in the run stands under `cost`, where readers look for it; it is no statistic.
  std::vector<Cost> costs;
  get_list(json, "cost", place, costs);
  for (auto& cost : costs)
    for (auto& setting : manifest.settings)
      if (setting.id == cost.setting) setting.memory = std::move(cost.memory);
  const Json read = json_get<Json>(json, "options", place);
  FieldReader io{read, place};
  fields(io, options);
}

}  // namespace

Json FieldWriter::encode(const std::vector<SeedValue>& seeds) {
  Json list = Json::array();
  for (const auto& seed : seeds) list.push_back(object_of(seed));
  return list;
}

Json FieldWriter::encode(const std::vector<AttentionMemory>& lengths) {
  Json list = Json::array();
  for (const auto& at : lengths) list.push_back(object_of(at));
  return list;
}

Json FieldWriter::encode(const std::vector<std::pair<int64_t, std::optional<int64_t>>>& by_seed) {
  Json list = Json::array();
  for (const auto& [seed, point] : by_seed) list.push_back(Json{{"seed", seed}, {"point", encode(point)}});
  return list;
}

void FieldReader::decode(const char* key, const Json& from, std::vector<SeedValue>& seeds) {
  if (!from.is_array()) throw Error(ErrorKind::kInput, place + ": " + key + ": found no list");
  for (const auto& entry : from) {
    FieldReader io{entry, place};
    fields(io, seeds.emplace_back());
  }
}

void FieldReader::decode(const char* key, const Json& from, std::vector<AttentionMemory>& lengths) {
  if (!from.is_array()) throw Error(ErrorKind::kInput, place + ": " + key + ": found no list");
  for (const auto& entry : from) {
    FieldReader io{entry, place};
    fields(io, lengths.emplace_back());
  }
}

void FieldReader::decode(const char* key, const Json& from,
                         std::vector<std::pair<int64_t, std::optional<int64_t>>>& by_seed) {
  if (!from.is_array()) throw Error(ErrorKind::kInput, place + ": " + key + ": found no list");
  for (const auto& entry : from)
    by_seed.emplace_back(json_get<int64_t>(entry, "seed", place), json_optional<int64_t>(entry, "point", place));
}

std::string summary_json(const Summary& s) {
  std::string out = "{\n\"schema\": " + std::to_string(Summary::kSchema);
  out += ",\n\"name\": " + Json(s.manifest.name).dump();
  out += ",\n\"command\": " + Json(s.manifest.command).dump();
  out += ",\n\"options\": " + object_of(s.options).dump();
  const auto encode = [](const auto& entry) { return to_json(entry); };
  put_list(out, "settings", s.manifest.settings, encode);
  put_list(out, "suites", s.manifest.suites, encode);
  put_list(out, "verdict", s.verdict);
  put_list(out, "protocol", s.protocol);
  put_list(out, "effective_length", s.effective_length);
  put_list(out, "comparisons", s.comparisons);
  put_list(out, "curves", s.curves);
  put_list(out, "pooled", s.pooled);
  put_list(out, "cells", s.cells);
  put_list(out, "cost", s.cost);
  return out + "\n}\n";
}

Summary summary_from_json(std::string_view text, const std::string& place) {
  const Json json = parse_json(text, place);
  Summary s;
  read_manifest(json, place, s.manifest, s.options);
  get_list(json, "verdict", place, s.verdict);
  get_list(json, "protocol", place, s.protocol);
  get_list(json, "effective_length", place, s.effective_length);
  get_list(json, "comparisons", place, s.comparisons);
  get_list(json, "curves", place, s.curves);
  get_list(json, "pooled", place, s.pooled);
  get_list(json, "cells", place, s.cells);
  get_list(json, "cost", place, s.cost);
  return s;
}

std::pair<Manifest, SummaryOptions> manifest_from_json(std::string_view text, const std::string& place) {
  std::pair<Manifest, SummaryOptions> result;
  read_manifest(parse_json(text, place), place, result.first, result.second);
  return result;
}

}  // namespace lw
