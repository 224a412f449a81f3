// `selfcheck` as a user meets it: the table, the JSON, and what it refuses.
#include "tests/cli/support.h"

namespace lw::cli_test {

TEST_CASE("selfcheck prints every check beside its bound", "[cli]") {
  const Workspace w(kOne);
  const Result r = w.good("selfcheck");
  CHECK(has(r.out, "lengthwise 0.1.0, LibTorch "));
  CHECK(has(r.out, "check                what was compared "));
  for (const char* check : {"frequencies ", "attention_tiles ", "key_cache ", "probes_asked ", "batch_rows ",
                            "training_repeated ", "paired_tests ", "damaged_cache ", "unfinished_files "})
    CHECK(has(r.out, check));
  CHECK(has(r.out, " checks: all hold.\n"));
  CHECK_FALSE(has(r.out, "FAILED"));
  for (const auto& line : lines_of(r.out)) CHECK(line.size() <= 104);
  CHECK_FALSE(fs::exists(w / "runs"));
  CHECK_FALSE(fs::exists(w / "cache"));
}

TEST_CASE("selfcheck of a config, as JSON: strict, in full, and the same each time", "[cli]") {
  const Workspace w(kTiny);
  const Result first = w.good("selfcheck config.yaml --json"), second = w.good("selfcheck config.yaml --json");
  CHECK(first.out == second.out);
  const Json json = Json::parse(first.out);
  CHECK(json["exit_code"] == 0);
  CHECK(json["checks"].size() >= 15);
  for (const auto& check : json["checks"]) {
    INFO(check.dump());
    CHECK(check["verdict"] == "ok");
    CHECK(check["measured"].get<double>() <= check["bound"].get<double>());
    CHECK(check["error"].is_null());
  }
  // A table of 16 positions is neither shifted nor filled to 2048 tokens, and the output says so.
  const std::string all = json.dump();
  CHECK(has(all, R"({"name":"learned","reason":"its positions end before 2048 tokens"})"));
  CHECK_FALSE(json["bounds"].empty());
  const Result biased = w.good("selfcheck config.yaml --set sweep=null --set position.scheme=alibi");
  CHECK(has(biased.out, "not compared"));
  CHECK(has(biased.out, "attention_fused: 0 settings; not "));
  CHECK(has(biased.out, " had nothing to compare; the others hold.\n"));
}

TEST_CASE("selfcheck refuses what it cannot check, and teaches", "[cli]") {
  const Workspace w(kOne);
  write_file(w / "typo.yaml", "name: x\nposition: {scheme: ropee}\n");
  check_refused(w, "selfcheck typo.yaml", "did you mean 'rope'?");
  check_refused(w, "selfcheck nowhere.yaml", "nowhere.yaml");
  check_refused(w, "selfcheck --bogus", "--bogus");
  check_refused(w, "selfcheck --jsn", "did you mean '--json'?");
  check_refused(w, "selfcheck --all", "--all: found no config; allowed: beside a config");
  check_refused(w, "selfcheck --set seeds=[0]", "--set: found no config; allowed: beside a config");
  check_refused(w, "selfcheck --device gpu", "--device");
  check_refused(w, "selfchek", "did you mean 'selfcheck'?");
  const std::string help = w.good("selfcheck --help").out;
  CHECK(has(help, "lengthwise selfcheck configs/quickstart.yaml --json"));
  CHECK(has(help, "3 only a declared property"));
}

}  // namespace lw::cli_test
