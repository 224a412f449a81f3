#include <CLI/CLI.hpp>
#include <cstdio>

#include "harness/app/commands.h"
#include "harness/app/print_error.h"
#include "harness/base/error.h"
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
      std::printf("%s: good (%s, %s)\n", file.c_str(), plural(std::ssize(e.variants), "variant").c_str(),
                  plural(std::ssize(e.seeds), "seed").c_str());
    } catch (const Error& e) {
      print_error(e);
      if (code == 0) code = e.exit_code();
    }
  }
  return code;
}

}  // namespace

void add_validate(CLI::App& app, Outcome& outcome) {
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("validate", "read configs and say what is wrong with them");
  command->add_option("configs", *files, "YAML configs")->required();
  command->callback([files, &outcome] { outcome = validate(*files); });

  CLI::App* schema = app.add_subcommand("schema", "print the JSON Schema of configs, for editors");
  schema->footer(
      "In VS Code with the YAML extension: put this as the first line of a config\n"
      "  # yaml-language-server: $schema=lengthwise.schema.json\n"
      "after  lengthwise schema > lengthwise.schema.json");
  schema->callback([&outcome] {
    std::fputs(config_schema().c_str(), stdout);
    outcome = 0;
  });
}

}  // namespace lw
