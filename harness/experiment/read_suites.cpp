#include "harness/experiment/read_suites.h"

#include <algorithm>

#include "harness/base/name.h"
#include "harness/base/problem.h"
#include "harness/base/registry.h"
#include "harness/base/text.h"

namespace lw {
namespace {

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

/// Gives an option's error its place.
template <class Check>
void at_option(const ConfigNode& node, const Check& check) {
  try {
    check();
  } catch (const OptionError& e) {
    node.fail(e.option(), e.found_and_allowed());
  }
}

/// Which lengths fit may depend on the tokenizer: checked for the suite, and again when it is bound.
template <class S>
void check_each_length(const ConfigNode& node, const SuitePlan& plan, const S& suite) {
  for (const int64_t length : plan.lengths) {
    node.require(length >= suite.min_length(), "lengths",
                 found(length, origin(node, "lengths")).allowed(suite.min_length(), " or more for this suite"));
    at_option(node, [&] { suite.check_length(length); });
  }
}

void check_lengths(const ConfigNode& node, const SuitePlan& plan, const Variant& variant) {
  check_each_length(node, plan, *plan.suite);
  node.require(variant.checkpoint || variant.train_length >= plan.suite->min_length(), "",
               found_what("a training length of ", variant.train_length)
                   .allowed(plan.suite->min_length(), " or more for this suite (train.length.max)"));
  node.require(
      variant.predicts_next() || !plan.suite->causal_only(), "kind",
      found(plan.kind, " for an encoder", variant.model.cross_attention ? "-decoder" : "")
          .allowed("a decoder", variant.checkpoint ? "" : " (model.kind)", ", since it scores every next token"));
  node.require(
      variant.checkpoint || !plan.suite->needs_text(), "kind",
      found(plan.kind, " for a model that is trained here").allowed("a model that reads text (model.checkpoint)"));
}

/// Binds suites to the tokenizer: only then is it known whether their probes can be made. @param nodes of
/// variant.suites.
void bind_suites(ConfigNode& root, const std::vector<ConfigNode>& nodes, Variant& variant) {
  std::vector<const Suite*> list;
  for (const auto& plan : variant.suites) list.push_back(plan.suite.get());
  if (list.empty()) return;
  const ConfigNode model = root.map("model", "");
  model.require(variant.model.head, "checkpoint",
                "found a model without output weights, which gives hidden states alone; allowed: one that answers "
                "(`lengthwise inspect` measures what its states say of order)");
  try {
    variant.vocabulary = std::make_shared<VocabularyPlan>(list, variant.checkpoint->source->text());
  } catch (const Error& e) {
    model.fail("checkpoint", e.what());
  }
  for (size_t i = 0; i < variant.suites.size(); ++i) {
    SuitePlan& plan = variant.suites[i];
    at_option(nodes[i], [&] {
      plan.bound = plan.suite->bind(variant.vocabulary->of(i), {plan.lengths.back(), plan.probes});
    });
    check_each_length(nodes[i], plan, *plan.bound);
  }
}

[[noreturn]] void fail_without_kind(const std::string& name, const ConfigNode& node,
                                    const std::vector<Choice>& choices) {
  std::vector<std::string> names;
  for (const auto& c : choices) names.push_back(c.name);
  node.fail("kind", found_what("nothing, and ", in_quotes(name), " is no suite").allowed(join(names)) +
                        did_you_mean(name, names));
}

SuitePlan read_suite(const std::string& name, ConfigNode& node, const Variant& variant, const EvalDefaults& defaults,
                     bool wanted) {
  SuitePlan plan;
  plan.name = name;
  const auto choices = suite_choices();
  const bool named = std::any_of(choices.begin(), choices.end(), [&](const Choice& c) { return c.name == name; });
  node.expect(name_fault(name).empty(), "", name_fault(name));
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
  node.expect(!plan.lengths.empty(), "lengths", "found an empty list; allowed: at least one length");
  std::sort(plan.lengths.begin(), plan.lengths.end());
  plan.lengths.erase(std::unique(plan.lengths.begin(), plan.lengths.end()), plan.lengths.end());
  node.expect(!plan.suite->pairs() || plan.probes % 2 == 0, "probes",
              found(plan.probes, origin(node, "probes")).allowed("an even number, since probes come in pairs"));
  if (wanted) node.verify([&] { check_lengths(node, plan, variant); });
  return plan;
}

EvalDefaults read_eval(ConfigNode& node, Variant& variant) {
  EvalDefaults d;
  d.lengths = node.integers("lengths", default_lengths(variant.train_length), {2, 1 << 24},
                            "tokens in a probe, for every suite that does not say otherwise");
  node.expect(!d.lengths.empty(), "lengths", "found an empty list; allowed: at least one length");
  d.lengths_chosen = node.has("lengths");
  d.probes =
      node.integer("probes", 128, {1, 1 << 24}, "probes at each length, for every suite that does not say otherwise");
  d.only = node.words("suites", {}, "names of the suites for this variant; all when absent");
  variant.eval.seed = node.integer("seed", 0, {0, 1LL << 53}, "of the probes; every setting gets the same");
  if (variant.checkpoint) {
    node.expect(!node.has("dtype"), "dtype", "found a value beside model.checkpoint; allowed: model.dtype");
    variant.eval.dtype = variant.checkpoint->dtype;
    return d;
  }
  variant.eval.dtype = node.choice("dtype", {{"float32", ""}, {"float64", "slower, exact to 1e-12"}}, "float32",
                                   "precision of the forward pass in evaluation, for models that are trained here");
  return d;
}

void read_suites(ConfigNode& root, ConfigNode& eval, Variant& variant, const EvalDefaults& defaults, ReadFor use) {
  std::vector<std::string> names;
  std::vector<ConfigNode> wanted_nodes;
  bool good = true;
  for (auto& [name, node] : root.named_maps("suites", "the tasks, each under a name of your choice", "kind")) {
    names.push_back(name);
    const bool wanted =
        defaults.only.empty() || std::find(defaults.only.begin(), defaults.only.end(), name) != defaults.only.end();
    good &= node.section([&, &name = name, &node = node] {
      SuitePlan plan = read_suite(name, node, variant, defaults, wanted);  // keys are checked either way
      if (!wanted) return;
      variant.suites.push_back(std::move(plan));
      wanted_nodes.push_back(node);
    });
  }
  root.expect(!names.empty() || use == ReadFor::kCard, "suites",
              found_what("none").allowed("one or more of ", join(names_of(suites()))));
  for (const auto& word : defaults.only)
    eval.expect(std::find(names.begin(), names.end(), word) != names.end(), "suites",
                found(word).allowed("names under suites: ", join(names)) + did_you_mean(word, names));
  if (variant.checkpoint && good) root.verify([&] { bind_suites(root, wanted_nodes, variant); });
}

}  // namespace

void read_evaluation(ConfigNode& root, Variant& variant, ReadFor use) {
  auto eval = root.map("eval", "how it is evaluated");
  EvalDefaults defaults;
  const bool sound = eval.section([&] { defaults = read_eval(eval, variant); });
  root.section([&] { read_suites(root, eval, variant, defaults, use); }, sound);
}

}  // namespace lw
