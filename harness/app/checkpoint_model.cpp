#include "harness/app/checkpoint_model.h"

#include <torch/types.h>

#include <optional>

#include "encodings/position_encoding.h"
#include "encodings/registry.h"
#include "harness/base/config.h"
#include "harness/base/error.h"
#include "harness/formats/container.h"
#include "harness/formats/gguf_vocabulary.h"
#include "harness/model/transformer.h"
#include "harness/tokenizer/from_gguf.h"
#include "harness/tokenizer/from_json.h"

namespace lw {
namespace {

GgufTokens tokens_of(const GgufVocabulary& v) {
  GgufTokens out;
  out.model = v.model;
  out.pre = v.pre;
  out.tokens = v.tokens;
  out.scores = v.scores;
  for (const int64_t type : v.types) out.types.push_back(static_cast<int32_t>(type));
  out.merges = v.merges;
  out.bos = v.bos;
  out.eos = v.eos;
  out.unknown = v.unknown;
  out.add_bos = v.add_bos;
  out.add_eos = v.add_eos;
  out.add_space_prefix = v.add_space_prefix;
  out.remove_extra_whitespaces = v.remove_extra_whitespaces;
  return out;
}

torch::ScalarType type_named(const std::string& dtype) {
  if (dtype == "float64") return torch::kFloat64;
  if (dtype == "bfloat16") return torch::kBFloat16;
  return dtype == "float16" ? torch::kFloat16 : torch::kFloat32;
}

}  // namespace

Tree position_with(const Tree& own, const std::vector<std::string>& sets) {
  Tree whole = Tree::map();
  whole.set("position", own);
  for (const auto& set : sets) {
    if (set.rfind("position", 0) != 0)
      throw Error(ErrorKind::kUsage, "--set: found '" + set + "'; allowed: position... of a checkpoint");
    // Options of the one scheme mean nothing to the other.
    if (set.rfind("position.scheme=", 0) == 0) whole.set("position", Tree::map());
    apply_set(whole, set);
  }
  return *whole.find("position");
}

CheckpointModel load_checkpoint_model(const CheckpointOptions& options) {
  CheckpointModel out;
  out.checkpoint = open_checkpoint(options.path);
  const FamilyModel& own = out.checkpoint.model;
  out.train_length = options.train_length > 0 ? options.train_length : own.train_length;
  const Tree position = position_with(own.position, options.sets);
  ConfigNode node(position);
  make_encoding(node, own.model.shape(out.train_length));
  node.finish();
  out.position = node.resolved();
  out.transformer = load_transformer(out.checkpoint, &out.weights, &position, out.train_length);
  out.transformer->to(type_named(options.dtype));
  return out;
}

Tokenizer tokenizer_of(const Checkpoint& checkpoint, const std::string& path, const std::string& pre) {
  const GgufFile* gguf = checkpoint.container->gguf();
  if (gguf == nullptr) return tokenizer_from_folder(path);
  return tokenizer_from_gguf(tokens_of(read_gguf_vocabulary(*gguf)), path,
                             pre.empty() ? std::nullopt : std::optional<std::string>(pre));
}

}  // namespace lw
