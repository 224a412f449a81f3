#include "harness/results/manifest.h"

#include <algorithm>
#include <set>

#include "harness/base/json_read.h"
#include "harness/base/text.h"

namespace lw {
namespace {

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Json to_json(const Training& t) {
  Json gates = Json::array(), loss = Json::array();
  for (const auto& g : t.gates)
    gates.push_back(Json{{"suite", g.suite},
                         {"metric", g.metric},
                         {"value", g.value},
                         {"bar", g.bar},
                         {"passed", g.passed},
                         {"n", g.n}});
  for (const auto& p : t.loss) loss.push_back(Json::array({p.step, p.loss}));
  return Json{{"suites", t.suites}, {"shortest", t.shortest}, {"weights", t.weights}, {"parameters", t.parameters},
              {"steps", t.steps},   {"gates", gates},         {"loss", loss}};
}

Training training_from(const Json& j, const std::string& place) {
  Training t;
  t.suites = json_get<std::vector<std::string>>(j, "suites", place);
  t.shortest = json_get<std::vector<int64_t>>(j, "shortest", place);
  t.weights = json_get<std::string>(j, "weights", place);
  t.parameters = json_get<int64_t>(j, "parameters", place);
  t.steps = json_get<int64_t>(j, "steps", place);
  for (const auto& g : json_get<Json>(j, "gates", place))
    t.gates.push_back({json_get<std::string>(g, "suite", place), json_get<std::string>(g, "metric", place),
                       json_get<double>(g, "value", place), json_get<double>(g, "bar", place),
                       json_get<bool>(g, "passed", place), json_get<int64_t>(g, "n", place)});
  for (const auto& p : json_get<Json>(j, "loss", place))
    t.loss.push_back({p.at(0).get<int64_t>(), p.at(1).get<double>()});
  return t;
}

const SuiteMeta* suite_named(const std::vector<SuiteMeta>& suites, const std::string& name) {
  const auto found = std::find_if(suites.begin(), suites.end(), [&](const auto& s) { return s.name == name; });
  return found == suites.end() ? nullptr : &*found;
}

/// Keeps of `all` what the variants before and this one have in common.
void merge(const SuiteMeta& own, SuiteMeta& all) {
  if (own.chance != all.chance) all.chance.reset();
  if (own.probes != all.probes) all.probes = 0;
  if (own.kind != all.kind) all.kind += " or " + own.kind;
  if (own.summary != all.summary) all.summary += "; or " + own.summary;
  all.pairs = all.pairs || own.pairs;
  std::set<int64_t> lengths(all.lengths.begin(), all.lengths.end());
  lengths.insert(own.lengths.begin(), own.lengths.end());
  all.lengths.assign(lengths.begin(), lengths.end());
  for (const auto& word : own.covers)
    if (!has(all.covers, word)) all.covers.push_back(word);
}

}  // namespace

bool SettingInfo::learned(const std::string& suite) const {
  for (const auto& t : trainings)
    for (const auto& g : t.gates)
      if (g.suite == suite && !g.passed) return false;
  return true;
}

bool SettingInfo::learned() const {
  return std::all_of(trainings.begin(), trainings.end(), [](const Training& t) {
    return std::all_of(t.gates.begin(), t.gates.end(), [](const Gate& g) { return g.passed; });
  });
}

std::string SettingInfo::weights_for(const std::string& suite) const {
  for (const auto& t : trainings)
    if (has(t.suites, suite)) return t.weights;
  return trainings.empty() ? "" : trainings.front().weights;
}

const SuiteMeta* asked_suite(const Manifest& manifest, const SettingInfo& setting, const std::string& suite) {
  return suite_named(setting.suites.empty() ? manifest.suites : setting.suites, suite);
}

void share_suites(Manifest& manifest) {
  manifest.suites.clear();
  for (const auto& setting : manifest.settings)
    for (const auto& own : setting.suites) {
      const SuiteMeta* known = suite_named(manifest.suites, own.name);
      if (known == nullptr)
        manifest.suites.push_back(own);
      else
        merge(own, manifest.suites[size_t(known - manifest.suites.data())]);
    }
  for (auto& setting : manifest.settings)
    if (setting.suites == manifest.suites) setting.suites.clear();
}

Json to_json(const SettingInfo& s) {
  Json trainings = Json::array(), checks = Json::array();
  for (const auto& t : s.trainings) trainings.push_back(to_json(t));
  for (const auto& c : s.checks)
    checks.push_back(
        Json{{"name", c.name}, {"text", c.text}, {"value", c.value}, {"bar", c.bar}, {"holds", c.holds()}});
  Json json{{"id", s.id},
            {"variant", s.variant},
            {"seed", s.seed},
            {"model", s.model},
            {"scheme", s.scheme},
            {"scaling", s.scaling},
            {"scaled", s.scaled},
            {"train_length", s.train_length},
            {"learned", s.learned()},
            {"trainings", trainings},
            {"checks", checks},
            {"position", s.position_yaml},
            {"card", s.card ? to_json(*s.card) : Json(nullptr)},
            {"checkpoint", s.checkpoint ? to_json(*s.checkpoint) : Json(nullptr)}};
  if (!s.suites.empty()) {
    Json& suites = json["suites"] = Json::array();
    for (const auto& suite : s.suites) suites.push_back(to_json(suite));
  }
  return json;
}

SettingInfo setting_from_json(const Json& j, const std::string& place) {
  SettingInfo s;
  s.id = json_get<std::string>(j, "id", place);
  s.variant = json_get<std::string>(j, "variant", place);
  s.seed = json_get<int64_t>(j, "seed", place);
  s.model = json_get<std::string>(j, "model", place);
  s.scheme = json_get<std::string>(j, "scheme", place);
  s.scaling = json_get<std::string>(j, "scaling", place);
  s.scaled = json_get<bool>(j, "scaled", place);
  s.train_length = json_get<int64_t>(j, "train_length", place);
  for (const auto& t : json_get<Json>(j, "trainings", place)) s.trainings.push_back(training_from(t, place));
  for (const auto& c : json_get<Json>(j, "checks", place))
    s.checks.push_back({json_get<std::string>(c, "name", place), json_get<std::string>(c, "text", place),
                        json_get<double>(c, "value", place), json_get<double>(c, "bar", place)});
  s.position_yaml = json_get<std::string>(j, "position", place);
  if (const auto card = json_optional<Json>(j, "card", place))
    s.card = position_card_from_json(*card, place + ": card of " + s.id);
  if (const auto loaded = json_optional<Json>(j, "checkpoint", place))
    s.checkpoint = checkpoint_info_from_json(*loaded, place + ": checkpoint of " + s.id);
  if (const auto suites = json_optional<Json>(j, "suites", place))
    for (const auto& suite : *suites) s.suites.push_back(suite_from_json(suite, place + ": suites of " + s.id));
  return s;
}

Json to_json(const SuiteMeta& s) {
  return Json{{"name", s.name},       {"kind", s.kind},
              {"summary", s.summary}, {"chance", s.chance ? Json(*s.chance) : Json(nullptr)},
              {"pairs", s.pairs},     {"lengths", s.lengths},
              {"probes", s.probes},   {"covers", s.covers}};
}

SuiteMeta suite_from_json(const Json& j, const std::string& place) {
  SuiteMeta suite{json_get<std::string>(j, "name", place),
                  json_get<std::string>(j, "kind", place),
                  json_get<std::string>(j, "summary", place),
                  json_optional<double>(j, "chance", place),
                  json_get<bool>(j, "pairs", place),
                  json_get<std::vector<int64_t>>(j, "lengths", place),
                  json_optional<std::vector<std::string>>(j, "covers", place).value_or(std::vector<std::string>()),
                  json_get<int64_t>(j, "probes", place)};
  const auto refuse = [&](const char* key, const std::string& what) {
    throw Error(ErrorKind::kInput, text(place, ": ", key, ": ", what));
  };
  if (suite.chance && !(*suite.chance > 0 && *suite.chance <= 1))
    refuse("chance", found(*suite.chance, " of suite ", suite.name).allowed("above 0, up to 1"));
  for (const int64_t length : suite.lengths)
    if (length < 1) refuse("lengths", found(length, " of suite ", suite.name).allowed("at least 1"));
  if (suite.probes < 0) refuse("probes", found(suite.probes, " of suite ", suite.name).allowed("at least 0"));
  return suite;
}

}  // namespace lw
