// config.json: what families share, in all its spellings.
#include "harness/formats/hf_config.h"

#include "harness/formats/checkpoint_path.h"
#include "tests/formats/support.h"

namespace lw::formats_test {
namespace {

using Catch::Matchers::ContainsSubstring;

HfConfig read(const std::string& text) { return read_hf_config(parse_sorted_json(text, "f"), "f"); }

/// `text` inside an object that has a model_type.
std::string error_of(const std::string& text) {
  return message_of("f",
                    [&] { read("{\"model_type\": \"llama\"" + (text.empty() ? "" : ", " + text) + "}").finish(); });
}

}  // namespace

TEST_CASE("sizes are found under the names of every family", "[formats]") {
  const std::vector<std::string> spellings = {
      // llama, mistral, qwen2, qwen3, smollm3, gemma, phi3, bert
      R"("hidden_size": 64, "num_hidden_layers": 5, "num_attention_heads": 8, "num_key_value_heads": 4,
         "intermediate_size": 172, "max_position_embeddings": 512, "vocab_size": 512, "rms_norm_eps": 1e-05,
         "hidden_act": "silu", "head_dim": 16, "torch_dtype": "float32")",
      // gpt2
      R"("n_embd": 64, "n_layer": 5, "n_head": 8, "num_key_value_heads": 4, "n_inner": 172, "n_positions": 512,
         "n_ctx": 512, "vocab_size": 512, "layer_norm_epsilon": 0.00001, "activation_function": "silu",
         "head_dim": 16, "dtype": "float32")",
      // mpt
      R"("d_model": 64, "n_layers": 5, "n_heads": 8, "attn_config": {"kv_n_heads": 4}, "ffn_dim": 172,
         "max_seq_len": 512, "vocab_size": 512, "norm_epsilon": 1e-5, "hidden_activation": "silu", "head_dim": 16,
         "torch_dtype": "float32")",
      // bloom and t5
      R"("n_embed": 64, "num_layers": 5, "num_heads": 8, "n_kv_heads": 4, "d_ff": 172, "seq_length": 512,
         "vocab_size": 512, "layer_norm_eps": 1e-5, "hidden_act": "silu", "d_kv": 16, "dtype": "float32")"};
  for (const auto& text : spellings) {
    INFO(text);
    HfConfig c = read("{\"model_type\": \"x\", " + text + "}");
    CHECK(c.hidden_size == 64);
    CHECK(c.num_hidden_layers == 5);
    CHECK(c.num_attention_heads == 8);
    CHECK(c.num_key_value_heads == 4);
    CHECK(c.intermediate_size == 172);
    CHECK(c.max_position_embeddings == 512);
    CHECK(c.vocab_size == 512);
    CHECK(c.norm_eps == 1e-5);
    CHECK(c.activation == "silu");
    CHECK(c.dtype == "float32");
    CHECK(head_width(c) == 16);
    c.finish();
  }
}

TEST_CASE("null is absent, and nothing is filled in silently", "[formats]") {
  HfConfig c = read(R"({"model_type": "gpt2", "n_embd": 64, "n_head": 8, "n_inner": null, "head_dim": null,
                        "eos_token_id": null, "tie_word_embeddings": null, "num_key_value_heads": null})");
  CHECK(c.intermediate_size == std::nullopt);
  CHECK(c.num_key_value_heads == std::nullopt);
  CHECK(c.tie_word_embeddings == std::nullopt);
  CHECK(c.eos_token_ids.empty());
  CHECK(head_width(c) == 8);
  CHECK(c.keys.origins().back() ==
        Origin{"head_dim", "8", Origin::Kind::kDefault, "hidden_size / num_attention_heads"});
  c.finish();
}

TEST_CASE("token ids: one or several, -1 for none", "[formats]") {
  const HfConfig c = read(R"({"model_type": "llama", "bos_token_id": 1, "eos_token_id": [2, 7], "pad_token_id": -1})");
  CHECK(c.bos_token_id == 1);
  CHECK(c.pad_token_id == std::nullopt);
  CHECK(c.eos_token_ids == std::vector<int64_t>{2, 7});
  CHECK(read(R"({"model_type": "llama", "eos_token_id": 2})").eos_token_ids == std::vector<int64_t>{2});
}

TEST_CASE("a text model inside a wrapper keeps the wrapper's tie", "[formats]") {
  const HfConfig c = read(R"({"model_type": "gemma3", "architectures": ["G"], "torch_dtype": "bfloat16",
      "vision_config": {"hidden_size": 9}, "tie_word_embeddings": true, "eos_token_id": [1, 106],
      "text_config": {"model_type": "gemma3_text", "hidden_size": 64, "bos_token_id": 2}})");
  CHECK(c.model_type == "gemma3_text");
  CHECK(c.wrapper_type == "gemma3");
  CHECK(c.architectures == std::vector<std::string>{"G"});
  CHECK(c.hidden_size == 64);
  CHECK(c.tie_word_embeddings == true);
  CHECK(c.eos_token_ids == std::vector<int64_t>{1, 106});
  CHECK(c.bos_token_id == 2);
  c.finish();
  CHECK(read(R"({"model_type": "w", "text_config": {"model_type": "t", "tie_word_embeddings": false}})")
            .tie_word_embeddings == false);
  CHECK(error_of(R"("tie_word_embeddings": true, "text_config": {"model_type": "t", "tie_word_embeddings": false})") ==
        "tie_word_embeddings: found true, where text_config says otherwise; allowed: one value");
  CHECK_THAT(error_of(R"("text_config": {"model_type": "t", "new_kind_of_mask": 1})"),
             ContainsSubstring("text_config.new_kind_of_mask: found a key that is not understood"));
}

