// lengthwise selfcheck: its table, its JSON and its exit codes.
#include "tests/cli/support.h"
#include "tests/cli/tiny_checkpoint.h"

namespace lw::cli_test {

TEST_CASE("selfcheck without a config checks this build and its built-in models", "[cli]") {
  const Workspace w(kOne);
  const Result r = w.good("selfcheck");
  for (const char* part : {"random numbers: ", "statistics: ", "training: ", "batch: ", "threads: ", "card: ",
                           "not asked: ", " ok, 0 failed"})
    CHECK(has(r.out, part));
  CHECK_FALSE(has(r.out, "FAILED"));
  const Json json = Json::parse(w.good("selfcheck --json").out);
  CHECK(json["exit_code"] == 0);
  CHECK(json["checks"].size() > 60);
  for (const auto& check : json["checks"]) {
    CHECK(check["result"] != "failed");
    if (check["result"] == "ok") CHECK(check["measured"].get<double>() <= check["bound"].get<double>());
  }
  CHECK(Json::parse(w.good("selfcheck --json").out) == json);
}

TEST_CASE("selfcheck of a config checks its variants, checkpoints too", "[cli]") {
  const Workspace w(kOne);
  write_tiny_checkpoint(w / "model", "llama");
  write_file(w / "c.yaml",
             "sweep:\n- {name: loaded, model: {checkpoint: model}}\n- {name: drawn, position: {scheme: alibi}}\n");
  const Json json = Json::parse(w.good("selfcheck c.yaml --json").out);
  std::set<std::string> subjects;
  for (const auto& check : json["checks"]) subjects.insert(check["subject"].get<std::string>());
  CHECK(subjects == std::set<std::string>{"", "drawn", "loaded"});
  const Json drawn = Json::parse(w.good("selfcheck c.yaml --set sweep=[] --set position.scheme=rope --json").out);
  CHECK(drawn["checks"].size() < json["checks"].size());
  check_refused(w, "selfcheck c.yaml --set position.scheme=rop", "did you mean 'rope'?");
  check_refused(w, "selfcheck none.yaml", "error: none.yaml: cannot be read: No such file or directory");
  check_refused(w, "selfcheck --josn", "did you mean '--json'?");
  check_refused(w, "selfcheck --set model.width=8", "--set: found a change, and no config; allowed: with a config");
}

}  // namespace lw::cli_test
