#include "harness/tokenizer/normalizer.h"

#include <utility>
#include <vector>

#include "harness/base/json_fields.h"
#include "harness/base/json_read.h"
#include "harness/base/text.h"
#include "harness/tokenizer/bert_normalizer.h"
#include "harness/tokenizer/byte_alphabet.h"
#include "harness/tokenizer/charsmap.h"
#include "harness/tokenizer/regex.h"
#include "harness/tokenizer/scanners.h"

namespace lw {
namespace {

// The normalizer "Nmt" of SentencePiece: removes ASCII controls and turns other blanks into spaces.
Normalizer nmt() {
  return map_code_points([](char32_t c, std::string& out) {
    const bool gone = (c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
    if (gone) return;
    const bool blank = c == 9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 || (c >= 0x200B && c <= 0x200F) ||
                       c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
    append_utf8(out, blank ? U' ' : c);
  });
}

Normalizer strip(bool left, bool right) {
  return [left, right](AlignedText& text) {
    const std::string& old = text.text();
    size_t begin = 0;
    size_t end = 0;  // after the last code point that is not blank
    bool seen = false;
    for (size_t at = 0; at < old.size();) {
      const size_t here = at;
      if (is_white_space(next_code_point(old, at))) continue;
      if (!seen) begin = here;
      seen = true;
      end = at;
    }
    if (!seen) begin = old.size();
    if (!left) begin = 0;
    if (!right) end = old.size();
    if (begin == 0 && end == old.size()) return;
    TextEdit edit(text);
    if (begin < end) edit.keep(begin, end);
    edit.finish();
  };
}

Normalizer sequence(std::vector<Normalizer> steps) {
  return [steps = std::move(steps)](AlignedText& text) {
    for (const Normalizer& step : steps) step(text);
  };
}

Normalizer read_normalizer_sequence(JsonFields& fields, const Json& json) {
  const auto count = fields.objects("normalizers").size();
  std::vector<Normalizer> steps;
  for (size_t i = 0; i < count; ++i)
    steps.push_back(
        read_normalizer(json["normalizers"][i], fields.place(), text(fields.path(), ".normalizers[", i, "]")));
  return sequence(std::move(steps));
}

Normalizer read_bert(JsonFields& fields) {
  BertOptions options;
  options.clean_text = fields.flag("clean_text");
  options.handle_chinese_chars = fields.flag("handle_chinese_chars");
  options.lowercase = fields.flag("lowercase");
  options.strip_accents = fields.flag("strip_accents", options.lowercase);
  return bert_normalizer(options);
}

Normalizer read_replace(JsonFields& fields) {
  Matcher matcher = read_pattern(fields);
  return replace(std::move(matcher), fields.text("content"));
}

Normalizer read_strip(JsonFields& fields) {
  const bool left = fields.flag("strip_left");
  return strip(left, fields.flag("strip_right"));
}

Normalizer read_typed_normalizer(JsonFields& fields, const Json& json) {
  const std::string type = fields.text("type");
  if (type == "NFC") return normalize_form(NormalForm::kNfc);
  if (type == "NFD") return normalize_form(NormalForm::kNfd);
  if (type == "NFKC") return normalize_form(NormalForm::kNfkc);
  if (type == "NFKD") return normalize_form(NormalForm::kNfkd);
  if (type == "Lowercase") return map_code_points([](char32_t c, std::string& out) { append_lower(out, c); });
  if (type == "StripAccents")
    return map_code_points([](char32_t c, std::string& out) { is_mark(c) ? void() : append_utf8(out, c); });
  if (type == "Nmt") return nmt();
  if (type == "ByteLevel") return to_byte_letters();
  if (type == "Prepend") return prepend(fields.text("prepend"));
  if (type == "Replace") return read_replace(fields);
  if (type == "Strip") return read_strip(fields);
  if (type == "BertNormalizer") return read_bert(fields);
  if (type == "Precompiled")
    return charsmap_normalizer(fields.text("precompiled_charsmap"), fields.place() + ": " + fields.path());
  if (type == "Sequence") return read_normalizer_sequence(fields, json);
  fields.fail("type", found(type).allowed("BertNormalizer, ByteLevel, Lowercase, NFC, NFD, NFKC, NFKD, Nmt, "
                                          "Precompiled, Prepend, Replace, Sequence, Strip, StripAccents"));
}

}  // namespace

Normalizer normalize_form(NormalForm form) {
  return [form](AlignedText& text) {
    TextEdit edit(text);
    bool changed = false;
    const std::string old = text.text();
    normalise_parts(old, form, [&](size_t begin, size_t end, std::string_view normal) {
      if (begin == 0 && end == old.size() && normal == old) return;  // nothing to do
      changed = true;
      if (normal == std::string_view(old).substr(begin, end - begin)) {
        edit.keep(begin, end);
      } else {
        edit.put(normal, begin, end);
      }
    });
    if (changed) edit.finish();
  };
}

Normalizer prepend(std::string prefix) {
  return [prefix = std::move(prefix)](AlignedText& text) {
    if (text.empty()) return;
    TextEdit edit(text);
    edit.put(prefix, 0, 0);
    edit.keep(0, text.text().size());
    edit.finish();
  };
}

Normalizer replace(Matcher matcher, std::string replacement) {
  return [matcher = std::move(matcher), replacement = std::move(replacement)](AlignedText& text) {
    TextEdit edit(text);
    for (const TextPart& part : matcher(text.text())) {
      if (part.match) {
        edit.put(replacement, part.begin, part.end);
      } else {
        edit.keep(part.begin, part.end);
      }
    }
    edit.finish();
  };
}

Normalizer to_byte_letters() {
  return [](AlignedText& text) {
    TextEdit edit(text);
    for (size_t i = 0; i < text.text().size(); ++i)
      edit.put(byte_letter(static_cast<unsigned char>(text.text()[i])), i, i + 1);
    edit.finish();
  };
}

Normalizer read_normalizer(const Json& json, const std::string& place, const std::string& path) {
  if (json.is_null()) return nullptr;
  JsonFields fields(json, place, path);
  Normalizer normalizer = read_typed_normalizer(fields, json);
  fields.finish();
  return normalizer;
}

Matcher read_pattern(JsonFields& fields) {
  const Json* pattern = fields.take("pattern");
  if (pattern == nullptr || !pattern->is_object() || pattern->size() != 1)
    fields.fail(
        "pattern",
        found_what(pattern == nullptr ? "nothing" : short_dump(*pattern)).allowed("{\"String\": …}, {\"Regex\": …}"));
  JsonFields inner(*pattern, fields.place(), fields.path() + ".pattern");
  const auto literal = inner.optional_text("String");
  const auto regex = inner.optional_text("Regex");
  inner.finish();
  if (literal) {
    if (literal->empty()) fields.fail("pattern", "found an empty text; allowed: one with a character");
    return match_text(*literal);
  }
  if (!regex) fields.fail("pattern", "found null; allowed: text");
  for (const KnownPattern& known : known_patterns())
    if (known.pattern == *regex) return known.matcher;
  return match_regex(*regex, fields.place() + ": " + fields.path() + ".pattern");
}

}  // namespace lw
