// What a config puts on a model after its training: options say so where they are read, and are then left out of the
// section that weights are trained under. Warnings are kept here too, since they travel with a section as well.
#include <algorithm>
#include <utility>

#include "harness/base/config_state.h"

namespace lw {
namespace {

bool is_below(const std::string& path, const std::string& top) { return top.empty() || path.rfind(top + ".", 0) == 0; }

}  // namespace

const ConfigNode::Impl::Remarks::Mark* ConfigNode::Impl::Remarks::find(const std::string& key_path) const {
  const auto found = std::find_if(marks.begin(), marks.end(), [&](const Mark& mark) { return mark.path == key_path; });
  return found == marks.end() ? nullptr : &*found;
}

void ConfigNode::after_training(const std::function<std::optional<std::string>()>& read) {
  impl_->reading.emplace();
  const auto added = read();
  const auto keys = *std::exchange(impl_->reading, std::nullopt);
  if (!added) return;
  bool said = false;
  for (const auto& key : keys) {
    in_training(key, {}, said ? "" : *added);
    said = true;
  }
}

void ConfigNode::in_training(std::string_view key, const Tree& value, const std::string& added) {
  const std::string path = impl_->key_path(key);
  // A section that serves several layers is read for each of them, and says the same each time.
  if (impl_->describing || impl_->remarks->find(path) != nullptr) return;
  impl_->remarks->marks.push_back({path, value, added.empty() ? "" : impl_->label + added});
}

std::vector<std::string> ConfigNode::added_after_training() const {
  std::vector<std::string> words;
  for (const auto& mark : impl_->remarks->marks)
    if (!mark.added.empty() && is_below(mark.path, impl_->path)) words.push_back(mark.added);
  return words;
}

Tree ConfigNode::Impl::trained() const {
  Tree out = Tree::map();
  for (const auto& slot : slots) {
    if (const auto* mark = remarks->find(key_path(slot.key))) {
      if (mark->value.kind != Tree::Kind::kNull) out.set(slot.key, mark->value);
      continue;
    }
    if (slot.value) {
      out.set(slot.key, *slot.value);
    } else if (slot.is_list) {
      Tree list = Tree::list();
      for (const auto& below : slot.children) list.items.push_back(below->trained());
      out.set(slot.key, std::move(list));
    } else if (!slot.names.empty()) {
      std::vector<size_t> order(slot.names.size());
      for (size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return slot.names[a] < slot.names[b]; });
      Tree named = Tree::map();
      for (const size_t i : order) named.set(slot.names[i], slot.children[i]->trained());
      out.set(slot.key, std::move(named));
    } else if (!slot.children.front()->resolved().entries.empty()) {
      out.set(slot.key, slot.children.front()->trained());  // perhaps empty: it was there
    }
  }
  return out;
}

Tree ConfigNode::trained() const { return impl_->trained(); }

void ConfigNode::warn(std::string_view key, const std::string& message) const {
  const std::string text = impl_->key_path(key) + ": " + message;
  auto& all = impl_->remarks->warnings;
  if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
}

std::vector<std::string> ConfigNode::warnings() const { return impl_->remarks->warnings; }

}  // namespace lw
