// Configs that are cut, doubled and mixed at random: each is read, or refused with lines that have a place.
#include <algorithm>
#include <chrono>

#include "harness/base/config.h"
#include "harness/base/printable.h"
#include "harness/base/rng.h"
#include "harness/experiment/experiment.h"
#include "harness/experiment/sweep.h"
#include "tests/catch_torch.h"

namespace lw::config_fuzz_test {
namespace {

const std::string kConfig = R"(name: one
x-shared: &shape {layers: 1, width: 16, heads: 2}
seeds: [0, 1]
model: *shape
train: {steps: 2, batch: 2, warmup: 1, length: {min: 8, max: 16}, gate: {accuracy: 0.9}}
eval: {lengths: [8, 16], probes: 2}
suites: {needle: {needles: 2}, swap: {kind: order_swap}}
position: {scheme: rope, scaling: {rope_type: yarn, factor: 2}}
sweep:
  - {name: a, position: {scheme: alibi}}
  - {axis: train.batch, values: [2, 3]}
protocol: {bar: 0.8}
report: {formats: [md]}
)";

const std::vector<std::string> kPieces = {"[",           "]",
                                          "{",           "}",
                                          ": ",          ", ",
                                          "- ",          "\n",
                                          "\n  ",        "&b ",
                                          "*b",          "*shape",
                                          "<<: ",        "\"",
                                          "'",           "|\n",
                                          "? ",          "!!map ",
                                          "~",           "null",
                                          "-1",          "1e999",
                                          ".nan",        "0",
                                          "1048577",     "99999999999999999999",
                                          "\"\\e[31m\"", "caf\xE9",
                                          "\x01",        "한국",
                                          "model: ",     "position: ",
                                          "scheme: ",    "t5",
                                          "layered",     "composed",
                                          "rope_type: ", "longrope",
                                          "suites: ",    "sweep: ",
                                          "axis: ",      "values: ",
                                          "extends: x",  "checkpoint: y",
                                          "kind: ",      "model.width",
                                          "..",          "\"a/b\"",
                                          "factor: ",    "lengths: [",
                                          "needle: "};

std::string mutated(Rng& rng) {
  std::string text = kConfig;
  for (int64_t n = rng.below(4); n >= 0; --n) {
    const auto at = size_t(rng.below(int64_t(text.size()) + 1));
    const auto size = size_t(rng.below(30));
    switch (rng.below(4)) {
      case 0:
        text.erase(at, size);
        break;
      case 1:
        text.insert(at, text.substr(size_t(rng.below(int64_t(text.size()) + 1)), size));
        break;
      case 2:
        text.erase(at, size_t(rng.below(6)));
        [[fallthrough]];
      default:
        text.insert(std::min(at, text.size()), kPieces[size_t(rng.below(int64_t(kPieces.size())))]);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("no config takes long, or ends otherwise than in an experiment or in lines with places", "[experiment]") {
  const auto begin = std::chrono::steady_clock::now();
  int good = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    Rng rng(seed);
    const std::string text = mutated(rng);
    INFO("seed " << seed << ":\n" << text);
    try {
      const Experiment e = read_experiment(parse_yaml(text, "c.yaml"));
      CHECK(parse_yaml(to_yaml(e.resolved), "again").same(e.resolved));
      ++good;
    } catch (const Error& e) {
      const std::string what = e.what();
      if (e.exit_code() != 2 || what.rfind("c.yaml:", 0) != 0) FAIL(what);
      if (find_invisible(what) != std::string::npos || what.find("exception") != std::string::npos) FAIL(what);
    }
  }
  CHECK(good > 15);  // the fuzz gets far enough
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(120));
}

TEST_CASE("the variants of a sweep are counted before they are made", "[experiment]") {
  const auto refusal = [](const std::string& sweep) {
    try {
      expand_sweep(parse_yaml("sweep:\n" + sweep, "s.yaml"));
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto axis = [](const std::string& key, int values) {
    std::string list;
    for (int i = 0; i < values; ++i) list += (i > 0 ? ", " : "") + std::to_string(i);
    return "- {axis: " + key + ", values: [" + list + "]}\n";
  };
  CHECK(refusal(axis("a", 32) + axis("b", 32)).empty());
  CHECK(refusal(axis("a", 32) + axis("b", 33)) == "s.yaml:2:1: sweep: found 1,056 variants; allowed: up to 1,024");
  std::string many;
  for (int i = 0; i < 40; ++i) many += axis("k" + std::to_string(i), 10);
  CHECK(refusal(many) == "s.yaml:2:1: sweep: found more than 10^15 variants; allowed: up to 1,024");
  CHECK(refusal(axis("a", 600) + "- {name: x}\n- {name: y}\n") ==
        "s.yaml:2:1: sweep: found 1,200 variants; allowed: up to 1,024");
  std::string path = "a";
  for (int i = 0; i < 20000; ++i) path += ".a";
  CHECK(refusal(axis(path, 2)) == "s.yaml:2:10: sweep: found a path of 20001 keys; allowed: up to 64");
  std::string wide = "x-list: [";
  for (int i = 0; i < 9000; ++i) wide += "1, ";
  try {
    expand_sweep(parse_yaml(wide + "]\nsweep:\n" + axis("a", 1000), "s.yaml"));
    FAIL("nothing was refused");
  } catch (const Error& e) {
    CHECK(
        std::string(e.what()) ==
        "s.yaml:3:1: sweep: found 1,000 variants of a config with 9,002 values; allowed: up to 4,000,000 values in all "
        "variants together");
  }
}

}  // namespace lw::config_fuzz_test
