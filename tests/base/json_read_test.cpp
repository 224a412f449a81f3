// Strict reading of JSON.
#include "harness/base/json_read.h"

#include "harness/base/files.h"
#include "harness/base/version.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::json_read_test {
namespace {

using Catch::Matchers::ContainsSubstring;

template <class T>
std::string get_error(const std::string& value) {
  const Json object = parse_json("{\"k\": " + value + "}", "f");
  return test::error_of([&] { json_get<T>(object, "k", "f:1"); });
}

}  // namespace

TEST_CASE("JSON is read strictly", "[json]") {
  CHECK(parse_json("{\"b\": 1, \"a\": [1.5, null, true]}", "f").dump() == "{\"b\":1,\"a\":[1.5,null,true]}");
  for (const char* bad :
       {"", "{", "{\"a\": NaN}", "{\"a\": Infinity}", "{} {}", "{\"a\": 1,}", "{'a': 1}", "{\"a\": 01}", "[1, 2"}) {
    INFO(bad);
    const std::string error = test::error_of([&] { parse_json(bad, "f:7"); });
    CHECK(error.rfind("f:7: not JSON: ", 0) == 0);
    CHECK(error.find('\n') == std::string::npos);
  }
  CHECK(test::error_of([] { parse_json("{\"a\": 1, \"b\": {\"a\": 2}, \"a\": 3}", "f"); }) ==
        "f: a: found twice; each key may stand once");
  CHECK(test::error_of([] { parse_json("[{\"a\": 1}, {\"a\": 2}]", "f"); }).empty());
}

TEST_CASE("what is no JSON is named with its place, in this program's words", "[json]") {
  const auto error = [](const std::string& text) { return test::error_of([&] { parse_json(text, "f"); }); };
  CHECK(error("{\"a\": nul}") == "f: not JSON: found '}' at column 10; allowed: JSON");
  CHECK(error("{\n  \"a\": 1,\n}\n") == "f: not JSON: found '}' at line 3, column 1; allowed: JSON");
  CHECK(error("{\"a\": [1, 2") == "f: not JSON: found its end, with something still open; allowed: JSON");
  CHECK(error("") == "f: not JSON: found nothing; allowed: JSON");
  CHECK(error("\"caf\xE9\"") == "f: not JSON: found '\"' at column 6; allowed: JSON");
  CHECK(error("[1e999]") == "f: not JSON: found a number that is too large; allowed: up to 1.8e308");
}

TEST_CASE("JSON does not end at a zero byte, nor go deeper than printing it can", "[json]") {
  CHECK(test::error_of([] { parse_json(std::string("{}\0garbage", 10), "f"); }) ==
        "f: not JSON: found a zero byte at byte 2");
  const auto nested = [](int depth) { return std::string(size_t(depth), '[') + std::string(size_t(depth), ']'); };
  CHECK(test::error_of([&] { parse_json(nested(100), "f"); }).empty());
  CHECK(test::error_of([&] { parse_json(nested(1000000), "f"); }) ==
        "f: found values nested more than 128 deep; allowed: less");
  const std::string error = test::error_of([] { parse_json("\"" + std::string(100000, 'x'), "f"); });
  CHECK(error.size() < 400);  // the parser would quote all of it
}

TEST_CASE("objects with many keys are read in time that grows with their number", "[json]") {
  std::string text = "{\"k\":0";
  for (int i = 0; i < 100000; ++i) text += ",\"key" + std::to_string(i) + "\":" + std::to_string(i);
  const SortedJson json = parse_sorted_json(text + "}", "f");
  CHECK(json.size() == 100001);
  CHECK(json_get<int64_t>(json, "key99999", "f") == 99999);
  CHECK(test::error_of([&] { parse_sorted_json(text + ",\"key7\":1}", "f"); }) ==
        "f: key7: found twice; each key may stand once");
}

TEST_CASE("a value is taken as it stands or refused", "[json]") {
  const Json j = parse_json(R"({"i": 3, "d": 2.5, "s": "x", "b": true, "l": [1, 2], "n": null})", "f");
  CHECK(json_get<int64_t>(j, "i", "f") == 3);
  CHECK(json_get<double>(j, "i", "f") == 3.0);
  CHECK(json_get<std::vector<int64_t>>(j, "l", "f") == std::vector<int64_t>{1, 2});
  CHECK(json_optional<int64_t>(j, "n", "f") == std::nullopt);
  CHECK(json_optional<int64_t>(j, "absent", "f") == std::nullopt);
  CHECK(json_optional<std::string>(j, "s", "f") == "x");
  CHECK(test::error_of([&] { json_get<int64_t>(j, "absent", "f:1"); }) ==
        "f:1: absent: found nothing; allowed: a value");
  CHECK(get_error<int64_t>("2.5") == "f:1: k: found 2.5; allowed: another type of value");
  CHECK(get_error<int64_t>("2.0") == "f:1: k: found 2.0; allowed: another type of value");
  CHECK(get_error<int64_t>("true") == "f:1: k: found true; allowed: another type of value");
  CHECK(get_error<int64_t>("\"2\"") == "f:1: k: found \"2\"; allowed: another type of value");
  CHECK(get_error<int64_t>("9223372036854775808") ==
        "f:1: k: found 9223372036854775808; allowed: another type of value");
  CHECK(get_error<int64_t>("9223372036854775807").empty());
  CHECK(get_error<uint64_t>("-1") == "f:1: k: found -1; allowed: another type of value");
  CHECK(get_error<double>("true") == "f:1: k: found true; allowed: another type of value");
  CHECK(get_error<double>("null") == "f:1: k: found null; allowed: another type of value");
  CHECK(get_error<bool>("1") == "f:1: k: found 1; allowed: another type of value");
  CHECK(get_error<std::string>("1") == "f:1: k: found 1; allowed: another type of value");
  CHECK(get_error<std::vector<int64_t>>("[1, 2.5]") == "f:1: k: found [1,2.5]; allowed: another type of value");
  CHECK(get_error<std::vector<int64_t>>("3") == "f:1: k: found 3; allowed: another type of value");
}

TEST_CASE("a build names itself", "[version]") {
  CHECK_THAT(version(), ContainsSubstring("."));
  CHECK_FALSE(compiler().empty());
  const std::string c = commit(), id = build_id();
  CHECK(id == build_id());
  const bool clean = c.size() == 40 && c.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (clean)
    CHECK(id == c);
  else
    CHECK(id == sha256(read_file("/proc/self/exe")));
}

}  // namespace lw::json_read_test
