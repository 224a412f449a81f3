// Damaged configs: whatever happens to the text, opening and loading end in a model or in one plain error.
#include <random>

#include "harness/model/transformer.h"
#include "tests/checkpoint/fixtures.h"

using namespace lw;
using namespace lw::checkpoint_test;

namespace {

/// One to three changes: a byte replaced by one that configs are made of, a piece cut out or doubled, a digit made
/// many.
std::string damaged(std::string text, std::mt19937& random) {
  static const std::string kBytes = "0123456789-.eE\"{}[]:,truefalsn_";
  const auto below = [&random](size_t n) { return static_cast<size_t>(random()) % n; };
  for (size_t change = 0, changes = 1 + below(3); change < changes; ++change) {
    const size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text[at] = kBytes[below(kBytes.size())];
        break;
      case 1:
        text.erase(at, 1 + below(8));
        break;
      case 2:
        text.insert(at, text.substr(at, 1 + below(16)));
        break;
      default:
        if (const size_t digit = text.find_first_of("0123456789", at); digit != std::string::npos)
          text.insert(digit, std::string(1 + below(12), '9'));
    }
  }
  return text;
}

}  // namespace

TEST_CASE("damaged configs of every family end in a model or in one plain error", "[families]") {
  std::mt19937 random(11);
  size_t loaded = 0, refused = 0;
  for (const char* name : {"llama-yarn", "llama-longrope", "llama-version-4-linear", "gemma3_text-linear", "gpt2",
                           "mpt", "bert", "t5", "qwen2-sliding", "smollm3"}) {
    const FixtureCase& c = fixtures().named(name);
    for (int i = 0; i < 150; ++i) {
      const std::string text = damaged(c.config.dump(), random);
      INFO(name << ": " << text);
      try {
        const Checkpoint checkpoint =
            open_checkpoint(parse_json(text, "f"), "f", open_safetensors(kFolder + c.weights));
        if (checkpoint.model.encoder.empty()) load_transformer(checkpoint);
        ++loaded;
      } catch (const Error& e) {
        const std::string message = e.what();
        CHECK(e.exit_code() == 2);
        CHECK(message.find('\n') == std::string::npos);
        CHECK(message.size() < 2000);
        ++refused;
      }
    }
  }
  CHECK(refused > 1000);
  CHECK(loaded > 20);
}
