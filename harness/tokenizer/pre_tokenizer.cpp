#include "harness/tokenizer/pre_tokenizer.h"

#include <iterator>
#include <utility>

#include "harness/base/json_fields.h"
#include "harness/base/json_read.h"
#include "harness/base/text.h"
#include "harness/tokenizer/normalizer.h"
#include "harness/tokenizer/scanners.h"
#include "harness/tokenizer/unicode.h"

namespace lw {
namespace {

SplitBehavior read_behavior(JsonFields& fields, const std::string& name) {
  static const std::vector<std::string> kNames = {"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext",
                                                  "Contiguous"};
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<SplitBehavior>(i);
  fields.fail("behavior", found(name).allowed(join(kNames)) + did_you_mean(name, kNames));
}

// \w+|[^\w\s]+ ; blanks lie between the matches.
std::vector<TextPart> words_and_signs(std::string_view text) {
  std::vector<TextPart> parts;
  int previous = -1;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const int kind = is_word(c) ? 2 : is_white_space(c) ? 0 : 1;
    if (kind == previous) {
      parts.back().end = at;
    } else {
      parts.push_back({begin, at, kind != 0});
    }
    previous = kind;
  }
  return parts;
}

enum class PrependScheme { kAlways, kFirst, kNever };

// Spaces become the replacement, which is also put in front of the pieces that the scheme selects.
PreTokenizer metaspace(const std::string& replacement, PrependScheme scheme, bool split_too) {
  const Normalizer escape = replace(match_text(" "), replacement);
  const Normalizer lead = prepend(replacement);
  const Matcher marks = match_text(replacement);
  return [=](std::vector<AlignedText>& pieces) {
    std::vector<AlignedText> cut;
    for (AlignedText& piece : pieces) {
      const bool first = piece.begin() == 0;
      escape(piece);
      const bool wanted = scheme == PrependScheme::kAlways || (scheme == PrependScheme::kFirst && first);
      if (wanted && piece.text().rfind(replacement, 0) != 0) lead(piece);
      if (!split_too) {
        cut.push_back(std::move(piece));
        continue;
      }
      auto parts = split(piece, marks, SplitBehavior::kMergedWithNext);
      std::move(parts.begin(), parts.end(), std::back_inserter(cut));
    }
    pieces = std::move(cut);
  };
}

PreTokenizer read_metaspace(JsonFields& fields) {
  const std::string replacement = fields.text("replacement");
  const auto old_form = fields.take("add_prefix_space");  // before release 0.15 of the library
  const bool add = fields.flag("add_prefix_space", true);
  const std::string scheme = fields.text_or("prepend_scheme", add ? "always" : "never");
  fields.take("str_rep");
  const bool split_too = fields.flag("split", true);
  if (replacement.empty() || utf8_step(replacement, 0).length != replacement.size())
    fields.fail("replacement", found(replacement).allowed("one character"));
  static const std::vector<std::string> kSchemes = {"always", "first", "never"};
  for (size_t i = 0; i < kSchemes.size(); ++i) {
    if (kSchemes[i] != scheme) continue;
    if (old_form != nullptr && !add && scheme != "never")
      fields.fail("prepend_scheme", found(scheme, " beside add_prefix_space false").allowed("never"));
    return metaspace(replacement, static_cast<PrependScheme>(i), split_too);
  }
  fields.fail("prepend_scheme", found(scheme).allowed(join(kSchemes)));
}

PreTokenizer read_byte_level(JsonFields& fields) {
  const bool add_prefix_space = fields.flag("add_prefix_space");
  fields.flag("trim_offsets", true);  // which offsets tokens show in the library; ours cover all bytes
  return byte_level(fields.flag("use_regex", true) ? known_pattern("gpt2").matcher : nullptr, add_prefix_space);
}

PreTokenizer read_split(JsonFields& fields) {
  Matcher matcher = read_pattern(fields);
  const SplitBehavior behavior = read_behavior(fields, fields.text("behavior"));
  return split_by(std::move(matcher), behavior, fields.flag("invert"));
}

PreTokenizer read_sequence(JsonFields& fields, const Json& json) {
  const size_t count = fields.objects("pretokenizers").size();
  std::vector<PreTokenizer> steps;
  for (size_t i = 0; i < count; ++i)
    steps.push_back(
        read_pre_tokenizer(json["pretokenizers"][i], fields.place(), text(fields.path(), ".pretokenizers[", i, "]")));
  return pre_tokenize_in_turn(std::move(steps));
}

PreTokenizer read_typed(JsonFields& fields, const Json& json) {
  const std::string type = fields.text("type");
  if (type == "ByteLevel") return read_byte_level(fields);
  if (type == "Split") return read_split(fields);
  if (type == "Metaspace") return read_metaspace(fields);
  if (type == "Sequence") return read_sequence(fields, json);
  if (type == "Digits")
    return split_by(match_class(is_number),
                    fields.flag("individual_digits") ? SplitBehavior::kIsolated : SplitBehavior::kContiguous);
  if (type == "Punctuation")
    return split_by(match_class(is_punctuation), read_behavior(fields, fields.text_or("behavior", "Isolated")));
  if (type == "BertPreTokenizer")
    return pre_tokenize_in_turn({split_by(match_class(is_white_space), SplitBehavior::kRemoved),
                                 split_by(match_class(is_punctuation), SplitBehavior::kIsolated)});
  if (type == "Whitespace") return split_by(words_and_signs, SplitBehavior::kRemoved, true);
  if (type == "WhitespaceSplit") return split_by(match_class(is_white_space), SplitBehavior::kRemoved);
  if (type == "CharDelimiterSplit") return split_by(match_text(fields.text("delimiter")), SplitBehavior::kRemoved);
  fields.fail("type", found(type).allowed("BertPreTokenizer, ByteLevel, CharDelimiterSplit, Digits, Metaspace, "
                                          "Punctuation, Sequence, Split, Whitespace, WhitespaceSplit"));
}

}  // namespace

