// results.jsonl and the settings of summary.json: written and read back, strictly.
#include "harness/results/record.h"

#include <cmath>
#include <filesystem>
#include <limits>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/results/manifest.h"
#include "tests/catch.h"

namespace lw {
namespace {

using Catch::Matchers::ContainsSubstring;

Record full_record() {
  Record r;
  r.id = "needle/256/17";
  r.suite = "needle";
  r.setting = "rope-linear-8/s2";
  r.seed = 2;
  r.length = 256;
  r.prompt_tokens = 255;
  r.answer_budget = 1;
  r.distance = 120;
  r.depth = 0.1;
  r.needle_offsets = {3, 134};
  r.query_offset = 254;
  r.group = "pair 8";
  r.prompt_hash = "0f3a";
  r.correct = true;
  r.correct_free = false;
  r.nll = 0.1 + 0.2;
  r.gold = "\xED\x95\x9C \"A\"\n";  // Korean, quotes, a line break
  r.answer = "B";
  r.baselines = {{"last", 1}, {"ideal_nll", 1.0 / 3}};
  r.targets = {{255, 120, 1e-300, true}, {10, std::nullopt, 12.5, std::nullopt}};
  return r;
}

TEST_CASE("a record is read back as it was written") {
  const Record r = full_record();
  const std::string line = to_json_line(r);
  CHECK(line.find('\n') == line.npos);
  const Record read = record_from_json_line(line, "results.jsonl:1");
  CHECK(to_json_line(read) == line);
  CHECK(read.id == r.id);
  CHECK(read.gold == r.gold);
  CHECK(read.nll == r.nll);  // every digit
  CHECK(read.baselines == r.baselines);
  REQUIRE(read.targets.size() == 2);
  CHECK(read.targets[0].nll == 1e-300);
  CHECK_FALSE(read.targets[1].distance);
  CHECK_FALSE(read.targets[1].correct);
  CHECK(read.needle_offsets == r.needle_offsets);
}

TEST_CASE("every status is read back, with its reason and without a score") {
  for (const Status status : {Status::kScored, Status::kTooLong, Status::kNoPosition, Status::kFailed}) {
    Record r = full_record();
    r.status = status;
    r.reason = "why";
    r.correct.reset();
    r.nll.reset();
    r.distance.reset();
    r.depth.reset();
    const Record read = record_from_json_line(to_json_line(r), "x:1");
    CHECK(read.status == status);
    CHECK(read.reason == "why");
    CHECK_FALSE(read.correct);
    CHECK_FALSE(read.nll);
    CHECK_FALSE(read.distance);
    CHECK_FALSE(read.depth);
  }
}

TEST_CASE("baselines survive reading: the parsed line must outlive the loop over it") {
  const Record read = record_from_json_line(to_json_line(full_record()), "x:1");
  REQUIRE(read.baselines.size() == 2);
  CHECK(read.baselines[0].first == "last");
  CHECK(read.baselines[1].second == 1.0 / 3);
}

TEST_CASE("a broken line is refused with its place and the key") {
  const std::string line = to_json_line(full_record());
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& why) {
    std::string broken = line;
    REQUIRE(broken.find(from) != broken.npos);
    broken.replace(broken.find(from), from.size(), to);
    CHECK_THROWS_WITH(record_from_json_line(broken, "results.jsonl:17"),
                      ContainsSubstring("results.jsonl:17") && ContainsSubstring(why));
  };
  refused("\"scored\"", "\"skipped\"", "status: found 'skipped'; allowed: scored, too_long, no_position, failed");
  refused("\"seed\":2", "\"seed\":2,\"seed\":3", "seed: found twice");
  refused("\"length\":256", "\"length\":\"256\"", "length");
  refused("\"length\":256,", "", "length: found nothing");
  refused("\"in_length\":false", "\"in_length\":0", "in_length");
  refused("\"nll\":0.30000000000000004", "\"nll\":NaN", "not JSON");
  refused("\"last\":1.0", "\"last\":\"yes\"", "baselines.last");
  refused("\"offset\":255", "\"at\":255", "offset");
  CHECK_THROWS_WITH(record_from_json_line(line.substr(0, line.size() / 2), "r:3"), ContainsSubstring("r:3"));
  CHECK_THROWS_WITH(record_from_json_line("[]", "r:1"), ContainsSubstring("found no object"));
  CHECK_THROWS_WITH(record_from_json_line("", "r:1"), ContainsSubstring("not JSON"));
  CHECK_THROWS_WITH(record_from_json_line(line + line, "r:1"), ContainsSubstring("not JSON"));
}

TEST_CASE("a key that no record has is refused, with the one that was meant") {
  const std::string line = to_json_line(full_record());
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& why) {
    std::string broken = line;
    broken.replace(broken.find(from), from.size(), to);
    CHECK_THROWS_WITH(record_from_json_line(broken, "results.jsonl:17"), ContainsSubstring("results.jsonl:17: " + why));
  };
  refused("\"correct\":true", "\"corect\":true", "corect: found an unknown key; allowed: ");
  refused("\"correct\":true,\"correct_free\"", "\"correct_free\"", "correct: found nothing; allowed: a value or null");
  refused("\"depth\":0.1,", "", "depth: found nothing; allowed: a value or null");
  refused("\"nll\":1e-300", "\"nil\":1e-300", "targets: nil: found an unknown key; allowed: ");
  try {
    record_from_json_line("{\"corect\":true}", "r:1");
    FAIL("a misspelt key was taken");
  } catch (const Error& e) {
    CHECK(e.exit_code() == 2);
    CHECK_THAT(e.what(), ContainsSubstring("did you mean 'correct'?"));
  }
}

