// A checkpoint of a few kB with a tokenizer, in both containers, for commands that take one.
#pragma once
#include <string>

#include "tests/cli/support.h"
#include "tests/formats/support.h"

namespace lw::cli_test {

/// A character a token: <s> first, a to z, blank, '.', and 3 that no text here has. <s> begins every text.
inline std::string tiny_tokenizer(const Json& added = Json::array()) {
  Json vocab = {{"<s>", 0}, {" ", 27}, {".", 28}, {"0", 29}, {"1", 30}, {"2", 31}};
  for (char c = 'a'; c <= 'z'; ++c) vocab[std::string(1, c)] = c - 'a' + 1;
  const Json begin = {{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}};
  const Json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const Json special = {{"<s>", {{"id", "<s>"}, {"ids", {0}}, {"tokens", {"<s>"}}}}};
  return Json{{"version", "1.0"},
              {"added_tokens", added},
              {"post_processor",
               {{"type", "TemplateProcessing"},
                {"single", {begin, text}},
                {"pair", {begin, text}},
                {"special_tokens", special}}},
              {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", Json::array()}}}}
      .dump();
}

/// The LLaMA of tests/data/families, or another case of it, as a Hugging Face folder: 2 layers, width 16, 32 tokens,
/// trained to 16.
inline void write_tiny_checkpoint(const fs::path& folder, const std::string& name = "llama") {
  const fs::path data = fs::path(LW_TEST_DATA) / "families";
  const Json all = Json::parse(read_file(data / "cases.json"));
  for (const auto& one : all.at("cases")) {
    if (one.at("name") != name) continue;
    write_file(folder / "config.json", one.at("config").dump());
    write_file(folder / "model.safetensors", read_file(data / one.at("weights").get<std::string>()));
  }
  write_file(folder / "tokenizer.json", tiny_tokenizer());
  write_file(folder / "tokenizer_config.json", R"({"bos_token": "<s>"})");
}

/// A GPT-2 in GGUF, of 1 layer and width 4; weights are 0.5 all over. @param more keys, each whole. @param rows of the
/// embedding.
inline formats_test::Gguf tiny_gguf_file(const std::vector<std::string>& more = {}, uint64_t rows = 4) {
  using formats_test::Gguf;
  using formats_test::raw;
  formats_test::Gguf file;
  const auto number = [&](const std::string& key, uint32_t value) {
    file.keys.push_back(Gguf::key("gpt2." + key, 4, raw(value)));
  };
  file.keys = {Gguf::key("general.architecture", 8, Gguf::text("gpt2"))};
  number("context_length", 8);
  number("embedding_length", 4);
  number("block_count", 1);
  number("feed_forward_length", 4);
  number("attention.head_count", 1);
  file.keys.push_back(Gguf::key("gpt2.attention.layer_norm_epsilon", 6, raw(1e-5F)));
  file.keys.insert(file.keys.end(), more.begin(), more.end());
  const auto tensor = [&](const std::string& name, const std::vector<uint64_t>& sizes) {
    file.tensors.push_back(Gguf::tensor(name, sizes, 0, file.data.size()));
    uint64_t count = 1;
    for (const uint64_t size : sizes) count *= size;
    for (uint64_t i = 0; i < count; ++i) file.data += raw(0.5F);
    file.data.resize((file.data.size() + 31) / 32 * 32, '\0');
  };
  const auto linear = [&](const std::string& name, uint64_t in, uint64_t out) {
    tensor(name + ".weight", {in, out});
    tensor(name + ".bias", {out});
  };
  const auto norm = [&](const std::string& name) {
    tensor(name + ".weight", {4});
    tensor(name + ".bias", {4});
  };
  tensor("token_embd.weight", {4, rows});
  tensor("position_embd.weight", {4, 8});
  norm("output_norm");
  norm("blk.0.attn_norm");
  linear("blk.0.attn_qkv", 4, 12);
  linear("blk.0.attn_output", 4, 4);
  norm("blk.0.ffn_norm");
  linear("blk.0.ffn_up", 4, 4);
  linear("blk.0.ffn_down", 4, 4);
  return file;
}
inline std::string tiny_gguf(const std::vector<std::string>& more = {}) { return tiny_gguf_file(more).bytes(); }

}  // namespace lw::cli_test
