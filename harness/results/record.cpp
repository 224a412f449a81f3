#include "harness/results/record.h"

#include <algorithm>
#include <array>

#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/base/text.h"

namespace lw {
namespace {

constexpr std::array kStatuses = {Status::kScored, Status::kTooLong, Status::kNoPosition, Status::kFailed};

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const TargetScore& t) {
  Json j{{"offset", t.offset}, {"distance", or_null(t.distance)}, {"nll", t.nll}, {"correct", or_null(t.correct)}};
  if (t.depth) j["depth"] = *t.depth;
  if (t.early) j["early"] = true;
  return j;
}

Status status_from(const std::string& name, const std::string& place) {
  for (const Status s : kStatuses)
    if (status_name(s) == name) return s;
  throw Error(ErrorKind::kInput,
              place + ": status: found '" + name + "'; allowed: scored, too_long, no_position, failed");
}

/// A key that is always there, but may be null.
template <class T>
std::optional<T> nullable(const Json& j, const char* key, const std::string& place) {
  if (!j.contains(key))
    throw Error(ErrorKind::kInput, text(place, ": ", key, ": found nothing; allowed: a value or null"));
  return json_optional<T>(j, key, place);
}

void refuse_unknown_keys(const Json& j, const std::vector<std::string>& known, const std::string& place) {
  for (const auto& [key, value] : j.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw Error(ErrorKind::kInput, text(place, ": ", printable(key), ": found an unknown key; allowed: ", join(known),
                                          did_you_mean(key, known)));
}

TargetScore target_from(const Json& j, const std::string& place) {
  static const std::vector<std::string> kKeys = {"offset", "distance", "nll", "correct", "depth", "early"};
  if (!j.is_object())
    throw Error(ErrorKind::kInput, place + ": targets: found " + json_shown(j) + "; allowed: objects");
  refuse_unknown_keys(j, kKeys, place + ": targets");
  return {json_get<int64_t>(j, "offset", place),    nullable<int64_t>(j, "distance", place),
          json_get<double>(j, "nll", place),        nullable<bool>(j, "correct", place),
          json_optional<double>(j, "depth", place), json_optional<bool>(j, "early", place).value_or(false)};
}

}  // namespace

std::string_view status_name(Status status) {
  switch (status) {
    case Status::kScored:
      return "scored";
    case Status::kTooLong:
      return "too_long";
    case Status::kNoPosition:
      return "no_position";
    case Status::kFailed:
      return "failed";
  }
  return "";
}

std::string to_json_line(const Record& r) {
  Json j;
  j["id"] = r.id;
  j["suite"] = r.suite;
  j["setting"] = r.setting;
  j["seed"] = r.seed;
  j["length"] = r.length;
  j["prompt_tokens"] = r.prompt_tokens;
  j["answer_budget"] = r.answer_budget;
  j["in_length"] = r.in_length;
  j["distance"] = or_null(r.distance);
  j["depth"] = or_null(r.depth);
  j["needle_offsets"] = r.needle_offsets;
  j["query_offset"] = r.query_offset;
  j["group"] = r.group;
  j["prompt_hash"] = r.prompt_hash;
  if (!r.config.empty()) j["config"] = r.config;
  j["status"] = status_name(r.status);
  if (!r.reason.empty()) j["reason"] = r.reason;
  j["correct"] = or_null(r.correct);
  j["correct_free"] = or_null(r.correct_free);
  j["nll"] = or_null(r.nll);
  j["gold"] = r.gold;
  j["answer"] = r.answer;
  j["baselines"] = Json::object();
  for (const auto& [name, value] : r.baselines) j["baselines"][name] = value;
  j["targets"] = Json::array();
  for (const auto& t : r.targets) j["targets"].push_back(to_json(t));
  return j.dump();
}

Record record_from_json_line(std::string_view line, const std::string& place) {
  const Json j = parse_json(line, place);
  if (!j.is_object()) throw Error(ErrorKind::kInput, place + ": found no object; allowed: one record a line");
  static const std::vector<std::string> kKeys = {
      "id",       "suite",   "setting",        "seed",         "length", "prompt_tokens", "answer_budget", "in_length",
      "distance", "depth",   "needle_offsets", "query_offset", "group",  "prompt_hash",   "config",        "status",
      "reason",   "correct", "correct_free",   "nll",          "gold",   "answer",        "baselines",     "targets"};
  refuse_unknown_keys(j, kKeys, place);
  Record r;
  r.id = json_get<std::string>(j, "id", place);
  r.suite = json_get<std::string>(j, "suite", place);
  r.setting = json_get<std::string>(j, "setting", place);
  r.seed = json_get<int64_t>(j, "seed", place);
  r.length = json_get<int64_t>(j, "length", place);
  r.prompt_tokens = json_get<int64_t>(j, "prompt_tokens", place);
  r.answer_budget = json_get<int64_t>(j, "answer_budget", place);
  r.in_length = json_get<bool>(j, "in_length", place);
  r.distance = nullable<int64_t>(j, "distance", place);
  r.depth = nullable<double>(j, "depth", place);
  r.needle_offsets = json_get<std::vector<int64_t>>(j, "needle_offsets", place);
  r.query_offset = json_get<int64_t>(j, "query_offset", place);
  r.group = json_get<std::string>(j, "group", place);
  r.prompt_hash = json_get<std::string>(j, "prompt_hash", place);
  r.config = json_optional<std::string>(j, "config", place).value_or("");
  r.status = status_from(json_get<std::string>(j, "status", place), place);
  r.reason = json_optional<std::string>(j, "reason", place).value_or("");
  r.correct = nullable<bool>(j, "correct", place);
  r.correct_free = nullable<bool>(j, "correct_free", place);
  r.nll = nullable<double>(j, "nll", place);
  r.gold = json_get<std::string>(j, "gold", place);
  r.answer = json_get<std::string>(j, "answer", place);
  const Json baselines = json_get<Json>(j, "baselines", place);
  for (const auto& [name, value] : baselines.items()) {
    if (!value.is_number()) throw Error(ErrorKind::kInput, place + ": baselines." + name + ": found no number");
    r.baselines.emplace_back(name, value.get<double>());
  }
  for (const auto& t : json_get<Json>(j, "targets", place)) r.targets.push_back(target_from(t, place));
  check_record(r, place);
  return r;
}

std::vector<Record> records_from_text(std::string_view text, const std::string& name) {
  std::vector<Record> records;
  size_t begin = 0;
  for (int line = 1; begin < text.size(); ++line) {
    const size_t end = text.find('\n', begin);
    const std::string place = name + ":" + std::to_string(line);
    if (end == std::string_view::npos)
      throw Error(ErrorKind::kInput, place + ": found a line without its end; the file is cut short");
    records.push_back(record_from_json_line(text.substr(begin, end - begin), place));
    records.back().line = line;
    begin = end + 1;
  }
  return records;
}

std::vector<Record> read_records(const std::string& path) { return records_from_text(read_file(path), path); }

}  // namespace lw
