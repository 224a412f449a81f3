// summary.json: all of it out, and what came from the run in.
#include "harness/results/field_json.h"
#include "reports/summary_fields.h"

namespace lw {
namespace {

/// One line an entry, so that two summaries can be compared with line tools.
template <class T, class Encode>
void put_list(std::string& out, const char* key, const std::vector<T>& items, const Encode& encode) {
  out += ",\n\"" + std::string(key) + "\": [";
  for (size_t i = 0; i < items.size(); ++i) out += (i == 0 ? "\n" : ",\n") + encode(items[i]).dump();
  out += items.empty() ? "]" : "\n]";
}

template <class T>
void put_list(std::string& out, const char* key, const std::vector<T>& items) {
  put_list(out, key, items, fields_to_json<T>);
}

void check_schema(const Json& json, const std::string& place) {
  if (!json.is_object())
    throw Error(ErrorKind::kInput, place + ": " + found_what("no object").allowed("the summary of a run"));
  const auto schema = json_get<int64_t>(json, "schema", place);
  if (schema != Summary::kSchema)
    throw Error(ErrorKind::kInput, place + ": schema: " + found(schema).allowed(Summary::kSchema));
}

void read_manifest(const Json& json, const std::string& place, Manifest& manifest, SummaryOptions& options) {
  check_schema(json, place);
  manifest.name = json_get<std::string>(json, "name", place);
  manifest.command = json_get<std::string>(json, "command", place);
  manifest.config = json_optional<std::string>(json, "config_sha256", place).value_or("");
  manifest.limit = json_optional<int64_t>(json, "limit", place);
  for (const auto& s : json_get<Json>(json, "settings", place))
    manifest.settings.push_back(setting_from_json(s, place));
  for (const auto& s : json_get<Json>(json, "suites", place)) manifest.suites.push_back(suite_from_json(s, place));
  // What was counted in the run stands under `cost`, where readers look for it; it is no statistic.
  FieldReader io(json, place);
  std::vector<Cost> costs;
  io("cost", costs);
  for (auto& cost : costs)
    for (auto& setting : manifest.settings)
      if (setting.id == cost.setting) setting.memory = std::move(cost.memory);
  io("options", options);
}

Claim::Tone tone_named(const std::string& name, const std::string& place) {
  std::vector<std::string> names;
  for (const auto tone : {Claim::Tone::kGood, Claim::Tone::kPrice, Claim::Tone::kBad, Claim::Tone::kNote}) {
    if (tone_name(tone) == name) return tone;
    names.emplace_back(tone_name(tone));
  }
  throw Error(ErrorKind::kInput, place + ": verdict: tone: " + found(name).allowed(join(names)));
}

/// Hands the parsed text to `read`; a value of a type that no key has is an error like the others.
template <class Read>
void read_summary(std::string_view text, const std::string& place, const Read& read) {
  try {
    read(parse_json(text, place));
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kInput, place + ": found a value of another form; allowed: the summary that a run wrote");
  }
}

}  // namespace

std::string summary_json(const Summary& s) {
  std::string out = "{\n\"schema\": " + std::to_string(Summary::kSchema);
  out += ",\n\"name\": " + Json(s.manifest.name).dump();
  out += ",\n\"command\": " + Json(s.manifest.command).dump();
  out += ",\n\"config_sha256\": " + (s.manifest.config.empty() ? Json(nullptr) : Json(s.manifest.config)).dump();
  out += ",\n\"limit\": " + fields_to_json(s.manifest.limit).dump();
  out += ",\n\"options\": " + fields_to_json(s.options).dump();
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

std::pair<Manifest, SummaryOptions> manifest_from_json(std::string_view text, const std::string& place) {
  std::pair<Manifest, SummaryOptions> result;
  read_summary(text, place, [&](const Json& json) { read_manifest(json, place, result.first, result.second); });
  return result;
}

Conclusions conclusions_from_json(std::string_view text, const std::string& place) {
  Conclusions result;
  read_summary(text, place, [&](const Json& json) {
    SummaryOptions ignored;
    read_manifest(json, place, result.manifest, ignored);
    FieldReader io(json, place);
    io("effective_length", result.effective_length);
    for (const auto& claim : json_get<Json>(json, "verdict", place))
      result.verdict.push_back({tone_named(json_get<std::string>(claim, "tone", place), place),
                                json_get<std::string>(claim, "headline", place),
                                json_get<std::string>(claim, "text", place)});
  });
  return result;
}

}  // namespace lw
