#include "harness/results/manifest.h"

#include <algorithm>

#include "harness/base/json_read.h"

namespace lw {
namespace {

const std::string kPlace = "summary.json";

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

Training training_from(const Json& j) {
  Training t;
  t.suites = json_get<std::vector<std::string>>(j, "suites", kPlace);
  t.shortest = json_get<std::vector<int64_t>>(j, "shortest", kPlace);
  t.weights = json_get<std::string>(j, "weights", kPlace);
  t.parameters = json_get<int64_t>(j, "parameters", kPlace);
  t.steps = json_get<int64_t>(j, "steps", kPlace);
  for (const auto& g : json_get<Json>(j, "gates", kPlace))
    t.gates.push_back({json_get<std::string>(g, "suite", kPlace), json_get<std::string>(g, "metric", kPlace),
                       json_get<double>(g, "value", kPlace), json_get<double>(g, "bar", kPlace),
                       json_get<bool>(g, "passed", kPlace), json_get<int64_t>(g, "n", kPlace)});
  for (const auto& p : json_get<Json>(j, "loss", kPlace))
    t.loss.push_back({p.at(0).get<int64_t>(), p.at(1).get<double>()});
  return t;
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

Json to_json(const SettingInfo& s) {
  Json trainings = Json::array(), checks = Json::array();
  for (const auto& t : s.trainings) trainings.push_back(to_json(t));
  for (const auto& c : s.checks)
    checks.push_back(
        Json{{"name", c.name}, {"text", c.text}, {"value", c.value}, {"bar", c.bar}, {"holds", c.holds()}});
  return Json{{"id", s.id},
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
              {"card", s.card.empty() ? Json(nullptr) : parse_json(s.card, kPlace)},
              {"checkpoint", s.checkpoint.empty() ? Json(nullptr) : parse_json(s.checkpoint, kPlace)}};
}

SettingInfo setting_from_json(const Json& j) {
  SettingInfo s;
  s.id = json_get<std::string>(j, "id", kPlace);
  s.variant = json_get<std::string>(j, "variant", kPlace);
  s.seed = json_get<int64_t>(j, "seed", kPlace);
  s.model = json_get<std::string>(j, "model", kPlace);
  s.scheme = json_get<std::string>(j, "scheme", kPlace);
  s.scaling = json_get<std::string>(j, "scaling", kPlace);
  s.scaled = json_get<bool>(j, "scaled", kPlace);
  s.train_length = json_get<int64_t>(j, "train_length", kPlace);
  for (const auto& t : json_get<Json>(j, "trainings", kPlace)) s.trainings.push_back(training_from(t));
  for (const auto& c : json_get<Json>(j, "checks", kPlace))
    s.checks.push_back({json_get<std::string>(c, "name", kPlace), json_get<std::string>(c, "text", kPlace),
                        json_get<double>(c, "value", kPlace), json_get<double>(c, "bar", kPlace)});
  s.position_yaml = json_get<std::string>(j, "position", kPlace);
  const Json card = json_get<Json>(j, "card", kPlace);
  s.card = card.is_null() ? "" : card.dump();
  if (const auto loaded = json_optional<Json>(j, "checkpoint", kPlace); loaded && !loaded->is_null())
    s.checkpoint = loaded->dump();
  return s;
}

Json to_json(const SuiteMeta& s) {
  return Json{{"name", s.name},       {"kind", s.kind},
              {"summary", s.summary}, {"chance", s.chance ? Json(*s.chance) : Json(nullptr)},
              {"pairs", s.pairs},     {"lengths", s.lengths},
              {"covers", s.covers}};
}

SuiteMeta suite_from_json(const Json& j) {
  return {json_get<std::string>(j, "name", kPlace),
          json_get<std::string>(j, "kind", kPlace),
          json_get<std::string>(j, "summary", kPlace),
          json_optional<double>(j, "chance", kPlace),
          json_get<bool>(j, "pairs", kPlace),
          json_get<std::vector<int64_t>>(j, "lengths", kPlace),
          json_optional<std::vector<std::string>>(j, "covers", kPlace).value_or(std::vector<std::string>())};
}

}  // namespace lw
