#include <cstdio>
#include <memory>

#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/app/print_error.h"
#include "harness/base/error.h"
#include "harness/base/log.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/experiment/experiment.h"

namespace lw {
namespace {

/// Every file is looked at; the first error decides the exit code.
int validate(const std::vector<std::string>& files) {
  int code = 0;
  for (const auto& file : files) {
    try {
      const Experiment e = read_experiment(load_yaml(file, config_shape()));
      for (const auto& warning : e.warnings()) log_warning(file + ": " + warning);
      std::printf("%s: good (%s, %s)\n", visible(file).c_str(), plural(std::ssize(e.variants), "variant").c_str(),
                  plural(std::ssize(e.seeds), "seed").c_str());
    } catch (const Error& e) {
      print_error(e);
      if (code == 0) code = e.exit_code();
    }
  }
  return code;
}

}  // namespace

void add_validate(Command& program) {
  auto files = std::make_shared<std::vector<std::string>>();
  Command command = program.command("validate", "check configs and report what is wrong");
  command.option("configs", *files, "YAML configs").required();
  command.runs([files] { return validate(*files); });

  Command schema = program.command("schema", "print the JSON Schema of configs, for editors");
  schema.footer(
      "For VS Code with the YAML extension, write the schema to a file:\n"
      "  lengthwise schema > lengthwise.schema.json\n"
      "and make this the first line of a config:\n"
      "  # yaml-language-server: $schema=lengthwise.schema.json");
  schema.runs([] {
    std::fputs(config_schema().c_str(), stdout);
    return 0;
  });
}

}  // namespace lw
