// Errors as the user sees them: one line on stderr, nothing on stdout, and the exit code.
#include "tests/cli/support.h"

namespace lw::cli_test {
TEST_CASE("bad usage exits with 2 and one line", "[cli]") {
  const Workspace w(kOne);
  check_refused(w, "", "command: found nothing; allowed: run, train, report");
  check_refused(
      w, "rnu config.yaml",
      "command: found 'rnu'; allowed: run, train, report, diff, index, inspect, probes, validate, schema, list, "
      "bench, nll, tokenize, cache, selfcheck; did you mean 'run'?");
  check_refused(w, "run", "config: found nothing; allowed: YAML config");
  check_refused(w, "run config.yaml --bogus", "--bogus");
  check_refused(w, "run config.yaml --threads 0", "--threads");
  check_refused(w, "run config.yaml --threads two", "--threads");
  check_refused(w, "run config.yaml --limit -1", "--limit");
  check_refused(w, "run config.yaml --device gpu", "--device");
  check_refused(w, "run config.yaml --dtype int8", "--dtype");
  check_refused(w, "run config.yaml --set", "--set");
  check_refused(w, "run config.yaml --set model",
                "--set: found 'model'; allowed: PATH=VALUE, as in position.scaling.factor=4");
  check_refused(w, "list things", "things");
  check_refused(w, "inspect roep", "did you mean 'rope'?");
  check_refused(w, "probes config.yaml --suite neddle",
                "--suite: found 'neddle'; allowed: names under suites in config.yaml; did you mean 'needle'?");
  check_refused(w, "report run --format doc", "--format");
  CHECK_FALSE(fs::exists(w / "runs"));
  CHECK_FALSE(fs::exists(w / "cache"));
}

TEST_CASE("memory that is not there is one line", "[cli]") {
  const Workspace w(kOne);
  const Result r = w("bench encodings --schemes alibi --lengths 1048576 --tile 0 --repeats 1");
  CHECK(r.code == 1);
  CHECK(r.err.starts_with("error: memory: found a request for "));
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
}

TEST_CASE("advice for a scheme names what lacks and nothing else", "[cli]") {
  const Workspace w(kOne);
  const std::string yarn = "inspect rope --no-cost --set position.scaling.rope_type=yarn";
  check_refused(w, yarn,
                "found nothing; allowed: a number, 1 or more, or max_position_embeddings to derive it from; give "
                "it with --set position.scaling.factor=VALUE");
  const Result r = w(yarn + " --set position.scaling.factor=4 --set position.scaling.attn_factor=2");
  CHECK(r.code == 2);
  CHECK(has(r.err, "did you mean 'attention_factor'?"));
  CHECK_FALSE(has(r.err, "give it with"));
}

TEST_CASE("bad configs exit with 2 and their place", "[cli]") {
  const Workspace w(kOne);
  write_file(w / "typo.yaml", "name: x\nmodel:\n  layrs: 2\nsuites: {needle: }\nposition: {scheme: rope}\n");
  write_file(w / "broken.yaml", "name: [x\n");
  write_file(w / "twice.yaml", "name: x\nname: y\n");
  write_file(w / "based.yaml", "extends: nowhere.yaml\n");
  for (const std::string command : {"run", "train", "validate", "probes", "inspect"}) {
    check_refused(w, command + " typo.yaml", "error: typo.yaml:3:3: model.layrs: found an unknown key; allowed: ");
    check_refused(w, command + " typo.yaml", "did you mean 'layers'?");
    check_refused(w, command + " broken.yaml", "error: broken.yaml:");
  }
  check_refused(w, "run twice.yaml",
                "error: twice.yaml:2:1: name: found twice (first at line 1); each key may stand once");
  check_refused(w, "run based.yaml", "error: based.yaml:1:10: extends: found 'nowhere.yaml', which does not exist");
  check_refused(w, "run config.yaml --set model.layrs=2",
                "error: --set model.layrs:1:1: model.layrs: found an unknown key");
  check_refused(w, "run config.yaml --set position.scheme=ropee", "did you mean 'rope'?");
  CHECK_FALSE(fs::exists(w / "runs"));
}

TEST_CASE("all errors of a config are printed, a line each", "[cli]") {
  const Workspace w(kOne);
  write_file(w / "many.yaml", "name: x\nmodel: {layers: 0}\npositon: {scheme: rope}\nsuites: {needle: {keys: x}}\n");
  for (const std::string command : {"run", "validate", "probes", "inspect"}) {
    const Result r = w(command + " many.yaml");
    CHECK(r.code == 2);
    CHECK(r.out.empty());
    const auto errors = lines_of(r.err);
    REQUIRE(errors.size() == 3);  // nor is a line of the file shown where it is no terminal
    CHECK(errors[0].rfind("error: many.yaml:3:1: positon: found an unknown key; allowed: ", 0) == 0);
    CHECK(has(errors[0], "; did you mean 'position'?"));
    CHECK(errors[1] == "error: many.yaml:2:17: model.layers: found '0'; allowed: a whole number from 1 to 512");
    CHECK(errors[2] == "error: many.yaml:4:25: suites.needle.keys: found 'x'; allowed: a whole number from 1 to 256");
  }
}

TEST_CASE("missing or foreign input exits with 2 and names the file", "[cli]") {
  const Workspace& w = finished();
  check_refused(w, "run nowhere.yaml", "error: nowhere.yaml: cannot be read: No such file or directory");
  check_refused(w, "validate nowhere.yaml", "error: nowhere.yaml: cannot be read: No such file or directory");
  check_refused(w, "run .", "error: .: is a folder; a file is needed");
  check_refused(w, "report nowhere", "error: nowhere/summary.json: found no such file");
  check_refused(w, "report config.yaml", "config.yaml");
  check_refused(w, "diff run nowhere", "error: nowhere/summary.json: found no such file");
}

TEST_CASE("broken results are refused with their line", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out run");
  const std::string good = read_file(w / "run/results.jsonl");
  write_file(w / "run/results.jsonl", good.substr(0, good.size() - 10));
  check_refused(w, "report run", "error: run/results.jsonl:16: ");
  check_refused(w, "report run --check", "error: run/results.jsonl:16: ");
  check_refused(w, "diff run run", "error: run/results.jsonl:16: ");
  write_file(w / "run/results.jsonl", good);
  write_file(w / "run/summary.json", "{\"schema\": NaN}");
  check_refused(w, "report run", "error: run/summary.json: not JSON: ");
}

TEST_CASE("what fails while running exits with 1", "[cli]") {
  const Workspace w(kOne);
  check_refused(w, "run config.yaml --out /proc/nowhere/run", "/proc/nowhere", 1);
  const Result r = w("run config.yaml --out run", "LENGTHWISE_CACHE=/proc/nowhere");
  CHECK(r.code == 1);
  CHECK(has(r.err, "error: /proc/nowhere"));
  CHECK_FALSE(fs::exists(w / "run/results.jsonl"));
}

TEST_CASE("validate looks at every file and says which are good", "[cli]") {
  const Workspace w(kTiny);
  write_file(w / "bad.yaml", "suites: 3\n");
  write_file(w / "worse.yaml", "a: [\n");
  const Result r = w("validate bad.yaml config.yaml worse.yaml");
  CHECK(r.code == 2);
  CHECK(r.out == "config.yaml: good (3 variants, 2 seeds)\n");
  const auto errors = lines_of(r.err);
  REQUIRE(errors.size() == 3);
  CHECK(errors[0].rfind("error: bad.yaml:1:1: position.scheme: found nothing; ", 0) == 0);
  CHECK(errors[1].rfind("error: bad.yaml:1:9: suites: found '3'; ", 0) == 0);
  CHECK(errors[2].rfind("error: worse.yaml:", 0) == 0);
}

}  // namespace lw::cli_test
