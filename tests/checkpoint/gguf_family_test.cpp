// A fixture that is stored as llama.cpp's converter stores it loads to the same logits, and exports to the same folder.
#include "harness/checkpoint/export.h"
#include "tests/checkpoint/gguf_conversion.h"
#include "tests/support.h"

using namespace lw;
using namespace lw::checkpoint_test;
using lw::test::error_of;

TEST_CASE("what llama.cpp's converter makes of a fixture gives the fixture's logits", "[families]") {
  for (const auto& c : all_conversions()) {
    INFO(c.fixture << " as " << c.architecture << " " << c.metadata.dump());
    const Checkpoint hf = source_of(c);
    const int64_t context = c.architecture == "gpt2"                                      ? 40
                            : c.metadata.contains("rope.scaling.original_context_length") ? 64
                                                                                          : 16;
    const Checkpoint gguf = open_made(metadata_of(c, hf.model.model, context), tensors_of(c, hf));
    const auto difference =
        (logits_of(*load_transformer(hf)) - logits_of(*load_transformer(gguf))).abs().max().item<double>();
    CHECK(difference <= 2e-5);
  }
}

TEST_CASE("a GGUF file becomes a Hugging Face folder with the same logits", "[families][export]") {
  for (const auto& c : all_conversions()) {
    if (c.metadata.value("attention.max_alibi_bias", 8.0) != 8.0) continue;  // transformers knows no other
    INFO(c.fixture << " as " << c.architecture << " " << c.metadata.dump());
    const Checkpoint hf = source_of(c);
    const int64_t context = c.architecture == "gpt2" ? 40 : 16;
    const Checkpoint gguf = open_made(metadata_of(c, hf.model.model, context), tensors_of(c, hf));
    const auto model = load_transformer(gguf);
    const test::TempFolder folder;
    export_checkpoint(*model, gguf.model, folder.path(), gguf.family);
    const Checkpoint back = open_checkpoint(folder.path());
    CHECK(back.family == hf.family);
    CHECK(at::equal(logits_of(*load_transformer(back)), logits_of(*model)));
    const auto theirs = tensors_in(*hf.source), ours = tensors_in(*back.source);
    for (const auto& [name, tensor] : theirs) {
      INFO(name);
      REQUIRE(ours.count(name) == 1);
      CHECK(at::allclose(ours.at(name), tensor, 0, 1e-6));
    }
  }
}

TEST_CASE("a list of divisors from a GGUF file has no form in a folder", "[families][export]") {
  const Conversion c = llama_without_scaling();
  const Checkpoint hf = source_of(c);
  auto tensors = tensors_of(c, hf);
  tensors["rope_freqs.weight"] = at::full({4}, 4.0);
  const Checkpoint gguf = open_made(metadata_of(c, hf.model.model, 16), tensors);
  CHECK(error_of([&] { export_family(gguf.model); })
            .find("position.scaling.rope_type: found 'factors'; allowed: default, linear, dynamic, yarn, longrope, "
                  "llama3, proportional") != std::string::npos);
}
