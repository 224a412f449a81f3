// The commands of the program: each adds itself to the parser, in a file of its own.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace lw {

/// What a command leaves for main: the exit code of the one that was asked for.
using Outcome = std::optional<int>;

void add_run(CLI::App& app, Outcome& outcome);       // run, train
void add_report(CLI::App& app, Outcome& outcome);    // report
void add_diff(CLI::App& app, Outcome& outcome);      // diff
void add_inspect(CLI::App& app, Outcome& outcome);   // inspect
void add_probes(CLI::App& app, Outcome& outcome);    // probes
void add_validate(CLI::App& app, Outcome& outcome);  // validate, schema
void add_list(CLI::App& app, Outcome& outcome);      // list
void add_bench(CLI::App& app, Outcome& outcome);     // bench
void add_nll(CLI::App& app, Outcome& outcome);       // nll
void add_tokenize(CLI::App& app, Outcome& outcome);  // tokenize

}  // namespace lw
