// What a user is told who names something that is no checkpoint, or a broken one.
#include "tests/cli/tiny_checkpoint.h"

namespace lw::cli_test {
namespace {

/// A checkpoint in "model", a text of 6 characters in "text".
struct Broken {
  Workspace w{kOne};
  Broken() {
    write_tiny_checkpoint(w / "model");
    write_file(w / "text", "a cat.");
  }
  /// Every command that opens a checkpoint refuses `path` alike.
  void refused(const std::string& path, const std::string& part, int code = 2) const {
    check_refused(w, "inspect " + path, "error: " + part, code);
    check_refused(w, "tokenize " + path + " text", "error: " + part, code);
    check_refused(w, "nll " + path + " --file text --context 4", "error: " + part, code);
  }
  void weights(const std::string& bytes) const { write_file(w / "model/model.safetensors", bytes); }
};

const std::string kPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n";
const std::string kPage = "<!DOCTYPE html>\n<html><title>Sign in</title></html>";

}  // namespace

TEST_CASE("a path that is no checkpoint is refused with what to name instead", "[cli]") {
  const Broken b;
  const std::string allowed = "; allowed: a folder with config.json and safetensors, or a .gguf file";
  const std::string names =
      "; allowed: a folder with config.json and safetensors, a .gguf file, or the id of a model in the Hugging Face "
      "cache";
  for (const std::string command : {"tokenize modle text", "nll modle --file text --context 4"})
    check_refused(b.w, command, "error: modle: found nothing there" + names + "; did you mean 'model'?");
  check_refused(b.w, "tokenize an-org/a-model text",
                "error: an-org/a-model: found nothing there, and no folder an-org" + names +
                    "; if it is a model of the Hugging Face Hub, 'hf download an-org/a-model' brings it");
  write_file(b.w / "empty/sub/x", "x");
  fs::remove_all(b.w / "empty/sub");
  b.refused("empty", "empty: found an empty folder" + allowed);
  write_file(b.w / "photos/a.jpg", "x");
  b.refused("photos", "photos: found no config.json in a folder with a.jpg" + allowed);
  write_file(b.w / "clone/.git/HEAD", "ref: refs/heads/main");
  write_file(b.w / "clone/setup.py", "x");
  b.refused("clone", "clone: found no config.json, but a git repository (.git, setup.py); name the folder of a model");
  write_file(b.w / "above/model/config.json", "{}");
  b.refused("above", "above: found no config.json; did you mean 'above/model'?");
  b.refused("model/model.safetensors", "model/model.safetensors: found a safetensors file alone; name the folder");
}

TEST_CASE("weights that are no weights say what they are", "[cli]") {
  const Broken b;
  const std::string place = "model/model.safetensors: found ", good = read_file(b.w / "model/model.safetensors");
  b.weights(kPointer);
  b.refused("model", place + "a Git LFS pointer, not the file itself; get it with 'git lfs pull'");
  b.weights(kPage);
  b.refused("model", place + "an HTML page; was a web page downloaded instead of the file?");
  b.weights(good.substr(0, 100));
  b.refused("model", place + "a header of ");
  b.weights(good.substr(0, good.size() - 1));
  b.refused("model", "model/model.safetensors: model.norm.weight: data_offsets: found bytes outside the file");
  b.weights("");
  b.refused("model", place + "an empty file");
  fs::remove(b.w / "model/model.safetensors");
  b.refused("model", "model: found no model.safetensors; is the download complete?");
}

TEST_CASE("GGUF files that are cut short or something else say so", "[cli]") {
  const Broken b;
  const std::string good = tiny_gguf();
  const auto gguf = [&](const std::string& bytes, const std::string& part) {
    write_file(b.w / "m.gguf", bytes);
    b.refused("m.gguf", "m.gguf: " + part);
  };
  gguf(good.substr(0, good.size() - 64), "blk.0.ffn_down.weight: found 64 bytes at offset ");
  gguf(good.substr(0, 200), "");
  gguf(good.substr(0, 6), "the version: found 2 bytes left in the file where 4 are needed; cut short, or damaged?");
  gguf(kPointer, "found a Git LFS pointer, not the file itself");
  gguf(kPage, "found an HTML page; was a web page downloaded instead of the file?");
}

TEST_CASE("a config.json that is broken, or of an unknown model, is refused by name", "[cli]") {
  const Broken b;
  Json config = Json::parse(read_file(b.w / "model/config.json"));
  const auto with = [&](const std::string& key, const Json& value) {
    Json changed = config;
    changed[key] = value;
    write_file(b.w / "model/config.json", changed.dump());
  };
  with("model_type", "mamba");
  b.refused("model", "model/config.json: model_type: found 'mamba'; allowed: bert, bloom, ");
  with("attention_sinks", 4);
  b.refused("model", "model/config.json: attention_sinks: found a key that is not known for llama");
  with("rope_parameters", {{"rope_type", "spiral"}, {"factor", 2}});
  b.refused("model", "model/config.json: rope_parameters.rope_type: found 'spiral'; allowed: default, linear, ");
  write_file(b.w / "model/config.json", kPage);
  b.refused("model", "model/config.json: found an HTML page");
}

TEST_CASE("what nll and tokenize need besides the checkpoint", "[cli]") {
  const Broken b;
  check_refused(b.w, "nll model --file text --context 8",
                "error: text: found 7 tokens; allowed: at least one window of 8");
  check_refused(b.w, "nll model --file none --context 4", "error: none: cannot be read: No such file or directory");
  check_refused(b.w, "nll model --file text", "--context: found nothing; allowed: tokens in a window");
  check_refused(b.w, "nll model --file text --context 1", "--context");
  check_refused(b.w, "nll model --file text --context 4 --reduction half", "--reduction");
  check_refused(b.w, "nll model --file text --context 4 --stride 2",
                "--stride: found 2 with --reduction all; allowed: --reduction strided");
  check_refused(b.w, "nll model --file text --context 4 --set model.width=8",
                "--set: found 'model.width=8'; allowed: position... of a checkpoint");
  check_refused(b.w, "nll model --file text --context 4 --set position.scaling.rope_type=yran", "did you mean 'yarn'?");
  check_refused(b.w, "tokenize model", "tokenize: found neither TEXT and --file; allowed: one of them");
  check_refused(b.w, "tokenize model text --file text", "tokenize: found both TEXT and --file; allowed: one of them");
  write_file(b.w / "model/tokenizer.json",
             tiny_tokenizer({{{"id", 40}, {"content", "cat"}, {"special", false}, {"normalized", false}}}));
  check_refused(b.w, "nll model --file text --context 4",
                "error: text: token 3: found id 40; allowed: 0 to 31, the rows of the model's embedding");
  fs::remove(b.w / "model/tokenizer.json");
  check_refused(
      b.w, "tokenize model text",
      "error: model: found no tokenizer; allowed: tokenizer.json, vocab.json and merges.txt, or SentencePiece's "
      "tokenizer.model");
  write_file(b.w / "m.gguf", tiny_gguf());
  check_refused(b.w, "tokenize m.gguf text",
                "error: m.gguf: tokenizer.ggml.model: found nothing; allowed: a file with its tokenizer");
}

TEST_CASE("files that are valid but not supported end with the exit code of bad input", "[cli]") {
  using formats_test::Gguf;
  const Broken b;
  const std::string tokenizer = read_file(b.w / "model/tokenizer.json");
  const auto refused = [&](const std::string& command, const std::string& part) {
    check_refused(b.w, command, "error: " + part, 2);
  };
  const auto with = [&](const std::function<void(Json&)>& change) {
    Json json = Json::parse(tokenizer);
    change(json);
    write_file(b.w / "model/tokenizer.json", json.dump());
  };
  with([](Json& t) { t["model"]["type"] = "WordLevel"; });
  refused("tokenize model text",
          "model/tokenizer.json: model.type: found 'WordLevel'; allowed: BPE, Unigram, WordPiece");
  with([](Json& t) { t["model"]["dropout"] = "much"; });
  refused("tokenize model text", "model/tokenizer.json: model.dropout: found ");
  with([](Json& t) { t["pre_tokenizer"] = {{"type", "UnicodeScripts"}}; });
  refused("nll model --file text --context 4", "model/tokenizer.json: pre_tokenizer.type: found 'UnicodeScripts'");
  with([](Json& t) { t["normalizer"] = {{"type", "Mystery"}}; });
  refused("tokenize model text", "model/tokenizer.json: normalizer.type: found 'Mystery'");
  with([](Json& t) { t["decoder"] = {{"type", "Mystery"}}; });
  refused("tokenize model text", "model/tokenizer.json: decoder.type: found 'Mystery'");
  with([](Json& t) { t["mystery"] = 1; });
  refused("tokenize model text", "model/tokenizer.json: mystery: found ");

  const auto gguf = [&](const std::string& model, const std::string& pre) {
    write_file(b.w / "m.gguf",
               tiny_gguf({Gguf::key("tokenizer.ggml.model", 8, Gguf::text(model)),
                          Gguf::key("tokenizer.ggml.pre", 8, Gguf::text(pre)),
                          Gguf::array("tokenizer.ggml.tokens", 8, 2, Gguf::text("a") + Gguf::text("b"))}));
  };
  gguf("rwkv", "gpt-2");
  refused("tokenize m.gguf a", "m.gguf: tokenizer.ggml.model: found 'rwkv'; allowed: bert, gpt2, llama, t5");
  gguf("gpt2", "viking");
  refused("tokenize m.gguf a", "m.gguf: tokenizer.ggml.pre: found 'viking', a pre-tokenizer that is not known");
  Gguf file = tiny_gguf_file();
  file.tensors.push_back(Gguf::tensor("odd", {256}, 16, file.data.size()));
  file.tensors[0] = Gguf::tensor("token_embd.weight", {4, 4}, 24, 0);  // of type I8
  file.data.resize(file.data.size() + 96);
  write_file(b.w / "m.gguf", file.bytes());
  refused("nll m.gguf --file text --context 4", "m.gguf: ");
  write_file(b.w / "m.gguf", "GGUF" + std::string("\0\0\0\3", 4) + std::string(64, '\0'));
  refused("inspect m.gguf", "m.gguf: found a big-endian GGUF file, which is not supported");
}

}  // namespace lw::cli_test
