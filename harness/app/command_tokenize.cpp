#include <cstdio>
#include <memory>

#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/experiment/checkpoint_source.h"
#include "harness/tokenizer/from_json.h"
#include "harness/tokenizer/tokenize_text.h"

namespace lw {
namespace {

struct TokenizeCommand {
  std::string path, text, file, pre;
  bool ids = false, special = false, parse_special = false;
};

int tokenize(const TokenizeCommand& o) {
  if (o.text.empty() == o.file.empty())
    throw Error(ErrorKind::kUsage, std::string("tokenize: found ") + (o.text.empty() ? "neither" : "both") +
                                       " TEXT and --file; allowed: one of them");
  const std::string text = o.file.empty() ? o.text : read_file(o.file);
  const auto show = [&](const Tokenizer& tokenizer, const std::vector<std::string>& notes) {
    std::fputs(tokenize_text(tokenizer, text, {o.special, o.parse_special}, o.ids).c_str(), stdout);
    if (o.ids) return 0;
    for (const auto& note : notes) std::printf("note: %s\n", note.c_str());
    return 0;
  };
  if (is_tokenizer_file(o.path)) {
    const Tokenizer tokenizer = tokenizer_from_file(o.path);
    return show(tokenizer, tokenizer.notes());
  }
  const CheckpointSource source(o.path, o.pre);
  return show(source.text().tokenizer(), source.notes());
}

}  // namespace

void add_tokenize(Command& program) {
  auto o = std::make_shared<TokenizeCommand>();
  Command command = program.command("tokenize", "the ids of a text as the harness sees them");
  command
      .option("checkpoint", o->path, "a Hugging Face folder, a .gguf file, a tokenizer.json or a SentencePiece .model")
      .required();
  command.option("text", o->text, "the text");
  command.option("--file", o->file, "a file of UTF-8 text instead");
  command.flag("--ids", o->ids, "only the ids, on one line");
  command.flag("--special", o->special, "add the special tokens that the tokenizer puts around a text (BOS)");
  command.flag("--parse-special", o->parse_special, "read special tokens that are spelled out in the text");
  command.option("--pre", o->pre, "pre-tokenizer, for a GGUF file that does not name one we know");
  command.runs([o] { return tokenize(*o); });
}

}  // namespace lw
