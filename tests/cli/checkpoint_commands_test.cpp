// Commands on a checkpoint: nll, tokenize, inspect, and the list of families.
#include <cmath>
#include <set>

#include "tests/cli/tiny_checkpoint.h"

namespace lw::cli_test {
namespace {

/// 100 characters, each a token.
const std::string kText =
    "the cat sat on the mat. a dog ran to the sun and the moon. "
    "we saw a bird in a tree by the old red.. ";

/// A folder with the checkpoint in "model" and the text in "text".
const Workspace& workspace() {
  static const Workspace* made = [] {
    static const Workspace kept(kOne);
    write_tiny_checkpoint(kept / "model");
    write_file(kept / "text", kText);
    return &kept;
  }();
  return *made;
}

struct Row {
  int64_t position = 0, n = 0;
  double mean = 0;
};

std::vector<Row> rows_of(const std::string& tsv) {
  const auto lines = lines_of(tsv);
  REQUIRE(!lines.empty());
  CHECK(lines[0] == "position\tmean_nll\tn");
  std::vector<Row> out;
  for (size_t i = 1; i < lines.size(); ++i) {
    std::istringstream in(lines[i]);
    Row row;
    REQUIRE(in >> row.position >> row.mean >> row.n);
    out.push_back(row);
  }
  return out;
}

/// The mean over rows from `begin` on, weighted by their numbers.
double pooled(const std::vector<Row>& rows, size_t begin) {
  double sum = 0, n = 0;
  for (size_t i = begin; i < rows.size(); ++i) sum += rows[i].mean * double(rows[i].n), n += double(rows[i].n);
  return sum / n;
}

struct Scored {
  Json json;
  std::vector<Row> rows;
};

Scored score(const std::string& options) {
  const Workspace& w = workspace();
  const Result r = w.good("nll model --file text --context 16 --json --tsv rows.tsv " + options);
  return {Json::parse(r.out), rows_of(read_file(w / "rows.tsv"))};
}

}  // namespace

TEST_CASE("nll scores whole windows by position, and its table agrees with its mean", "[cli]") {
  REQUIRE(kText.size() == 100);
  const auto [json, rows] = score("");
  CHECK(json["tokens"] == 101);  // with BOS
  CHECK(json["windows"] == 6);
  CHECK(json["n"] == 90);
  CHECK(json["unused_tokens"] == 5);
  CHECK(json["context"] == 16);
  CHECK(json["reduction"] == "all");
  CHECK(json["train_length"] == 16);
  CHECK(json["ids_hash"].get<std::string>().size() > 8);
  REQUIRE(rows.size() == 15);
  for (size_t p = 0; p < rows.size(); ++p) {
    CHECK(rows[p].position == int64_t(p));
    CHECK(rows[p].n == 6);
    CHECK(rows[p].mean > 0);
  }
  CHECK(pooled(rows, 0) == Catch::Approx(json["mean_nll"].get<double>()).epsilon(1e-12));
  CHECK(json["perplexity"].get<double>() == Catch::Approx(std::exp(json["mean_nll"].get<double>())).epsilon(1e-12));
  CHECK(score("").json == json);
}

TEST_CASE("nll's reductions: all positions, the second half, overlapping windows", "[cli]") {
  const auto [all, rows] = score("");
  const auto [half, half_rows] = score("--reduction second_half");
  CHECK(half["n"] == 42);  // positions 8 to 14 of 6 windows
  CHECK(half["mean_nll"].get<double>() == Catch::Approx(pooled(rows, 8)).epsilon(1e-12));
  CHECK(half_rows.size() == rows.size());
  const auto [strided, strided_rows] = score("--reduction strided");
  CHECK(strided["windows"] == 11);
  CHECK(strided["n"] == 95);  // every token once, but the first and the 5 that fill no window
  CHECK(strided["unused_tokens"] == 5);
  CHECK(strided_rows[0].n == 1);
  CHECK(strided_rows[7].n == 11);
  CHECK(score("--reduction strided --stride 4").json["n"] == 99);
  CHECK(score("--chunks 2").json["windows"] == 2);
  // Another position setting is another number; another declared length is stated, and changes nothing by itself.
  CHECK(score("--set position.scheme=none").json["mean_nll"] != all["mean_nll"]);
  const auto longer = score("--train-length 64").json;
  CHECK(longer["train_length"] == 64);
  CHECK(longer["mean_nll"] == all["mean_nll"]);
}

TEST_CASE("nll tells tokens, their hash and the window's rule in words", "[cli]") {
  const Result r = workspace().good("nll model --file text --context 16 --reduction second_half");
  CHECK(has(r.out, "101 tokens"));
  CHECK(has(r.out, "4 to 7"));
  CHECK(has(r.out, "42 tokens of 6 windows of 16; reduction second_half"));
  CHECK(has(r.out, "BOS: '<s>', as the tokenizer puts it; every window begins with it, in place of its first token"));
  CHECK(has(r.out, "not scored: 5 tokens at the end"));
}

TEST_CASE("bits a byte rest on the bytes of the scored tokens", "[cli]") {
  const Workspace& w = workspace();
  const auto lines = lines_of(w.good("tokenize model --file text").out);
  int64_t bytes = 0;
  for (int64_t token = 1; token < 96; ++token) {  // six windows of 16 from BOS on; the first of each is not scored
    const std::string& line = lines[size_t(token - 1)];
    const size_t dash = line.find('-');
    if (token % 16 != 0) bytes += std::stoll(line.substr(dash + 1)) - std::stoll(line.substr(0, dash));
  }
  const Json json = score("").json;
  CHECK(json["bytes"] == bytes);
  const double nats = json["mean_nll"].get<double>() * json["n"].get<double>() / double(bytes);
  CHECK(json["nats_per_byte"].get<double>() == Catch::Approx(nats).epsilon(1e-12));
  CHECK(json["bits_per_byte"].get<double>() == Catch::Approx(nats / std::log(2.0)).epsilon(1e-12));
  CHECK(has(w.good("nll model --file text --context 16").out, " bits a byte ("));
}

TEST_CASE("windows never cross texts, and each text has its number", "[cli]") {
  const Workspace& w = workspace();
  write_file(w / "second", kText.substr(40) + kText.substr(0, 40));
  const Json one = score("").json;
  const Json other = Json::parse(w.good("nll model --file second --context 16 --json").out);
  const auto [both, rows] = score("--file second");
  REQUIRE(both["texts"].size() == 2);
  CHECK(both["texts"][0]["file"] == "text");
  for (const char* key : {"mean_nll", "perplexity", "bits_per_byte", "n", "windows", "tokens", "ids_hash"}) {
    CHECK(both["texts"][0][key] == one[key]);
    CHECK(both["texts"][1][key] == other[key]);
  }
  CHECK(both["windows"] == 12);
  CHECK(both["ids_hash"] == nullptr);
  const auto mean = [](const Json& j, const char* key) { return j[key].get<double>(); };
  CHECK(mean(both["mean_over_texts"], "mean_nll") ==
        Catch::Approx((mean(one, "mean_nll") + mean(other, "mean_nll")) / 2).epsilon(1e-12));
  const double n = mean(one, "n"), m = mean(other, "n");
  CHECK(mean(both, "mean_nll") ==
        Catch::Approx((mean(one, "mean_nll") * n + mean(other, "mean_nll") * m) / (n + m)).epsilon(1e-12));
  CHECK(pooled(rows, 0) == Catch::Approx(mean(both, "mean_nll")).epsilon(1e-12));
  const std::string table = w.good("nll model --file text --file second --context 16").out;
  CHECK(has(table, "mean over tokens"));
  CHECK(has(table, "mean over texts"));
  write_file(w / "short", "a cat.");
  check_refused(w, "nll model --file text --file short --context 16",
                "error: short: found 7 tokens; allowed: at least one window of 16");
}

TEST_CASE("BOS is put by the tokenizer's own rule, always or never, and the rule is stated", "[cli]") {
  const Json own = score("").json, on = score("--bos on").json, off = score("--bos off").json;
  CHECK(own["bos"] == "'<s>', as the tokenizer puts it");
  CHECK(on["bos"] == "'<s>', as add_bos is true");
  CHECK(on["mean_nll"] == own["mean_nll"]);
  CHECK(off["bos"] == "none, as add_bos is false; the tokenizer would put '<s>'");
  CHECK(off["window_begins_with"] == nullptr);
  CHECK(off["tokens"] == 100);
  CHECK(off["mean_nll"] != own["mean_nll"]);
  for (const char* reduction : {"all", "second_half", "strided"})
    CHECK(score(std::string("--reduction ") + reduction).json["window_begins_with"] == "<s>");
}

TEST_CASE("tokenize shows ids and where they come from", "[cli]") {
  const Workspace& w = workspace();
  CHECK(w.good("tokenize model 'a cat.' --ids").out == "1 27 3 1 20 28\n");
  CHECK(w.good("tokenize model 'a cat.' --ids --special").out == "0 1 27 3 1 20 28\n");
  write_file(w / "cat.txt", "a cat.");
  CHECK(w.good("tokenize model --file cat.txt --ids").out == "1 27 3 1 20 28\n");
  const auto lines = lines_of(w.good("tokenize model 'a cat.'").out);
  REQUIRE(lines.size() == 8);
  CHECK(lines[0] == "0-1   1  \"a\"");
  CHECK(lines[1] == "1-2  27  \" \"");
  CHECK(has(lines[6], "6 tokens"));
  CHECK(lines[7] == "cut by nothing");
}

TEST_CASE("inspect of a folder shows the model, its card, and where every value is from", "[cli]") {
  const Workspace& w = workspace();
  const Json json = Json::parse(w.good("inspect model --json").out);
  CHECK(json["family"] == "llama");
  CHECK(json["vocabulary"] == 32);
  CHECK(json["train_length"] == Json{{"declared", 16}, {"used", 16}});
  CHECK(json["position"]["scheme"] == "rope");
  const auto origin = [&](const std::string& key) -> std::string {
    for (const auto& value : json["values"])
      if (value["key"] == key) return value["value"].get<std::string>() + ", " + value["origin"].get<std::string>();
    return "none";
  };
  CHECK(origin("hidden_size") == "16, config.json");
  CHECK(origin("rope_theta") == "100, config.json, rope parameters");
  CHECK(json["weights"]["used"].size() == 21);  // 9 in each layer, the embedding, the norm, the output
  CHECK(json["weights"]["ignored"].empty());
  CHECK(json["notes"].empty());
  const Result r = w.good("inspect model");
  for (const char* part : {"family      llama: LLaMA", "2 layers, width 16, 2 heads", "stored as   BF16: 21 tensors",
                           "trained to  16 tokens, as the file says", "position card",
                           "what was read, and what was "
                           "filled in",
                           "config.json, rope parameters", "21 tensors became 21 parameters"}) {
    INFO(part << "\n" << r.out);
    CHECK(has(r.out, part));
  }
}

TEST_CASE("inspect of a GGUF file shows its metadata, and what its loader fills in", "[cli]") {
  const Workspace& w = workspace();
  write_file(w / "tiny.gguf", tiny_gguf());
  const Result r = w.good("inspect tiny.gguf");
  for (const char* part : {"family      gpt2", "stored as   F32: 16 tensors", "trained to  8 tokens", "metadata",
                           "metadata of gpt2", "attention.layer_norm_epsilon", "1e-05"}) {
    INFO(part << "\n" << r.out);
    CHECK(has(r.out, part));
  }
}

TEST_CASE("the list of families names every family that has a fixture", "[cli]") {
  std::set<std::string> wanted, found;
  const Json cases = Json::parse(read_file(fs::path(LW_TEST_DATA) / "families/cases.json"));
  for (const auto& one : cases.at("cases")) {
    const Json& config = one.at("config");  // of the text model, where one has others around it
    wanted.insert(
        (config.contains("text_config") ? config.at("text_config") : config).at("model_type").get<std::string>());
  }
  const Workspace& w = workspace();
  for (const auto& family : Json::parse(w.good("list families --json").out)) {
    found.insert(family.at("name").get<std::string>());
    CHECK(has(family.at("source").get<std::string>(), "Hugging Face folders"));
  }
  CHECK(found == wanted);
  const std::string plain = w.good("list families").out;
  CHECK(has(plain, "Phi-3: LLaMA with fused projections, LongRoPE"));
  CHECK(has(plain, "GGUF architecture gptneox"));
  CHECK(has(w.good("list families --markdown").out, "| `qwen3` | Qwen3: normalised queries and keys | "));
}

}  // namespace lw::cli_test
