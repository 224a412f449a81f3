#include "harness/inspect/scheme_list.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "encodings/registry.h"
#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/inspect/scheme_options.h"
#include "harness/measure/position_card.h"
#include "reports/writers/markdown.h"

namespace lw {
namespace {
using Json = nlohmann::ordered_json;

Json to_json(const std::vector<SchemeOption>& options) {
  Json list = Json::array();
  for (const auto& o : options)
    list.push_back({{"name", o.name},
                    {"allowed", o.allowed},
                    {"default", o.fallback.empty() ? Json(nullptr) : Json(o.fallback)},
                    {"required", o.required},
                    {"doc", o.doc}});
  return list;
}

template <class Info>
Json described(const Info& info) {
  return {{"name", info.name}, {"summary", info.summary}, {"source", info.paper}, {"golden", info.golden}};
}

template <class Info>
void add_measured(Json& json, const Info& info) {
  const ModelShape shape = described_shape();
  const PlainSetting plain = plain_setting(info, shape);
  if (!plain.missing.empty()) {
    json["needs"] = plain.missing;
    return;
  }
  const Json card = to_json(position_card(plain.name, shape, {0, 0, false}, [&] { return plain.position.build(); }));
  for (const char* key : {"applies_to", "learned", "cache", "max_positions"}) json[key] = card[key];
  json["shift_invariant"] = card["shift_invariant"]["measured"];
  const ModelShape encoder = described_shape(false);
  json["models"] =
      plain_setting(info, encoder).missing.empty() ? Json::array({"decoder", "encoder"}) : Json::array({"decoder"});
}

template <class Info>
Json list_json(std::span<const Info* const> all) {
  Json list = Json::array();
  for (const auto* info : all) {
    Json entry = described(*info);
    add_measured(entry, *info);
    entry["options"] = to_json(options_of(*info));
    list.push_back(std::move(entry));
  }
  return list;
}

std::string words(const Json& list, const char* none) {
  std::vector<std::string> out;
  for (const auto& item : list) out.push_back(item.get<std::string>());
  return out.empty() ? none : join(out);
}

/// "2104.09864" of "Su et al. 2021, arXiv:2104.09864" becomes a link.
std::string paper_link(const std::string& paper) {
  const size_t at = paper.find("arXiv:");
  if (at == std::string::npos) return markdown_text(paper);
  const size_t begin = at + 6;
  const size_t end = std::min(paper.find_first_not_of("0123456789.", begin), paper.size());
  std::string id = paper.substr(begin, end - begin);
  const size_t kept = id.find_last_not_of('.') + 1;
  id.resize(kept);
  return markdown_text(paper.substr(0, at)) + "[arXiv:" + id + "](https://arxiv.org/abs/" + id + ")" +
         markdown_text(paper.substr(begin + kept));
}

std::string cache_words(const std::string& cache) {
  if (cache == "rotated") return "keys stay valid";
  return cache == "raw" ? "raw keys, positions at use" : "recompute";
}

std::string or_dash(const std::string& text) { return text.empty() ? "\xE2\x80\x93" : text; }

std::string options_table(const Json& options) {
  if (options.empty()) return "No options.\n";
  std::string out = "| option | default | allowed | what |\n| --- | --- | --- | --- |\n";
  for (const auto& o : options) {
    const std::string fallback = o["default"].is_null() ? "" : o["default"].get<std::string>();
    out += "| `" + o["name"].get<std::string>() + "` | " +
           (o["required"].get<bool>() ? "**required**" : or_dash(markdown_text(fallback))) + " | " +
           markdown_text(o["allowed"].get<std::string>()) + " | " + markdown_text(o["doc"].get<std::string>()) + " |\n";
  }
  return out;
}

std::string properties_row(const Json& e) {
  if (e.contains("needs")) return " needs options | | | | |";
  const std::string positions = e["max_positions"].is_null() ? "unbounded" : "bounded";
  return " " + words(e["applies_to"], "nowhere") + " | " + (e["learned"].get<bool>() ? "learned" : "fixed") + " | " +
         (e["shift_invariant"].get<bool>() ? "yes" : "no") + " | " + cache_words(e["cache"].get<std::string>()) +
         " | " + positions + " | " + (e["models"].size() == 1 ? "decoders" : "both") + " |";
}

std::string summary_table(const Json& list) {
  std::string out =
      "| name | what | enters at | parameters | shift invariant | key cache | positions | models |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const auto& e : list)
    out += "| [`" + e["name"].get<std::string>() + "`](#" + e["name"].get<std::string>() + ") | " +
           markdown_text(e["summary"].get<std::string>()) + " |" + properties_row(e) + "\n";
  return out;
}

std::string sections(const Json& list) {
  std::string out;
  for (const auto& e : list)
    out +=
        "\n### " + e["name"].get<std::string>() + "\n\n" + capitalised(markdown_text(e["summary"].get<std::string>())) +
        ". " + paper_link(e["source"].get<std::string>()) +
        ".\nTested against: " + markdown_text(e["golden"].get<std::string>()) + ".\n\n" + options_table(e["options"]);
  return out;
}

std::string scaling_table(const Json& list) {
  std::string out = "| `rope_type` | what | key cache | paper |\n| --- | --- | --- | --- |\n";
  for (const auto& e : list)
    out += "| [`" + e["name"].get<std::string>() + "`](#" + e["name"].get<std::string>() + ") | " +
           markdown_text(e["summary"].get<std::string>()) + " | " +
           (e.contains("cache") ? cache_words(e["cache"].get<std::string>()) : "needs options") + " | " +
           paper_link(e["source"].get<std::string>()) + " |\n";
  return out;
}

}  // namespace

Json encodings_json() { return list_json(encodings()); }
Json scalings_json() { return list_json(rope_scalings()); }

std::string scalings_markdown() {
  const Json list = scalings_json();
  return "## RoPE scalings\n\nBelow `position.scaling`, with Hugging Face's keys: a block of a `config.json` can be "
         "pasted.\n\n" +
         scaling_table(list) + sections(list);
}

std::string encodings_markdown() {
  const Json list = encodings_json();
  return "# Position encodings\n\n"
         "<!-- Written by `lengthwise list encodings --markdown`; a test compares the two. -->\n\n"
         "Every scheme that `position.scheme` may name, and every RoPE scaling. Properties are measured, as "
         "`lengthwise inspect SCHEME` does,\non a decoder of width 64 with 4 heads; defaults are those of the code "
         "that reads them.\n\n"
         "*Key cache* says what may be kept while decoding: keys as they were when they arrived (*keys stay valid*), "
         "keys before any\nposition (*raw keys*), or nothing, since a longer sequence changes what earlier tokens are "
         "(*recompute*).\n\n"
         "## Schemes\n\n" +
         summary_table(list) + sections(list) +
         "\n## With any scheme\n\nThese stand beside a scheme's own options; without them nothing is changed.\n\n" +
         options_table(to_json(options_of_any_scheme())) + "\n" + scalings_markdown();
}

}  // namespace lw
