// The cursor over a checkpoint's description: strict values, one value a name, nothing unread, origins.
#include "harness/formats/json_cursor.h"

#include "harness/formats/gguf.h"
#include "tests/formats/support.h"

namespace lw::formats_test {
namespace {

JsonCursor cursor(const std::string& text) {
  return {parse_sorted_json(text, "m/config.json"), "m/config.json", "config.json"};
}

template <class Act>
std::string error_of(const std::string& text, Act act) {
  return message_of("m/config.json", [&] {
    JsonCursor c = cursor(text);
    act(c);
  });
}

}  // namespace

TEST_CASE("a cursor gives values and where they came from", "[formats]") {
  JsonCursor c = cursor(R"({"n_embd": 64, "eps": 1, "tied": true, "act": "gelu", "eos": [1, 2], "one": 3,
                            "factors": [1, 1.5], "layers": ["a", "b"], "nothing": null, "dropout": 0.1,
                            "below": {"x": 2}})");
  CHECK(c.integer({"hidden_size", "n_embd"}, {1, 100}) == 64);
  CHECK(c.number("eps", {0.0, 1.0}) == 1.0);  // 1 and 1.0 mean the same
  CHECK(c.flag("tied"));
  CHECK(c.choice("act", {"relu", "gelu"}) == "gelu");
  CHECK(c.optional_integers("eos", {0}) == std::vector<int64_t>{1, 2});
  CHECK(c.optional_integers("one", {0}) == std::vector<int64_t>{3});
  CHECK(c.optional_numbers("factors", {}) == std::vector<double>{1, 1.5});
  CHECK(c.optional_texts("layers") == std::vector<std::string>{"a", "b"});
  CHECK(c.optional_integer("nothing", {}) == std::nullopt);
  CHECK(c.integer("nothing", {}, 7, "llama's default") == 7);
  CHECK(c.fill(c.optional_text("absent"), "absent", std::string("x"), "why") == "x");
  c.no_effect({"dropout", "not_there"}, "for training only");
  CHECK(c.object("below").integer("x", {}) == 2);
  CHECK(c.object("none").optional_integer("y", {}) == std::nullopt);
  c.finish();
  using Kind = Origin::Kind;
  CHECK(c.origins() == std::vector<Origin>{{"hidden_size", "64", Kind::kRead, "config.json: n_embd"},
                                           {"eps", "1", Kind::kRead, "config.json: eps"},
                                           {"tied", "true", Kind::kRead, "config.json: tied"},
                                           {"act", "\"gelu\"", Kind::kRead, "config.json: act"},
                                           {"eos", "[1,2]", Kind::kRead, "config.json: eos"},
                                           {"one", "3", Kind::kRead, "config.json: one"},
                                           {"factors", "[1,1.5]", Kind::kRead, "config.json: factors"},
                                           {"layers", "[\"a\",\"b\"]", Kind::kRead, "config.json: layers"},
                                           {"nothing", "7", Kind::kDefault, "llama's default"},
                                           {"absent", "\"x\"", Kind::kDefault, "why"},
                                           {"dropout", "0.1", Kind::kNoEffect, "for training only"},
                                           {"below.x", "2", Kind::kRead, "config.json: below.x"}});
}

TEST_CASE("a value under two names must be one value", "[formats]") {
  const auto read = [](JsonCursor& c) { c.integer({"hidden_size", "n_embd", "d_model"}, {}); };
  CHECK(error_of(R"({"n_embd": 64, "d_model": 64})", read).empty());
  CHECK(error_of(R"({"n_embd": 64, "hidden_size": null})", read).empty());
  CHECK(error_of(R"({"n_embd": 64, "d_model": 32})", read) ==
        "d_model: found 32, where n_embd says 64; allowed: one value under both names");
  CHECK(error_of("{}", read) == "hidden_size or n_embd or d_model: found nothing; allowed: a whole number");
}

