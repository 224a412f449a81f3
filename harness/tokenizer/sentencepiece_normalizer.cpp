#include "harness/tokenizer/sentencepiece_normalizer.h"

#include <utility>

#include "harness/tokenizer/charsmap.h"
#include "harness/tokenizer/unicode.h"

namespace lw {
namespace {

using Longest = std::function<std::optional<CharsmapEntry>(std::string_view text)>;

/// One step through a text: bytes [begin, end) become `text`.
struct NormalStep {
  std::string_view text;
  size_t begin = 0, end = 0;
};

/// Runs through one text.
class SentencePieceNormalizer {
 public:
  SentencePieceNormalizer(const SentencePieceModel& model, const ByteTrie& user_defined, const Longest& longest)
      : prefix_(model.add_dummy_prefix && !model.whitespace_as_suffix),
        suffix_(model.add_dummy_prefix && model.whitespace_as_suffix),
        remove_(model.remove_extra_whitespaces),
        blank_(sentencepiece_blank(model)),
        user_defined_(user_defined),
        longest_(longest) {}

  void run(AlignedText& text) const {
    const std::string& old = text.text();
    size_t at = 0;
    if (remove_)
      while (at < old.size() && step(old, at).text == " ") at = step(old, at).end;
    TextEdit edit(text);
    if (at == old.size()) {
      edit.finish();
      return;
    }
    if (prefix_) edit.put(blank_, at, at);
    bool after_blank = remove_;
    while (at < old.size()) {
      const NormalStep now = step(old, at);
      std::string_view put = now.text;
      while (after_blank && put.substr(0, 1) == " ") put.remove_prefix(1);
      if (!put.empty()) {
        put_marked(put, now, edit);
        after_blank = remove_ && put.back() == ' ';
      }
      at = now.end;
    }
    edit.finish();
    if (remove_) trim_end(text);
    if (!suffix_) return;
    TextEdit end(text);
    end.keep(0, text.text().size());
    end.put(blank_, text.text().size(), text.text().size());
    end.finish();
  }

 private:
  NormalStep step(std::string_view old, size_t at) const {
    size_t end = 0;
    if (user_defined_.longest(old, at, end)) return {old.substr(at, end - at), at, end};
    if (longest_)
      if (const auto entry = longest_(old.substr(at))) return {entry->replacement, at, at + entry->length};
    end = at;
    next_code_point(old, end);
    return {old.substr(at, end - at), at, end};
  }

  void trim_end(AlignedText& text) const {
    size_t length = text.text().size();
    while (length >= blank_.size() && text.text().compare(length - blank_.size(), blank_.size(), blank_) == 0)
      length -= blank_.size();
    if (length < text.text().size()) text = text.slice(0, length);
  }

  void put_marked(std::string_view put, const NormalStep& from, TextEdit& edit) const {
    std::string marked;
    for (const char c : put) c == ' ' ? marked += blank_ : marked += c;
    edit.put(marked, from.begin, from.end);
  }

  bool prefix_, suffix_, remove_;
  std::string blank_;
  const ByteTrie& user_defined_;
  const Longest& longest_;
};

}  // namespace

std::string sentencepiece_blank(const SentencePieceModel& model) {
  return model.escape_whitespaces ? "\xE2\x96\x81" : " ";
}

Normalizer sentencepiece_normalizer(const SentencePieceModel& model, ByteTrie user_defined, const std::string& place) {
  Longest longest;
  if (!model.charsmap.empty()) longest = longest_in_charsmap(model.charsmap, place);
  SentencePieceModel settings = model;
  settings.pieces.clear();
  return [settings = std::move(settings), user_defined = std::move(user_defined), longest = std::move(longest)](
             AlignedText& text) { SentencePieceNormalizer(settings, user_defined, longest).run(text); };
}

}  // namespace lw
