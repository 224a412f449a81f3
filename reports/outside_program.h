// Programs of the system that some report formats need.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lw {

/// What a format needs, in its own words.
struct OutsideProgram {
  std::string_view format;              // "png"
  std::vector<std::string_view> names;  // any of them serves; the first that PATH has is taken
  std::string_view remedy;              // "install the package librsvg2-bin"
};

/// The program's path. @throws Error(kUsage) naming format, programs and remedy where PATH has none of them.
std::string path_of(const OutsideProgram& program);

}  // namespace lw
