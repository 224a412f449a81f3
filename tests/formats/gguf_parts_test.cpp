// A GGUF model in several files: opened by its first, and what is said when the parts do not make one model.
#include "harness/formats/gguf_parts.h"

#include "harness/formats/container.h"
#include "tests/formats/support.h"

namespace lw::formats_test {
namespace {
namespace fs = std::filesystem;
constexpr uint32_t kU16 = 2, kI32 = 5, kText = 8;

/// Part `no` (from 0) of `count`, with one float32 tensor of one number.
Gguf gguf_part(uint16_t no, uint16_t count, const std::string& tensor) {
  Gguf file;
  file.keys = {Gguf::key("split.no", kU16, raw(no)), Gguf::key("split.count", kU16, raw(count)),
               Gguf::key("split.tensors.count", kI32, raw(int32_t{count}))};
  if (no == 0) file.keys.push_back(Gguf::key("general.architecture", kText, Gguf::text("llama")));
  file.tensors = {Gguf::tensor(tensor, {1}, 0, 0)};
  file.data = raw(static_cast<float>(no + 1));
  return file;
}

/// A model of three files, with the tensors c, a, b.
struct Parts {
  test::TempFolder folder;
  Parts() {
    write(0, gguf_part(0, 3, "c"));
    write(1, gguf_part(1, 3, "a"));
    write(2, gguf_part(2, 3, "b"));
  }
  fs::path path(int no) const { return folder / ("m-0000" + std::to_string(no + 1) + "-of-00003.gguf"); }
  void write(int no, const Gguf& file) const { write_file(path(no), file.bytes()); }
  /// What opening the first file says of part `no`.
  std::string error(int no) const {
    return message_of(path(no).string(), [&] { const Container c(path(0)); });
  }
};

}  // namespace

TEST_CASE("a GGUF model in several files is read as one", "[formats]") {
  const Parts p;
  const Container c(p.path(0));
  CHECK(c.files() == std::vector<fs::path>{p.path(0), p.path(1), p.path(2)});
  CHECK(c.gguf()->find("general.architecture")->text() == "\"llama\"");
  REQUIRE(c.tensors().size() == 3);
  CHECK(values_of(c, "c") == std::vector<float>{1});
  CHECK(values_of(c, "a") == std::vector<float>{2});
  CHECK(values_of(c, "b") == std::vector<float>{3});
  CHECK(c.find("a")->file == 1);
}

TEST_CASE("a merged GGUF file that still has the keys of parts is whole", "[formats]") {
  const test::TempFolder folder;
  for (const uint16_t count : {0, 1}) {
    write_file(folder / "m.gguf", gguf_part(0, count, "w").bytes());
    CHECK(Container(folder / "m.gguf").tensors().size() == 1);
  }
}

TEST_CASE("all missing parts of a GGUF model are named at once", "[formats]") {
  const Parts p;
  fs::remove(p.path(2));
  CHECK(
      p.error(0) ==
      "split.count: found a model in 3 files, of which 1 is not in the folder: m-00003-of-00003.gguf; is the download "
      "complete?");
  fs::remove(p.path(1));
  CHECK(p.error(0) ==
        "split.count: found a model in 3 files, of which 2 are not in the folder: m-00002-of-00003.gguf, "
        "m-00003-of-00003.gguf; is the download complete?");
  const auto many = p.folder / "m-00001-of-00030.gguf";
  write_file(many, gguf_part(0, 30, "w").bytes());
  const std::string error = message_of(many.string(), [&] { const Container c(many); });
  CHECK(error.find("of which 29 are not in the folder: m-00002-of-00030.gguf, ") != std::string::npos);
  CHECK(error.find("m-00021-of-00030.gguf and 9 more; is the download complete?") != std::string::npos);
}

TEST_CASE("another part than the first, or a part under another name, says what to name", "[formats]") {
  const Parts p;
  CHECK(message_of(p.path(1).string(), [&] { const Container c(p.path(1)); }) ==
        "split.no: found part 2 of 3; name the first: '" + p.path(0).string() + "'");
  const auto other = p.folder / "model.gguf";
  fs::copy_file(p.path(0), other);
  CHECK(
      message_of(other.string(), [&] { const Container c(other); }) ==
      "split.no: found part 1 of 3 under the name model.gguf; allowed: NAME-00001-of-00003.gguf, since the other parts "
      "are found by their names");
}

TEST_CASE("parts of different models are refused", "[formats]") {
  const Parts p;
  p.write(1, gguf_part(2, 3, "a"));
  CHECK(p.error(1) == "split.no: found 2; allowed: 1, as its name says");
  p.write(1, gguf_part(1, 4, "a"));
  CHECK(p.error(1) == "split.count: found 4; allowed: 3, as the first part has it");
  p.write(1, gguf_part(1, 3, "c"));
  CHECK(p.error(1) == "c: found here and in m-00001-of-00003.gguf; allowed: one part");
  Gguf none = gguf_part(1, 3, "a");
  none.keys.clear();
  p.write(1, none);
  CHECK(p.error(1) == "split.no: found nothing; allowed: 1");
  Gguf more = gguf_part(1, 3, "a");
  more.tensors.push_back(Gguf::tensor("d", {1}, 0, 32));
  more.data.resize(36, '\0');
  p.write(1, more);
  CHECK(p.error(0) == "split.tensors.count: found 3, and 4 tensors in 3 files; are they of one model?");
  Gguf wrong = gguf_part(0, 3, "c");
  wrong.keys[0] = Gguf::key("split.no", kText, Gguf::text("0"));
  p.write(0, wrong);
  CHECK(p.error(0) == "split.no: found \"0\"; allowed: 0 to 2");
  wrong.keys[0] = Gguf::key("split.no", kU16, raw(uint16_t{3}));
  p.write(0, wrong);
  CHECK(p.error(0) == "split.no: found 3; allowed: 0 to 2");
  wrong.keys[0] = Gguf::key("split.no", kI32, raw(int32_t{-1}));
  p.write(0, wrong);
  CHECK(p.error(0) == "split.no: found -1; allowed: 0 to 2");
  wrong = gguf_part(0, 3, "c");
  wrong.keys.erase(wrong.keys.begin() + 2);
  p.write(0, wrong);
  p.write(1, gguf_part(1, 3, "a"));
  CHECK(p.error(0) == "split.tensors.count: found nothing; allowed: the number of tensors in all parts");
}

TEST_CASE("one damaged part is named", "[formats]") {
  const Parts p;
  write_file(p.path(2), "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n");
  CHECK(p.error(2) == "found a Git LFS pointer, not the file itself; get it with 'git lfs pull'");
}

}  // namespace lw::formats_test
