// Text that a person has approved, kept in tests/data/approvals. LW_APPROVE=1 writes it anew.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

#include "harness/base/files.h"
#include "tests/catch.h"

namespace lw::fixture {

inline void check_approved(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(LW_TEST_DATA) / "approvals" / name;
  if (const char* approve = std::getenv("LW_APPROVE"); approve != nullptr && std::string(approve) == "1")
    write_file(path, text);
  INFO("after a wanted change: LW_APPROVE=1 and look at the difference in " << path);
  REQUIRE(std::filesystem::exists(path));
  CHECK(read_file(path) == text);
}

}  // namespace lw::fixture
