// The commands that only look: inspect, probes, list, schema, help.
#include "tests/cli/support.h"
#include "tests/reports/markup.h"

namespace lw::cli_test {

TEST_CASE("inspect gives a card for every scheme, with declared and measured side by side", "[cli][slow]") {
  const Workspace w(kTiny);
  const Json schemes = Json::parse(w.good("list encodings --json").out);
  REQUIRE(schemes.size() >= 7);
  for (const auto& line : schemes) {
    const auto scheme = line["name"].get<std::string>();
    INFO(scheme);
    const Json card = Json::parse(w.good("inspect " + scheme + " --json --no-cost").out);
    for (const char* key :
         {"scheme", "applies_to", "learned", "parameters", "parameter_bytes", "max_positions", "cache", "checks"})
      CHECK(card.contains(key));
    CHECK(card["scheme"] == scheme);
    for (const auto& place : card["applies_to"])
      CHECK(has("input query key value logits output", place.get<std::string>()));
    CHECK((card["cache"] == "rotated" || card["cache"] == "raw" || card["cache"] == "none"));
    for (const char* property : {"shift_invariant", "input_touched", "value_touched", "cache_valid"}) {
      CHECK(card[property]["declared"].is_boolean());
      CHECK(card[property]["declared"] == card[property]["measured"]);
    }
  }
}

TEST_CASE("a rope card holds every number that reproduces it", "[cli]") {
  const Workspace w(kTiny);
  const Json card = Json::parse(
      w.good("inspect rope --json --set position.scaling.rope_type=linear --set position.scaling.factor=4").out);
  for (const char* key :
       {"inv_freq", "attention_factor", "rotary_dim", "layout", "rope_theta", "scaling", "wavelengths"}) {
    INFO(key);
    CHECK(card.contains(key));
  }
  REQUIRE(card["inv_freq"].size() == 8);
  CHECK(card["inv_freq"][0] == 0.25);
  CHECK(card["inv_freq"][4].get<double>() == Approx(0.0025).epsilon(1e-15));
  const Json sweep = Json::parse(w.good("inspect config.yaml --json").out);
  CHECK(sweep.size() == 3);
  CHECK(sweep["rope linear"]["scaling"] == "linear");
  CHECK(has(w.good("inspect rope").out, "shift invariant"));
}

TEST_CASE("a length changes a dynamic card and no other", "[cli]") {
  const Workspace w(kOne);
  const std::string dynamic =
      "inspect rope --json --set position.scaling.rope_type=dynamic --set position.scaling.factor=2 --length ";
  CHECK(w.good(dynamic + "32").out != w.good(dynamic + "64").out);
  const auto first = [](const Result& r) { return Json::parse(r.out)["inv_freq"]; };
  CHECK(first(w.good("inspect rope --json --length 32")) == first(w.good("inspect rope --json --length 64")));
}

TEST_CASE("inspect accuses no dynamic setting whose switch lies far out, and names what ends", "[cli]") {
  const Workspace w(kOne);
  const std::string scaled = "inspect rope --no-cost --set position.scaling.original_max_position_embeddings=128 ";
  const Json card = Json::parse(w.good(scaled + "--json --set position.scaling.rope_type=dynamic "
                                                "--set position.scaling.factor=2")
                                    .out);
  CHECK(card["cache_valid"]["measured"] == false);
  CHECK(has(w.good("inspect rope --no-cost --set position.scaling.rope_type=dynamic --set position.scaling.factor=2 "
                   "--set position.scaling.original_max_position_embeddings=1000000000000")
                .out,
            "not reached: shows after 1,000,000,000,000 tokens"));
  const std::string ends = scaled +
                           "--set position.scaling.rope_type=dynamic_longrope --set position.scaling.factor=4 "
                           "--set position.scaling.long_factor=[0.5,0.9,2,8] --set model.head_width=8 --length ";
  w.good(ends + "128");
  check_refused(w, ends + "1024", "pair 0 of 4 has the frequency -6", 1);
}

TEST_CASE("inspect says what a setting costs, beside none, and is the same each time without", "[cli]") {
  const Workspace w(kOne);
  const Json card = Json::parse(w.good("inspect t5 --json --cost-lengths 64,128").out);
  CHECK(card["cost"]["key_cache_bytes_per_token"] == 2 * (2 * 64 * 4 + 8));
  REQUIRE(card["cost"]["at"].size() == 2);
  for (const char* key : {"length", "seconds", "seconds_per_token", "time_ratio", "time_ratio_range", "peak_bytes",
                          "memory_ratio", "resident_bytes"})
    CHECK(card["cost"]["at"][1].contains(key));
  CHECK(card["cost"]["none"].size() == 2);
  CHECK(has(w.good("inspect t5 --cost-lengths 64").out, "ns a token"));
  const std::string plain = w.good("inspect t5 --json --no-cost").out;
  CHECK_FALSE(Json::parse(plain).contains("cost"));
  CHECK(plain == w.good("inspect t5 --json --no-cost").out);
}

TEST_CASE("inspect draws the figures that apply, each a file of its own", "[cli][slow]") {
  const Workspace w(kTiny);
  const auto figures = [&](const std::string& arguments, const std::string& folder) {
    w.good("inspect " + arguments + " --no-cost --figures " + folder);
    std::vector<std::string> names;
    for (const auto& file : files_below(w / folder, ".svg")) {
      const std::string svg = read_file(file);
      INFO(file.string());
      CHECK(fixture::markup_fault(svg) == "");
      CHECK(svg.rfind("<svg xmlns=", 0) == 0);
      CHECK(svg.size() < 300000);
      CHECK_FALSE(has(svg, "nan"));
      names.push_back(file.filename().string());
    }
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(figures("rope", "a") == Names{"rope-decay.svg", "rope-encoding.svg", "rope-wavelengths.svg"});
  CHECK(figures("t5", "b") == Names{"t5-bias.svg", "t5-decay.svg"});
  CHECK(figures("sinusoidal", "c") ==
        Names{"sinusoidal-decay.svg", "sinusoidal-encoding.svg", "sinusoidal-wavelengths.svg"});
  CHECK(figures("none", "d") == Names{"none-decay.svg"});
  CHECK(figures("config.yaml", "e").size() == 2 + 3 + 3);  // learned, rope, rope linear
  CHECK(has(read_file(w / "e/rope-linear-wavelengths.svg"), "unscaled"));
}

TEST_CASE("inspect needs no more of a config than a position section", "[cli]") {
  const Workspace w("position: {scheme: rope, scaling: {rope_type: linear, factor: 4}}\n");
  const Json card = Json::parse(w.good("inspect config.yaml --json --no-cost").out);
  CHECK(card["scheme"] == "rope");
  CHECK(card["inv_freq"][0] == 0.25);
  write_file(w / "model.yaml", "model: {layers: 1, width: 32, heads: 2}\nposition: {scheme: shaw}\n");
  CHECK(has(w.good("inspect model.yaml --no-cost").out, "1 layer"));
  write_file(w / "sweep.yaml",
             "sweep:\n  - {name: a, position: {scheme: alibi}}\n  - {name: b, position: {scheme: t5}}\n");
  CHECK(Json::parse(w.good("inspect sweep.yaml --json --no-cost").out).size() == 2);
  // What stands in the file is read as strictly as ever, and a run still asks for suites.
  check_refused(w, "inspect config.yaml --set suites.neddle={}", "did you mean 'needle'?");
  check_refused(w, "run config.yaml", "suites: found none");
}

TEST_CASE("a factor that disagrees with the lengths is warned of once in a run", "[cli]") {
  const Workspace w(kOne);
  const std::string sets =
      " --set position='{scheme: rope, scaling: {rope_type: yarn, factor: 8, original_max_position_embeddings: 16, "
      "max_position_embeddings: 32}}'";
  for (const std::string command : {"run", "inspect"}) {
    const Result r = w.good(command + " config.yaml" + sets);
    const std::string said = "warning: position.scaling.factor: 8 is what counts, although";
    const size_t first = r.err.find(said);
    INFO(r.err);
    CHECK(first != std::string::npos);
    CHECK(r.err.find(said, first + 1) == std::string::npos);
  }
}

TEST_CASE("a scheme that needs an option says how to give it", "[cli]") {
  const Workspace w(kOne);
  const Result r = w("inspect rope --set position.scaling.rope_type=linear");
  CHECK(r.code == 2);
  CHECK(has(r.err,
            "position.scaling.factor: found nothing; allowed: a number, 1 or more; give it with --set "
            "position.scaling.factor=VALUE"));
}

TEST_CASE("bench encodings gives a table and JSON, beside none", "[cli]") {
  const Workspace w(kOne);
  const std::string arguments = "bench encodings --lengths 128,64 --heads 2 --head-width 16 --repeats 2 --threads 1 ";
  const Result r = w.good(arguments + "--schemes t5,'rope yarn' --train --json bench.json");
  CHECK(has(r.out, "rope yarn"));
  CHECK(has(r.out, "ms~n^"));
  const Json json = Json::parse(read_file(w / "bench.json"));
  for (const char* key :
       {"torch", "threads", "heads", "head_width", "tile", "repeats", "lengths", "settings", "skipped"})
    CHECK(json.contains(key));
  CHECK(json["lengths"] == Json({64, 128}));
  REQUIRE(json["settings"].size() == 3);
  CHECK(json["settings"][0]["name"] == "none");
  CHECK(json["settings"][2]["name"] == "rope yarn");
  for (const auto& s : json["settings"]) {
    for (const char* key : {"position", "parameter_bytes", "key_cache_bytes_per_token", "at", "time_exponent",
                            "memory_exponent", "training"})
      CHECK(s.contains(key));
    CHECK(s["at"].size() == 2);
    CHECK(s["training"]["length"] == 64);
    CHECK(s["time_exponent"].is_number());
  }
  const Result unknown = w(arguments + "--schemes ropes");
  CHECK(unknown.code == 2);
  CHECK(has(unknown.err, "--schemes: found 'ropes'"));
  CHECK(has(unknown.err, "did you mean 'rope'?"));
}

TEST_CASE("a run counts what attention holds, and keeps times out of its results", "[cli]") {
  const Workspace& w = finished();
  const Json summary = Json::parse(read_file(w / "run/summary.json"));
  for (const auto& cost : summary["cost"]) {
    const bool learned = has(cost["setting"].get<std::string>(), "learned");
    REQUIRE(cost["attention_memory"].size() == (learned ? 2 : 3));  // the table ends at 16 positions
    CHECK(cost["attention_memory"][0]["length"] == 8);
    CHECK(cost["attention_memory"][0]["peak_bytes"].get<int64_t>() > 0);
    CHECK(cost["key_cache_bytes_per_token"] == 2 * 16 * 4 + 8);
    CHECK(cost["memory_growth"].is_number());
    CHECK_FALSE(has(cost.dump(), "seconds"));
  }
  const Json provenance = Json::parse(read_file(w / "run/provenance.json"));
  CHECK(provenance["attention_seconds"]["rope"]["32"].get<double>() > 0);
  CHECK(provenance["attention_resident_bytes"]["rope"]["32"].get<int64_t>() >= 0);
  const std::string page = read_file(w / "run/report.html");
  CHECK(has(page, "Memory of one attention layer"));
  CHECK(has(page, "no length x length bias is needed"));
  // Reports made again from the files hold the same counts.
  const std::string before = read_file(w / "run/summary.json");
  w.good("report run");
  CHECK(read_file(w / "run/summary.json") == before);
}

TEST_CASE("probes are printed as they will be asked", "[cli]") {
  const Workspace& w = finished();
  std::map<std::string, Json> asked;
  for (const auto& r : records_of(w / "run")) asked[r["id"].get<std::string>()] = r;
  const auto lines = lines_of(w.good("probes config.yaml --n 4 --json").out);
  REQUIRE(lines.size() == 2 * 3 * 4);  // suites, lengths, probes: once, not once a variant
  for (const auto& line : lines) {
    const Json p = Json::parse(line);
    for (const char* key : {"id", "suite", "length", "prompt_tokens", "answer_budget", "in_length", "depth",
                            "needle_offsets", "query_offset", "group", "targets", "candidates", "tokens", "text"}) {
      INFO(key);
      CHECK(p.contains(key));
    }
    CHECK(p["tokens"].size() == p["length"].get<size_t>());
    for (const auto& t : p["targets"]) CHECK(p["tokens"][t["slot"].get<size_t>()] == t["label"]);
    const Json& r = asked.at(p["id"].get<std::string>());
    for (const char* key : {"suite", "length", "prompt_tokens", "answer_budget", "in_length", "depth", "needle_offsets",
                            "query_offset", "group"})
      CHECK(p[key] == r[key]);
    CHECK(p["targets"][0]["distance"] == r["distance"]);
    CHECK(has(p["text"].get<std::string>(), "[" + r["gold"].get<std::string>() + "]"));
  }
  const auto needles = lines_of(w.good("probes config.yaml --n 1 --suite needle").out);
  CHECK(needles.size() == 3 * 2);
  CHECK(needles[0].rfind("needle/8/0  8 tokens", 0) == 0);
}

TEST_CASE("list prints what can be named, in three forms", "[cli][slow]") {
  const Workspace w(kOne);
  for (const std::string what : {"encodings", "scalings", "suites", "formats"}) {
    INFO(what);
    const Json json = Json::parse(w.good("list " + what + " --json").out);
    REQUIRE(json.size() >= 3);
    const std::string plain = w.good("list " + what).out, markdown = w.good("list " + what + " --markdown").out;
    const bool page = what == "encodings" || what == "scalings";
    CHECK(markdown.rfind(page ? "#" : "| name |", 0) == 0);
    for (const auto& line : json) {
      for (const char* key : {"name", "summary", "source"}) CHECK_FALSE(line[key].get<std::string>().empty());
      const auto name = line["name"].get<std::string>();
      CHECK(has(plain, name));
      CHECK(has(markdown, page ? "\n### " + name + "\n" : "| `" + name + "` |"));
      if (page)
        for (const char* key : {"options", "golden", "applies_to", "cache"}) CHECK(line.contains(key));
    }
  }
}

TEST_CASE("the schema is JSON and names every section", "[cli]") {
  const Workspace w(kOne);
  const Json schema = Json::parse(w.good("schema").out);
  for (const char* key :
       {"name", "extends", "seeds", "model", "train", "position", "eval", "suites", "sweep", "protocol", "report"}) {
    INFO(key);
    CHECK(schema["properties"].contains(key));
  }
}

TEST_CASE("every command explains itself", "[cli][slow]") {
  const Workspace w(kOne);
  const std::string all = w.good("--help").out;
  for (const std::string command :
       {"run", "train", "report", "diff", "index", "inspect", "probes", "validate", "schema", "list", "bench"}) {
    INFO(command);
    CHECK(has(all, "\n  " + command + " "));
    const Result r = w.good(command + " --help");
    CHECK(has(r.out, "Usage: "));
    CHECK(r.err.empty());
  }
  CHECK(w.good("--version").out.find("0.1.0 (") == 0);
}

TEST_CASE("no colour and no bar where there is no terminal, or NO_COLOR is set", "[cli]") {
  const Workspace w(kOne);
  const auto plain = [](const Result& r) { return !has(r.out + r.err, "\033") && !has(r.err, "\r"); };
  CHECK(plain(w.good("run config.yaml --out run")));
  CHECK(plain(w.good("report run")));
  CHECK(plain(w.good("inspect rope", "NO_COLOR=1")));
  CHECK(plain(w("run nowhere.yaml", "NO_COLOR=1")));
}

// script(1) gives the program a terminal, where colours would show.
TEST_CASE("NO_COLOR is obeyed on a terminal", "[cli]") {
  if (std::system("command -v script >/dev/null 2>&1") != 0) {
    WARN("script(1) is not installed; colours on a terminal are not looked at");
    return;
  }
  const Workspace& w = finished();
  const auto on_terminal = [&](const std::string& environment) {
    const std::string command = "cd '" + w.path().string() + "' && env -u NO_COLOR " + environment +
                                " TERM=xterm script -qec \"'" LW_BINARY
                                "' inspect rope\" /dev/null >.terminal </dev/null 2>&1";
    REQUIRE(std::system(command.c_str()) == 0);
    return read_file(w / ".terminal");
  };
  CHECK(has(on_terminal(""), "\033[32m"));
  const std::string without = on_terminal("NO_COLOR=1");
  CHECK(has(without, "shift invariant"));
  CHECK_FALSE(has(without, "\033["));
}

}  // namespace lw::cli_test