TEST_CASE("values that cannot be are refused", "[formats]") {
  CHECK(error_of("").empty());
  CHECK(message_of("f", [] { read("{}"); }) == "model_type: found nothing; allowed: a text");
  CHECK(error_of(R"("hidden_size": 0)") == "hidden_size: found 0; allowed: a whole number from 1 to 2147483648");
  CHECK(error_of(R"("max_position_embeddings": 1e30)") ==
        "max_position_embeddings: found 1e+30; allowed: a whole number from 1 to 2147483648");
  CHECK(error_of(R"("rms_norm_eps": 0)") == "rms_norm_eps: found 0; allowed: a number above 0");
  CHECK(error_of(R"("num_attention_heads": 8, "num_key_value_heads": 3)") ==
        "num_key_value_heads: found 3; allowed: a divisor of 8, the number of attention heads");
  CHECK(error_of(R"("num_key_value_heads": 4, "attn_config": {"kv_n_heads": 2})") ==
        "attn_config.kv_n_heads: found 2, where num_key_value_heads says 4; allowed: one value");
  CHECK(error_of(R"("n_positions": 512, "n_ctx": 1024)") ==
        "n_ctx: found 1024, where n_positions says 512; allowed: one value under both names");
  CHECK(error_of(R"("dtype": "float32", "torch_dtype": "bfloat16")") ==
        "torch_dtype: found \"bfloat16\", where dtype says \"float32\"; allowed: one value under both names");
  CHECK(
      error_of(R"("quantization_config": {"bits": 4})") ==
      "quantization_config: found {\"bits\":4}; allowed: none, since quantised weights are read from GGUF files only");
  CHECK(error_of(R"("pruned_heads": {"1": [0]})") ==
        "pruned_heads: found {\"1\":[0]}; allowed: {} (no heads taken out)");
  CHECK_THAT(error_of(R"("attention_bias": true)"), ContainsSubstring("attention_bias: found a key that is not"));
  CHECK(error_of(R"("attention_dropout": 0.1, "use_cache": true, "id2label": {"0": "A"}, "top_k": 50)").empty());
  CHECK(message_of("f", [] {
          HfConfig c = read(R"({"model_type": "x", "hidden_size": 10, "num_attention_heads": 3})");
          head_width(c);
        }) == "hidden_size: found 10, which 3 heads do not divide; allowed: a multiple, or head_dim");
}

TEST_CASE("a rotary width is even and within the head", "[formats]") {
  const HfConfig c = read(R"({"model_type": "x"})");
  CHECK(rotary_width(c, 80, 0.4) == 32);   // phi-2
  CHECK(rotary_width(c, 96, 0.25) == 24);  // gpt_neox
  CHECK(rotary_width(c, 100, 0.28) == 28);
  CHECK(rotary_width(c, 200, 0.29) == 58);  // the product is 57.99999999999999
  CHECK(rotary_width(c, 64, 1.0) == 64);
  CHECK(message_of("f", [&] { rotary_width(c, 10, 0.5); }) ==
        "partial_rotary_factor: found 0.5, which turns 5 of 10 channels; allowed: an even number from 2 to 10");
  CHECK(message_of("f", [&] { rotary_width(c, 64, 0.001); }) ==
        "partial_rotary_factor: found 0.001, which turns 0 of 64 channels; allowed: an even number from 2 to 64");
  CHECK(message_of("f", [&] { rotary_width(c, 64, 1.5); }) ==
        "partial_rotary_factor: found 1.5, which turns 96 of 64 channels; allowed: an even number from 2 to 64");
}

TEST_CASE("real configs in the old and the new form", "[formats]") {
  for (const char* name : {"stories260K/hf", "stories260K/hf-sharded-bf16"}) {
    const auto folder = real_data(name);
    if (!folder) return;
    const auto path = *folder / "config.json";
    HfConfig c = read_hf_config(read_json_object(path), path.string());
    const auto ropes = read_hf_rope(c.keys);
    CHECK(c.hidden_size == 64);
    CHECK(c.tie_word_embeddings == true);
    CHECK(c.dtype == (std::string(name) == "stories260K/hf" ? "float32" : "bfloat16"));
    REQUIRE(ropes.size() == 1);
    CHECK(ropes[0].rope_theta == 10000.0);
    CHECK(ropes[0].rope_type == "default");
    CHECK_THAT(test::error_of([&] { c.finish(); }), ContainsSubstring("attention_bias, mlp_bias: found keys"));
    c.keys.only("attention_bias", {false}, "llama");
    c.keys.only("mlp_bias", {false}, "llama");
    c.finish();
  }
}

}  // namespace lw::formats_test
