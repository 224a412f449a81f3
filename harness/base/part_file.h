// A file on its way: its bytes stand beside the target under a name of their own until they are complete.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string_view>

namespace lw {

/// Writes TARGET.partPID.N and renames it, so that a reader never sees half a file. The part is locked while it is
/// written, so that another process can tell it from one that a killed process left.
class PartFile {
 public:
  /// Makes the folder of the target. @throws Error(kRuntime) naming the target and the reason, as every member does.
  explicit PartFile(std::filesystem::path target);
  /// Removes the part, unless finish() gave it its name.
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  void write(std::string_view bytes);
  /// Replaces the target.
  void finish();

 private:
  [[noreturn]] void fail(int error);

  std::filesystem::path target_, part_;
  int file_ = -1;
};

/// Removes the parts in `folder`, not below it, that no process writes any more. A folder that is not there is empty.
/// @returns how many.
size_t remove_abandoned_parts(const std::filesystem::path& folder);
/// Whether a file has the name of a part.
bool is_part_name(std::string_view name);
/// Whether no process writes the part.
bool is_abandoned_part(const std::filesystem::path& part);

}  // namespace lw
