// Reads a tokenizer.json with its long lists kept apart: as a document tree, 250,000 tokens and as many merges would
// take minutes and gigabytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/json_read.h"

namespace lw {

struct TokenizerFile {
  Json rest;                                                // everything but the lists below, which are null here
  std::vector<std::pair<std::string, int64_t>> vocab;       // {"token": id}: BPE and WordPiece
  std::vector<std::pair<std::string, double>> scored;       // [["token", score]]: Unigram; library_number()
  std::vector<std::pair<std::string, std::string>> merges;  // ["a b"] or [["a", "b"]]
};

/// Lists are taken from model.vocab and model.merges. @throws Error(kInput) for invalid JSON, for a duplicate key,
/// and for entries of another form.
TokenizerFile parse_tokenizer_file(std::string_view text, const std::string& place);
/// A vocab.json: {"token": id} and nothing else.
std::vector<std::pair<std::string, int64_t>> parse_vocab_file(std::string_view text, const std::string& place);
/// Splits "a b" at its one space. @throws Error(kInput) naming the place where there is no space, or a second one.
std::pair<std::string, std::string> split_merge(std::string_view merge, const std::string& place);

}  // namespace lw
