// A GGUF model in two files, as every command sees it.
#include "tests/cli/tiny_checkpoint.h"

namespace lw::cli_test {
namespace {

using formats_test::Gguf;
using formats_test::raw;

/// One model, whole in whole.gguf and in two files; the first of these holds the metadata alone.
struct InTwoFiles {
  Workspace w{kOne};
  InTwoFiles() {
    std::string tokens = Gguf::text("\u0120") + Gguf::text(".") + Gguf::text("?") + Gguf::text("ab");
    for (char c = 'a'; c <= 'z'; ++c) tokens += Gguf::text(std::string(1, c));
    Gguf file = tiny_gguf_file(
        {Gguf::key("tokenizer.ggml.model", 8, Gguf::text("gpt2")),
         Gguf::key("tokenizer.ggml.pre", 8, Gguf::text("gpt-2")), Gguf::array("tokenizer.ggml.tokens", 8, 30, tokens),
         Gguf::array("tokenizer.ggml.merges", 8, 1, Gguf::text("a b"))},
        30);
    write_file(w / "whole.gguf", file.bytes());
    Gguf first = file;
    first.tensors.clear();
    first.data.clear();
    file.keys.clear();
    for (Gguf* part : {&first, &file}) {
      part->keys.push_back(Gguf::key("split.no", 2, raw(static_cast<uint16_t>(part == &file ? 1 : 0))));
      part->keys.push_back(Gguf::key("split.count", 2, raw(uint16_t{2})));
      part->keys.push_back(Gguf::key("split.tensors.count", 5, raw(static_cast<int32_t>(file.tensors.size()))));
    }
    write_file(w / "m-00001-of-00002.gguf", first.bytes());
    write_file(w / "m-00002-of-00002.gguf", file.bytes());
    write_file(w / "c.yaml",
               "name: c\nmodel: {checkpoint: m-00001-of-00002.gguf}\nsuites: {text_nll: {text: text}}\n"
               "eval: {lengths: [8], probes: 2}\n");
    write_file(w / "text", "ab ba a b ab aab b a abba ab ab b a ba ba");
  }
  std::string sha256() const {
    return Json::parse(w.good("inspect c.yaml --no-cost --json").out).at("checkpoint").at("sha256").get<std::string>();
  }
};

const std::string kFirst = "m-00001-of-00002.gguf";

}  // namespace

TEST_CASE("a GGUF model in several files gives what the whole file gives", "[cli]") {
  const InTwoFiles m;
  for (const std::string command : {"tokenize MODEL 'ab ba'", "nll MODEL --file text --context 8 --json"}) {
    const auto output = [&](const std::string& model) {
      std::string with = command;
      return m.w.good(with.replace(with.find("MODEL"), 5, model)).out;
    };
    const std::string whole = output("whole.gguf"), parts = output(kFirst);
    if (command[0] == 't') {
      CHECK(parts == whole);
    } else {
      CHECK(Json::parse(parts).at("mean_nll") == Json::parse(whole).at("mean_nll"));
      CHECK(Json::parse(parts).at("ids_hash") == Json::parse(whole).at("ids_hash"));
    }
  }
  CHECK(has(m.w.good("inspect " + kFirst).out, "stored as   F32: 16 tensors"));
  m.w.good("run c.yaml --out out");
}

TEST_CASE("the hash of a GGUF model in several files covers each of them", "[cli]") {
  const InTwoFiles m;
  const std::string before = m.sha256(), second = read_file(m.w / "m-00002-of-00002.gguf");
  std::string other = second;
  other[other.size() - 29] = '\x3E';  // in the last bias
  REQUIRE(other != second);
  write_file(m.w / "m-00002-of-00002.gguf", other);
  CHECK(m.sha256() != before);
}

TEST_CASE("a GGUF model in several files that is not whole is refused by every command", "[cli]") {
  const InTwoFiles m;
  const auto refused = [&](const std::string& path, const std::string& error) {
    for (const std::string& command :
         {"inspect " + path, "tokenize " + path + " ab", "nll " + path + " --file text --context 8"})
      check_refused(m.w, command, "error: " + error);
  };
  refused("m-00002-of-00002.gguf",
          "m-00002-of-00002.gguf: split.no: found part 2 of 2; name the first: 'm-00001-of-00002.gguf'");
  fs::remove(m.w / "m-00002-of-00002.gguf");
  refused(kFirst,
          kFirst +
              ": split.count: found a model in 2 files, of which 1 is not in the folder: m-00002-of-00002.gguf; "
              "is the download complete?");
}

}  // namespace lw::cli_test
