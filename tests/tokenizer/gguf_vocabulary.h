// The vocabulary of a trusted GGUF file, for tests only: the program's reader checks every size first, this one none.
#pragma once
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/base/files.h"
#include "harness/tokenizer/from_gguf.h"

namespace lw::test {

class GgufMetadata {
 public:
  explicit GgufMetadata(const std::filesystem::path& path) : bytes_(read_file(path)) {
    if (bytes_.compare(0, 4, "GGUF") != 0) throw std::runtime_error(path.string() + ": no GGUF");
    at_ = 8;
    number<uint64_t>();  // tensors
    const auto count = number<uint64_t>();
    for (uint64_t i = 0; i < count; ++i) {
      const std::string key = text();
      const auto type = number<uint32_t>();
      value(key, type);
    }
  }

  GgufVocabulary vocabulary() const {
    GgufVocabulary v;
    const auto one = [](const auto& map, const std::string& key) {
      const auto found = map.find("tokenizer.ggml." + key);
      using Value = std::decay_t<decltype(found->second.front())>;
      return found == map.end() ? std::nullopt : std::optional<Value>(found->second.front());
    };
    const auto all = [](const auto& map, const std::string& key) {
      const auto found = map.find("tokenizer.ggml." + key);
      return found == map.end() ? typename std::decay_t<decltype(map)>::mapped_type() : found->second;
    };
    v.model = one(texts_, "model").value_or("");
    v.pre = one(texts_, "pre");
    v.tokens = all(texts_, "tokens");
    v.merges = all(texts_, "merges");
    for (const double score : all(numbers_, "scores")) v.scores.push_back(static_cast<float>(score));
    for (const double type : all(numbers_, "token_type")) v.types.push_back(static_cast<int32_t>(type));
    const auto id = [&](const std::string& key) {
      const auto number = one(numbers_, key);
      return number ? std::optional<int64_t>(static_cast<int64_t>(*number)) : std::nullopt;
    };
    v.bos = id("bos_token_id");
    v.eos = id("eos_token_id");
    v.unknown = id("unknown_token_id");
    const auto flag = [&](const std::string& key) {
      const auto number = one(numbers_, key);
      return number ? std::optional<bool>(*number != 0.0) : std::nullopt;
    };
    v.add_bos = flag("add_bos_token");
    v.add_eos = flag("add_eos_token");
    v.add_space_prefix = flag("add_space_prefix");
    v.remove_extra_whitespaces = flag("remove_extra_whitespaces");
    return v;
  }

 private:
  template <class T>
  T number() {
    T value{};
    if (at_ + sizeof(T) > bytes_.size()) throw std::runtime_error("GGUF ends early");
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  std::string text() {
    const auto length = number<uint64_t>();
    at_ += length;
    return bytes_.substr(at_ - length, length);
  }
  void value(const std::string& key, uint32_t type) {
    switch (type) {
      case 0:
      case 7:
        numbers_[key].push_back(number<uint8_t>());
        break;
      case 1:
        numbers_[key].push_back(number<int8_t>());
        break;
      case 2:
        numbers_[key].push_back(number<uint16_t>());
        break;
      case 3:
        numbers_[key].push_back(number<int16_t>());
        break;
      case 4:
        numbers_[key].push_back(number<uint32_t>());
        break;
      case 5:
        numbers_[key].push_back(number<int32_t>());
        break;
      case 6:
        numbers_[key].push_back(static_cast<double>(number<float>()));
        break;
      case 8:
        texts_[key].push_back(text());
        break;
      case 9: {
        const auto element = number<uint32_t>();
        for (auto left = number<uint64_t>(); left > 0; --left) value(key, element);
        break;
      }
      case 10:
        numbers_[key].push_back(static_cast<double>(number<uint64_t>()));
        break;
      case 11:
        numbers_[key].push_back(static_cast<double>(number<int64_t>()));
        break;
      case 12:
        numbers_[key].push_back(number<double>());
        break;
      default:
        throw std::runtime_error("GGUF: value type " + std::to_string(type));
    }
  }

  std::string bytes_;
  size_t at_ = 0;
  std::map<std::string, std::vector<std::string>> texts_;
  std::map<std::string, std::vector<double>> numbers_;
};

}  // namespace lw::test
