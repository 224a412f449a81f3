#include "harness/tokenizer/tokenizer_file.h"

#include <optional>

#include "harness/base/error.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/tokenizer/score_text.h"

namespace lw {
namespace {

/// Receives the file value by value (nlohmann's SAX interface).
class Receiver {
 public:
  using number_integer_t = Json::number_integer_t;
  using number_unsigned_t = Json::number_unsigned_t;
  using number_float_t = Json::number_float_t;
  using string_t = Json::string_t;
  using binary_t = Json::binary_t;

  /// @param text is read, and looked at for the place of a fault. @param vocab_only the whole file is one vocabulary.
  Receiver(std::string_view text, std::string place, bool vocab_only)
      : text_(text), place_(std::move(place)), vocab_only_(vocab_only) {}

  bool null() { return value(Json(nullptr)); }
  bool boolean(bool flag) { return value(Json(flag)); }
  bool number_integer(number_integer_t number) { return value(Json(number)); }
  bool number_unsigned(number_unsigned_t number) { return value(Json(number)); }
  bool number_float(number_float_t number, const string_t& text) {
    return value(Json(list_depth_ == 2 && in_vocab() ? library_number(text) : number));
  }
  bool string(string_t& text) { return value(Json(std::move(text))); }
  bool binary(binary_t& /*bytes*/) { fail("binary data"); }
  bool start_object(size_t /*count*/) { return open(Json::object()); }
  bool start_array(size_t /*count*/) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(string_t& name) {
    key_ = std::move(name);
    if (list_depth_ == 0 && open_.back()->contains(key_)) fail(printable(key_) + " twice; each key may stand once");
    return true;
  }
  bool parse_error(size_t at, const std::string& /*token*/, const nlohmann::json::exception& e) {
    if (dynamic_cast<const nlohmann::json::parse_error*>(&e) == nullptr) fail_json_number(place_);
    fail_json(text_, at, place_);
  }

  TokenizerFile file;

 private:
  static constexpr size_t kDeepest = 64;

  [[noreturn]] void fail(const std::string& found) const {
    throw Error(ErrorKind::kInput, place_ + ": found " + found);
  }
  bool in_vocab() const { return list_ == "vocab"; }

  // --- outside of the long lists: a document tree ---

  Json& put(Json item) {
    if (open_.empty()) return file.rest = std::move(item);
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(item));
      return parent.back();
    }
    // Not operator[]: the key is known to be new.
    return parent.emplace(key_, std::move(item)).first.value();
  }

  std::string list_here(const Json& opened) const {
    if (vocab_only_) return open_.empty() && opened.is_object() ? "vocab" : "";
    const bool in_model = open_.size() == 2 && names_.back() == "model";
    if (!in_model || (key_ != "vocab" && key_ != "merges")) return "";
    if (key_ == "merges" && opened.is_object()) return "";
    return key_;
  }

  bool open(Json opened) {
    if (list_depth_ > 0) return open_entry(opened.is_object());
    if (open_.size() >= kDeepest) fail(text("values nested more than ", kDeepest, " deep"));
    list_ = list_here(opened);
    if (!list_.empty()) {
      list_depth_ = 1;
      as_object_ = opened.is_object();
      put(nullptr);
      return true;
    }
    Json& added = put(std::move(opened));
    names_.push_back(key_);
    open_.push_back(&added);
    return true;
  }

  bool close() {
    if (list_depth_ > 0) {
      if (list_depth_ == 2) end_entry();
      --list_depth_;
      return true;
    }
    open_.pop_back();
    names_.pop_back();
    return true;
  }

  bool value(Json item) {
    if (list_depth_ > 0) return entry(std::move(item));
    put(std::move(item));
    return true;
  }

  // --- inside of them ---

  bool open_entry(bool object) {
    if (as_object_ || object || list_depth_ != 1) fail(list_ + " with an entry of another form");
    list_depth_ = 2;
    entry_.clear();
    return true;
  }

  bool entry(Json item) {
    if (list_depth_ == 2) {
      entry_.push_back(std::move(item));
      return true;
    }
    if (as_object_) {
      if (!JsonFits<int64_t>::check(item))
        fail(list_ + ": '" + printable(key_) + "' with " + json_shown(item) + "; allowed: an id");
      file.vocab.emplace_back(std::move(key_), item.get<int64_t>());
    } else if (in_vocab() || !item.is_string()) {
      fail(list_ + " with the entry " + json_shown(item) + "; allowed: pairs");
    } else {
      file.merges.push_back(
          split_merge(item.get_ref<const std::string&>(), text(place_, ": model.merges[", file.merges.size(), "]")));
    }
    return true;
  }

  void end_entry() {
    const bool pair = entry_.size() == 2 && entry_[0].is_string();
    if (in_vocab() && pair && entry_[1].is_number()) {
      file.scored.emplace_back(entry_[0].get<std::string>(), entry_[1].get<double>());
    } else if (!in_vocab() && pair && entry_[1].is_string()) {
      file.merges.emplace_back(entry_[0].get<std::string>(), entry_[1].get<std::string>());
    } else {
      fail(list_ + " with an entry of another form; allowed: pairs");
    }
  }

  std::string_view text_;
  std::string place_;
  bool vocab_only_;
  std::vector<Json*> open_;  // the open objects and arrays; parents do not grow while a child is open
  std::vector<std::string> names_;
  std::string key_;
  std::string list_;       // which long list we are in
  size_t list_depth_ = 0;  // 1 in it, 2 in an entry of it
  bool as_object_ = false;
  std::vector<Json> entry_;
};

TokenizerFile parse(std::string_view text, const std::string& place, bool vocab_only) {
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos)  // the parser would take it for the end
    throw Error(ErrorKind::kInput, place + ": not JSON: found a zero byte at byte " + std::to_string(nul));
  Receiver receiver(text, place, vocab_only);
  Json::sax_parse(text.begin(), text.end(), &receiver);
  return std::move(receiver.file);
}

}  // namespace

TokenizerFile parse_tokenizer_file(std::string_view text, const std::string& place) {
  return parse(text, place, false);
}

std::vector<std::pair<std::string, int64_t>> parse_vocab_file(std::string_view text, const std::string& place) {
  return parse(text, place, true).vocab;
}

std::pair<std::string, std::string> split_merge(std::string_view merge, const std::string& place) {
  const size_t space = merge.find(' ');
  if (space == std::string_view::npos || space == 0 || space + 1 == merge.size() ||
      merge.find(' ', space + 1) != std::string_view::npos)
    throw Error(ErrorKind::kInput, place + ": " + found(printable(merge)).allowed("two parts with one space between"));
  return {std::string(merge.substr(0, space)), std::string(merge.substr(space + 1))};
}

}  // namespace lw
