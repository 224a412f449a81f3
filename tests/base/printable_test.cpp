// Bytes of files in messages.
#include "harness/base/printable.h"

#include "tests/catch.h"

namespace lw::printable_test {

TEST_CASE("messages show bytes of a file without passing control characters on", "[printable]") {
  CHECK(printable("blk.0.attn") == "blk.0.attn");
  CHECK(printable("é 한 🙂") == "é 한 🙂");
  CHECK(printable("a\nb\x1B[31m\x7F") == "a\\x0ab\\x1b[31m\\x7f");
  CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(printable("\xFFx\xC3") == "\\xffx\\xc3");
  CHECK(printable(std::string(100, 'a'), 3) == "aaa... (97 bytes more)");
  CHECK(printable("éé", 3) == "éé");  // a character is never cut in half
}

TEST_CASE("characters that turn or break a line are written out", "[printable]") {
  CHECK(visible("a\xC2\x9B"
                "b") == "a\\u009bb");  // a control character of Latin-1
  CHECK(visible("a\xE2\x80\xAE"
                "b\xE2\x81\xA6") == "a\\u202eb\\u2066");  // right to left
  CHECK(visible("a\xE2\x80\xA8") == "a\\u2028");          // a line separator
  CHECK(visible(std::string(100000, 'a')).size() == 100000);
  CHECK(find_invisible("a\tb\n한") == std::string::npos);
  CHECK(find_invisible("ab\rc") == 2);
  CHECK(find_invisible("ab\xFF") == 2);
  CHECK(find_not_utf8("caf\xE9") == 3);
  CHECK(find_not_utf8("caf\xC3\xA9\x1B") == std::string::npos);
}

TEST_CASE("UTF-8 is what RFC 3629 allows", "[printable]") {
  CHECK(utf8_length("") == 0);
  CHECK(utf8_length("a") == 1);
  CHECK(utf8_length("\xC2\x80") == 2);
  CHECK(utf8_length("\xE0\xA0\x80") == 3);
  CHECK(utf8_length("\xF4\x8F\xBF\xBF") == 4);
  for (const char* bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\xC3(", "\xFE"}) {
    INFO(printable(bad));
    CHECK(utf8_length(bad) == 0);
  }
}

}  // namespace lw::printable_test