TEST_CASE("a record that contradicts itself is refused, with the key and what it may be") {
  const auto refused = [](const std::string& why, auto change) {
    Record r = full_record();
    change(r);
    CHECK_THROWS_WITH(record_from_json_line(to_json_line(r), "results.jsonl:9"),
                      ContainsSubstring("results.jsonl:9: " + why));
  };
  refused("answer_budget: found 999; allowed: 0 to 256", [](Record& r) { r.answer_budget = 999; });
  refused("prompt_tokens: found 255 beside an answer budget of 99; allowed: 157",
          [](Record& r) { r.answer_budget = 99; });
  refused("distance: found 90 from query_offset 254", [](Record& r) { r.distance = 90, r.targets[0].distance = 90; });
  refused("distance: found 119; allowed: 120, the farthest", [](Record& r) { r.distance = 119; });
  refused("distance: found 256; allowed: 0 to 255", [](Record& r) { r.distance = 256; });
  refused("distance: found 120 from query_offset 200",
          [](Record& r) { r.query_offset = 200, r.targets[0].offset = 201; });
  refused("needle_offsets: found 256; allowed: 0 to 255", [](Record& r) { r.needle_offsets[0] = 256; });
  refused("query_offset: found -1", [](Record& r) { r.query_offset = -1; });
  refused("depth: found 1.5; allowed: 0 to 1", [](Record& r) { r.depth = 1.5; });
  refused("id: found 'needle/128/17'; allowed: 'needle/256/' and a number", [](Record& r) { r.id = "needle/128/17"; });
  refused("id: found 'needle/256/'", [](Record& r) { r.id = "needle/256/"; });
  refused("nll: found -3", [](Record& r) { r.nll = -3; });
  refused("targets: nll: found -3", [](Record& r) { r.targets[1].nll = -3; });
  refused("targets: offset: found 256", [](Record& r) { r.targets[1].offset = 256; });
  refused("baselines.last: found 2; allowed: 0 to 1", [](Record& r) { r.baselines[0].second = 2; });
  refused("correct: found false; allowed: true", [](Record& r) { r.correct = false; });
}

TEST_CASE("read_records: all lines, and none when the last is cut") {
  const auto path = std::filesystem::temp_directory_path() / "lengthwise-records-test.jsonl";
  Record second = full_record();
  second.id = "needle/256/18";
  write_file(path, to_json_line(full_record()) + "\n" + to_json_line(second) + "\n");
  const auto records = read_records(path.string());
  REQUIRE(records.size() == 2);
  CHECK(records[1].id == "needle/256/18");
  write_file(path, to_json_line(full_record()) + "\n" + to_json_line(second).substr(0, 30));
  CHECK_THROWS_WITH(read_records(path.string()), ContainsSubstring(path.string() + ":2"));
  write_file(path, to_json_line(full_record()) + "\n\n");
  CHECK_THROWS_WITH(read_records(path.string()), ContainsSubstring(":2"));
  write_file(path, "");
  CHECK(read_records(path.string()).empty());
  std::filesystem::remove(path);
  CHECK_THROWS_WITH(read_records(path.string()), ContainsSubstring(path.string()));
}

PositionCard full_card() {
  PositionCard card;
  card.scheme = "rope";
  card.applies_to = {"query", "key"};
  card.learned = true;
  card.parameters = 8;
  card.parameter_bytes = 32;
  card.max_positions = 64;
  card.cache = "rotated";
  card.shift_invariant = {true, false, std::numeric_limits<double>::infinity(), {}};
  card.cache_valid = CardProperty{true, true, 1e-13, {}};
  card.facts = {{"layout", "half", {}},
                {"rope_theta", "", {10000}},
                {"wavelengths", "", {6.25, std::numeric_limits<double>::infinity()}, true}};
  card.unfinished = UnfinishedPairs{32, {1, 2, 3}, 64, {3}};
  card.claims = {{"codes_unique", "no two are alike", false, 0.5, "smallest gap"}, {"other", "", {}, {}, "no codes"}};
  card.position_numbering = "0, 1, 2, ...";
  return card;
}

CheckpointInfo full_checkpoint() {
  CheckpointInfo info;
  info.path = "models/tiny";
  info.format = "safetensors";
  info.sha256 = "ab12";
  info.family = "llama";
  info.stored = "float16";
  info.dtype = "float32";
  info.train_length = {512, "max_position_embeddings, config.json", 256, "model.train_length of the config"};
  info.texts = {{"text", "4,096 tokens"}};
  info.position_changes = {{"scaling.factor", std::nullopt, "4"}, {"rope_theta", "10000", std::nullopt}};
  info.defaults = {{"head_dim", "8", "default"}};
  info.vocabulary = {1000, 1024};
  info.notes = {"a note"};
  return info;
}

