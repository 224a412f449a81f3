#include "harness/experiment/experiment.h"

#include <algorithm>
#include <optional>
#include <set>

#include "encodings/position_encoding.h"
#include "encodings/position_sampler.h"
#include "harness/base/config.h"
#include "harness/base/name.h"
#include "harness/base/problem.h"
#include "harness/base/text.h"
#include "harness/checkpoint/position_fit.h"
#include "harness/experiment/checkpoint_position.h"
#include "harness/experiment/read_suites.h"
#include "harness/experiment/sweep.h"
#include "reports/registry.h"

namespace lw {
namespace {

struct Shared {
  std::string name;
  std::vector<int64_t> seeds;
  double bar = 0, margin = 0;
  std::string device;
  std::vector<std::string> formats;
  std::optional<int64_t> limit;
};

Shared read_shared(ConfigNode& root) {
  Shared s;
  const auto extends = root.str("extends", "", "another config, relative to this file, that this one changes");
  root.expect(extends.empty(), "extends", found(extends, " in a part of a config").allowed("at the top of a file"));
  s.name = root.str("name", "run", "names the run and its folder");
  root.expect(name_fault(s.name).empty(), "name", name_fault(s.name));
  s.limit = root.optional_integer("limit", {1, 1 << 24},
                                  "at most this many probes at each length, for a quick look; reports say so");
  s.seeds = root.integers("seeds", {0}, {0, 1LL << 53}, "training seeds; each gives its own weights");
  root.expect(!s.seeds.empty(), "seeds", "found an empty list; allowed: at least one seed");
  root.expect(std::set<int64_t>(s.seeds.begin(), s.seeds.end()).size() == s.seeds.size(), "seeds",
              "found a seed twice; each may stand once");
  return s;
}

void read_reports(ConfigNode& root, Shared& s) {
  auto protocol = root.map("protocol", "rules of the verdict");
  s.bar = protocol.number("bar", 0.85, {0, 1}, "accuracy that still counts as working, for effective lengths");
  s.margin = protocol.number("margin", 0.05, {0, 1}, "a loss smaller than this counts as none");
  auto report = root.map("report", "what is written");
  const auto all = report_format_names();
  s.formats = report.words("formats", default_format_names(),
                           "formats of the report; json is always written, since reports are made from it");
  for (const auto& word : s.formats)
    report.expect(std::find(all.begin(), all.end(), word) != all.end(), "formats",
                  found(word).allowed(join(all)) + did_you_mean(word, all));
  if (std::find(s.formats.begin(), s.formats.end(), "json") == s.formats.end()) s.formats.push_back("json");
}

/// A run has one name, one list of seeds and one list of report formats for all variants.
void require_shared(const ConfigNode& root, const Shared& first, const Shared& s) {
  const auto same = [&](bool equal, const char* key) {
    root.expect(equal, key, "found a value of one variant's own; allowed: one for the whole run");
  };
  same(s.name == first.name, "name");
  same(s.seeds == first.seeds, "seeds");
  same(s.limit == first.limit, "limit");
  same(s.bar == first.bar && s.margin == first.margin, "protocol");
  same(s.formats == first.formats, "report");
  same(s.device == first.device, "model.device");
}

/// The scheme must define all positions that training uses or draws. A checkpoint is evaluated as far as its scheme
/// reaches; probes beyond are recorded as such.
void check_reach(ConfigNode& position, const Variant& v) {
  if (v.checkpoint) return;
  const auto trained = v.trained_position().build()->max_positions();
  position.expect(!trained || *trained >= v.train_length, "positions",
                  found(trained.value_or(0)).allowed("the training length or more (", v.train_length, ")"));
  const auto sampler = v.position.sampler();
  if (sampler == nullptr) return;
  const ConfigNode randomized = position.map("randomized", "");
  const Found most = found(sampler->max_position());
  randomized.expect(sampler->max_position() >= v.train_length, "max_position",
                    most.allowed("the training length or more (", v.train_length, ")"));
  for (const auto& bound : {trained, v.position.build()->max_positions()})
    randomized.expect(!bound || sampler->max_position() <= *bound, "max_position",
                      most.allowed("up to ", bound.value_or(0), ", the positions that the scheme has"));
}

/// The model: its shape and how it is trained, or a checkpoint.
void read_model(ConfigNode& root, Variant& v, Shared& shared, CheckpointSources& sources) {
  auto model = root.map("model", "the transformer: trained here, or loaded from a checkpoint");
  v.checkpoint = read_checkpoint(model, sources);
  shared.device = model.choice("device", {{"cpu", ""}, {"cuda", "one GPU"}}, "cpu", "where models run");
  if (v.checkpoint) {
    v.model = v.checkpoint->source->checkpoint().model.model;
    v.train_length = v.checkpoint->train_length;
    root.refuse("train", found_what("a section beside model.checkpoint").allowed("none, since weights are loaded"));
    root.expect(
        shared.seeds.size() == 1, "seeds",
        found(shared.seeds.size(), " beside model.checkpoint").allowed("one, since nothing is drawn in loading"));
  } else {
    v.model = read_model_config(model);
    auto train = root.map("train", "how it is trained");
    v.train = read_train_config(train);
    v.train_length = v.train.max_length;
    v.train_tree = train.resolved();
  }
  v.model_tree = model.resolved();
}

void read_position(ConfigNode& root, Variant& v) {
  auto position = root.map("position", "how tokens get their positions");
  position.describe([&] {
    position.choice(kScalingOverKey, {{"replace", ""}, {"compose", "applied to what the checkpoint's own gives"}},
                    "replace", "what scaling does to the checkpoint's own; required where it has one");
  });
  v.position = PositionSetting::read(position, v.model.shape(v.train_length));
  position.verify([&] { check_reach(position, v); });
  if (!v.checkpoint) return;
  position.verify([&] {
    const Checkpoint& checkpoint = v.checkpoint->source->checkpoint();
    const std::string misfit = position_misfit(checkpoint, v.position, *v.position.build());
    position.expect(misfit.empty(), "scheme", misfit);
    position.expect(checkpoint.model.encoder.empty() || v.position.sampler() == nullptr, "randomized",
                    found_what("a section").allowed("none for an encoder-decoder, whose stacks count their tokens"));
  });
}

/// Reads one variant. The one place that defines what a config may hold.
Variant read_variant(ConfigNode& root, Shared& shared, CheckpointSources& sources, ReadFor use) {
  Variant v;
  root.ignore("x-");
  root.section([&] { shared = read_shared(root); });
  const bool sound = root.section([&] { read_model(root, v, shared, sources); });
  if (!sound && v.train_length == 0) v.train_length = v.train.max_length;
  // Without the checkpoint that it names, nothing is known about a model's positions or the suites that suit it.
  const bool lost = !sound && !v.checkpoint && root.map("model", "").has("checkpoint");
  root.section(
      [&] {
        if (lost) root.leave();
        read_position(root, v);
      },
      sound);
  root.section(
      [&] {
        if (lost) root.leave();
        read_evaluation(root, v, use);
      },
      sound);
  root.section([&] {
    SchemaNode sweep;
    sweep.type = SchemaNode::Type::kSweep;
    const Tree inner = root.take("sweep", "named overrides, and axes that multiply them", sweep);
    root.expect(inner.kind == Tree::Kind::kNull, "sweep",
                "found a sweep inside a sweep; allowed: one, at the top of the config");
  });
  root.section([&] { read_reports(root, shared); });
  return v;
}

/// Adds the problems that no earlier variant had, since variants share most of their keys.
void add_new(std::vector<Problem>& all, const std::vector<Problem>& of_variant) {
  const size_t earlier = all.size();
  for (const auto& problem : of_variant) {
    const bool known = std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(earlier), [&](const auto& p) {
      return p.at.line == problem.at.line && p.at.column == problem.at.column && p.key == problem.key &&
             p.at.file == problem.at.file;
    });
    if (!known) all.push_back(problem);
  }
}

/// One config of a sweep, read with every error.
struct ReadVariant {
  Variant variant;
  Shared shared;
  Tree resolved;
  std::vector<Problem> problems;
};

ReadVariant read_whole(const Tree& tree, CheckpointSources& sources, const Shared* first, ReadFor use) {
  ReadVariant out;
  ConfigNode root(with_whole_position(tree, sources));
  root.collect();
  try {
    out.variant = read_variant(root, out.shared, sources, use);
  } catch (const Error&) {
    if (root.problems().empty()) throw;  // else it may result from a value that was refused
    root.leave_unread();
  }
  if (first != nullptr && root.problems().empty()) require_shared(root, *first, out.shared);
  root.finish(config_shape());
  out.problems = root.problems();
  if (out.problems.empty()) out.resolved = root.resolved();
  return out;
}

}  // namespace