PreTokenizer split_by(Matcher matcher, SplitBehavior behavior, bool inverted) {
  return [matcher = std::move(matcher), behavior, inverted](std::vector<AlignedText>& pieces) {
    std::vector<AlignedText> cut;
    for (const AlignedText& piece : pieces) {
      auto parts = split(piece, matcher, behavior, inverted);
      std::move(parts.begin(), parts.end(), std::back_inserter(cut));
    }
    pieces = std::move(cut);
  };
}

PreTokenizer byte_level(Matcher cuts, bool add_prefix_space) {
  const Normalizer letters = to_byte_letters();
  const Normalizer lead = prepend(" ");
  return [=](std::vector<AlignedText>& pieces) {
    std::vector<AlignedText> cut;
    for (AlignedText& piece : pieces) {
      if (add_prefix_space && piece.text().rfind(' ', 0) != 0) lead(piece);
      if (!cuts) {
        cut.push_back(std::move(piece));
        continue;
      }
      auto parts = split(piece, cuts, SplitBehavior::kIsolated);
      std::move(parts.begin(), parts.end(), std::back_inserter(cut));
    }
    for (AlignedText& piece : cut) letters(piece);
    pieces = std::move(cut);
  };
}

PreTokenizer pre_tokenize_in_turn(std::vector<PreTokenizer> steps) {
  return [steps = std::move(steps)](std::vector<AlignedText>& pieces) {
    for (const PreTokenizer& step : steps) step(pieces);
  };
}

PreTokenizer read_pre_tokenizer(const Json& json, const std::string& place, const std::string& path) {
  if (json.is_null()) return nullptr;
  JsonFields fields(json, place, path);
  PreTokenizer pre_tokenizer = read_typed(fields, json);
  fields.finish();
  return pre_tokenizer;
}

}  // namespace lw
