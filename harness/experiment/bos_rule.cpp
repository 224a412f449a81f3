#include "harness/experiment/bos_rule.h"

#include "harness/base/error.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"

namespace lw {
namespace {

std::string token_words(const Tokenizer& tokenizer, int64_t id) {
  return text("'", printable(tokenizer.id_to_token(id)), "'");
}

}  // namespace

BosRule bos_rule(const Tokenizer& tokenizer, AddBos wanted, const std::string& place) {
  std::optional<int64_t> own;
  if (!tokenizer.prefix().empty()) own = tokenizer.prefix().front();
  if (wanted == AddBos::kAuto)
    return {own,
            own ? token_words(tokenizer, *own) + ", as the tokenizer puts it" : "none, as the tokenizer puts none"};
  if (wanted == AddBos::kOff)
    return {std::nullopt,
            text("none, as add_bos is false", own ? "; the tokenizer would put " + token_words(tokenizer, *own) : "")};
  const auto id = own ? own : tokenizer.bos();
  if (!id)
    throw Error(
        ErrorKind::kInput,
        place + ": add_bos: " + found_what("true, and a tokenizer that names no BOS token").allowed("auto, false"));
  return {id,
          text(token_words(tokenizer, *id), ", as add_bos is true", own ? "" : "; the tokenizer by itself puts none")};
}

}  // namespace lw
