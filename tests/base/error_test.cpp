// Errors: their places, their exit codes, and the nearest allowed word.
#include "harness/base/error.h"

#include "tests/catch.h"
#include "tests/support.h"

namespace lw::error_test {

TEST_CASE("places are printed as far as they are known", "[error]") {
  CHECK(SourcePos{"a.yaml", 3, 7}.str() == "a.yaml:3:7");
  CHECK(SourcePos{"a.yaml", 3, 0}.str() == "a.yaml:3");
  CHECK(SourcePos{"a.yaml", 0, 0}.str() == "a.yaml");
  CHECK(SourcePos{"a.yaml", 0, 7}.str() == "a.yaml");
}

TEST_CASE("what the user can mend exits with 2, everything else with 1", "[error]") {
  for (const auto kind : {ErrorKind::kUsage, ErrorKind::kConfig, ErrorKind::kInput})
    CHECK(Error(kind, "x").exit_code() == 2);
  for (const auto kind : {ErrorKind::kUnsupported, ErrorKind::kRuntime, ErrorKind::kInternal})
    CHECK(Error(kind, "x").exit_code() == 1);
}

TEST_CASE("a broken promise names the file, line and condition", "[error]") {
  const int two = 2;
  const std::string error = test::error_of([&] { LW_CHECK(two == 3, "two is three"); });
  CHECK(error.rfind("internal error, please report it: two is three (two == 3 at ", 0) == 0);
  CHECK(error.find("error_test.cpp:") != std::string::npos);
  LW_CHECK(two == 2, "never thrown");
}

TEST_CASE("the nearest word helps or stays silent", "[error]") {
  const std::vector<std::string> keys = {"layers", "heads", "width", "scaling_factor", "rope_theta", "lr", "lr_end"};
  CHECK(nearest("layrs", keys) == "layers");
  CHECK(nearest("laeyrs", keys) == "layers");  // swapped neighbours
  CHECK(nearest("LAYERS", keys) == "layers");
  CHECK(nearest("head", keys) == "heads");
  CHECK(nearest("wdith", keys) == "width");
  CHECK(nearest("rope_tetha", keys) == "rope_theta");
  CHECK(nearest("rope", keys) == "rope_theta");  // a shared beginning
  CHECK(nearest("scaling", keys) == "scaling_factor");
  CHECK(nearest("lr_ned", keys) == "lr_end");
  CHECK(nearest("htm", {"md", "html"}) == "html");
  CHECK(nearest("pdf", {"md", "html"}).empty());  // a short word is far from every other
  for (const char* far : {"", "x", "q", "dropout", "momentum", "zzzzzzzzz"}) {
    INFO(far);
    CHECK(nearest(far, keys).empty());
  }
  CHECK(nearest("anything", {}).empty());
  CHECK(did_you_mean("layrs", keys) == "; did you mean 'layers'?");
  CHECK(did_you_mean("dropout", keys).empty());
}

TEST_CASE("words are joined", "[error]") {
  CHECK(join({}) == "");
  CHECK(join({"a"}) == "a");
  CHECK(join({"a", "b", "c"}) == "a, b, c");
  CHECK(join({"a", "b"}, " or ") == "a or b");
}

}  // namespace lw::error_test
