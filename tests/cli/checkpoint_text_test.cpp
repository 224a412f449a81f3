// A checkpoint's tokenizer beside its weights: what fits, what is refused alike by every command, and what is told.
#include "tests/cli/tiny_checkpoint.h"

namespace lw::cli_test {
namespace {

const std::string kConfig =
    "name: c\nmodel: {checkpoint: model}\nsuites: {text_nll: {text: text}}\neval: {lengths: [16], probes: 2}\n";

/// A checkpoint in "model", a text in "text", and a config that scores the one on the other in "c.yaml".
struct Beside {
  Workspace w{kOne};
  explicit Beside(const std::string& family = "llama") {
    write_tiny_checkpoint(w / "model", family);
    write_file(w / "text", "the cat sat on the mat. a dog ran to the sun and the moon. we saw a bird in a tree.");
    write_file(w / "c.yaml", kConfig);
  }
  /// The tiny tokenizer, with a question mark, and what `change` makes of it.
  void tokenizer(const std::function<void(Json&)>& change, const Json& added = Json::array()) const {
    Json json = Json::parse(tiny_tokenizer(added));
    json["model"]["vocab"].erase("2");
    json["model"]["vocab"]["?"] = 31;  // suites ask with it
    change(json);
    write_file(w / "model/tokenizer.json", json.dump());
  }
  /// Every command that reads text refuses it alike; `run` says under which key.
  void refused(const std::string& part) const {
    check_refused(w, "tokenize model text", "error: " + part);
    check_refused(w, "nll model --file text --context 16", "error: " + part);
    for (const std::string command : {"run", "validate", "inspect"})
      check_refused(w, command + " c.yaml", "error: c.yaml:2:21: model.checkpoint: " + part);
  }
  Json scored(const std::string& options = "") const {
    return Json::parse(w.good("nll model --file text --context 16 --json " + options).out);
  }
};

Json added_token(int64_t id, const std::string& content) {
  return {{"id", id}, {"content", content}, {"special", false}, {"normalized", false}};
}

void nothing(Json&) {}
void without_bos(Json& tokenizer) { tokenizer.erase("post_processor"); }

}  // namespace

TEST_CASE("a tokenizer with more tokens than the embedding has rows is refused by every command", "[cli]") {
  const Beside b;
  b.tokenizer([](Json& t) { t["model"]["vocab"]["3"] = 32; });
  const std::string found =
      "model: tokenizer: found '3' (id 32) among 33 tokens; allowed: ids below 32, one for each row of the model's "
      "embedding";
  b.refused(found);
  check_refused(b.w, "inspect model", "error: " + found);
  b.tokenizer([](Json& t) { t["post_processor"]["special_tokens"]["<s>"]["ids"] = {77}; });
  const std::string around =
      "model: tokenizer: found (id 77), which it puts around every text; allowed: ids below 32, one for each row of "
      "the model's embedding";
  b.refused(around);
  check_refused(b.w, "inspect model", "error: " + around);
}

TEST_CASE("added tokens past the embedding's rows are told, and text that holds one is refused", "[cli]") {
  const Beside b;
  b.tokenizer(nothing, {added_token(32, "<image>"), added_token(33, "zebra")});
  const std::string note =
      "the model's embedding has no row, of 32, for the added tokens '<image>' (id 32), 'zebra' (id 33): text that "
      "holds one is refused";
  CHECK(Json::parse(b.w.good("inspect model --json").out)["notes"] == Json{note});
  CHECK(has(b.w.good("tokenize model cat").out, "note: " + note));
  CHECK(b.scored()["notes"] == Json{note});
  CHECK(has(b.w.good("nll model --file text --context 16").err, "warning: " + note));
  const std::string card = b.w.good("inspect c.yaml --no-cost").out;
  CHECK(has(card, "SHA-256"));
  CHECK_FALSE(has(card, "{\""));  // no JSON among lines for people
  const Result run = b.w.good("run c.yaml --out out");
  CHECK(has(run.err, "warning: model: " + note));
  CHECK(has(read_file(b.w / "out/summary.json"), "for the added tokens '<image>' (id 32)"));
  write_file(b.w / "text", "a zebra sat on the mat and saw the sun go down by the tree.");
  check_refused(b.w, "nll model --file text --context 16",
                "error: text: token 3: found id 33; allowed: 0 to 31, the rows of the model's embedding");
  check_refused(b.w, "run c.yaml --out more",
                "text: found 'zebra' (id 33); allowed: tokens with ids below 32, the rows of the model's embedding");
}

TEST_CASE("a GGUF file with more tokens than rows is refused by every command", "[cli]") {
  using formats_test::Gguf;
  const Beside b;
  std::string tokens;
  for (const char* token : {"a", "b", "c", "d", "e"}) tokens += Gguf::text(token);
  write_file(b.w / "m.gguf", tiny_gguf({Gguf::key("tokenizer.ggml.model", 8, Gguf::text("gpt2")),
                                        Gguf::array("tokenizer.ggml.tokens", 8, 5, tokens)}));
  for (const std::string command : {"inspect m.gguf", "tokenize m.gguf a", "nll m.gguf --file text --context 4"})
    check_refused(b.w, command,
                  "error: m.gguf: token_embd.weight: found 4 rows; allowed: 5 or more, one for each token");
}

TEST_CASE("tokens and rows are told where there are more of these", "[cli]") {
  const Beside b;
  b.tokenizer([](Json& t) {
    t["model"]["vocab"].erase("1");
    t["model"]["vocab"]["?"] = 30;
  });
  const Json counts = {{"tokens", 31}, {"rows", 32}};
  CHECK(b.scored()["vocabulary"] == counts);
  const Json json = Json::parse(b.w.good("inspect model --json").out);
  CHECK(json["tokenizer"] == Json{{"tokens", 31}, {"rows", 32}, {"begin", "<s>"}, {"cuts", "nothing"}});
  CHECK(has(b.w.good("inspect model").out,
            "tokenizer   31 tokens, 32 rows of the embedding; a text begins with \"<s>\"\n  cut by      nothing\n"));
  CHECK(has(b.w.good("inspect c.yaml --json --no-cost").out, "\"rows\": 32"));
  fs::remove(b.w / "model/tokenizer.json");
  CHECK(has(b.w.good("inspect model").out, "tokenizer   none: model: found no tokenizer; allowed: tokenizer.json"));
}

TEST_CASE("a pattern's hash is told by inspect and tokenize", "[cli]") {
  const Beside b;
  b.tokenizer([](Json& t) {
    t["pre_tokenizer"] = {
        {"type", "Split"}, {"pattern", {{"Regex", "\\p{N}{1,3}"}}}, {"behavior", "Isolated"}, {"invert", false}};
  });
  const std::string told = "Split (pattern 37eeaf14e325)";
  CHECK(Json::parse(b.w.good("inspect model --json").out)["tokenizer"]["cuts"] == told);
  CHECK(has(b.w.good("inspect model").out, "  cut by      " + told));
  CHECK(has(b.w.good("tokenize model cat").out, "\ncut by " + told + "\n"));
}

TEST_CASE("a file that is not what it is called says so for tokenizers too", "[cli]") {
  const Beside b;
  write_file(b.w / "model/tokenizer.json", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n");
  b.refused("model/tokenizer.json: found a Git LFS pointer, not the file itself; get it with 'git lfs pull'");
  write_file(b.w / "model/tokenizer.json", "<!DOCTYPE html><html>");
  b.refused("model/tokenizer.json: found an HTML page; was a web page downloaded instead of the file?");
  fs::remove(b.w / "model/tokenizer.json");
  write_file(b.w / "model/tokenizer.model", "\n\x0E");
  b.refused("model/tokenizer.model: found no SentencePiece model; allowed: a protocol buffer with pieces and scores");
}

// transformers 29250: perplexities up to 1e13.
TEST_CASE("Gemma without BOS is warned of, and no other family", "[cli]") {
  const std::string note =
      "texts begin without BOS, and gemma was never trained so: its losses will be far too high; add_bos: true puts "
      "one";
  const Beside gemma("gemma"), llama;
  CHECK(gemma.scored()["notes"].empty());
  CHECK(gemma.scored()["window_begins_with"] == "<s>");
  CHECK(gemma.scored("--reduction strided")["window_begins_with"] == "<s>");
  for (const Beside* b : {&gemma, &llama}) b->tokenizer(without_bos);
  CHECK(gemma.scored()["notes"] == Json{note});
  CHECK(gemma.scored()["window_begins_with"] == nullptr);
  CHECK(has(gemma.w.good("nll model --file text --context 16").err, "warning: " + note));
  CHECK(has(gemma.w.good("inspect model").out, "note: texts begin without BOS"));
  CHECK(gemma.scored("--bos on")["notes"].empty());
  CHECK(gemma.scored("--bos on")["bos"] == "'<s>', as add_bos is true; the tokenizer by itself puts none");
  CHECK(has(gemma.w.good("run c.yaml --out out").err, "warning: model: " + note));
  CHECK(llama.scored()["notes"].empty());
  const Result r = llama.w.good("nll model --file text --context 16");
  CHECK(has(r.out, "BOS: none, as the tokenizer puts none\n"));
  CHECK_FALSE(has(r.err, "warning"));
  CHECK_FALSE(has(llama.w.good("nll model --file text --context 16 --reduction strided").err, "warning"));
}

TEST_CASE("model.add_bos is stated in reports, and its records are its own", "[cli]") {
  const Beside b;
  b.tokenizer(nothing);
  write_file(b.w / "bos.yaml",
             "model: {checkpoint: model, add_bos: false}\nsuites: {text_nll: {text: text, lengths: [16], "
             "probes: 4}}\n");
  CHECK(Json::parse(b.w.good("nll bos.yaml --file text --context 16 --json").out)["mean_nll"] ==
        b.scored("--bos off")["mean_nll"]);
  const auto texts = [&](const std::string& more) {
    b.w.good("run bos.yaml --out bos --replace" + more);
    return Json::parse(read_file(b.w / "bos/summary.json"))["settings"][0]["checkpoint"]["texts"][0]["tokens"]
        .get<std::string>();
  };
  CHECK(has(texts(""), "; BOS: none, as add_bos is false"));
  const std::string records = read_file(b.w / "bos/results.jsonl");
  CHECK(has(texts(" --set model.add_bos=true"), "each window begins with BOS: '<s>', as add_bos is true"));
  CHECK(read_file(b.w / "bos/results.jsonl") != records);
  check_refused(b.w, "run bos.yaml --dry-run --set model.add_bos=yes",
                "error: --set model.add_bos:1:1: model.add_bos: found 'yes'; allowed: auto, true, false");
}

TEST_CASE("nll says which length is declared and which is used, and what was not", "[cli]") {
  const Beside b;
  CHECK(has(b.w.good("nll model --file text --context 16").out,
            "the model was trained to 16 tokens (declared: 16, max_position_embeddings, config.json)"));
  CHECK(has(b.w.good("nll model --file text --context 16 --train-length 64").out,
            "the model was trained to 64 tokens (declared: 16, max_position_embeddings, config.json)"));
  const Json json = b.scored("--train-length 64");
  CHECK(json["train_length"] == 64);
  CHECK(json["train_length_declared"] == 16);
  write_file(b.w / "model/model.safetensors.index.json", "{}");
  const std::string unused = "model.safetensors.index.json is not used, since model.safetensors is there";
  CHECK(has(b.w.good("nll model --file text --context 16").err, "warning: " + unused));
  CHECK(has(b.w.good("inspect model").out, "note: " + unused));
}

TEST_CASE("chat templates are not applied, and cannot be asked for", "[cli]") {
  const Beside b;
  write_file(b.w / "model/chat_template.jinja", "{{ raise_exception('x') }}{{ strftime_now('%d') }}");
  write_file(b.w / "model/tokenizer_config.json",
             R"({"bos_token": "<s>", "chat_template": [{"name": "default", "template": "{{ bos_token }}"}]})");
  CHECK(b.w.good("tokenize model 'a cat.' --ids --special").out == "0 1 27 3 1 20 28\n");
  for (const std::string command : {"tokenize model cat", "nll model --file text --context 16", "run c.yaml"})
    check_refused(b.w, command + " --chat", "--chat");
}

TEST_CASE("a GGUF file with an unknown pre-tokenizer is read by the name that is given", "[cli]") {
  using formats_test::Gguf;
  const Beside b;
  std::string tokens = Gguf::text("\u0120") + Gguf::text("?") + Gguf::text(".") + Gguf::text("ab");
  for (char c = 'a'; c <= 'z'; ++c) tokens += Gguf::text(std::string(1, c));
  write_file(b.w / "m.gguf", tiny_gguf_file({Gguf::key("tokenizer.ggml.model", 8, Gguf::text("gpt2")),
                                             Gguf::key("tokenizer.ggml.pre", 8, Gguf::text("gtp-2")),
                                             Gguf::array("tokenizer.ggml.tokens", 8, 30, tokens),
                                             Gguf::array("tokenizer.ggml.merges", 8, 1, Gguf::text("a b"))},
                                            30)
                                 .bytes());
  write_file(
      b.w / "g.yaml",
      "name: c\nmodel: {checkpoint: m.gguf}\nsuites: {text_nll: {text: text}}\neval: {lengths: [8], probes: 2}\n");
  const std::string unknown = "m.gguf: tokenizer.ggml.pre: found 'gtp-2', a pre-tokenizer that is not known; allowed: ",
                    note = "note: text is cut as 'gpt-2', as asked; tokenizer.ggml.pre is 'gtp-2'";
  for (const std::string command : {"tokenize m.gguf ab", "nll m.gguf --file text --context 8"}) {
    check_refused(b.w, command, "error: " + unknown);
    check_refused(b.w, command, "(give the one that cuts alike with --pre NAME or model.pre); did you mean 'gpt-2'?");
    b.w.good(command + " --pre gpt-2");
  }
  CHECK(has(b.w.good("inspect m.gguf").out, "none: " + unknown.substr(0, 40)));
  CHECK(has(b.w.good("inspect m.gguf --pre gpt-2").out, note));
  CHECK(has(b.w.good("tokenize m.gguf ab --pre gpt-2").out, note));
  check_refused(b.w, "run g.yaml --out out", "error: g.yaml:2:21: model.checkpoint: " + unknown);
  b.w.good("run g.yaml --out out --set model.pre=gpt-2");
  check_refused(b.w, "inspect rope --pre gpt-2",
                "error: --pre: found 'rope'; allowed: a checkpoint; for a config, --set model.pre=NAME");
}

}  // namespace lw::cli_test
