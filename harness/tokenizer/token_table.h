// The vocabulary of a model: text of each id, id of each text.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lw {

class TokenTable {
 public:
  /// @param findable false for a token that the model may not choose.
  /// @return false if the table already holds the id or the text.
  bool add(std::string_view text, uint32_t id, bool findable = true) {
    if (id >= texts_.size()) texts_.resize(size_t{id} + 1);
    if (texts_[id]) return false;
    texts_[id] = std::string(text);
    return !findable || ids_.emplace(text, id).second;
  }
  std::optional<uint32_t> find(std::string_view text) const {
    const auto found = ids_.find(text);
    return found == ids_.end() ? std::nullopt : std::optional<uint32_t>(found->second);
  }
  /// nullptr if there is no such id.
  const std::string* text(int64_t id) const {
    if (id < 0 || id >= size() || !texts_[static_cast<size_t>(id)]) return nullptr;
    return &*texts_[static_cast<size_t>(id)];
  }
  /// The highest id plus one.
  int64_t size() const { return static_cast<int64_t>(texts_.size()); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::vector<std::optional<std::string>> texts_;
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> ids_;
};

}  // namespace lw
