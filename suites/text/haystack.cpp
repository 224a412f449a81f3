#include "suites/text/haystack.h"

#include <algorithm>

#include "harness/base/printable.h"

namespace lw {
namespace {

constexpr size_t kLongSentence = 400, kLongestSentence = 800;  // bytes

constexpr const char* kSpaces = " \n\t\r";

/// Whether a sentence may end after `text`: a full stop, perhaps in quotes.
bool ends_sentence(std::string_view text) {
  while (!text.empty() && (text.back() == '"' || text.back() == '\'' || text.back() == ')')) text.remove_suffix(1);
  static constexpr std::string_view kStops[] = {".", "!", "?", "…", "。", "！", "？"};
  return std::any_of(std::begin(kStops), std::end(kStops), [&](std::string_view s) { return text.ends_with(s); });
}

}  // namespace

std::vector<std::string_view> split_sentences(std::string_view text) {
  std::vector<std::string_view> out;
  size_t begin = 0;
  const auto end_at = [&](size_t at) {
    out.push_back(text.substr(begin, at - begin));
    begin = at;
  };
  for (size_t at = 0, letters = 0; at < text.size();) {  // letters of the sentence so far: it is never all space
    const auto so_far = text.substr(begin, at - begin);
    const size_t word = std::min(text.find_first_not_of(kSpaces, at), text.size());
    if (word > at) {
      const bool line_end = text.substr(at, word - at).find('\n') != std::string_view::npos;
      if (letters > 0 && (line_end || so_far.size() > kLongSentence || ends_sentence(so_far))) end_at(at), letters = 0;
      at = word;
    } else {
      if (so_far.size() > kLongestSentence) end_at(at);
      at += std::max<size_t>(utf8_length(text.substr(at)), 1);
      ++letters;
    }
  }
  if (begin < text.size()) end_at(text.size());
  return out;
}

Haystack::Haystack(const Language& language, const TextCodec& text)
    : patterns_(language.patterns), stop_(text.encode(".")) {
  for (const auto& kind : language.parts) {
    parts_.emplace_back();
    for (const auto& piece : kind) parts_.back().push_back(text.encode(piece));
  }
}

Haystack::Haystack(std::string_view file, const TextCodec& text) {
  for (const auto& sentence : split_sentences(file))
    if (auto tokens = text.encode(sentence); !tokens.empty()) sentences_.push_back(std::move(tokens));
}

std::optional<int64_t> Haystack::tokens() const {
  if (!parts_.empty()) return std::nullopt;
  int64_t sum = 0;
  for (const auto& sentence : sentences_) sum += int64_t(sentence.size());
  return sum;
}

Haystack::Tokens Haystack::make_up(const Tokens& last, Rng& rng) const {
  Tokens sentence;
  do {
    sentence.clear();
    const auto& pattern = patterns_[size_t(rng.below(int64_t(patterns_.size())))];
    for (const size_t kind : pattern) {
      const Tokens& part = parts_[kind][size_t(rng.below(int64_t(parts_[kind].size())))];
      sentence.insert(sentence.end(), part.begin(), part.end());
    }
    sentence.insert(sentence.end(), stop_.begin(), stop_.end());
  } while (sentence == last);
  return sentence;
}

RunningText Haystack::draw(int64_t length, Rng& rng) const {
  RunningText out;
  std::vector<int64_t> ends = {0};
  size_t next = sentences_.empty() ? 0 : size_t(rng.below(int64_t(sentences_.size())));
  Tokens sentence;
  while (ends.back() < length) {
    sentence = sentences_.empty() ? make_up(sentence, rng) : sentences_[next++ % sentences_.size()];
    out.tokens.insert(out.tokens.end(), sentence.begin(), sentence.end());
    ends.push_back(int64_t(out.tokens.size()));
  }
  const int64_t cut = ends.back() - length;
  out.tokens.erase(out.tokens.begin(), out.tokens.begin() + cut);
  for (const int64_t end : ends)
    if (end >= cut) out.seams.push_back(end - cut);
  return out;
}

}  // namespace lw