SettingInfo full_setting() {
  SettingInfo s;
  s.id = "rope/s1";
  s.variant = "rope";
  s.seed = 1;
  s.model = "decoder";
  s.scheme = "rope";
  s.scaling = "none";
  s.train_length = 32;
  s.trainings = {{{"needle", "order"},
                  {8, 10},
                  "abc",
                  1000,
                  400,
                  {{"needle", "accuracy", 0.97, 0.9, true, 256}, {"order", "accuracy", 0.5, 0.9, false, 256}},
                  {{0, 4.1}, {100, 0.5}}},
                 {{"copy"}, {19}, "def", 1000, 900, {{"copy", "accuracy", 0.99, 0.9, true, 64}}, {}}};
  s.position_yaml = "scheme: rope\n";
  s.checks = {{"permutation residual", "how far outputs are from moving with permuted inputs", 0.25, 1e-5}};
  s.card = full_card();
  return s;
}

TEST_CASE("a setting is read back as it was written") {
  const Json json = to_json(full_setting());
  CHECK(json.at("learned") == false);
  CHECK(json.at("card").is_object());
  const SettingInfo read = setting_from_json(json);
  CHECK(to_json(read) == json);
  CHECK(read.trainings.at(0).gates.at(1).value == 0.5);
  CHECK(read.trainings.at(1).shortest.at(0) == 19);
  CHECK(read.trainings.at(0).loss.at(1).step == 100);
  CHECK(json.at("checks").at(0).at("holds") == false);
  CHECK(read.checks.at(0).value == 0.25);
  SettingInfo bare = full_setting();
  bare.card.reset();
  bare.trainings.clear();
  CHECK(!setting_from_json(to_json(bare)).card);
}

TEST_CASE("a position card is read back as it was written") {
  const Json json = to_json(full_card());
  CHECK(position_card_from_json(json, "card") == full_card());
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  CHECK(keys ==
        std::vector<std::string>{"scheme",          "applies_to",       "learned",      "parameters",
                                 "parameter_bytes", "max_positions",    "cache",        "shift_invariant",
                                 "input_touched",   "value_touched",    "cache_valid",  "layout",
                                 "rope_theta",      "wavelengths",      "train_length", "unfinished_pairs_in_training",
                                 "deployed_length", "unfinished_pairs", "checks",       "position_numbering"});
  CHECK(json.at("shift_invariant").at("residual").is_null());
  CHECK_FALSE(json.at("input_touched").contains("residual"));
  CHECK(json.at("wavelengths").dump() == "[6.25,null]");
  CHECK(json.at("rope_theta").dump() == "10000");
  CHECK(card_disagreements(full_card()) == std::vector<std::string>{"shift_invariant"});
  Json broken = json;
  broken["layout"] = Json{{"a", 1}};
  CHECK_THROWS_WITH(position_card_from_json(broken, "card of rope"), ContainsSubstring("card of rope: layout: found"));
  broken = json;
  broken.erase("cache");
  CHECK_THROWS_WITH(position_card_from_json(broken, "card"), ContainsSubstring("cache: found nothing"));
}

TEST_CASE("where weights come from is read back as it was written") {
  const Json json = to_json(full_checkpoint());
  CHECK(checkpoint_info_from_json(json, "checkpoint") == full_checkpoint());
  CHECK(json.at("position_changes").at(0).at("checkpoint").is_null());
  CHECK(json.at("train_length").at("declared") == 512);
  SettingInfo s = full_setting();
  s.checkpoint = full_checkpoint();
  CHECK(setting_from_json(to_json(s)).checkpoint == s.checkpoint);
}

TEST_CASE("learning is a matter of the suite's own gate") {
  const SettingInfo s = full_setting();
  CHECK(s.learned("needle"));
  CHECK_FALSE(s.learned("order"));
  CHECK(s.learned("copy"));
  CHECK(s.learned("never trained on"));
  CHECK_FALSE(s.learned());
  CHECK(s.weights_for("order") == "abc");
  CHECK(s.weights_for("copy") == "def");
  CHECK(s.weights_for("never trained on") == "abc");
}

TEST_CASE("a suite is read back, and older files without 'covers' are read too") {
  const SuiteMeta suite{"needle", "needle", "one hop", 0.25, false, {16, 32}, {"retrieval"}};
  Json json = to_json(suite);
  CHECK(to_json(suite_from_json(json)) == json);
  json.erase("covers");
  CHECK(suite_from_json(json).covers.empty());
  json["chance"] = nullptr;
  CHECK_FALSE(suite_from_json(json).chance);
  json.erase("lengths");
  CHECK_THROWS_WITH(suite_from_json(json), ContainsSubstring("lengths: found nothing"));
}

}  // namespace
}  // namespace lw
