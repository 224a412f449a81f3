#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "encodings/position_encoding.h"
#include "encodings/registry.h"
#include "encodings/rope_scaling.h"
#include "harness/app/commands.h"
#include "reports/registry.h"
#include "suites/suite.h"

namespace lw {
namespace {

struct Line {
  std::string name, summary, paper;
};

template <class Info>
std::vector<Line> lines_of(std::span<const Info* const> all) {
  std::vector<Line> out;
  for (const auto* info : all)
    out.push_back({std::string(info->name), std::string(info->summary), std::string(info->paper)});
  return out;
}

std::vector<Line> lines_of(const std::string& what) {
  if (what == "encodings") return lines_of(encodings());
  if (what == "scalings") return lines_of(rope_scalings());
  if (what == "suites") return lines_of(suites());
  std::vector<Line> out;
  for (const auto& f : report_formats())
    out.push_back({std::string(f.name), std::string(f.summary), std::string(f.files)});
  return out;
}

void print(const std::vector<Line>& lines, bool markdown, bool json) {
  if (json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const auto& l : lines) all.push_back({{"name", l.name}, {"summary", l.summary}, {"source", l.paper}});
    std::printf("%s\n", all.dump(2).c_str());
    return;
  }
  if (markdown) std::printf("| name | what | source |\n| --- | --- | --- |\n");
  size_t width = 0;
  for (const auto& l : lines) width = std::max(width, l.name.size());
  for (const auto& l : lines) {
    if (markdown)
      std::printf("| `%s` | %s | %s |\n", l.name.c_str(), l.summary.c_str(), l.paper.c_str());
    else
      std::printf("%-*s  %s\n%*s  %s\n", int(width), l.name.c_str(), l.summary.c_str(), int(width), "",
                  l.paper.c_str());
  }
}

}  // namespace

void add_list(CLI::App& app, Outcome& outcome) {
  struct Options {
    std::string what;
    bool markdown = false, json = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("list", "what can be named in a config");
  command->add_option("what", o->what, "encodings, scalings, suites or formats")
      ->required()
      ->check(CLI::IsMember({"encodings", "scalings", "suites", "formats"}));
  command->add_flag("--markdown", o->markdown, "as a Markdown table");
  command->add_flag("--json", o->json, "as JSON");
  command->callback([o, &outcome] {
    print(lines_of(o->what), o->markdown, o->json);
    outcome = 0;
  });
}

}  // namespace lw
