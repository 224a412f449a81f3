#include "harness/formats/hub_cache.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/text.h"

namespace lw {
namespace fs = std::filesystem;
namespace {

constexpr const char* kMain = "main";

bool path_exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The parts of "org/name@revision/file".
struct HubId {
  std::string repo, revision, file;  // revision and file may be ""

  /// "models--org--name"
  std::string folder() const {
    std::string out = "models--" + repo;
    if (const size_t slash = out.find('/'); slash != std::string::npos) out.replace(slash, 1, "--");
    return out;
  }
};

/// A word that the Hub takes as a name: letters, digits, '-', '_' and '.', not '.' at its ends.
bool is_hub_word(std::string_view word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
  return plain && !word.empty() && word.size() <= 96 && word.front() != '.' && word.back() != '.';
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts = {""};
  for (const char c : text) {
    if (c == '/')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// A revision's slashes stand as they are in refs/, but a file below a snapshot would look the same: such a revision
/// is given as its commit.
std::optional<HubId> parse_id(const std::string& name) {
  const std::vector<std::string> parts = parts_of(name);
  HubId id;
  size_t used = 0;
  for (; used < parts.size() && used < 2 && id.revision.empty(); ++used) {
    const size_t at = parts[used].find('@');
    const std::string word = parts[used].substr(0, at);
    if (!is_hub_word(word)) return std::nullopt;
    id.repo += (used == 0 ? "" : "/") + word;
    if (at == std::string::npos) continue;
    id.revision = parts[used].substr(at + 1);
    if (!is_hub_word(id.revision)) return std::nullopt;
  }
  for (; used < parts.size(); ++used) {
    if (parts[used].empty() || parts[used] == "." || parts[used] == "..") return std::nullopt;
    id.file += (id.file.empty() ? "" : "/") + parts[used];
  }
  return id;
}

std::string command_for(const HubId& id) {
  return "'hf download " + id.repo + (id.revision.empty() ? "" : " --revision " + id.revision) +
         (id.file.empty() ? "" : " " + id.file) + "' brings it";
}

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::kInput, name + ": " + what);
}

std::string commit_of(const HubId& id, const fs::path& repo, const std::string& name) {
  const std::string revision = id.revision.empty() ? kMain : id.revision;
  if (path_exists(repo / "refs" / revision)) {
    std::string commit = read_file(repo / "refs" / revision, 4096);
    commit.erase(std::remove_if(commit.begin(), commit.end(), [](char c) { return c == '\n' || c == '\r'; }),
                 commit.end());
    if (!is_hub_word(commit)) refuse((repo / "refs" / revision).string(), found(commit).allowed("a commit"));
    return commit;
  }
  if (path_exists(repo / "snapshots" / revision)) return revision;
  std::vector<std::string> known;
  std::error_code error;
  for (const char* folder : {"refs", "snapshots"})
    for (fs::directory_iterator it(repo / folder, error), end; !error && it != end; it.increment(error))
      known.push_back(it->path().filename().string());
  refuse(name, text("found no revision ", revision, " in ", repo.string(), ", which has ",
                    known.empty() ? "none" : join(known), "; ", command_for(id)));
}

}  // namespace

std::string CheckpointPlace::pinned() const {
  if (id.empty()) return path.string();
  const std::string whole = path.string(), snapshot = "/snapshots/" + commit;
  return id + "@" + commit + whole.substr(whole.rfind(snapshot) + snapshot.size());
}

fs::path hub_cache_folder() {
  if (const auto cache = from_environment("HF_HUB_CACHE"); !cache.empty()) return cache;
  if (const auto home = from_environment("HF_HOME"); !home.empty()) return fs::path(home) / "hub";
  if (const auto home = from_environment("XDG_CACHE_HOME"); !home.empty())
    return fs::path(home) / "huggingface" / "hub";
  return fs::path(from_environment("HOME")) / ".cache" / "huggingface" / "hub";
}

std::string hub_hint(const std::string& name) {
  const auto id = parse_id(name);
  if (!id || !id->file.empty()) return "";
  return "; if it is a model of the Hugging Face Hub, " + command_for(*id);
}

CheckpointPlace locate_checkpoint(const std::string& name) {
  const auto id = path_exists(name) ? std::nullopt : parse_id(name);
  if (!id) return {name, "", ""};
  const fs::path cache = hub_cache_folder(), repo = cache / id->folder();
  if (!path_exists(repo)) return {name, "", ""};
  const std::string commit = commit_of(*id, repo, name);
  const fs::path snapshot = repo / "snapshots" / commit;
  if (!path_exists(snapshot / id->file))
    refuse(name,
           text("found no ", id->file.empty() ? "files" : id->file, " in ", snapshot.string(), "; ", command_for(*id)));
  return {id->file.empty() ? snapshot : snapshot / id->file, id->repo, commit};
}

}  // namespace lw
