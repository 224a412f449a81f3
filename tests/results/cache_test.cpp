// Cache entries: what is written is read, and any change of any byte is noticed.
#include <sys/resource.h>
#include <unistd.h>

#include "harness/base/files.h"
#include "harness/base/rng.h"
#include "harness/results/cache_list.h"
#include "harness/results/sealed.h"
#include "harness/results/store.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::cache_test {
namespace {

namespace fs = std::filesystem;

Record record(const std::string& id) {
  Record r;
  r.id = id;
  r.suite = "needle";
  r.setting = "rope/s0";
  r.length = id.find("/32/") == std::string::npos ? 16 : 32;
  r.prompt_tokens = r.length - 1;
  r.answer_budget = 1;
  r.prompt_hash = "hash of " + id;
  r.correct = false;
  r.nll = 0.5;
  return r;
}

const std::vector<Record> kRecords = {record("needle/16/0"), record("needle/16/1")};

struct Kept {
  test::TempFolder folder;
  Store store{folder.path()};
  fs::path unit = folder / "units/k1.jsonl", weights = folder / "weights/w1";

  Kept() {
    store.put({"k1", "needle at 16 tokens"}, kRecords);
    store.put({"k2", "another"}, {record("needle/32/0"), record("needle/32/1")});
    store.put_weights({{"w1", "needle for rope/s0"}, "seed: 0\n", 9, 3, {{1, 2.5}, {2, 1.25}}}, "tensors of w1");
    store.put_weights({{"w2", "needle for rope/s1"}, "seed: 1\n", 9, 3, {}}, "tensors of w2");
  }
};

/// While it lives, this process can open no file.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int first_free = ::dup(0);
    ::close(first_free);
    const rlimit none{rlim_t(first_free), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("sealed text comes back, and no byte of it can change unnoticed", "[results]") {
  for (const std::string text : {"{\"a\":1}", "{\"a\":1}\nline\nline\n", "{ \"a\": {}}"}) {
    const std::string bytes = sealed(text);
    CHECK(unsealed(bytes) == text);
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (const int bit : {0, 3, 7}) {
        std::string bad = bytes;
        bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
        CHECK_FALSE(unsealed(bad));
      }
      CHECK_FALSE(unsealed(bytes.substr(0, i)));
    }
    CHECK_FALSE(unsealed(bytes + "\n"));
  }
  CHECK_FALSE(unsealed("{\"sha256\":\"\",\"a\":1}"));
}

TEST_CASE("what was kept is found, under the setting that asks", "[results]") {
  const Kept kept;
  const auto found = kept.store.find("k1", 2, "linear/s3", 3);
  REQUIRE(found);
  CHECK(found->size() == 2);
  CHECK(found->front().setting == "linear/s3");
  CHECK(found->front().seed == 3);
  CHECK_FALSE(kept.store.find("none", 2, "a/s0", 0));
  const auto weights = kept.store.find_weights("w1");
  REQUIRE(weights);
  CHECK(weights->parameters == 3);
  CHECK(weights->description == "seed: 0\n");
  REQUIRE(weights->loss.size() == 2);
  CHECK(weights->loss[1].loss == 1.25);
  CHECK(read_file(kept.store.tensors("w1")) == "tensors of w1");
  CHECK_FALSE(kept.store.find_weights("none"));
}

TEST_CASE("whatever happens to a unit, it is set aside and not believed", "[results]") {
  const std::string good = read_file(Kept().unit), other = read_file(Kept().folder / "units/k2.jsonl");
  std::vector<std::string> bad = {"", "\n", "{}", "{}\n", "garbage " + good, good + good, other, good + "\n"};
  for (size_t cut = 0; cut < good.size(); cut += 97) bad.push_back(good.substr(0, cut));
  Rng rng(11);
  for (int i = 0; i < 200; ++i) {
    bad.push_back(good);
    char& byte = bad.back()[size_t(rng.below(int64_t(good.size())))];
    byte = static_cast<char>(byte ^ (1 << rng.below(8)));
  }
  for (const auto& bytes : bad) {
    const Kept kept;
    write_file(kept.unit, bytes);
    CHECK_FALSE(kept.store.find("k1", 2, "rope/s0", 0));
    CHECK_FALSE(fs::exists(kept.unit));
    CHECK(read_file(kept.unit.string() + ".damaged") == bytes);
    kept.store.put({"k1", "needle at 16 tokens"}, kRecords);
    CHECK(kept.store.find("k1", 2, "rope/s0", 0));
    CHECK(read_file(kept.unit) == good);
  }
}

TEST_CASE("a unit with another number of probes, and a folder in its place, are set aside too", "[results]") {
  const Kept kept;
  CHECK_FALSE(kept.store.find("k1", 3, "rope/s0", 0));
  CHECK(fs::exists(kept.unit.string() + ".damaged"));
  fs::create_directories(kept.unit / "inside");
  CHECK_FALSE(kept.store.find("k1", 2, "rope/s0", 0));
  CHECK(fs::exists(kept.unit.string() + ".damaged-2/inside"));
  CHECK_FALSE(fs::exists(kept.unit));
}

TEST_CASE("whatever happens to weights or their label, they are set aside and not believed", "[results]") {
  using Damage = std::function<void(const Kept&)>;
  const auto write = [](const char* name, const std::string& bytes) {
    return Damage([=](const Kept& k) { write_file(k.weights / name, bytes); });
  };
  const auto flip = [](const char* name, size_t at) {
    return Damage([=](const Kept& k) {
      std::string bytes = read_file(k.weights / name);
      bytes[at % bytes.size()] ^= 4;
      write_file(k.weights / name, bytes);
    });
  };
  std::vector<Damage> all = {write("model.safetensors", ""),
                             write("model.safetensors", "tensors of w"),
                             write("model.safetensors", "tensors of w2"),
                             write("config.json", ""),
                             write("config.json", "{}"),
                             [](const Kept& k) { fs::remove(k.weights / "config.json"); },
                             [](const Kept& k) {
                               fs::remove_all(k.weights);
                               fs::copy(k.folder / "weights/w2", k.weights);
                             },
                             [](const Kept& k) {
                               fs::remove_all(k.weights);
                               write_file(k.weights, "a file in place of the folder");
                             },
                             [](const Kept& k) {
                               fs::remove(k.weights / "model.safetensors");
                               fs::create_directories(k.weights / "model.safetensors");
                             }};
  for (size_t i = 0; i < 60; ++i) all.push_back(flip(i % 2 == 0 ? "config.json" : "model.safetensors", i * 37));
  for (const auto& damage : all) {
    const Kept kept;
    damage(kept);
    CHECK_FALSE(kept.store.find_weights("w1"));
    CHECK_FALSE(fs::exists(kept.weights));
    CHECK(fs::exists(kept.weights.string() + ".damaged"));
    CHECK(kept.store.find_weights("w2"));
  }
}

TEST_CASE("an entry that the system will not read stays where it is, and the error goes on", "[results]") {
  const Kept kept;
  {
    const NoMoreFiles none;
    for (const auto& find : std::vector<std::function<void()>>{[&] { kept.store.find("k1", 2, "rope/s0", 0); },
                                                               [&] { kept.store.find_weights("w1"); }})
      CHECK_THAT(test::error_of(find), Catch::Matchers::ContainsSubstring("cannot be read: Too many open files"));
  }
  CHECK(kept.store.find("k1", 2, "rope/s0", 0));
  CHECK(kept.store.find_weights("w1"));
  CHECK_FALSE(fs::exists(kept.unit.string() + ".damaged"));
}

TEST_CASE("a label without tensors is an entry on its way, not damage", "[results]") {
  const Kept kept;
  fs::remove(kept.weights / "model.safetensors");
  CHECK_FALSE(kept.store.find_weights("w1"));
  CHECK_FALSE(fs::exists(kept.weights.string() + ".damaged"));
}

TEST_CASE("the list of a cache tells entries, what was set aside, and leftovers apart", "[results]") {
  const Kept kept;
  write_file(kept.unit, "bad");
  CHECK_FALSE(kept.store.find("k1", 2, "rope/s0", 0));
  write_file(kept.folder / "units/k9.jsonl.part1.7", "half");
  write_file(kept.folder / "units/notes.txt", "the user's own");
  write_file(kept.folder / "weights/w2/config.json", "changed");
  std::map<std::string, CacheItem> items;
  for (const auto& item : list_cache(kept.folder.path())) items[item.path.filename().string()] = item;
  CHECK(items.size() == 5);
  CHECK(items.at("k1.jsonl.damaged").kind == CacheKind::kSetAside);
  CHECK(items.at("k9.jsonl.part1.7").kind == CacheKind::kLeftover);
  CHECK(items.at("k2.jsonl").kind == CacheKind::kUnit);
  CHECK(items.at("k2.jsonl").what == "another");
  CHECK(items.at("k2.jsonl").key == "k2");
  CHECK(items.at("w1").what == "needle for rope/s0");
  CHECK(items.at("w1").bytes > 13);
  CHECK(fault_of(items.at("k2.jsonl")).empty());
  CHECK(fault_of(items.at("w1")).empty());
  CHECK(fault_of(items.at("w2")) == "the checksum of config.json does not fit");
  kept.store.remove_leftovers();
  CHECK_FALSE(fs::exists(kept.folder / "units/k9.jsonl.part1.7"));
  CHECK(fs::exists(kept.folder / "units/notes.txt"));
}

}  // namespace lw::cache_test
