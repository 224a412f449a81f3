// The last section: settings, what was counted of them, and how to run it again.
#include "reports/figures/svg.h"
#include "reports/html/sections.h"
#include "reports/tables/setting_tables.h"
#include "reports/words.h"

namespace lw {

std::string reproduce_section(const PageSource& source) {
  const Table settings = settings_table(source.view);
  const std::string& command = source.summary.manifest.command;
  const auto dots = variant_dots(source);
  std::string out = "<h2>" + escaped(settings.title) + "</h2>\n" + write_html(settings, dots) +
                    write_html(memory_table(source.view), dots, true);
  if (!command.empty()) out += "<h3>Reproduce</h3><pre>" + escaped(command) + "</pre>\n";
  const std::string config = config_words(source.summary.manifest);
  if (!config.empty()) out += "<p>" + escaped(config) + "</p>\n";
  return out;
}

}  // namespace lw
