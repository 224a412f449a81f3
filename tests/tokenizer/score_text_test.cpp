// Numbers of a tokenizer.json: values and ids copied from the tokenizers library (0.23.3), whose JSON reader does not
// round to the nearest double.
#include "harness/tokenizer/score_text.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.h"
#include "tests/tokenizer/support.h"

namespace lw::score_text_test {

TEST_CASE("scores are the doubles that the library reads", "[tokenizer]") {
  const std::vector<std::pair<std::string, double>> numbers = {
      {"-12.446020784385567", -0x1.8e45cd6148b69p+3},  // the nearest ends in b68
      {"-69.157124911912396", -0x1.14a0e55a5833ep+6},
      {"-93.013728733830871", -0x1.740e0ee7bb46bp+6},
      {"-38.077672704557859", -0x1.309f12ddeef16p+5},
      {"-46.673775428967022", -0x1.7563e45f42181p+5},
      {"123456789012345678901234.5", 0x1.a249b1f10a06cp+76},
      {"-184467440737095516159e-5", -0x1.a36e2eb1c432dp+50},
      {"-18446744073709551615.5", -0x1p+64},
      {"-1.5e-7", -0x1.421f5f40d8376p-23},
      {"1e-320", 0x0.00000000007e8p-1022},
      {"4.9e-324", 0x0.0000000000001p-1022},
      {"1.7976931348623157e308", 0x1.fffffffffffffp+1023},
      {"12345678901234567890123456789e-400", 0.0},
      {"-2.2250738585072014e-308", -0x1p-1022},
      {"1E+2", 100.0},
      {"-7", -7.0}};
  for (const auto& [text, value] : numbers) {
    INFO(text);
    CHECK(library_number(text) == value);
  }
  CHECK(std::signbit(library_number("-0.0")));
  CHECK(library_number("1e400") == std::numeric_limits<double>::infinity());
  CHECK(library_number("0e99999999999999999999") == 0.0);
  CHECK(library_number("1e-99999999999999999999") == 0.0);
}

// Sums of these scores tie, or differ in the last bit only.
TEST_CASE("runs of one character are cut as the library cuts them", "[tokenizer]") {
  const Tokenizer tokenizer = test::tokenizer_of(test::with_model(
      R"({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["-", -3.0716631388024602],)"
      R"( ["--", -6.1433262776049204], ["---", -9.2149894164073807], ["----", -12.28665255520984]]})"));
  const std::vector<std::vector<int64_t>> ids = {{1},       {2},    {1, 2},       {4},       {1, 2, 2},   {2, 4},
                                                 {1, 2, 4}, {4, 4}, {1, 2, 2, 4}, {2, 4, 4}, {2, 4, 4, 1}};
  for (size_t i = 0; i < ids.size(); ++i) {
    INFO(i + 1);
    CHECK(tokenizer.encode(std::string(i + 1, '-')).ids == ids[i]);
  }
}

}  // namespace lw::score_text_test
