// Which files of a run folder a report wrote: files.sha256, in the format of sha256sum. What is not in it, or was
// changed since, is the user's own and is never removed.
#pragma once
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace lw {

class WrittenFiles {
 public:
  /// Reads the list of `folder`; lines that are no entries are left out.
  explicit WrittenFiles(std::filesystem::path folder);

  /// Adds a file that is about to be written.
  void add(const std::string& path, std::string_view bytes);
  /// Removes the files that match `pattern` ("tables/*.csv"), are listed, and are not among `kept`. Drops their entries
  /// and every hash of a kept file but the last.
  void remove_others(std::string_view pattern, const std::set<std::string>& kept);
  /// @throws Error(kRuntime).
  void save() const;

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::set<std::string>> hashes_;  // two while a file is being replaced
  std::map<std::string, std::string> last_;              // of files that were added
};

}  // namespace lw
