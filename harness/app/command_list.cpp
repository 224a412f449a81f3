#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "encodings/position_encoding.h"
#include "encodings/registry.h"
#include "encodings/rope_scaling/rope_scaling.h"
#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/base/log.h"
#include "harness/checkpoint/family.h"
#include "harness/inspect/scheme_list.h"
#include "reports/registry.h"
#include "reports/text_table.h"
#include "reports/writers/markdown.h"
#include "suites/suite.h"

namespace lw {
namespace {

using Json = nlohmann::ordered_json;

template <class Info>
void add_lines(Json& out, std::span<const Info* const> all) {
  for (const auto* info : all)
    out.push_back({{"name", info->name}, {"summary", info->summary}, {"source", info->paper}});
}

/// Name, summary and source of each.
Json lines_of(const std::string& what) {
  Json out = Json::array();
  if (what == "encodings") add_lines(out, encodings());
  if (what == "scalings") add_lines(out, rope_scalings());
  if (what == "suites") add_lines(out, suites());
  if (what == "families")
    for (const auto* family : families())
      out.push_back({{"name", family->name},
                     {"summary", family->summary},
                     {"source", family->architecture.empty()
                                    ? std::string("Hugging Face folders")
                                    : "Hugging Face folders; GGUF architecture " + std::string(family->architecture)}});
  if (what == "formats")
    for (const auto& f : report_formats())
      out.push_back({{"name", f.name}, {"summary", f.summary}, {"source", f.files}});
  return out;
}

std::string markdown_table(const Json& lines) {
  std::string out = "| name | what | source |\n| --- | --- | --- |\n";
  for (const auto& l : lines)
    out += "| `" + l["name"].get<std::string>() + "` | " + markdown_text(l["summary"].get<std::string>()) + " | " +
           markdown_text(l["source"].get<std::string>()) + " |\n";
  return out;
}

std::string plain_lines(const Json& lines, bool color) {
  size_t width = 0;
  for (const auto& l : lines) width = std::max(width, l["name"].get<std::string>().size());
  std::string out;
  for (const auto& l : lines) {
    const auto name = l["name"].get<std::string>();
    out += painted(name, Paint::kBold, color) + std::string(width - name.size() + 2, ' ') +
           l["summary"].get<std::string>() + "\n" + std::string(width + 2, ' ') +
           painted(l["source"].get<std::string>(), Paint::kDim, color) + "\n";
  }
  return out;
}

std::string listed(const std::string& what, bool markdown, bool json) {
  if (json) {
    const Json list = what == "encodings" ? encodings_json() : what == "scalings" ? scalings_json() : lines_of(what);
    return list.dump(2) + "\n";
  }
  if (markdown && what == "encodings") return encodings_markdown();
  if (markdown && what == "scalings") return scalings_markdown();
  return markdown ? markdown_table(lines_of(what)) : plain_lines(lines_of(what), color_on_stdout());
}

}  // namespace

void add_list(Command& program) {
  struct Options {
    std::string what;
    bool markdown = false, json = false;
  };
  auto o = std::make_shared<Options>();
  Command command = program.command("list", "what can be named in a config");
  command.option("what", o->what, "encodings, scalings, suites, families or formats")
      .required()
      .one_of({"encodings", "scalings", "suites", "families", "formats"});
  command.flag("--markdown", o->markdown, "as Markdown; of encodings and scalings with every option and property");
  command.flag("--json", o->json, "as JSON, with the same fields");
  command.footer(
      "`list encodings --markdown` is the page docs/encodings.md. For one scheme: lengthwise inspect SCHEME.");
  command.runs([o] {
    std::fputs(listed(o->what, o->markdown, o->json).c_str(), stdout);
    return 0;
  });
}

}  // namespace lw
