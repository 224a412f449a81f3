// Catch2 for every test, the same under version 2 (one header) and version 3, and safe beside LibTorch.
//
// LibTorch may bring glog, whose CHECK aborts the process and counts as no assertion: included after
// Catch2 it would silently replace Catch2's CHECK. So in a test binary with LibTorch (LW_TEST_TORCH) its
// headers always come first, whatever order the test's own includes are in.
#pragma once

#ifdef LW_TEST_TORCH
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>

#include "encodings/position_encoding.h"
#include "tests/tensor_rows.h"
#undef CHECK
#endif

#if __has_include(<catch2/catch_all.hpp>)

#include <catch2/catch_all.hpp>
using Catch::Approx;

#else

#include <catch2/catch.hpp>

// The names of version 3, so that tests write Catch::Approx and Catch::Matchers::ContainsSubstring.
namespace Catch {
using Detail::Approx;
namespace Matchers {
inline auto ContainsSubstring(const std::string& text, CaseSensitive::Choice sensitivity = CaseSensitive::Yes) {
  return Contains(text, sensitivity);
}
}  // namespace Matchers
}  // namespace Catch

#endif
