// Input that is damaged, endless or made to harm: one line, the right code, at once and before any work.
#include <sys/stat.h>

#include "tests/cli/support.h"

namespace lw::cli_test {
namespace {

/// Runs under a limit on memory and time; what is killed for either fails.
void check_refused_small(const Workspace& w, const std::string& arguments, const std::string& part, int code = 2) {
  const std::string command = "cd '" + w.path().string() +
                              "' && (ulimit -v 4000000; timeout 20 env LENGTHWISE_CACHE=cache '" + LW_BINARY "' " +
                              arguments + " >.stdout 2>.stderr </dev/null)";
  const int status = std::system(command.c_str());
  const std::string err = read_file(w / ".stderr");
  INFO(arguments.substr(0, 200) << "\n" << err.substr(0, 2000));
  CHECK((WIFEXITED(status) ? WEXITSTATUS(status) : -1) == code);
  CHECK(read_file(w / ".stdout").empty());
  CHECK(err.rfind("error: ", 0) == 0);
  CHECK(std::count(err.begin(), err.end(), '\n') == 1);
  CHECK(err.size() < 6000);
  CHECK(has(err, part));
}

std::string times(const std::string& part, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += part;
  return out;
}

}  // namespace

TEST_CASE("configs that hold themselves or far more than they seem are refused", "[cli]") {
  const Workspace w(kOne);
  write_file(w / "itself.yaml", "a: &a [*a]");
  std::string bomb = "x-0: &a0 [x]\n";
  for (int i = 1; i <= 9; ++i)
    bomb += "x-" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
            times("*a" + std::to_string(i - 1) + ",", 9) + "]\n";
  write_file(w / "bomb.yaml", bomb);
  write_file(w / "deep.yaml", times("[", 100000));
  write_file(w / "large.yaml", kOne + "# " + std::string(100 << 20, 'x'));
  const std::string axis = "- {axis: train.batch, values: [" + times("1,", 40) + "1]}\n";
  write_file(w / "sweep.yaml", "x-one: 1\n" + kOne + "sweep:\n" + times(axis, 8));
  for (const std::string command : {"validate", "run", "probes", "inspect", "train"}) {
    check_refused_small(w, command + " itself.yaml", "itself.yaml:1:8: a[0]: found an alias inside what it stands for");
    check_refused_small(w, command + " bomb.yaml", "found too much for a config, aliases expanded");
    check_refused_small(w, command + " deep.yaml", "found values nested more than 64 deep; allowed: up to 64");
    check_refused_small(w, command + " large.yaml", "bytes; up to 1048576 are allowed");
    check_refused_small(w, command + " sweep.yaml", "sweep: found 7,984,925,229,121 variants; allowed: up to 1,024");
  }
  check_refused_small(w, "run config.yaml --set name='&a [*a]'", "an alias inside what it stands for");
  check_refused_small(w, "run config.yaml --set a" + times(".a", 20000) + "=1", "--set: found a path of 20001 keys");
  CHECK_FALSE(fs::exists(w / "runs"));
  CHECK_FALSE(fs::exists(w / "cache"));
}

TEST_CASE("pipes and devices and folders are refused at once", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out run");
  REQUIRE(::mkfifo((w / "pipe").c_str(), 0600) == 0);
  for (const std::string command : {"validate pipe", "run pipe", "inspect pipe --no-cost", "probes pipe"})
    check_refused_small(w, command, "pipe: is a pipe; a file is needed");
  check_refused_small(w, "validate /dev/zero", "/dev/zero: is a device; a file is needed");
  check_refused_small(w, "validate .", ".: is a folder; a file is needed");
  for (const char* name : {"results.jsonl", "summary.json"}) {
    fs::rename(w / "run" / name, w / "kept");
    REQUIRE(::mkfifo((w / "run" / name).c_str(), 0600) == 0);
    check_refused_small(w, "report run", std::string(name) + ": is a pipe; a file is needed");
    check_refused_small(w, "diff run run", std::string(name) + ": is a pipe; a file is needed");
    fs::remove(w / "run" / name);
    fs::rename(w / "kept", w / "run" / name);
  }
  w.good("report run");
}

TEST_CASE("text that is not UTF-8 and names that no folder can have are refused before the work", "[cli]") {
  const Workspace w(kOne);
  write_file(w / "name.yaml", "name: caf\xE9\n" + kOne.substr(kOne.find('\n') + 1));
  check_refused(w, "run name.yaml", "name.yaml:1:10: found the byte \\xe9, which is not UTF-8; allowed: UTF-8 text");
  check_refused(w, "run config.yaml --out 'caf\xE9'", "--out: found 'caf\\xe9', whose byte 4 is not UTF-8");
  check_refused(w, "run config.yaml --out='caf\xE9'", "--out: found '--out=caf\\xe9', whose byte 10 is not UTF-8");
  check_refused(w, "run config.yaml --set 'name=\xFF'", "--set: found 'name=\\xff', whose byte 6 is not UTF-8");
  check_refused(w, "run '\xFF.yaml'", "argument 2: found '\\xff.yaml', whose byte 1 is not UTF-8");
  check_refused(w, "run config.yaml --set 'name=\"a\\e[31m\"'", "found a text with the character \\x1b");
  check_refused(w, "run config.yaml --set 'name=\"a\\nb\"'",
                "found the name 'a\\x0ab'; allowed: a word without '/' and");
  const std::string letters(400, 'n');
  check_refused(w, "run config.yaml --set name=" + letters,
                "name: found a name of 400 bytes, 'nnnnnnnnnnnnnnnnnnnn...'");
  check_refused(w, "run config.yaml --out runs/" + letters, "name of 400 bytes in it; allowed: ");
  check_refused(w, "run config.yaml --out config.yaml/x", "which lies in 'config.yaml', a file; allowed: a folder");
  check_refused(w, "run config.yaml --out config.yaml", "--out: found 'config.yaml', which is a file");
  check_refused(w, "run " + letters, "File name too long");
  check_refused(w, "report " + letters, ": cannot be used: File name too long");
  check_refused(w, "inspect " + letters, "which is neither a file nor a scheme");
  CHECK_FALSE(fs::exists(w / "runs"));
  CHECK_FALSE(fs::exists(w / "cache"));
}

TEST_CASE("long values are shortened in messages", "[cli]") {
  const Workspace w(kOne);
  const std::string value(900000, 'v');
  write_file(w / "word.yaml", "name: x\nmodel: {kind: " + value + "}\n");
  write_file(w / "key.yaml", std::string(1000, 'k') + ": x\n");
  write_file(w / "number.yaml", kOne + "seeds: \"" + value + "\"\n");
  for (const std::string file : {"word.yaml", "key.yaml", "number.yaml"}) {
    const Result r = w("validate " + file);
    CHECK(r.code == 2);
    CHECK(has(r.err, "bytes more)"));
    for (const auto& line : lines_of(r.err)) CHECK(line.size() < 2000);
  }
  std::string many = "name: x\n";
  for (int i = 0; i < 2000; ++i) many += "k" + std::to_string(i) + ": 1\n";
  write_file(w / "many.yaml", many);
  const auto lines = lines_of(w("validate many.yaml").err);
  REQUIRE(lines.size() == 101);
  CHECK(lines.back() == "error: many.yaml: 1902 errors more");
}

TEST_CASE("output that cannot be written ends with 1 and one line", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out run");
  for (const std::string command :
       {"list encodings", "list suites --json", "schema", "probes config.yaml", "probes config.yaml --json --n 50",
        "validate config.yaml", "inspect rope --no-cost", "inspect rope --no-cost --json", "report run",
        "report run --check", "diff run run", "run config.yaml --out run", "run config.yaml --dry-run",
        "train config.yaml", "--version", "--help", "run --help"}) {
    const std::string line = "cd '" + w.path().string() + "' && LENGTHWISE_CACHE=cache '" LW_BINARY "' " + command;
    for (const std::string target : {" >/dev/full", " >&-"}) {
      const int status = std::system((line + target + " 2>.stderr </dev/null").c_str());
      const std::string err = read_file(w / ".stderr");
      INFO(command << target << "\n" << err);
      CHECK(WEXITSTATUS(status) == 1);
      CHECK(lines_of(err).back().rfind("error: stdout: cannot be written", 0) == 0);
    }
    CHECK(std::system((line + " >/dev/null 2>&1 </dev/null").c_str()) == 0);
  }
}

TEST_CASE("arguments are refused in the form that every error has", "[cli]") {
  const Workspace w(kOne);
  struct Case {
    const char *arguments, *line;
  };
  for (const auto& [arguments, line] : std::vector<Case>{
           {"run", "error: config: found nothing; allowed: YAML config\n"},
           {"run config.yaml --threads 0", "error: --threads: found 0; allowed: a whole number from 1 to 4096\n"},
           {"run config.yaml --threads two", "error: --threads: found 'two'; allowed: a whole number from 1 to 4096\n"},
           {"run config.yaml --threads", "error: --threads: found nothing; allowed: a value\n"},
           {"run config.yaml --out a --out b", "error: --out: found 2 of them; allowed: one\n"},
           {"run config.yaml --device cud", "error: --device: found 'cud'; allowed: cpu, cuda; did you mean 'cuda'?\n"},
           {"run config.yaml b c", "error: run: found 'b', one argument too many; allowed: config\n"},
           {"--threads 3 run config.yaml", "error: --threads: found it before the command; allowed: behind it\n"},
           {"run config.yaml --fresh=abc", "error: --fresh: found 'abc'; allowed: no value\n"},
           {"schema b", "error: schema: found 'b', one argument too many; allowed: none\n"},
           {"list encoding",
            "error: what: found 'encoding'; allowed: encodings, scalings, suites, families, formats; did you mean "
            "'encodings'?\n"},
           {"list", "error: what: found nothing; allowed: encodings, scalings, suites, families or formats\n"},
           {"nll model", "error: --file: found nothing; allowed: UTF-8 text\n"},
           {"diff run run --fail-on-regression=lon", "error: --fail-on-regression: found 'lon'; allowed: short, any\n"},
           {"report run --format md,htm",
            "error: --format: found 'htm'; allowed: md, html, csv, tex, json, svg, junit, lm-eval, png, pdf; did you "
            "mean "
            "'html'?\n"},
           {"bench", "error: bench: found nothing; allowed: encodings\n"},
           {"bench encoding", "error: bench: found 'encoding'; allowed: encodings; did you mean 'encodings'?\n"},
           {"bench encodings --lengths 1,64",
            "error: --lengths: found 1; allowed: a whole number from 2 to 1048576\n"}}) {
    const Result r = w(arguments);
    INFO(arguments);
    CHECK(r.code == 2);
    CHECK(r.out.empty());
    CHECK(r.err == line);
  }
  for (const char* arguments : {"run config.yaml --otu x", "run config.yaml --otu=x", "run --otu", "run --otu x"}) {
    const Result r = w(arguments);
    INFO(arguments << "\n" << r.err);
    CHECK(r.code == 2);
    CHECK(r.err.rfind("error: --otu: found an unknown option; allowed: --", 0) == 0);
    CHECK(r.err.ends_with("; did you mean '--out'?\n"));
  }
  check_refused(w, "-z", "command: found nothing; allowed: run");
  check_refused(w, "inspect rope --set position.scaling.factor=2", "; it goes with rope_type by_parts_index, ");
  CHECK_FALSE(has(w("inspect rope --set position.scaling.factor=2").err, "give it with"));
  check_refused(w, "inspect rope --set position.scaling.rope_type=linear",
                "; give it with --set position.scaling.factor=VALUE");
}

TEST_CASE("a pair is split where both sides are known", "[cli]") {
  const Workspace w(kOne + "sweep:\n  - {axis: train.lr, values: [0.002, 0.001]}\n");
  w.good("run config.yaml --out run");
  const auto pair = [&](const std::string& names) { return "diff run run --pair '" + names + "'"; };
  const std::string a = "lr=0.002", b = "lr=0.001";
  CHECK(has(w.good(pair(a + "=" + b)).out, a));
  CHECK(has(w.good(pair(a + "/s0=" + b + "/s0")).out, a));
  check_refused(w, pair(a + "=x"), "--pair: found '" + a + "=x'; allowed: NAME-IN-BASE=NAME-IN-RUN, of ");
  check_refused(w, pair("x"), b + ", " + b + "/s0, " + a + ", " + a + "/s0");
  check_refused(w, pair("=" + a), "--pair: found '=" + a + "'; allowed: ");
}

TEST_CASE("warnings of a position setting are printed wherever it is read", "[cli]") {
  const Workspace w(R"(name: one
model: {layers: 1, width: 16, heads: 2}
train: {steps: 2, batch: 2, warmup: 1, length: {min: 8, max: 16}, gate: {accuracy: 0, probes: 8}}
eval: {lengths: [8, 16], probes: 2}
suites: {needle: {needles: 2}}
position:
  scheme: rope
  scaling: {rope_type: yarn, factor: 4, original_max_position_embeddings: 16, max_position_embeddings: 32}
)");
  const Result told = w("inspect config.yaml --no-cost");
  INFO(told.err);
  for (const std::string command : {"validate config.yaml", "probes config.yaml", "run config.yaml --dry-run",
                                    "run config.yaml --out r", "train config.yaml", "inspect config.yaml --no-cost"}) {
    const Result r = w.good(command);
    INFO(command << "\n" << r.err);
    size_t warnings = 0;
    for (const auto& line : lines_of(r.err))
      if (line.rfind("warning: ", 0) == 0 && has(line, "factor")) ++warnings;
    CHECK(warnings == 1);
  }
}

}  // namespace lw::cli_test
