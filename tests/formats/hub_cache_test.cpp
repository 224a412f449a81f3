// Ids of the Hugging Face Hub: found in a cache that is laid out as its own packages do, and nowhere else.
#include "harness/formats/hub_cache.h"

#include <cstdlib>
#include <optional>

#include "harness/base/files.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::hub_cache_test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

const std::string kOld = "1111111111111111111111111111111111111111", kNew = "2222222222222222222222222222222222222222";

/// An environment variable that is as before afterwards.
class Environment {
 public:
  Environment(std::string name, const char* value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    value == nullptr ? ::unsetenv(name_.c_str()) : ::setenv(name_.c_str(), value, 1);
  }
  ~Environment() { before_ ? ::setenv(name_.c_str(), before_->c_str(), 1) : ::unsetenv(name_.c_str()); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

struct Cache {
  test::TempFolder folder;
  Environment cache{"HF_HUB_CACHE", folder.path().c_str()};
  fs::path repo = folder / "models--an-org--a-model", plain = folder / "models--gpt2";

  Cache() {
    write_file(repo / "blobs/abc", "{}");
    for (const auto& commit : {kOld, kNew}) {
      fs::create_directories(repo / "snapshots" / commit);
      fs::create_symlink("../../blobs/abc", repo / "snapshots" / commit / "config.json");  // as the cache does
    }
    write_file(repo / "refs/main", kNew);
    write_file(repo / "refs/v1.0", kOld + "\n");
    write_file(plain / "refs/main", kOld);
    write_file(plain / "snapshots" / kOld / "model.gguf", "GGUF");
  }
};

std::string refusal(const std::string& name) {
  return test::error_of([&] { locate_checkpoint(name); });
}

}  // namespace

TEST_CASE("an id leads to the snapshot of its revision", "[formats]") {
  const Cache c;
  const CheckpointPlace main = locate_checkpoint("an-org/a-model");
  CHECK(main.path == c.repo / "snapshots" / kNew);
  CHECK(main.id == "an-org/a-model");
  CHECK(main.commit == kNew);
  CHECK(main.pinned() == "an-org/a-model@" + kNew);
  CHECK(locate_checkpoint(main.pinned()).path == main.path);
  CHECK(read_file(main.path / "config.json") == "{}");
  CHECK(locate_checkpoint("an-org/a-model@v1.0").commit == kOld);
  CHECK(locate_checkpoint("an-org/a-model@" + kOld).commit == kOld);
  const CheckpointPlace file = locate_checkpoint("gpt2/model.gguf");
  CHECK_FALSE(fs::exists(file.path));  // "gpt2/model.gguf" reads as the model of an organisation
  CHECK(file.id.empty());
  const CheckpointPlace inside = locate_checkpoint("gpt2@main/model.gguf");
  CHECK(inside.path == c.plain / "snapshots" / kOld / "model.gguf");
  CHECK(inside.pinned() == "gpt2@" + kOld + "/model.gguf");
  CHECK(locate_checkpoint("an-org/a-model/config.json").path == main.path / "config.json");
}

TEST_CASE("what is there as a path is a path, and so is what cannot be an id or is in no cache", "[formats]") {
  const Cache c;
  const std::string there = c.repo.string();
  for (const std::string& name : {there, std::string("none/there"), std::string("../a-model"), std::string("a b/c"),
                                  std::string(""), std::string("an-org//a-model"), std::string("/an-org/a-model"),
                                  std::string(".hidden/x"), std::string("an-org/a-model@/x")}) {
    INFO(name);
    const CheckpointPlace place = locate_checkpoint(name);
    CHECK(place.path == name);
    CHECK(place.id.empty());
    CHECK(place.pinned() == name);
  }
}

TEST_CASE("a revision or a file that the cache lacks is refused with the command that brings it", "[formats]") {
  const Cache c;
  const std::string repo = c.repo.string();
  CHECK_THAT(refusal("an-org/a-model@v2"),
             ContainsSubstring("an-org/a-model@v2: found no revision v2 in " + repo + ", which has ") &&
                 ContainsSubstring("v1.0") && ContainsSubstring(kNew) &&
                 ContainsSubstring("; 'hf download an-org/a-model --revision v2' "
                                   "brings it"));
  CHECK(refusal("an-org/a-model/model.gguf") == "an-org/a-model/model.gguf: found no model.gguf in " + repo +
                                                    "/snapshots/" + kNew +
                                                    "; 'hf download an-org/a-model model.gguf' brings it");
  write_file(c.repo / "refs/main", "../../../etc");
  CHECK(refusal("an-org/a-model") == repo + "/refs/main: found '../../../etc'; allowed: a commit");
  fs::remove_all(c.plain / "snapshots");
  CHECK_THAT(refusal("gpt2"),
             ContainsSubstring("gpt2: found no files in ") && ContainsSubstring("; 'hf download gpt2' brings it"));
}

TEST_CASE("only what may be an id gets the hint of a download", "[formats]") {
  CHECK(hub_hint("an-org/a-model@v1") ==
        "; if it is a model of the Hugging Face Hub, 'hf download an-org/a-model --revision v1' brings it");
  for (const char* path : {"a/b/c", "../x", "/tmp/x", "a b"}) CHECK(hub_hint(path).empty());
}

TEST_CASE("the cache's folder follows the same variables as the Hub's own packages", "[formats]") {
  const Environment a{"HF_HUB_CACHE", nullptr}, b{"HF_HOME", nullptr}, x{"XDG_CACHE_HOME", nullptr},
      h{"HOME", "/home/me"};
  CHECK(hub_cache_folder() == "/home/me/.cache/huggingface/hub");
  const Environment xdg{"XDG_CACHE_HOME", "/xdg"};
  CHECK(hub_cache_folder() == "/xdg/huggingface/hub");
  const Environment home{"HF_HOME", "/hf"};
  CHECK(hub_cache_folder() == "/hf/hub");
  const Environment cache{"HF_HUB_CACHE", "/cache"};
  CHECK(hub_cache_folder() == "/cache");
}

}  // namespace lw::hub_cache_test
