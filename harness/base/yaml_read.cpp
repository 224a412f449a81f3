// Reads YAML into a tree as the parser reports it. An alias is a copy of what was read before, so nothing can hold
// itself, and depth and size are bounded before memory is taken.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "harness/base/printable.h"
#include "harness/base/problem.h"
#include "harness/base/text.h"
#include "harness/base/tree.h"
#include "harness/base/yaml_text.h"

namespace lw {
namespace {

constexpr size_t kMostValues = 100'000;         // aliases expanded
constexpr size_t kMostBytes = size_t{4} << 20;  // of all texts, aliases expanded
constexpr size_t kMostKeys = 4096;              // of one mapping

SourcePos place_of(const YAML::Mark& mark, const std::string& name) {
  if (mark.is_null()) return {name, 0, 0};
  return {name, mark.line + 1, mark.column + 1};
}

/// What a value takes, aliases expanded.
struct Extent {
  size_t values = 0, bytes = 0, depth = 0;
};

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& name) : name_(name) {}

  /// The document, or null where there was none.
  Tree take() {
    if (root_.pos.file.empty()) root_.pos.file = name_;
    return std::move(root_);
  }
  /// Where the last text stands in the bytes that are read, to look at its quotes.
  const std::optional<YAML::Mark>& last_text() const { return last_text_; }

