// Reads the JSON of a tokenizer.json with its long lists apart: vocabularies of 250,000 tokens and as many merges
// would take a document tree minutes and gigabytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/json_read.h"

namespace lw {

struct TokenizerFile {
  Json rest;                                                // all but the lists below, which are null there
  std::vector<std::pair<std::string, int64_t>> vocab;       // {"token": id}, as BPE and WordPiece have it
  std::vector<std::pair<std::string, double>> scored;       // [["token", score]], as Unigram has it
  std::vector<std::pair<std::string, std::string>> merges;  // ["a b"] or [["a", "b"]]
};

/// Lists are taken from model.vocab and model.merges. @throws Error(kInput) for what is no JSON, for a key that
/// stands twice, and for entries of another form.
TokenizerFile parse_tokenizer_file(std::string_view text, const std::string& place);
/// A vocab.json: {"token": id} and nothing else.
std::vector<std::pair<std::string, int64_t>> parse_vocab_file(std::string_view text, const std::string& place);
/// "a b" at its one space. @throws Error(kInput) naming the place if there is none or another.
std::pair<std::string, std::string> split_merge(std::string_view merge, const std::string& place);

}  // namespace lw
