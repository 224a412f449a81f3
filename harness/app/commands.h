// The commands of the program: each adds itself to the command line, in a file of its own.
#pragma once

namespace lw {

class Command;

void add_run(Command& program);        // run, train
void add_report(Command& program);     // report
void add_diff(Command& program);       // diff
void add_index(Command& program);      // index
void add_inspect(Command& program);    // inspect
void add_probes(Command& program);     // probes
void add_validate(Command& program);   // validate, schema
void add_list(Command& program);       // list
void add_bench(Command& program);      // bench
void add_nll(Command& program);        // nll
void add_tokenize(Command& program);   // tokenize
void add_cache(Command& program);      // cache
void add_selfcheck(Command& program);  // selfcheck

}  // namespace lw
