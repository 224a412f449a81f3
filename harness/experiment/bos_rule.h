// Whether texts begin with BOS: what the tokenizer does by itself, or what the user wants.
#pragma once
#include <optional>
#include <string>

#include "harness/base/choice.h"
#include "harness/tokenizer/tokenizer.h"

namespace lw {

enum class AddBos { kAuto, kOn, kOff };

/// The words of `model.add_bos`.
inline const NamedValues<AddBos> kAddBosWords = {{AddBos::kAuto, "auto", "as the tokenizer does"},
                                                 {AddBos::kOn, "true", "texts begin with BOS"},
                                                 {AddBos::kOff, "false", "texts begin without BOS"}};

struct BosRule {
  std::optional<int64_t> id;  // before a text, and in place of the first token of every window cut from one
  std::string words;          // "'<s>', as the tokenizer puts it"
};

/// @throws Error(kInput) for kOn where the tokenizer names no BOS token.
BosRule bos_rule(const Tokenizer& tokenizer, AddBos wanted, const std::string& place);

}  // namespace lw
