// Files mapped into memory.
#include "harness/base/mapped_file.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include "harness/base/files.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::mapped_file_test {
namespace {

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

}  // namespace

TEST_CASE("a mapped file has the file's bytes, also after it moved", "[mapped_file]") {
  const test::TempFolder folder;
  write_file(folder / "a", "some bytes");
  write_file(folder / "empty", "");
  MappedFile a(folder / "a");
  CHECK(text_of(a) == "some bytes");
  CHECK(a.place() == (folder / "a").string());
  MappedFile moved(std::move(a));
  CHECK(text_of(moved) == "some bytes");
  moved = MappedFile(folder / "empty");
  CHECK(text_of(moved).empty());
  moved.require_unchanged();
}

TEST_CASE("a file that has no size is read instead of mapped", "[mapped_file]") {
  const MappedFile file("/proc/self/stat");  // as are pipes
  CHECK_FALSE(text_of(file).empty());
  file.require_unchanged();
}

TEST_CASE("a file cut or rewritten while mapped is noticed before its pages are touched", "[mapped_file]") {
  const test::TempFolder folder;
  write_file(folder / "a", std::string(10000, 'a'));
  const MappedFile cut(folder / "a");
  cut.require_unchanged();
  std::filesystem::resize_file(folder / "a", 5000);
  const std::string changed = ": found the file changed while it was read (";
  CHECK(test::error_of([&] { cut.require_unchanged(); }) ==
        (folder / "a").string() + changed + "5000 bytes, before 10000); allowed: one that stays as it is");

  write_file(folder / "b", "before");
  const MappedFile replaced(folder / "b");
  write_file(folder / "b", "after!");  // a new file under the old name: ours is still the old one
  replaced.require_unchanged();
  CHECK(text_of(replaced) == "before");
}

TEST_CASE("what cannot be mapped is named", "[mapped_file]") {
  const test::TempFolder folder;
  CHECK(test::error_of([&] { const MappedFile f(folder / "none"); }) ==
        (folder / "none").string() + ": cannot be read: No such file or directory");
  CHECK(test::error_kind_of([&] { const MappedFile f(folder.path()); }) == ErrorKind::kInput);
  CHECK(test::error_of([&] { const MappedFile f(folder.path()); }) ==
        folder.path().string() + ": is a folder; a file is needed");
}

}  // namespace lw::mapped_file_test
