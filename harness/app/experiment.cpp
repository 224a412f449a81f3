#include "harness/app/experiment.h"

#include <algorithm>
#include <optional>
#include <set>

#include "encodings/position_encoding.h"
#include "encodings/position_sampler.h"
#include "encodings/registry.h"
#include "harness/app/sweep.h"
#include "harness/app/trained_position.h"
#include "harness/base/config.h"
#include "reports/registry.h"

namespace lw {
namespace {

std::string text_of(const Tree& map, std::string_view key) {
  const Tree* value = map.find(key);
  return value == nullptr ? "" : value->text;
}

std::vector<Choice> suite_choices() {
  std::vector<Choice> out;
  for (const auto* s : suites()) out.push_back({std::string(s->name), std::string(s->summary)});
  return out;
}

std::vector<int64_t> default_lengths(int64_t train_length) {
  std::vector<int64_t> out;
  for (const int64_t half : {1, 2, 4, 8, 16}) out.push_back(std::max<int64_t>(1, train_length * half / 2));
  return out;
}

struct EvalDefaults {
  std::vector<int64_t> lengths;
  bool lengths_chosen = false;  // by the user; else a suite leaves out those too short for it
  int64_t probes = 0;
  std::vector<std::string> only;
};

/// Where a suite's value came from, for errors.
std::string origin(const ConfigNode& node, const std::string& key) {
  return node.has(key) ? "" : " (from eval." + key + ")";
}

void check_lengths(const ConfigNode& node, const SuitePlan& plan, const Variant& variant) {
  if (node.is_describing()) return;
  for (const int64_t length : plan.lengths) {
    node.require(length >= plan.suite->min_length(), "lengths",
                 "found " + std::to_string(length) + origin(node, "lengths") +
                     "; allowed: " + std::to_string(plan.suite->min_length()) + " or more for this suite");
    try {
      plan.suite->check_length(length);
    } catch (const Error& e) {  // "OPTION: what was found; what is allowed"
      const std::string what = e.what();
      const size_t colon = what.find(": ");
      node.fail(what.substr(0, colon), what.substr(colon + 2));
    }
  }
  node.require(variant.train.max_length >= plan.suite->min_length(), "",
               "found a training length of " + std::to_string(variant.train.max_length) + "; allowed: " +
                   std::to_string(plan.suite->min_length()) + " or more for this suite (train.length.max)");
  node.require(
      variant.model.causal() || !plan.suite->causal_only(), "kind",
      "found '" + plan.kind + "' for an encoder; allowed: a decoder (model.kind), since it judges every next token");
}

[[noreturn]] void fail_without_kind(const std::string& name, const ConfigNode& node,
                                    const std::vector<Choice>& choices) {
  std::vector<std::string> names;
  for (const auto& c : choices) names.push_back(c.name);
  node.fail("kind",
            "found nothing, and '" + name + "' is no suite; allowed: " + join(names) + did_you_mean(name, names));
}

SuitePlan read_suite(const std::string& name, ConfigNode& node, const Variant& variant, const EvalDefaults& defaults,
                     bool wanted) {
  SuitePlan plan;
  plan.name = name;
  const auto choices = suite_choices();
  const bool named = std::any_of(choices.begin(), choices.end(), [&](const Choice& c) { return c.name == name; });
  node.require(!name.empty() && name.find('/') == std::string::npos, "",
               "found the name '" + name + "'; allowed: a word without '/'");
  if (!named && !node.has("kind")) fail_without_kind(name, node, choices);
  node.variant("kind", choices, named ? name : "", "which suite; may be left out when the name says it", [&](size_t i) {
    plan.kind = choices[i].name;
    plan.summary = choices[i].summary;
    plan.covers.assign(suites()[i]->covers.begin(), suites()[i]->covers.end());
    plan.suite = suites()[i]->make(node);
  });
  plan.identity = to_yaml(node.resolved());  // before lengths and probes: they choose probes, not shape them
  std::vector<int64_t> lengths = defaults.lengths;
  if (!defaults.lengths_chosen)
    lengths.erase(
        std::remove_if(lengths.begin(), lengths.end(), [&](int64_t l) { return l < plan.suite->min_length(); }),
        lengths.end());
  plan.lengths = node.integers("lengths", lengths, {2, 1 << 24}, "tokens in a probe, answer included");
  plan.probes = node.integer("probes", defaults.probes, {1, 1 << 24}, "probes at each length");
  node.require(!plan.lengths.empty(), "lengths", "found an empty list; allowed: at least one length");
  std::sort(plan.lengths.begin(), plan.lengths.end());
  plan.lengths.erase(std::unique(plan.lengths.begin(), plan.lengths.end()), plan.lengths.end());
  if (plan.suite->pairs())
    node.require(plan.probes % 2 == 0, "probes",
                 "found " + std::to_string(plan.probes) + origin(node, "probes") +
                     "; allowed: an even number, since probes come in pairs");
  if (wanted) check_lengths(node, plan, variant);
  return plan;
}

EvalDefaults read_eval(ConfigNode& node, Variant& variant) {
  EvalDefaults d;
  d.lengths = node.integers("lengths", default_lengths(variant.train.max_length), {2, 1 << 24},
                            "tokens in a probe, for every suite that does not say otherwise");
  node.require(!d.lengths.empty(), "lengths", "found an empty list; allowed: at least one length");
  d.lengths_chosen = node.has("lengths") && !node.is_describing();
  d.probes =
      node.integer("probes", 128, {1, 1 << 24}, "probes at each length, for every suite that does not say otherwise");
  d.only = node.words("suites", {}, "names of the suites for this variant; all when absent");
  variant.eval.seed = node.integer("seed", 0, {0, 1LL << 53}, "of the probes; every setting gets the same");
  variant.eval.dtype = node.choice("dtype", {{"float32", ""}, {"float64", "slower, exact to 1e-12"}}, "float32",
                                   "precision of the forward pass in evaluation");
  return d;
}

void read_suites(ConfigNode& root, ConfigNode& eval, Variant& variant, const EvalDefaults& defaults) {
  std::vector<std::string> names;
  for (auto& [name, node] : root.named_maps("suites", "what is asked, each under a name of yours")) {
    names.push_back(name);
    const bool wanted =
        defaults.only.empty() || std::find(defaults.only.begin(), defaults.only.end(), name) != defaults.only.end();
    SuitePlan plan = read_suite(name, node, variant, defaults, wanted);  // keys are checked either way
    if (wanted) variant.suites.push_back(std::move(plan));
  }
  root.require(
      !names.empty(), "suites", "found none; allowed: one or more of " + [] {
        std::vector<std::string> all;
        for (const auto& c : suite_choices()) all.push_back(c.name);
        return join(all);
      }());
  for (const auto& word : defaults.only)
    eval.require(std::find(names.begin(), names.end(), word) != names.end(), "suites",
                 "found '" + word + "'; allowed: names under suites: " + join(names) + did_you_mean(word, names));
}

struct Shared {
  std::string name;
  std::vector<int64_t> seeds;
  double bar = 0, margin = 0;
  std::vector<std::string> formats;
};

Shared read_shared(ConfigNode& root) {
  Shared s;
  const auto extends = root.str("extends", "", "another config, relative to this file, that this one changes");
  root.require(extends.empty(), "extends",
               "found '" + extends + "' in a part of a config; allowed: at the top of a file");
  s.name = root.str("name", "run", "names the run and its folder");
  root.require(!s.name.empty() && s.name.find('/') == std::string::npos && s.name != "." && s.name != "..", "name",
               "found '" + s.name + "'; allowed: a word without '/'");
  s.seeds = root.integers("seeds", {0}, {0, 1LL << 53}, "training seeds; each gives its own weights");
  root.require(!s.seeds.empty(), "seeds", "found an empty list; allowed: at least one seed");
  root.require(std::set<int64_t>(s.seeds.begin(), s.seeds.end()).size() == s.seeds.size(), "seeds",
               "found a seed twice; each may stand once");
  return s;
}

void read_reports(ConfigNode& root, Shared& s) {
  auto protocol = root.map("protocol", "rules of the verdict");
  s.bar = protocol.number("bar", 0.85, {0, 1}, "accuracy that still counts as working, for effective lengths");
  s.margin = protocol.number("margin", 0.05, {0, 1}, "a loss smaller than this counts as none");
  auto report = root.map("report", "what is written");
  const auto all = report_format_names();
  s.formats =
      report.words("formats", all, "formats of the report; json is always written, since reports are made from it");
  for (const auto& word : s.formats)
    report.require(std::find(all.begin(), all.end(), word) != all.end(), "formats",
                   "found '" + word + "'; allowed: " + join(all) + did_you_mean(word, all));
  if (std::find(s.formats.begin(), s.formats.end(), "json") == s.formats.end()) s.formats.push_back("json");
}

/// A run has one name, one list of seeds and one kind of report, whatever its variants are.
void require_shared(const ConfigNode& root, const Shared& first, const Shared& s) {
  const auto same = [&](bool equal, const char* key) {
    root.require(equal, key, "found a value of one variant's own; allowed: one for the whole run");
  };
  same(s.name == first.name, "name");
  same(s.seeds == first.seeds, "seeds");
  same(s.bar == first.bar && s.margin == first.margin, "protocol");
  same(s.formats == first.formats, "report");
}

/// Positions are defined as far as training needs them, and as far as they are drawn.
void check_reach(ConfigNode& position, const Variant& v, const PositionEncoding& encoding,
                 const PositionSampler* sampler) {
  if (position.is_describing()) return;
  // What is put on after training may reach further than what is trained.
  const auto trained = build_encoding(position.resolved(), v.shape(), v.train.with_scaling)->max_positions();
  position.require(!trained || *trained >= v.train.max_length, "positions",
                   "found " + std::to_string(trained.value_or(0)) + "; allowed: the training length or more (" +
                       std::to_string(v.train.max_length) + ")");
  if (sampler == nullptr) return;
  const ConfigNode randomized = position.map("randomized", "");
  const std::string found = "found " + std::to_string(sampler->max_position());
  randomized.require(sampler->max_position() >= v.train.max_length, "max_position",
                     found + "; allowed: the training length or more (" + std::to_string(v.train.max_length) + ")");
  for (const auto& bound : {trained, encoding.max_positions()})
    randomized.require(
        !bound || sampler->max_position() <= *bound, "max_position",
        found + "; allowed: up to " + std::to_string(bound.value_or(0)) + ", the positions that the scheme has");
}

/// Reads one variant whole. The one place that says what a config may hold.
Variant read_variant(ConfigNode& root, Shared& shared) {
  Variant v;
  shared = read_shared(root);
  auto model = root.map("model", "the transformer that is trained here");
  v.model = read_model_config(model);
  auto train = root.map("train", "how it is trained");
  v.train = read_train_config(train);
  auto position = root.map("position", "how tokens get their positions");
  const auto encoding = make_encoding(position, v.shape());
  check_reach(position, v, *encoding, PositionSampler::read(position).get());
  auto eval = root.map("eval", "how it is judged");
  const EvalDefaults defaults = read_eval(eval, v);
  read_suites(root, eval, v, defaults);
  SchemaNode sweep;
  sweep.type = SchemaNode::Type::kSweep;
  const Tree inner = root.take("sweep", "named overrides, and axes that multiply them", sweep);
  root.require(inner.kind == Tree::Kind::kNull, "sweep",
               "found a sweep inside a sweep; allowed: one, at the top of the config");
  read_reports(root, shared);
  v.model_tree = model.resolved();
  v.train_tree = train.resolved();
  v.position = position.resolved();
  return v;
}

}  // namespace

std::string Variant::scheme() const { return text_of(position, "scheme"); }

std::string Variant::scaling() const {
  const auto words = put_on_after_training(position);
  return words.empty() ? "none" : join(words);
}

Experiment read_experiment(const Tree& config) {
  Experiment e;
  std::vector<std::pair<std::string, Tree>> resolved;
  std::optional<Shared> first;
  for (const auto& [name, tree] : expand_sweep(config)) {
    ConfigNode root(tree);
    Shared shared;
    Variant v = read_variant(root, shared);
    root.finish();
    if (!first) first = shared;
    require_shared(root, *first, shared);
    const std::string plain = v.scheme() + (v.scaled() ? " " + v.scaling() : "");
    v.name = name.empty() ? plain : name;
    e.name = shared.name;
    e.seeds = shared.seeds;
    e.bar = shared.bar;
    e.margin = shared.margin;
    e.formats = shared.formats;
    resolved.emplace_back(v.name, root.resolved());
    e.variants.push_back(std::move(v));
  }
  e.resolved = fold_sweep(resolved);
  return e;
}

std::string config_schema() {
  ConfigNode root = ConfigNode::describing();
  Shared shared;
  read_variant(root, shared);
  return json_schema(root.schema(), "Lengthwise config");
}

std::shared_ptr<PositionEncoding> build_encoding(const Tree& position, const ModelShape& shape, bool with_scaling) {
  return build_whole_encoding(with_scaling ? position : trained_position(position, shape), shape);
}

std::shared_ptr<const PositionSampler> build_sampler(const Tree& position) {
  ConfigNode node(position);
  return PositionSampler::read(node);
}

}  // namespace lw
