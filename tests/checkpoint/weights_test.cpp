#include "harness/checkpoint/weights.h"

#include <filesystem>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "tests/model/support.h"

namespace lw::checkpoint_test {
namespace {
namespace fs = std::filesystem;
using model_test::small_config;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("lw-weights-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

std::shared_ptr<Transformer> model_of(const ModelConfig& c, uint64_t seed, const std::string& position = "scheme: t5") {
  auto m = std::make_shared<Transformer>(c, model_test::encoding_of(position, c));
  m->reset_parameters(Rng(seed));
  return m;
}

}  // namespace

TEST_CASE("weights survive the file bit for bit, and equal weights give equal files", "[checkpoint]") {
  const Folder folder;
  auto a = model_of(small_config(), 1), b = model_of(small_config(), 2);
  save_weights(*a, folder.path / "a.safetensors", {{"format", "pt"}});
  load_weights(*b, folder.path / "a.safetensors");
  auto theirs = b->named_parameters();
  for (const auto& item : a->named_parameters()) CHECK(at::equal(item.value(), theirs[item.key()]));
  save_weights(*b, folder.path / "b.safetensors", {{"format", "pt"}});
  CHECK(read_file(folder.path / "a.safetensors") == read_file(folder.path / "b.safetensors"));
}

TEST_CASE("weights of another model are refused by name", "[checkpoint]") {
  const Folder folder;
  const auto file = folder.path / "a.safetensors";
  save_weights(*model_of(small_config(), 1), file, {});
  ModelConfig more = small_config(), fewer = small_config(), wider = small_config();
  more.layers = 3;
  fewer.layers = 1;
  wider.vocabulary = 41;
  CHECK_THROWS_WITH(load_weights(*model_of(more, 1), file),
                    Catch::Matchers::ContainsSubstring("found no tensor layers_2."));
  CHECK_THROWS_WITH(
      load_weights(*model_of(fewer, 1), file),
      Catch::Matchers::ContainsSubstring("layers_1.down_proj.bias: found a tensor that this model does not have"));
  CHECK_THROWS_WITH(load_weights(*model_of(wider, 1), file),
                    Catch::Matchers::ContainsSubstring("embed_tokens: found shape [40, 32]; the model needs [41, 32]"));
  CHECK_THROWS_WITH(load_weights(*model_of(small_config(), 1, "scheme: rope"), file),
                    Catch::Matchers::ContainsSubstring(
                        "position.relative_attention_bias: found a tensor that this model does not have"));
}

}  // namespace lw::checkpoint_test