TEST_CASE("values of another type or out of range are refused with what is allowed", "[formats]") {
  const auto whole = [](JsonCursor& c) { c.integer("k", {1, 10}); };
  CHECK(error_of(R"({"k": 0})", whole) == "k: found 0; allowed: a whole number from 1 to 10");
  CHECK(error_of(R"({"k": 2.5})", whole) == "k: found 2.5; allowed: a whole number from 1 to 10");
  CHECK(error_of(R"({"k": 1e30})", whole) == "k: found 1e+30; allowed: a whole number from 1 to 10");
  CHECK(error_of(R"({"k": "4"})", whole) == "k: found \"4\"; allowed: a whole number from 1 to 10");
  CHECK(error_of(R"({"k": true})", whole) == "k: found true; allowed: a whole number from 1 to 10");
  CHECK(error_of(R"({"k": null})", whole) == "k: found nothing; allowed: a whole number from 1 to 10");
  CHECK(error_of(R"({"k": false})", [](JsonCursor& c) { c.number("k", {0.0}); }) ==
        "k: found false; allowed: a number, 0 or more");
  CHECK(error_of(R"({"k": 1})", [](JsonCursor& c) { c.flag("k"); }) == "k: found 1; allowed: true, false");
  CHECK(error_of(R"({"k": 1})", [](JsonCursor& c) { c.text("k"); }) == "k: found 1; allowed: a text");
  CHECK(error_of(R"({"k": "gelo"})", [](JsonCursor& c) {
          c.choice("k", {"relu", "gelu"});
        }) == "k: found \"gelo\"; allowed: relu, gelu; did you mean 'gelu'?");
  CHECK(error_of(R"({"k": [1, "x"]})", [](JsonCursor& c) { c.optional_integers("k", {}); }) ==
        "k: found \"x\" in the list; allowed: a whole number, or a list of them");
  CHECK(error_of(R"({"k": "a"})", [](JsonCursor& c) { c.optional_texts("k"); }) ==
        "k: found \"a\"; allowed: a list of texts");
  CHECK(error_of(R"({"k": {"x": "y"}})", [](JsonCursor& c) { c.object("k").number("x", {}); }) ==
        "k.x: found \"y\"; allowed: a number");
  CHECK(error_of(R"({"k": 3})", [](JsonCursor& c) { c.object("k"); }) == "k: found 3; allowed: an object");
}

TEST_CASE("a key that must have one value is refused with any other", "[formats]") {
  const auto read = [](JsonCursor& c) { c.only({"is_decoder", "decoder"}, {false, 0}, "an encoder"); };
  CHECK(error_of("{}", read).empty());
  CHECK(error_of(R"({"is_decoder": false})", read).empty());
  CHECK(error_of(R"({"decoder": true})", read) == "decoder: found true; allowed: false, 0 (an encoder)");
}

TEST_CASE("keys that nobody understood are all named", "[formats]") {
  const auto read = [](JsonCursor& c) {
    c.optional_number("rope_theta", {});
    c.object("rope_scaling").optional_number("factor", {});
    c.finish();
  };
  const std::string tail =
      " not understood, so the model might differ from the one that is meant; allowed: keys that are";
  CHECK(error_of(R"({"rope_theta": 1, "rope_scaling": {"factor": 2}, "unknown_but_null": null})", read).empty());
  CHECK(error_of(R"({"rope_thetas": 1})", read) ==
        "rope_thetas: found a key that is" + tail + "; did you mean 'rope_theta'?");
  CHECK(error_of(R"({"zzz": 1, "rope_scaling": {"attn_factor": 2}})", read) ==
        "rope_scaling.attn_factor, zzz: found keys that are" + tail + "; did you mean 'rope_scaling.factor'?");
  std::string many;
  for (char c = 'a'; c < 'k'; ++c) many += (many.empty() ? "" : ", ") + ("\"" + std::string(3, c) + "\": 1");
  CHECK(error_of("{" + many + "}", read) ==
        "aaa, bbb, ccc, ddd, eee, fff, ggg, hhh and 2 more: found keys that are" + tail);
  // An object that nobody opened is one unread key.
  CHECK(error_of(R"({"vision": {"a": 1}})", read) == "vision: found a key that is" + tail);
}

TEST_CASE("GGUF metadata goes through the same cursor", "[formats]") {
  const test::TempFolder folder;
  Gguf file;
  file.keys = {Gguf::key("llama.context_length", 10, raw(uint64_t{128})),
               Gguf::key("llama.eps", 6, raw(1e-5F)),
               Gguf::key("llama.parallel", 7, std::string(1, '\1')),
               Gguf::array("llama.head_count_kv", 5, 2, raw(4) + raw(8)),
               Gguf::key("general.name", 8, Gguf::text("m")),
               Gguf::key("llama.bad", 6, raw(std::numeric_limits<float>::quiet_NaN())),
               Gguf::array("tokenizer.ggml.tokens", 8, 1, Gguf::text("a"))};
  write_file(folder / "m.gguf", file.bytes());
  const GgufFile gguf(folder / "m.gguf");
  JsonCursor c = JsonCursor::of(gguf);
  CHECK(c.integer("llama.context_length", {1}) == 128);
  CHECK(c.number("llama.eps", {0.0}) == double{1e-5F});
  CHECK(c.flag("llama.parallel"));
  CHECK(c.optional_integers("llama.head_count_kv", {1}) == std::vector<int64_t>{4, 8});
  c.no_effect_below("general.", "describes the file");
  CHECK(c.origins()[1] == Origin{"llama.eps", "1e-05", Origin::Kind::kRead, "m.gguf: llama.eps"});
  CHECK(c.origins()[4] == Origin{"general.name", "\"m\"", Origin::Kind::kNoEffect, "describes the file"});
  const auto place = (folder / "m.gguf").string();
  CHECK(message_of(place, [&] { c.finish(); }).substr(0, 10) == "llama.bad:");
  CHECK(message_of(place, [&] { c.number("llama.bad", {}); }) == "llama.bad: found nan; allowed: a number");
}

}  // namespace lw::formats_test
