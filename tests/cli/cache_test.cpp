// The cache as a user meets it: damage never enters a report or ends a run, and `cache` lists, checks and cleans.
#include <functional>
#include <random>

#include "tests/cli/support.h"

namespace lw::cli_test {
namespace {

/// A workspace whose run "a" filled the cache, and the files of the cache as they were.
struct Filled {
  Workspace w{kOne};
  std::map<std::string, std::string> files;

  Filled() {
    w.good("run config.yaml --out a");
    for (const auto& file : files_below(w / "cache", ""))
      files[fs::relative(file, w / "cache").string()] = read_file(file);
  }

  void restore() const {
    fs::remove_all(w / "cache");
    for (const auto& [name, bytes] : files) write_file(w / ("cache/" + name), bytes);
  }

  std::string one_ending(const std::string& ending) const {
    for (const auto& [name, bytes] : files)
      if (name.size() >= ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0)
        return name;
    return "";
  }

  /// Runs again beside the first run and compares every file.
  void check_mended(const std::string& what) const {
    INFO(what);
    fs::remove_all(w / "b");
    const Result r = w.good("run config.yaml --out b");
    CHECK(has(r.err, "this cache entry is damaged ("));
    CHECK(has(r.err, ".damaged and is made again"));
    CHECK(difference(w / "a", w / "b") == "");
    CHECK(has(w.good("cache verify --cache cache").out, ", 0 damaged"));
  }
};

}  // namespace

TEST_CASE("a flipped bit anywhere in the cache gives the same report", "[cli][slow]") {
  const Filled f;
  REQUIRE(f.files.size() == 5);  // the gate, two lengths, weights and their label
  std::mt19937 draw(3);
  for (const auto& [name, bytes] : f.files) {
    for (int i = 0; i < 12; ++i) {
      f.restore();
      std::string bad = bytes;
      const size_t at = i == 0 ? 0 : i == 1 ? bad.size() - 1 : draw() % bad.size();
      bad[at] = static_cast<char>(bad[at] ^ (1 << draw() % 8));
      write_file(f.w / ("cache/" + name), bad);
      f.check_mended(name + " byte " + std::to_string(at));
    }
  }
}

TEST_CASE("whatever the damage, an entry is set aside, named, and made again", "[cli][slow]") {
  const Filled f;
  const std::string weights = f.one_ending("model.safetensors"), label = f.one_ending("config.json");
  std::vector<std::string> units;
  for (const auto& [name, bytes] : f.files)
    if (name.rfind("units/", 0) == 0) units.push_back(name);
  const auto put = [&](const std::string& name, const std::string& bytes) {
    write_file(f.w / ("cache/" + name), bytes);
  };
  const std::string& unit = f.files.at(units[0]);
  const std::string& tensors = f.files.at(weights);
  const std::map<std::string, std::function<void()>> damages = {
      {"unit empty", [&] { put(units[0], ""); }},
      {"unit cut", [&] { put(units[0], unit.substr(0, unit.size() / 2)); }},
      {"unit cut after a line", [&] { put(units[0], unit.substr(0, unit.rfind('\n', unit.size() - 2) + 1)); }},
      {"another unit under this name", [&] { put(units[0], f.files.at(units[1])); }},
      {"a right answer for a wrong one",
       [&] {
         std::string bad = unit;
         bad.replace(bad.find("\"correct\":false"), 15, "\"correct\":true ");
         put(units[0], bad);
       }},
      {"another digit in an id",
       [&] {
         std::string bad = unit;
         bad.replace(bad.find("/1\",\"suite"), 3, "/2\"");
         put(units[0], bad);
       }},
      {"weights empty", [&] { put(weights, ""); }},
      {"weights cut", [&] { put(weights, tensors.substr(0, tensors.size() - 100)); }},
      {"weights of another shape", [&] { put(weights, std::string("\x02\0\0\0\0\0\0\0{}", 10)); }},
      {"label cut", [&] { put(label, f.files.at(label).substr(0, 200)); }},
      {"label empty", [&] { put(label, ""); }},
      {"label missing", [&] { fs::remove(f.w / ("cache/" + label)); }},
      {"another number of parameters", [&] {
         std::string bad = f.files.at(label);
         const size_t at = bad.find("\"parameters\": ") + 14;
         bad[at] = bad[at] == '9' ? '1' : '9';
         put(label, bad);
       }}};
  for (const auto& [what, damage] : damages) {
    f.restore();
    damage();
    f.check_mended(what);
  }
}

TEST_CASE("cache ls, verify and gc", "[cli]") {
  const Filled f;
  const Workspace& w = f.w;
  const Result listed = w.good("cache ls");
  CHECK(has(listed.out, "needle at 16 tokens for alibi/s0\n"));
  CHECK(has(listed.out, "needle at 16 tokens for alibi/s0, for its gate\n"));
  CHECK(has(listed.out, "needle for alibi/s0\n"));
  CHECK(has(listed.out, "cache: 4 entries, "));
  CHECK(w.good("cache verify").out == "cache: 4 entries good, 0 damaged\n");

  const auto units = files_below(w / "cache/units", ".jsonl");
  write_file(units[1], "bad");
  const Result damaged = w("cache verify");
  CHECK(damaged.code == 1);
  CHECK(damaged.out == "cache/units/" + units[1].filename().string() + ": damaged: the checksum of " +
                           units[1].filename().string() + " does not fit\ncache: 3 entries good, 1 damaged\n");
  w.good("run config.yaml --out a");
  write_file(w / "cache/units/x.jsonl.part1.1", "left by a killed run");
  CHECK(has(w.good("cache ls").out, "damaged, set aside\n"));

  const Result dry = w.good("cache gc --dry-run");
  CHECK(has(dry.out, "would remove units/" + units[1].filename().string() + ".damaged (3 B): damaged, set aside\n"));
  CHECK(has(dry.out, "cache: 2 entries would be removed, "));
  CHECK(fs::exists(units[1].string() + ".damaged"));
  CHECK(has(w.good("cache gc").out, "cache: 2 entries removed, "));
  CHECK(files_below(w / "cache", "").size() == f.files.size());

  w.good("run config.yaml --out b --set eval.lengths=[8]");
  CHECK(has(w.good("cache gc --keep a/config.yaml --keep b/config.yaml").out, "cache: 0 entries removed"));
  CHECK(has(w.good("cache gc --older-than 1").out, "cache: 0 entries removed"));
  CHECK(has(w.good("cache gc --keep b/config.yaml --older-than 1").out, "cache: 0 entries removed"));
  CHECK(has(w.good("cache gc --keep b/config.yaml").out, "cache: 1 entry removed"));  // the length 16
  CHECK_FALSE(worked(w.good("run b/config.yaml --out b")));
  CHECK(worked(w.good("run config.yaml --out a")));
  w.good("cache gc --older-than 0");
  CHECK(w.good("cache verify").out == "cache: 0 entries good, 0 damaged\n");
  check_refused(w, "cache verify --cache none", "--cache: found 'none', which is no folder; allowed: ");
  CHECK(has(w.good("cache gc --help").out, "lengthwise cache gc --older-than 30"));
}

}  // namespace lw::cli_test
