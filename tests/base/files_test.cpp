// Whole files in and out: complete or absent, with plain errors.
#include "harness/base/files.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "tests/catch.h"
#include "tests/support.h"

namespace lw::files_test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

size_t entries(const fs::path& folder) {
  return size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("what was written is read, to the byte", "[files]") {
  const test::TempFolder folder;
  std::string bytes;
  for (int i = 0; i < 70000; ++i) bytes += static_cast<char>(i * 31);
  for (const std::string& text : {std::string(), std::string("one line\n"), std::string("\0\r\n\xFF", 4), bytes}) {
    write_file(folder / "a/b/file", text);
    CHECK(read_file(folder / "a/b/file") == text);
  }
  CHECK(entries(folder / "a/b") == 1);  // no .part beside it
}

TEST_CASE("reading what cannot be read names the file and the reason", "[files]") {
  const test::TempFolder folder;
  const auto missing = folder / "missing";
  CHECK(test::error_of([&] { read_file(missing); }) ==
        missing.string() + ": cannot be read: No such file or directory");
  CHECK(test::error_kind_of([&] { read_file(missing); }) == ErrorKind::kInput);
  CHECK(test::error_of([&] { read_file(folder.path()); }) ==
        folder.path().string() + ": is a folder; a file is needed");
  write_file(folder / "file", "x");
  CHECK_THAT(test::error_of([&] { read_file(folder / "file/below"); }),
             ContainsSubstring("cannot be read: Not a directory"));
}

TEST_CASE("a write that fails leaves nothing behind, and the old file as it was", "[files]") {
  const test::TempFolder folder;
  write_file(folder / "file", "old");

  const auto below_a_file = folder / "file/below";  // its folder cannot be made
  CHECK_THAT(test::error_of([&] { write_file(below_a_file, "new"); }),
             ContainsSubstring((folder / "file").string() + ": cannot make this folder"));
  CHECK(test::error_kind_of([&] { write_file(below_a_file, "new"); }) == ErrorKind::kRuntime);

  const auto too_long = folder / std::string(300, 'n');
  CHECK(test::error_of([&] { write_file(too_long, "new"); }) ==
        too_long.string() + ": cannot be written: File name too long");

  fs::create_directories(folder / "full/folder");  // cannot be renamed onto
  CHECK_THAT(test::error_of([&] { write_file(folder / "full", "new"); }),
             ContainsSubstring((folder / "full").string() + ": cannot be written: "));

  CHECK(entries(folder.path()) == 2);
  CHECK(read_file(folder / "file") == "old");
}

TEST_CASE("a read-only folder gives an error", "[files]") {
  const test::TempFolder folder;
  fs::path closed = folder / "closed";
  make_folder(closed);
  fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec);
  if (::geteuid() == 0) closed = "/proc";  // permissions do not bind root, but nobody can write there
  const std::string error = test::error_of([&] { write_file(closed / "file", "x"); });
  CHECK_THAT(error, ContainsSubstring((closed / "file").string() + ": cannot be written: "));
  CHECK(error.find("Success") == std::string::npos);
  CHECK(test::error_kind_of([&] { write_file(closed / "file", "x"); }) == ErrorKind::kRuntime);
}

TEST_CASE("folders are made with their parents, or an error says why not", "[files]") {
  const test::TempFolder folder;
  make_folder(folder / "a/b/c");
  make_folder(folder / "a/b/c");
  CHECK(fs::is_directory(folder / "a/b/c"));
  write_file(folder / "file", "x");
  const std::string error = test::error_of([&] { make_folder(folder / "file"); });
  CHECK(error == (folder / "file").string() + ": cannot make this folder: Not a directory");
}

TEST_CASE("threads that write one file leave one whole file", "[files]") {
  const test::TempFolder folder;
  std::vector<std::thread> threads;
  for (char c = 'a'; c < 'e'; ++c)
    threads.emplace_back([&folder, c] {
      for (int i = 0; i < 50; ++i) write_file(folder / "same", std::string(5000, c));
    });
  for (auto& t : threads) t.join();
  const std::string text = read_file(folder / "same");
  CHECK(text == std::string(5000, text.front()));
  CHECK(entries(folder.path()) == 1);
}

// FIPS 180-4, appendix B (via NIST's published vectors).
TEST_CASE("SHA-256 gives the published digests", "[files]") {
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace lw::files_test
