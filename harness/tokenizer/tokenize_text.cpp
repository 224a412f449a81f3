#include "harness/tokenizer/tokenize_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lw {
namespace {

std::string padded(const std::string& text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

}  // namespace

std::string tokenize_text(const Tokenizer& tokenizer, std::string_view text, const EncodeOptions& options,
                          bool ids_only) {
  const Encoding encoding = tokenizer.encode(text, options);
  std::string out;
  if (ids_only) {
    for (const int64_t id : encoding.ids) out += (out.empty() ? "" : " ") + std::to_string(id);
    return out + "\n";
  }
  const size_t width = std::to_string(text.size()).size();
  const size_t id_width = std::to_string(std::max<int64_t>(tokenizer.size() - 1, 0)).size();
  for (size_t i = 0; i < encoding.ids.size(); ++i) {
    const TextSpan span = encoding.spans[i];
    out += padded(std::to_string(span.begin), width) + "-" + padded(std::to_string(span.end), width) + "  " +
           padded(std::to_string(encoding.ids[i]), id_width) + "  " +
           nlohmann::json(tokenizer.id_to_token(encoding.ids[i])).dump() + "\n";
  }
  out += token_line(tokenizer, encoding.ids) + "\ncut by " + tokenizer.cuts() + "\n";
  return out;
}

}  // namespace lw
