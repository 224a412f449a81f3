#include "harness/tokenizer/decoder.h"

#include <utility>

#include "harness/base/json_fields.h"
#include "harness/base/json_read.h"
#include "harness/base/text.h"
#include "harness/tokenizer/byte_alphabet.h"
#include "harness/tokenizer/byte_tokens.h"
#include "harness/tokenizer/normalizer.h"
#include "harness/tokenizer/unicode.h"

namespace lw {
namespace {

Decoder each(std::function<void(std::string& text, size_t index)> change) {
  return [change = std::move(change)](std::vector<DecodedToken>& tokens) {
    for (size_t i = 0; i < tokens.size(); ++i) change(tokens[i].text, i);
  };
}

Decoder replace_in_each(const Matcher& matcher, const std::string& with) {
  return each([matcher, with](std::string& text, size_t /*index*/) {
    std::string changed;
    for (const TextPart& part : matcher(text))
      changed += part.match ? with : text.substr(part.begin, part.end - part.begin);
    text = std::move(changed);
  });
}

void fuse(std::vector<DecodedToken>& tokens) {
  DecodedToken all;
  for (const DecodedToken& token : tokens) all.text += token.text;
  tokens.assign(1, all);
}

// Byte tokens in a row become the characters they spell, or U+FFFD each if they spell none.
void byte_fallback(std::vector<DecodedToken>& tokens) {
  std::vector<DecodedToken> changed;
  std::string bytes;
  const auto flush = [&] {
    if (bytes.empty()) return;
    if (find_invalid_utf8(bytes) == std::string::npos) {
      changed.push_back({bytes, false});
    } else {
      changed.insert(changed.end(), bytes.size(), {"\xEF\xBF\xBD", false});
    }
    bytes.clear();
  };
  for (DecodedToken& token : tokens) {
    if (const auto byte = byte_of_token(token.text)) {
      bytes += static_cast<char>(*byte);
    } else {
      flush();
      changed.push_back(std::move(token));
    }
  }
  flush();
  tokens = std::move(changed);
}

// Takes up to `start` of the character off the front of each token, and up to `stop` off the back.
Decoder strip(const std::string& content, int64_t start, int64_t stop) {
  return each([=](std::string& text, size_t /*index*/) {
    for (int64_t i = 0; i < start && text.rfind(content, 0) == 0; ++i) text.erase(0, content.size());
    const auto ends = [&] {
      return text.size() >= content.size() && text.compare(text.size() - content.size(), content.size(), content) == 0;
    };
    for (int64_t i = 0; i < stop && ends(); ++i) text.erase(text.size() - content.size());
  });
}

Decoder metaspace(const std::string& replacement, bool drop_first) {
  return each([=](std::string& text, size_t index) {
    std::string changed;
    for (const TextPart& part : match_text(replacement)(text)) {
      if (!part.match) changed += text.substr(part.begin, part.end - part.begin);
      if (part.match && !(index == 0 && drop_first)) changed += ' ';
    }
    text = std::move(changed);
  });
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

Decoder wordpiece(const std::string& prefix, bool cleanup) {
  return each([=](std::string& text, size_t index) {
    if (index != 0) {
      if (text.rfind(prefix, 0) == 0) {
        text.erase(0, prefix.size());
      } else {
        text.insert(0, " ");
      }
    }
    static const std::vector<std::pair<std::string, std::string>> kCleanups = {
        {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
        {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    if (!cleanup) return;
    for (const auto& [from, to] : kCleanups) replace_all(text, from, to);
  });
}

Decoder in_turn(std::vector<Decoder> steps) {
  return [steps = std::move(steps)](std::vector<DecodedToken>& tokens) {
    for (const Decoder& step : steps) step(tokens);
  };
}

Decoder read_decoder_sequence(JsonFields& fields, const Json& json) {
  const size_t count = fields.objects("decoders").size();
  std::vector<Decoder> steps;
  for (size_t i = 0; i < count; ++i)
    steps.push_back(read_decoder(json["decoders"][i], fields.place(), text(fields.path(), ".decoders[", i, "]")));
  return in_turn(std::move(steps));
}

Decoder read_metaspace(JsonFields& fields) {
  const std::string replacement = fields.text("replacement");
  const bool add = fields.flag("add_prefix_space", true);
  const std::string scheme = fields.text_or("prepend_scheme", add ? "always" : "never");
  fields.take("str_rep");
  fields.flag("split", true);
  if (replacement.empty()) fields.fail("replacement", "found ''; allowed: one character");
  return metaspace(replacement, scheme != "never");
}

Decoder read_typed_decoder(JsonFields& fields, const Json& json) {
  const std::string type = fields.text("type");
  if (type == "ByteLevel") {
    for (const char* unused : {"add_prefix_space", "trim_offsets", "use_regex"}) fields.flag(unused, true);
    return decode_byte_letters();
  }
  if (type == "Sequence") return read_decoder_sequence(fields, json);
  if (type == "ByteFallback") return byte_fallback;
  if (type == "Fuse") return fuse;
  if (type == "Metaspace") return read_metaspace(fields);
  if (type == "Replace") {
    const Matcher matcher = read_pattern(fields);
    return replace_in_each(matcher, fields.text("content"));
  }
  if (type == "Strip") {
    const std::string content = fields.text("content");
    if (content.empty()) fields.fail("content", "found ''; allowed: one character");
    const int64_t start = fields.integer("start");
    return strip(content, start, fields.integer("stop"));
  }
  if (type == "WordPiece") {
    const std::string prefix = fields.text("prefix");
    return wordpiece(prefix, fields.flag("cleanup"));
  }
  fields.fail("type",
              found(type).allowed("ByteFallback, ByteLevel, Fuse, Metaspace, Replace, Sequence, Strip, WordPiece"));
}

}  // namespace

Decoder decode_byte_letters() {
  return [](std::vector<DecodedToken>& tokens) {
    std::string bytes;
    for (const DecodedToken& token : tokens)
      bytes += token.added ? token.text : bytes_of_letters(token.text).value_or(token.text);
    tokens.assign(1, {replace_invalid_utf8(bytes), false});
  };
}

Decoder decode_sentencepiece(const std::string& mark, bool leading_space) {
  std::vector<Decoder> steps = {replace_in_each(match_text(mark), " "), byte_fallback, fuse};
  if (leading_space) steps.push_back(strip(" ", 1, 0));
  return in_turn(std::move(steps));
}

Decoder read_decoder(const Json& json, const std::string& place, const std::string& path) {
  if (json.is_null())
    return each([](std::string& text, size_t index) {
      if (index != 0) text.insert(0, " ");
    });
  JsonFields fields(json, place, path);
  Decoder decoder = read_typed_decoder(fields, json);
  fields.finish();
  return decoder;
}

}  // namespace lw
