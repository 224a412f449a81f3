#include "reports/outside_program.h"

#include "harness/base/error.h"
#include "harness/base/subprocess.h"
#include "harness/base/text.h"

namespace lw {

std::string path_of(const OutsideProgram& program) {
  std::vector<std::string> names;
  for (const auto name : program.names) {
    if (const auto path = find_program(name)) return path->string();
    names.emplace_back(name);
  }
  throw Error(ErrorKind::kUsage,
              text("format ", program.format, ": found no ", join(names, ", no "), " in PATH; ", program.remedy));
}

}  // namespace lw
