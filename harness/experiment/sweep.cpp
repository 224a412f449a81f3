#include "harness/experiment/sweep.h"

#include <algorithm>
#include <map>

#include "harness/base/name.h"
#include "harness/base/numbers.h"
#include "harness/base/problem.h"
#include "harness/base/text.h"
#include "harness/experiment/experiment.h"
#include "harness/tokenizer/unicode.h"

namespace lw {
namespace {
using Variants = std::vector<std::pair<std::string, Tree>>;

[[noreturn]] void fail(const Tree& at, const std::string& what) { throw ConfigErrors({{at.pos, "sweep", what}}); }

constexpr auto kEntries = "{name: NAME, SECTION: ...} or {axis: PATH, values: [...]}";

bool is_axis(const Tree& entry) { return entry.find("axis") != nullptr; }

void check_name(const Tree& at, const std::string& name) {
  if (const std::string fault = name_fault(name); !fault.empty()) fail(at, fault);
}

size_t values_of(const Tree& tree) {
  size_t n = 1;
  for (const auto& entry : tree.entries) n += values_of(entry.value);
  for (const auto& item : tree.items) n += values_of(item);
  return n;
}

/// Before anything is expanded: how many variants there will be, and whether memory holds them.
void check_size(const Tree& base, const Tree& sweep) {
  constexpr double kMostVariants = 1024, kMostValues = 4e6;
  double named = 0, variants = 1;  // as many as one likes to write
  for (const auto& entry : sweep.items) {
    const Tree* values = is_axis(entry) ? entry.find("values") : nullptr;
    if (values != nullptr) variants *= std::max<double>(1, double(values->items.size()));
    if (!is_axis(entry)) ++named;
  }
  variants *= std::max(1.0, named);
  const std::string count = variants < 1e15 ? format_grouped(int64_t(variants)) : "more than 10^15";
  if (variants > kMostVariants)
    fail(sweep, found_what(count, " variants").allowed("up to ", format_grouped(int64_t(kMostVariants))));
  if (variants * double(values_of(base)) > kMostValues)
    fail(sweep, found_what(count, " variants of a config with ", format_grouped(int64_t(values_of(base))), " values")
                    .allowed("up to ", format_grouped(int64_t(kMostValues)), " values in all variants together"));
}

Variants overrides(const Tree& base, const Tree& sweep) {
  Variants out;
  for (const auto& entry : sweep.items) {
    if (!entry.is_map()) fail(entry, found_what("an entry that is not a mapping").allowed(kEntries));
    if (is_axis(entry)) continue;
    const Tree* name = entry.find("name");
    if (name == nullptr || name->kind != Tree::Kind::kScalar)
      fail(entry, found_what("an override without a name").allowed(kEntries));
    check_name(*name, name->text);
    Tree changes = entry;
    changes.erase("name");
    out.emplace_back(name->text, merge(base, changes, config_shape()));
  }
  if (out.empty()) out.emplace_back("", base);
  return out;
}

/// The tree that puts `value` at an axis's path. An unknown key is reported at the path, not at the value.
Tree at_path(const Tree& path, const Tree& value) {
  Tree out = nested(path.text, value);
  for (Tree* map = &out; map->is_map() && map->entries.size() == 1; map = &map->entries.front().value)
    map->entries.front().key_pos = path.pos;
  return out;
}

Variants cross(const Variants& variants, const Tree& axis) {
  const Tree* path = axis.find("axis");
  const Tree* values = axis.find("values");
  if (path->kind != Tree::Kind::kScalar) fail(axis, found_what("an axis without a path").allowed(kEntries));
  if (values == nullptr || values->kind != Tree::Kind::kList || values->items.empty())
    fail(axis, found_what("an axis without values").allowed(kEntries));
  for (const auto& entry : axis.entries)
    if (entry.key != "axis" && entry.key != "values") fail(axis, found(entry.key, " in an axis").allowed(kEntries));
  const std::string dots = "." + path->text + ".";
  if (dots.find("..") != std::string::npos)
    fail(*path, found_what("the path ", in_quotes(path->text)).allowed("keys with one dot between them"));
  if (path_depth(path->text) > kDeepestConfig)
    fail(*path, found_what("a path of ", path_depth(path->text), " keys").allowed("up to ", kDeepestConfig));
  const std::string last = path->text.substr(path->text.rfind('.') + 1);
  Variants out;
  for (const auto& [name, config] : variants) {
    for (const auto& value : values->items) {
      if (value.kind != Tree::Kind::kScalar)
        fail(value, found_what("a value that is not a number or word").allowed(kEntries));
      const std::string label = last + "=" + value.text;
      out.emplace_back(name.empty() ? label : name + " " + label, merge(config, at_path(*path, value), config_shape()));
    }
  }
  return out;
}

/// In composed letters (NFC): names that look alike would share the names of files, and nobody could tell them apart.
std::string composed(const std::string& name) {
  std::string out;
  normalise_parts(name, NormalForm::kNfc, [&](size_t, size_t, std::string_view normal) { out += normal; });
  return out;
}

std::vector<std::string> all_keys(const Variants& variants) {
  std::vector<std::string> keys;
  for (const auto& [name, tree] : variants)
    for (const auto& entry : tree.entries)
      if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) keys.push_back(entry.key);
  return keys;
}

}  // namespace

std::vector<std::pair<std::string, Tree>> expand_sweep(const Tree& config) {
  Tree base = config;
  base.erase("sweep");
  const Tree* sweep = config.find("sweep");
  if (sweep == nullptr || sweep->kind == Tree::Kind::kNull) return {{"", base}};
  if (sweep->kind != Tree::Kind::kList) fail(*sweep, found_what("no list").allowed(kEntries));
  check_size(base, *sweep);
  Variants variants = overrides(base, *sweep);
  for (const auto& entry : sweep->items)
    if (is_axis(entry)) variants = cross(variants, entry);
  std::map<std::string, std::string> names;  // composed -> as given
  for (const auto& [name, tree] : variants) {
    if (!sweep->items.empty()) check_name(*sweep, name);
    const auto [first, is_new] = names.emplace(composed(name), name);
    if (!is_new)
      fail(*sweep, "found two variants named " + in_quotes(name) +
                       (first->second == name ? "" : ", one of them in decomposed letters (NFD)") +
                       "; each name may stand once");
  }
  return variants;
}

Tree fold_sweep(const std::vector<std::pair<std::string, Tree>>& variants) {
  Tree out = Tree::map();
  std::vector<std::string> differing;
  for (const auto& key : all_keys(variants)) {
    const Tree* first = variants.front().second.find(key);
    const bool shared = std::all_of(variants.begin(), variants.end(), [&](const auto& v) {
      const Tree* other = v.second.find(key);
      return first != nullptr && other != nullptr && other->same(*first);
    });
    if (shared)
      out.set(key, *first);
    else
      differing.push_back(key);
  }
  Tree sweep = Tree::list();
  for (const auto& [name, tree] : variants) {
    Tree item = Tree::map();
    item.set("name", Tree::scalar(name, true));
    for (const auto& key : differing)
      if (const Tree* value = tree.find(key)) item.set(key, *value);
    sweep.items.push_back(std::move(item));
  }
  out.set("sweep", std::move(sweep));
  return out;
}

}  // namespace lw
