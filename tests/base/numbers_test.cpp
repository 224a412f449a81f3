// Numbers to and from text.
#include "harness/base/numbers.h"

#include <cmath>
#include <limits>

#include "harness/base/rng.h"
#include "tests/catch.h"

namespace lw::numbers_test {

TEST_CASE("whole numbers are decimal digits with a sign and nothing else", "[numbers]") {
  CHECK(parse_whole("0") == 0);
  CHECK(parse_whole("+7") == 7);
  CHECK(parse_whole("-12") == -12);
  CHECK(parse_whole("9223372036854775807") == std::numeric_limits<int64_t>::max());
  CHECK(parse_whole("-9223372036854775808") == std::numeric_limits<int64_t>::min());
  for (const char* bad : {"", "+", "-", "010", "00", "-01", "1.0", "1e3", "0x10", "0b1", "1_000", "1 ", " 1",
                          "9223372036854775808", "-9223372036854775809", "+-1", "--1", "one", "\xD9\xA1"}) {
    INFO(bad);
    CHECK_FALSE(parse_whole(bad).has_value());
  }
}

TEST_CASE("numbers are finite decimals", "[numbers]") {
  CHECK(parse_number("0") == 0.0);
  CHECK(parse_number("1e-3") == 0.001);
  CHECK(parse_number("2.5E+2") == 250.0);
  CHECK(parse_number("+.5") == 0.5);
  CHECK(parse_number("-5.") == -5.0);
  CHECK(parse_number("0.1") == 0.1);
  CHECK(parse_number("0e0") == 0.0);
  for (const char* bad :
       {"",    "+",    "-",   ".",   "e5",  "1e", "nan", ".nan", "inf", ".inf", "-inf", "0x1p3", "1e999", "-1e999",
        "007", "01.5", "-00", "1,5", "1_0", "1 ", " 1",  "+-1",  "-+1", "--1",  "++1",  "1.2.3", "1e5.5"}) {
    INFO(bad);
    CHECK_FALSE(parse_number(bad).has_value());
  }
}

TEST_CASE("a written number is short and reads back to the same bits", "[numbers]") {
  CHECK(format_number(0.1) == "0.1");
  CHECK(format_number(10000) == "10000");
  CHECK(format_number(-3) == "-3");
  CHECK(format_number(1e-12) == "1e-12");
  CHECK(format_number(0) == "0");
  CHECK(format_number(1.0 / 3) == "0.3333333333333333");
  CHECK(format_number(1e300) == "1e+300");
  Rng rng(5);
  const auto round_trips = [](double value) {
    const auto back = parse_number(format_number(value));
    return back.has_value() && *back == value;
  };
  for (int i = 0; i < 20000; ++i) {
    const double value = (rng.uniform() - 0.5) * std::pow(10.0, double(rng.below(600)) - 300);
    if (!round_trips(value)) FAIL("does not read back: " << format_number(value));
  }
  for (const double value :
       {1e15, 1e15 - 1, 999999999999999.0, 1e16, 9007199254740993.0, std::numeric_limits<double>::max(),
        std::numeric_limits<double>::denorm_min(), std::nextafter(1.0, 2.0), -1e-300})
    CHECK(round_trips(value));
  for (int64_t i = -2000; i < 2000; ++i) CHECK(parse_whole(format_number(double(i))) == i);
}

TEST_CASE("fixed and grouped forms for people", "[numbers]") {
  CHECK(format_fixed(0.9526, 3) == "0.953");
  CHECK(format_fixed(-1.0, 0) == "-1");
  CHECK(format_fixed(1e300, 1).size() == 303);
  CHECK(format_grouped(0) == "0");
  CHECK(format_grouped(999) == "999");
  CHECK(format_grouped(1000) == "1,000");
  CHECK(format_grouped(24550) == "24,550");
  CHECK(format_grouped(-1234567) == "-1,234,567");
}

TEST_CASE("float32 has its own shortest text", "[numbers]") {
  CHECK(format_float(1e-5F) == "1e-05");
  CHECK(format_float(0.1F) == "0.1");
  CHECK(format_float(500000.0F) == "500000");
  CHECK(format_float(-3.0F) == "-3");
  CHECK(format_float(1e30F) == "1e+30");
}

}  // namespace lw::numbers_test
