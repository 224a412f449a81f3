#include "harness/tokenizer/charsmap.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/tokenizer/unicode.h"

namespace lw {
namespace {

std::string decode_base64(const std::string& text, const std::string& place) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<int, 256> value{};
  value.fill(-1);
  for (size_t i = 0; i < kDigits.size(); ++i) value[static_cast<unsigned char>(kDigits[i])] = static_cast<int>(i);
  size_t length = text.size();
  while (length > 0 && text[length - 1] == '=') --length;
  if (text.size() % 4 != 0 || text.size() - length > 2)
    throw Error(ErrorKind::kInput, place + ": precompiled_charsmap: found no base64; allowed: base64");
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (size_t i = 0; i < length; ++i) {
    const int digit = value[static_cast<unsigned char>(text[i])];
    if (digit < 0) throw Error(ErrorKind::kInput, place + ": precompiled_charsmap: found no base64; allowed: base64");
    bits = bits << 6 | static_cast<unsigned>(digit);
    count += 6;
    if (count >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 0xFFU);
  }
  return bytes;
}

/// Units of 32 bits, little-endian, as the darts-clone library lays them out: bits 0-7 the label, bit 8 whether a
/// leaf follows, bits 10-30 the offset to the children, times 256 if bit 9 is set; of a leaf, bits 0-30 the value.
class Charsmap {
 public:
  Charsmap(const std::string& bytes, const std::string& place) {
    const auto word = [&](size_t at) {
      uint32_t unit = 0;
      for (size_t i = 4; i-- > 0;) unit = unit << 8 | static_cast<unsigned char>(bytes[at + i]);
      return unit;
    };
    const size_t size = bytes.size() < 4 ? 0 : word(0);
    if (bytes.size() < 8 || size % 4 != 0 || size == 0 || size > bytes.size() - 4)
      throw Error(ErrorKind::kInput, place + ": precompiled_charsmap: " +
                                         found_what("a trie of ", size, " bytes in ", bytes.size())
                                             .allowed("a whole number of 4-byte units that are there"));
    for (size_t at = 4; at < 4 + size; at += 4) units_.push_back(word(at));
    texts_ = bytes.substr(4 + size);
  }

  /// The replacement for the shortest prefix of `key` that is in the map. Where the map points outside itself, it holds
  /// nothing.
  std::optional<std::string_view> find(std::string_view key) const {
    std::optional<std::string_view> found;
    bool is_first = true;
    walk(key, [&](std::string_view replacement, bool is_there, size_t) {
      if (is_first && is_there) found = replacement;
      return is_first = false;
    });
    return found;
  }

  std::optional<CharsmapEntry> longest(std::string_view text) const {
    std::optional<CharsmapEntry> found;
    walk(text, [&](std::string_view replacement, bool is_there, size_t length) {
      if (is_there) found = {replacement, length};
      return true;
    });
    return found;
  }

 private:
  /// Calls found(replacement, whether it lies in the map, length) for each prefix of `key` that is in the map, the
  /// shortest first, until it returns false.
  template <class Found>
  void walk(std::string_view key, Found found) const {
    size_t at = offset(units_[0]);
    for (size_t i = 0; i < key.size(); ++i) {
      const auto label = static_cast<unsigned char>(key[i]);
      if (label == 0) return;
      at ^= label;
      if (at >= units_.size() || (units_[at] & 0x800000FFU) != label) return;
      const uint32_t unit = units_[at];
      at ^= offset(unit);
      if ((unit >> 8 & 1U) == 0) continue;
      const auto replacement = leaf(at);
      if (!found(replacement.value_or(std::string_view()), replacement.has_value(), i + 1)) return;
    }
  }

  static size_t offset(uint32_t unit) { return size_t{unit >> 10} << ((unit & 1U << 9) >> 6); }

  std::optional<std::string_view> leaf(size_t at) const {
    if (at >= units_.size()) return std::nullopt;
    const size_t begin = units_[at] & 0x7FFFFFFFU;
    if (begin >= texts_.size()) return std::nullopt;
    const size_t end = texts_.find('\0', begin);
    return std::string_view(texts_).substr(begin, end == std::string::npos ? end : end - begin);
  }

  std::vector<uint32_t> units_;
  std::string texts_;  // each ends with a NUL
};

}  // namespace

std::function<void(AlignedText& text)> charsmap_normalizer(const std::string& base64, const std::string& place) {
  return charsmap_of_bytes(decode_base64(base64, place), place);
}

std::function<void(AlignedText& text)> charsmap_of_bytes(const std::string& bytes, const std::string& place) {
  const auto map = std::make_shared<const Charsmap>(bytes, place);
  return [map](AlignedText& text) {
    const std::string& old = text.text();
    TextEdit edit(text);
    size_t begin = 0;
    for (const size_t end : grapheme_ends(old)) {
      const std::string_view cluster = std::string_view(old).substr(begin, end - begin);
      const auto whole = cluster.size() < 6 ? map->find(cluster) : std::nullopt;
      if (whole) {
        edit.put(*whole, begin, end);
      } else {
        for (size_t at = begin; at < end;) {
          const size_t from = at;
          next_code_point(old, at);
          const auto one = map->find(std::string_view(old).substr(from, at - from));
          one ? edit.put(*one, from, at) : edit.keep(from, at);
        }
      }
      begin = end;
    }
    edit.finish();
  };
}

std::function<std::optional<CharsmapEntry>(std::string_view text)> longest_in_charsmap(const std::string& bytes,
                                                                                       const std::string& place) {
  const auto map = std::make_shared<const Charsmap>(bytes, place);
  return [map](std::string_view text) { return map->longest(text); };
}

}  // namespace lw
