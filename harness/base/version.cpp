#include "harness/base/version.h"

#include "harness/base/files.h"
#include "lw_version.h"

namespace lw {

std::string version() { return LW_VERSION; }
std::string commit() { return LW_GIT_COMMIT; }
std::string compiler() { return LW_COMPILER; }

std::string build_id() {
  static const std::string id = [] {
    const std::string c = commit();
    const bool clean = c.size() == 40;
    return clean ? c : sha256(read_file("/proc/self/exe"));
  }();
  return id;
}

}  // namespace lw
