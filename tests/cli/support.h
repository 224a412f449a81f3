// Running the program as a user does, in a folder of its own.
#pragma once
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "harness/base/files.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::cli_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Result {
  int code = -1;
  std::string out, err;
};

/// Seconds of work: small models that learn nothing, with gates that everything passes.
inline const std::string kTiny = R"(name: tiny
seeds: [0, 1]
model: {layers: 1, width: 16, heads: 2}
train: {steps: 20, batch: 8, warmup: 5, length: {min: 8, max: 16}, gate: {accuracy: 0, excess_nll: 100, probes: 8}}
eval: {lengths: [8, 16, 32], probes: 8}
suites: {order_swap: {}, needle: {needles: 2}}
sweep:
  - {name: learned, position: {scheme: learned}}
  - {name: rope, position: {scheme: rope}}
  - {name: rope linear, position: {scheme: rope, scaling: {rope_type: linear, factor: 2}}}
)";

/// Less of it: one scheme, one seed, one suite.
inline const std::string kOne = R"(name: one
model: {layers: 1, width: 16, heads: 2}
train: {steps: 20, batch: 8, warmup: 5, length: {min: 8, max: 16}, gate: {accuracy: 0, probes: 8}}
eval: {lengths: [8, 16], probes: 8}
suites: {needle: {needles: 2}}
position: {scheme: alibi}
)";

/// A folder with a config in it; commands run there, with a cache of their own.
class Workspace {
 public:
  explicit Workspace(const std::string& config = kTiny) { write_file(folder_ / "config.yaml", config); }

  /// @param arguments as in a shell; @param environment "A=b C=d".
  Result operator()(const std::string& arguments, const std::string& environment = "") const {
    const std::string command = "cd '" + folder_.path().string() + "' && env LENGTHWISE_CACHE=cache " + environment +
                                " '" LW_BINARY "' " + arguments + " >.stdout 2>.stderr </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder_ / ".stdout"),
            read_file(folder_ / ".stderr")};
  }

  /// Runs and fails the test when the program does.
  Result good(const std::string& arguments, const std::string& environment = "") const {
    Result r = (*this)(arguments, environment);
    INFO(arguments << "\n" << r.err);
    REQUIRE(r.code == 0);
    return r;
  }

  fs::path operator/(const std::string& name) const { return folder_ / name; }
  fs::path path() const { return folder_.path(); }

 private:
  test::TempFolder folder_;
};

/// Every file of a run that two equal runs must share, with its bytes.
inline std::map<std::string, std::string> lasting_files(const fs::path& run) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(run)) {
    const std::string name = fs::relative(entry.path(), run).string();
    if (entry.is_regular_file() && name != "provenance.json" && name != "run.log")
      files[name] = read_file(entry.path());
  }
  return files;
}

/// Names the first file that differs, "" for none.
inline std::string difference(const fs::path& a, const fs::path& b) {
  const auto in_a = lasting_files(a), in_b = lasting_files(b);
  for (const auto& [name, bytes] : in_a) {
    if (in_b.count(name) == 0) return name + " is missing in " + b.string();
    if (in_b.at(name) != bytes) return name + " differs";
  }
  for (const auto& [name, bytes] : in_b)
    if (in_a.count(name) == 0) return name + " is missing in " + a.string();
  return in_a.empty() ? "nothing to compare" : "";
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

inline std::vector<Json> records_of(const fs::path& run) {
  std::vector<Json> out;
  for (const auto& line : lines_of(read_file(run / "results.jsonl"))) out.push_back(Json::parse(line));
  return out;
}

/// Files below a folder that end in `ending`, in order of name.
inline std::vector<fs::path> files_below(const fs::path& folder, const std::string& ending) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().string().size() >= ending.size() &&
        entry.path().string().compare(entry.path().string().size() - ending.size(), ending.size(), ending) == 0)
      out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Whether stderr tells of work: "training 2 models: 40 steps", "evaluating: 16 probes".
inline bool worked(const Result& r) { return has(r.err, " steps in ") || has(r.err, " probes in "); }

/// Without the warnings before anything else.
inline std::string without_warnings(std::string err) {
  while (err.rfind("warning: ", 0) == 0) err.erase(0, err.find('\n') + 1);
  return err;
}

/// Runs what must end in one error line on stderr that holds `part`, and nothing on stdout.
inline void check_refused(const Workspace& w, const std::string& arguments, const std::string& part, int code = 2) {
  const Result r = w(arguments);
  INFO(arguments << "\n" << r.err);
  CHECK(r.code == code);
  CHECK(r.out.empty());
  const std::string err = without_warnings(r.err);
  CHECK(err.rfind("error: ", 0) == 0);
  CHECK(std::count(err.begin(), err.end(), '\n') == 1);
  CHECK(err.back() == '\n');
  CHECK(has(err, part));
}

/// One finished run of kTiny in "run", for tests that only look at it.
inline const Workspace& finished() {
  static const Workspace* workspace = [] {
    static const Workspace kept;
    kept.good("run config.yaml --out run --threads 2");
    return &kept;
  }();
  return *workspace;
}

}  // namespace lw::cli_test
