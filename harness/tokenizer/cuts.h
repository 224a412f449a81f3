// How text is normalised and split for a byte-level BPE, by the name that GGUF files use (tokenizer.ggml.pre).
#pragma once
#include <string>
#include <vector>

#include "harness/tokenizer/normalizer.h"
#include "harness/tokenizer/pre_tokenizer.h"

namespace lw {

struct Cuts {
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  bool ignore_merges = false;
  bool adds_bos = false;    // where the file does not say
  std::string description;  // as describe_cuts() words it, after the name
};

/// @param key the key that holds the name, for the error. @throws Error(kInput) for an unknown name.
Cuts cuts_by_name(const std::string& name, const std::string& key);

/// What splits a text, in words: the steps of a tokenizer.json, known patterns by name, and the start of the SHA-256 of
/// each: "Digits, ByteLevel (gpt2, pattern 0a1b2c3d4e5f)". "nothing" where there are no steps.
std::string describe_cuts(const Json& pre_tokenizer);

/// The names above, sorted.
const std::vector<std::string>& cut_names();

}  // namespace lw