  void OnDocumentStart(const YAML::Mark&) override { anchors_.clear(); }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Tree tree;
    tree.pos = place_of(mark, name_);
    add(std::move(tree), {1, 0, 0}, anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    last_text_ = mark;
    Tree tree = Tree::scalar(value, tag == "!");
    tree.pos = place_of(mark, name_);
    if (const size_t bad = find_invisible(value); bad != std::string::npos)
      fail(tree.pos, found_what("a text with the character ",
                                printable(value.substr(bad, std::max<size_t>(utf8_length(value.substr(bad)), 1))))
                         .allowed("text without control characters"));
    add(std::move(tree), {1, value.size(), 0}, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end())
      fail(place_of(mark, name_),
           found_what("an alias inside what it stands for").allowed("an alias of a value that ends before it"));
    const auto& [tree, extent] = known->second;
    count(extent, place_of(mark, name_));  // before it is copied
    put(tree, place_of(mark, name_));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Tree::list(), mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Tree::map(), mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {  // a list or a mapping that has not ended
    Tree tree;
    YAML::anchor_t anchor = 0;
    Extent before = {};                                // what was counted when it began
    size_t depth = 0;                                  // of what it holds
    std::optional<Tree> key = {};                      // read, and its value not yet
    std::vector<std::pair<size_t, Tree>> merges = {};  // values of `<<`, and how many entries stand before each
  };

  [[noreturn]] void fail(const SourcePos& at, const std::string& what) const {
    throw ConfigErrors({{at, path(), what}});
  }

  /// "sweep[1].train": of what is being read.
  std::string path() const {
    std::string out;
    for (const auto& at : open_) {
      if (!at.tree.is_map())
        out += text("[", at.tree.items.size(), "]");
      else if (at.key)
        out += (out.empty() ? "" : ".") + at.key->text;
    }
    return out;
  }

  void count(const Extent& more, const SourcePos& at) {
    if (open_.size() + more.depth > kDeepestConfig)
      fail(at, found_what("values nested more than ", kDeepestConfig, " deep").allowed("up to ", kDeepestConfig));
    total_.values += more.values;
    total_.bytes += more.bytes;
    if (total_.values > kMostValues || total_.bytes > kMostBytes)
      fail(at, found_what("too much for a config, aliases expanded")
                   .allowed("up to ", format_grouped(kMostValues), " values and ", kMostBytes >> 20, " MiB of text"));
    if (!open_.empty()) open_.back().depth = std::max(open_.back().depth, more.depth);
  }

  void add(Tree tree, const Extent& extent, YAML::anchor_t anchor) {
    count(extent, tree.pos);
    keep(anchor, tree, extent);
    const SourcePos at = tree.pos;
    put(std::move(tree), at);
  }

  /// Copies what aliases may stand for, and counts it, since it takes memory too.
  void keep(YAML::anchor_t anchor, const Tree& tree, const Extent& extent) {
    if (anchor == 0) return;
    count({extent.values, extent.bytes, 0}, tree.pos);
    anchors_[anchor] = {tree, extent};
  }

  void put(Tree tree, const SourcePos& at) {
    if (open_.empty()) {
      if (tree.kind == Tree::Kind::kNull) return;
      if (root_.kind != Tree::Kind::kNull)
        fail(at, "found a second YAML document, or text behind the first; allowed: one document a file");
      root_ = std::move(tree);
      return;
    }
    Open& inner = open_.back();
    if (!inner.tree.is_map())
      inner.tree.items.push_back(std::move(tree));
    else if (!inner.key)
      put_key(inner, std::move(tree), at);
    else if (is_merge(*inner.key))
      put_merge(inner, std::move(tree), at);
    else
      inner.tree.entries.push_back({inner.key->text, inner.key->pos, std::move(tree)}), inner.key.reset();
  }

  void put_key(Open& map, Tree key, const SourcePos& at) {
    if (key.kind != Tree::Kind::kScalar) fail(at, "found a key that is not a word; keys are words");
    const auto& entries = map.tree.entries;
    const bool merged_already = is_merge(key) && !map.merges.empty();
    const auto twice =
        std::find_if(entries.begin(), entries.end(), [&](const Tree::Entry& e) { return e.key == key.text; });
    key.pos = at;
    map.key = std::move(key);
    if (merged_already) fail(at, found_what("a second '<<' in a mapping").allowed("one, with a list: '<<: [*a, *b]'"));
    if (twice != entries.end())
      fail(at, text("found twice (first at line ", twice->key_pos.line, "); each key may stand once"));
    if (entries.size() >= kMostKeys)
      fail(at, found_what("more than ", kMostKeys, " keys in a mapping").allowed("up to ", kMostKeys));
  }

  /// YAML 1.1's merge key, `<<: *defaults`. In quotes it is a key like others.
  static bool is_merge(const Tree& key) { return key.text == "<<" && !key.quoted; }

  void put_merge(Open& map, Tree tree, const SourcePos& at) {
    std::vector<Tree> maps;
    if (tree.kind == Tree::Kind::kList)
      maps = std::move(tree.items);
    else
      maps.push_back(std::move(tree));
    for (auto& merged : maps) {
      if (!merged.is_map())
        fail(at, found_what("a value that is no mapping").allowed("an alias of a mapping, or a list of such"));
      map.merges.emplace_back(map.tree.entries.size(), std::move(merged));
    }
    map.key.reset();
  }

  /// What the mapping says itself comes before what it merges, and an earlier merge before a later one.
  static void merge_all(Open& map) {
    const std::vector<Tree::Entry> own = std::move(map.tree.entries);
    std::vector<Tree::Entry> all;
    const auto holds = [](const std::vector<Tree::Entry>& entries, const std::string& key) {
      return std::any_of(entries.begin(), entries.end(), [&](const Tree::Entry& e) { return e.key == key; });
    };
    auto merge = map.merges.begin();
    for (size_t i = 0; i <= own.size(); ++i) {
      for (; merge != map.merges.end() && merge->first == i; ++merge)
        for (auto& entry : merge->second.entries)
          if (!holds(own, entry.key) && !holds(all, entry.key)) all.push_back(std::move(entry));
      if (i < own.size()) all.push_back(own[i]);
    }
    map.tree.entries = std::move(all);
  }

  void open(Tree tree, const YAML::Mark& mark, YAML::anchor_t anchor) {
    tree.pos = place_of(mark, name_);
    const Extent before = total_;
    count({1, 0, 1}, tree.pos);
    open_.push_back({std::move(tree), anchor, before});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (!done.merges.empty()) merge_all(done);
    const Extent extent{total_.values - done.before.values, total_.bytes - done.before.bytes, done.depth + 1};
    if (!open_.empty()) open_.back().depth = std::max(open_.back().depth, extent.depth);
    keep(done.anchor, done.tree, extent);
    const SourcePos at = done.tree.pos;
    put(std::move(done.tree), at);
  }

  const std::string& name_;
  Tree root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, std::pair<Tree, Extent>> anchors_;
  Extent total_;
  std::optional<YAML::Mark> last_text_;
};

std::string words_of(const YAML::Exception& e) {
  if (e.msg == YAML::ErrorMsg::EOF_IN_SCALAR)
    return found_what("the end of the text inside quotes").allowed("a quote that is closed");
  return printable(e.msg, 200);
}

}  // namespace

Tree parse_yaml(const std::string& whole, const std::string& name) {
  static const std::string kByteOrderMark = "\xEF\xBB\xBF";
  const std::string bytes = whole.substr(whole.rfind(kByteOrderMark, 0) == 0 ? kByteOrderMark.size() : 0);
  require_text(bytes, name);
  TreeBuilder builder(name);
  try {
    std::istringstream in(bytes);
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& e) {
    if (const auto tab = indenting_tab(bytes, e.mark.line + 1, name))
      throw ConfigErrors({{*tab, "", found_what("a tab before the text of a line").allowed("spaces")}});
    throw ConfigErrors({{place_of(e.mark, name), "", "not YAML: " + words_of(e)}});
  }
  if (builder.last_text()) require_closed(bytes, size_t(std::max(builder.last_text()->pos, 0)), name);
  return builder.take();
}

}  // namespace lw
