// Checkpoints as loaders see them: one safetensors file, shards, GGUF; and what is said when a path is none.
#include "harness/formats/container.h"

#include <cmath>

#include "harness/base/json_read.h"
#include "tests/formats/support.h"

namespace lw::formats_test {
namespace {
namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

constexpr const char* kIndexName = "model.safetensors.index.json";

/// The message of opening `path`, without the path of the file that it begins with.
std::string open_error(const fs::path& path, const fs::path& blamed, ErrorKind kind = ErrorKind::kInput) {
  return message_of(
      blamed.string(), [&] { const Container c(path); }, kind);
}
std::string open_error(const fs::path& path) { return open_error(path, path); }

std::string index_of(const std::vector<std::pair<std::string, std::string>>& map) {
  std::string text;
  for (const auto& [tensor, shard] : map) text += (text.empty() ? "\"" : ",\"") + tensor + "\":\"" + shard + "\"";
  return "{\"metadata\":{\"total_size\":\"wrong\"},\"weight_map\":{" + text + "}}";
}

/// A folder with config.json and two shards, "a" in the first, "b" and "c" in the second.
struct Sharded {
  test::TempFolder folder;
  fs::path index = folder / kIndexName;
  Sharded() {
    write_file(folder / "config.json", "{\"model_type\":\"llama\"}");
    write_file(folder / "m-1.safetensors", small_safetensors({"a"}));
    write_file(folder / "m-2.safetensors", small_safetensors({"b", "c"}, 3));
    name({{"a", "m-1.safetensors"}, {"b", "m-2.safetensors"}, {"c", "m-2.safetensors"}});
  }
  void name(const std::vector<std::pair<std::string, std::string>>& map) const { write_file(index, index_of(map)); }
  std::string index_error() const { return open_error(folder.path(), index); }
};

}  // namespace

TEST_CASE("one file, shards and GGUF are read alike", "[formats]") {
  const test::TempFolder folder;
  write_file(folder / "config.json", "{\"model_type\":\"llama\"}");
  write_file(folder / "model.safetensors", small_safetensors({"w", "b"}));
  const Container one(folder.path());
  CHECK(one.kind() == CheckpointKind::kFolder);
  CHECK((*one.config())["model_type"] == "llama");
  CHECK(one.gguf() == nullptr);
  REQUIRE(one.tensors().size() == 2);
  CHECK(one.tensors()[0].name == "b");
  CHECK(one.tensors()[1].dtype == "F32");
  CHECK(one.tensors()[1].shape == std::vector<int64_t>{2});
  CHECK(values_of(one, "w") == std::vector<float>{1, 2});
  CHECK(one.raw(*one.find("w")).size() == 8);
  CHECK(one.find("none") == nullptr);
  CHECK(one.notes().empty());
  CHECK(one.files() == std::vector<fs::path>{folder / "model.safetensors"});

  const Sharded s;
  const Container shards(s.folder.path());
  CHECK(shards.files() == std::vector<fs::path>{s.folder / "m-1.safetensors", s.folder / "m-2.safetensors"});
  CHECK(values_of(shards, "a") == std::vector<float>{1, 2});
  CHECK(values_of(shards, "c") == std::vector<float>{1, 2, 3});
  CHECK(shards.find("b")->file == 1);
  CHECK(shards.notes().empty());

  Gguf file;
  file.keys = {Gguf::key("general.architecture", 8, Gguf::text("llama"))};
  file.tensors = {Gguf::tensor("w", {32, 1}, 8, 0)};
  file.data = raw(uint16_t{0x4000}) + std::string(32, '\3');
  write_file(folder / "m.gguf", file.bytes());
  const Container gguf(folder / "m.gguf");
  CHECK(gguf.kind() == CheckpointKind::kGguf);
  CHECK(gguf.config() == nullptr);
  CHECK(gguf.gguf()->find("general.architecture")->text() == "\"llama\"");
  CHECK(gguf.tensors()[0].dtype == "Q8_0");
  CHECK(gguf.tensors()[0].shape == std::vector<int64_t>{1, 32});
  CHECK(values_of(gguf, "w") == std::vector<float>(32, 6.0F));
}

TEST_CASE("weights that are not finite, or of no floating type, are refused by name", "[formats]") {
  const test::TempFolder folder;
  write_file(folder / "config.json", "{}");
  const auto place = (folder / "model.safetensors").string();
  write_file(place, safetensors_of("{\"i\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]},"
                                   "\"w\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[8,20]}}",
                                   raw(int64_t{7}) + raw(1.0F) + raw(HUGE_VALF) + raw(std::nanf(""))));
  const Container c(folder.path());
  CHECK(message_of(place, [&] { values_of(c, "w"); }) == "w: found 2 of 3 values not finite; allowed: finite ones");
  CHECK(message_of(place, [&] { values_of(c, "i"); }) ==
        "i: found dtype I64; readable as weights: F32, F16, BF16, F64");
  CHECK(c.raw(*c.find("i")).size() == 8);
}

TEST_CASE("a weight file cut while it is open is noticed, not crashed on", "[formats]") {
  const test::TempFolder folder;
  write_file(folder / "config.json", "{}");
  const auto path = folder / "model.safetensors";
  write_file(path, small_safetensors({"w"}, 100000));
  const Container c(folder.path());
  fs::resize_file(path, 300);
  CHECK_THAT(message_of(path.string(), [&] { values_of(c, "w"); }),
             ContainsSubstring("found the file changed while it was read (300 bytes, before "));
}

TEST_CASE("model.safetensors alone is used where an index lies beside it", "[formats]") {
  const Sharded s;
  write_file(s.folder / "model.safetensors", small_safetensors({"only"}));
  const Container c(s.folder.path());
  CHECK(c.tensors().size() == 1);
  CHECK(c.notes() ==
        std::vector<std::string>{"model.safetensors.index.json is not used, since model.safetensors is there"});
}

TEST_CASE("index and shards must be of one model", "[formats]") {
  const Sharded s;
  s.name({{"a", "m-1.safetensors"}, {"b", "m-2.safetensors"}});
  CHECK(Container(s.folder.path()).notes() ==
        std::vector<std::string>{"c is in m-2.safetensors, but not in the index"});
  s.name({{"a", "m-2.safetensors"}, {"b", "m-2.safetensors"}, {"d", "m-1.safetensors"}});
  CHECK(s.index_error() ==
        "a: found in m-1.safetensors, where the index says m-2.safetensors; are index and shards of one model?");
  s.name({{"a", "m-1.safetensors"}, {"b", "m-2.safetensors"}, {"d", "m-2.safetensors"}});
  CHECK(s.index_error() ==
        "d: found nothing of it in m-2.safetensors, where the index says it is; are index and "
        "shards of one model?");
  write_file(s.folder / "m-2.safetensors", small_safetensors({"a", "b"}));
  s.name({{"a", "m-1.safetensors"}, {"b", "m-2.safetensors"}});
  CHECK(open_error(s.folder.path()) ==
        "a: found in m-1.safetensors and in m-2.safetensors; allowed: one file a tensor");
  s.name({{"a", "m-1.safetensors"}, {"b", "m-3.safetensors"}});
  CHECK(s.index_error() == "names m-3.safetensors, which is not in the folder; is the download complete?");
  s.name({{"a", "m-4.safetensors"}, {"b", "m-2.safetensors"}, {"c", "m-3.safetensors"}});
  CHECK(s.index_error() ==
        "names m-3.safetensors, m-4.safetensors, which are not in the folder; is the download complete?");
  fs::create_symlink(s.folder / "gone", s.folder / "m-4.safetensors");
  CHECK(
      s.index_error() ==
      "names m-3.safetensors, which is not in the folder; and m-4.safetensors, a link to a file that is not there; is "
      "the download complete?");
  s.name({{"a", "m-1.safetensors"}, {"b", "m-3.safetensors"}});
  write_file(s.folder / "m-3.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n");
  CHECK(open_error(s.folder.path(), s.folder / "m-3.safetensors") ==
        "found a Git LFS pointer, not the file itself; get it with 'git lfs pull'");
}

TEST_CASE("shards stay in their folder", "[formats]") {
  const Sharded s;
  const std::string allowed = "; allowed: the name of a file in the same folder";
  for (const std::string out : {"../x.safetensors", "/etc/x.safetensors", "a/x.safetensors", "..", ".", "", "C:x",
                                "a\\\\x.safetensors", "\\u0000.safetensors"}) {
    s.name({{"a", out}});
    CHECK(s.index_error() == "weight_map: a: found \"" + out + "\"" + allowed);
  }
  s.name({{"a", "pytorch_model-00001.bin"}});
  CHECK(s.index_error() ==
        "weight_map: a: found \"pytorch_model-00001.bin\"; allowed: the name of a .safetensors file");

  const test::TempFolder elsewhere;
  write_file(elsewhere / "x", small_safetensors({"a"}));
  fs::create_symlink(elsewhere / "x", s.folder / "link.safetensors");
  s.name({{"a", "link.safetensors"}});
  CHECK(s.index_error() == "names link.safetensors, a link that leaves the folder; allowed: files of the same folder");
  fs::remove(elsewhere / "x");
  CHECK(s.index_error() == "names link.safetensors, a link to a file that is not there; is the download complete?");
}

TEST_CASE("a download cache's links into its own blobs are followed", "[formats]") {
  const test::TempFolder cache;
  const fs::path snapshot = cache / "snapshots" / "0123";
  fs::create_directories(snapshot);
  write_file(snapshot / "config.json", "{}");
  write_file(cache / "blobs" / "aa", small_safetensors({"a"}));
  fs::create_symlink("../../blobs/aa", snapshot / "m-1.safetensors");
  write_file(snapshot / kIndexName, index_of({{"a", "m-1.safetensors"}}));
  CHECK(values_of(Container(snapshot), "a") == std::vector<float>{1, 2});
  CHECK(open_error(cache.path()) == "found no config.json; did you mean '" + snapshot.string() + "'?");
}

TEST_CASE("an index that is none", "[formats]") {
  const Sharded s;
  const auto error = [&](const std::string& text) {
    write_file(s.index, text);
    return s.index_error();
  };
  const std::string allowed = "; allowed: an object of tensors and their files";
  CHECK(error("{}") == "weight_map: found nothing" + allowed);
  CHECK(error("{\"weight_map\":{}}") == "weight_map: found {}" + allowed);
  CHECK(error("{\"weight_map\":[]}") == "weight_map: found []" + allowed);
  CHECK(error("[]") == "found []; allowed: an object with weight_map");
  CHECK(error("{\"weight_map\":{\"a\":3}}") ==
        "weight_map: a: found 3; allowed: the name of a file in the same folder");
  CHECK(error("{\"weight_map\":{\"a\":\"x\",\"a\":\"y\"}}") == "a: found twice; each key may stand once");
  CHECK_THAT(error("{\"weight_map\":{"), ContainsSubstring("not JSON: "));
  CHECK(error("") == "found an empty file");
}

TEST_CASE("a path that is no checkpoint says what it is and what to name instead", "[formats]") {
  const test::TempFolder folder;
  const std::string allowed = "; allowed: a folder with config.json and safetensors, or a .gguf file";
  const std::string names =
      "; allowed: a folder with config.json and safetensors, a .gguf file, or the id of a model in the Hugging Face "
      "cache";
  CHECK(open_error(folder / "none" / "model") ==
        "found nothing there, and no folder " + (folder / "none").string() + names);
  CHECK(open_error(folder / "model.guf") == "found nothing there" + names);
  write_file(folder / "model.gguf", "");
  CHECK(open_error(folder / "model.guf") == "found nothing there" + names + "; did you mean 'model.gguf'?");
  CHECK(open_error(folder / "model.gguf") == "found an empty file" + allowed);
  const auto file_error = [&](const std::string& name, const std::string& bytes) {
    write_file(folder / name, bytes);
    return open_error(folder / name);
  };
  CHECK(file_error("a.gguf", "version https://git-lfs.github.com/spec/v1\n") ==
        "found a Git LFS pointer, not the file itself; get it with 'git lfs pull'" + allowed);
  CHECK(file_error("b.gguf", "\n<!doctype HTML>") ==
        "found an HTML page; was a web page downloaded instead of the file?" + allowed);
  CHECK(file_error("c.gguf", "<?xml version=\"1.0\"?><Error>") ==
        "found an XML page; is it a download's error message?" + allowed);
  CHECK(file_error("d.gguf", "{\"error\":\"gated\"}") ==
        "found JSON text; is it a download's error message?" + allowed);
  CHECK(file_error("model.safetensors", small_safetensors({"w"})) ==
        "found a safetensors file alone; name the folder that has its config.json too");
  CHECK(file_error("x.gguf", small_safetensors({"w"})) ==  // a wrong extension does not hide what it is
        "found a safetensors file alone; name the folder that has its config.json too");
  CHECK(file_error("pytorch_model.bin", "PK\x03\x04...") ==
        "found a zip archive, as PyTorch writes its pickles; only safetensors and GGUF are read" + allowed);
  CHECK(file_error("old.bin", "\x80\x02}q") == "found a Python pickle; only safetensors and GGUF are read" + allowed);
  CHECK(file_error("a.gz", "\x1F\x8B\x08") == "found a gzip archive; unpack it first" + allowed);
  CHECK(file_error("notes", "some text") == "found a file of an unknown kind" + allowed);
  CHECK(file_error("config.json", "{}") == "found the config alone; name its folder");
  write_file(folder / "blob", Gguf{}.bytes());
  CHECK(Container(folder / "blob").tensors().empty());  // the content decides, not the name
}

TEST_CASE("a folder that is no checkpoint says what it has instead", "[formats]") {
  const auto error = [](const std::vector<std::string>& files) {
    const test::TempFolder folder;
    for (const auto& f : files) write_file(folder / f, "{}");
    std::string text = open_error(folder.path());
    const std::string own = folder.path().string() + "/";
    for (size_t at; (at = text.find(own)) != std::string::npos;) text.erase(at, own.size());
    return text;
  };
  const std::string allowed = "; allowed: a folder with config.json and safetensors, or a .gguf file";
  CHECK(error({}) == "found an empty folder" + allowed);
  CHECK(error({"x.gguf", "README.md"}) == "found no config.json, but x.gguf; name the .gguf file itself");
  CHECK(error({"adapter_config.json"}) ==
        "found no config.json, but adapter_config.json: an adapter (LoRA) is no whole model; merge it into its base "
        "first");
  CHECK(error({"params.json", "consolidated.00.pth"}) ==
        "found no config.json, but params.json: weights in their author's own form are not read; convert them to "
        "Hugging Face's");
  CHECK(error({"models/config.json", "a"}) == "found no config.json; did you mean 'models'?");
  CHECK(error({".git/HEAD", "setup.py"}) ==
        "found no config.json, but a git repository (.git, setup.py); name the folder of a model");
  CHECK(error({"pytorch_model.bin"}) == "found no config.json in a folder with pytorch_model.bin" + allowed);
  CHECK(error({"a", "b", "c", "d", "e"}) == "found no config.json in a folder with a, b, c and 2 more" + allowed);

  const std::string none = "found no model.safetensors";
  CHECK(error({"config.json"}) == none + "; is the download complete?");
  CHECK(error({"config.json", "pytorch_model.bin"}) ==
        none +
            ", but pytorch_model.bin: pickles are not read, since unpickling runs code from the file; save the "
            "model as safetensors");
  CHECK(error({"config.json", "tf_model.h5"}) ==
        none + ", but tf_model.h5: weights of another framework are not read; save the model as safetensors");
  CHECK(error({"config.json", "m.gguf"}) == none + ", but m.gguf; name the .gguf file itself");
  CHECK(error({"config.json", "model-00001-of-00002.safetensors"}) ==
        none + " and no model.safetensors.index.json, but model-00001-of-00002.safetensors; is the download complete?");
}

TEST_CASE("a config.json that is none", "[formats]") {
  const test::TempFolder folder;
  const auto path = folder / "config.json";
  write_file(folder / "model.safetensors", small_safetensors({"w"}));
  const auto error = [&](const std::string& text) {
    write_file(path, text);
    return open_error(folder.path(), path);
  };
  CHECK(error("") == "found an empty file");
  CHECK(error("[1]") == "found [1]; allowed: an object");
  CHECK(error("<html></html>") == "found an HTML page; was a web page downloaded instead of the file?");
  CHECK(error("version https://git-lfs.github.com/spec/v1\n") ==
        "found a Git LFS pointer, not the file itself; get it with 'git lfs pull'");
  CHECK(error("{\"a\":1,\"a\":1}") == "a: found twice; each key may stand once");
  CHECK_THAT(error("{\"a\":NaN}"), ContainsSubstring("not JSON: "));
  CHECK_THAT(error("{\"a\":1e999}"), ContainsSubstring("not JSON: "));
  CHECK_THAT(error("{} x"), ContainsSubstring("not JSON: "));
}

}  // namespace lw::formats_test