std::vector<std::string> Variant::added() const {
  return checkpoint ? changes_in_words(*checkpoint, position) : position.added_after_training();
}

std::string Variant::scaling() const {
  const auto words = added();
  return words.empty() ? "none" : join(words);
}

std::set<int64_t> Variant::evaluated_lengths() const {
  std::set<int64_t> lengths;
  for (const auto& suite : suites) lengths.insert(suite.lengths.begin(), suite.lengths.end());
  return lengths;
}

int64_t Variant::deployed_length() const {
  const auto lengths = evaluated_lengths();
  return lengths.empty() ? train_length : std::max(train_length, *lengths.rbegin());
}

std::vector<std::string> Experiment::warnings() const {
  std::vector<std::string> out;
  for (const auto& v : variants)
    for (const auto& warning : v.position.warnings())
      if (std::find(out.begin(), out.end(), warning) == out.end()) out.push_back(warning);
  return out;
}

Experiment read_experiment(const Tree& config, ReadFor use) {
  Experiment e;
  std::vector<std::pair<std::string, Tree>> resolved;
  std::vector<Problem> problems;
  std::optional<Shared> first;
  CheckpointSources sources;
  for (const auto& [name, tree] : expand_sweep(config)) {
    ReadVariant read;
    try {
      read = read_whole(tree, sources, first ? &*first : nullptr, use);
    } catch (const ConfigErrors& errors) {
      read.problems = errors.problems();
    }
    if (!first && read.problems.empty()) first = read.shared;
    add_new(problems, read.problems);
    if (!problems.empty()) continue;
    Variant& v = read.variant;
    const std::string plain = v.position.scheme() + (v.scaled() ? " " + v.scaling() : "");
    v.name = name.empty() ? plain : name;
    resolved.emplace_back(v.name, std::move(read.resolved));
    if (v.checkpoint) mark_changes(*v.checkpoint, *resolved.back().second.find("position"));
    e.variants.push_back(std::move(v));
  }
  if (!problems.empty()) throw ConfigErrors(in_order(std::move(problems)));
  e.name = first->name;
  e.seeds = first->seeds;
  e.limit = first->limit;
  e.bar = first->bar;
  e.margin = first->margin;
  e.formats = first->formats;
  e.device = first->device;
  e.resolved = fold_sweep(resolved);
  return e;
}

const SchemaNode& config_shape() {
  static const SchemaNode shape = [] {
    ConfigNode root = ConfigNode::describing();
    Shared shared;
    CheckpointSources sources;
    read_variant(root, shared, sources, ReadFor::kRun);
    return root.schema();
  }();
  return shape;
}

std::string config_schema() { return json_schema(config_shape(), "Lengthwise config"); }

}  // namespace lw
