// The loss of one or more texts under a model, by position in the window, and how it is shown.
#pragma once
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/eval/nll.h"
#include "harness/experiment/checkpoint_model.h"

namespace lw {

struct TextLossOptions {
  std::vector<std::string> files;
  std::string reduction = "all";  // "all", "second_half", "strided"
  NllOptions nll;
};

/// Of one text. Windows never cross from one text into another.
struct TextLoss {
  std::string file, ids_hash;
  int64_t tokens = 0;
  NllResult result;
  PositionNll all;  // of the positions that the reduction is about
};

struct TextLosses {
  std::vector<TextLoss> texts;
  NllResult result;  // over all tokens
  PositionNll all;

  /// The mean of the texts' means, each text counting the same. NLL in nats a token.
  double mean_over_texts() const;
  /// The same in nats a byte.
  double mean_over_texts_a_byte() const;
};

/// Every window begins with BOS in place of its first token, in every reduction, where the model's texts begin with
/// BOS (BosRule). A window's first token is not scored, and so none is lost by it.
/// @throws Error(kUsage) for a stride that the reduction does not take, and as nll_by_position() does, with the file.
TextLosses text_losses(const CheckpointModel& model, TextLossOptions& options);

Json to_json(const TextLosses& losses, const CheckpointModel& model, const TextLossOptions& options);
void print(const TextLosses& losses, const CheckpointModel& model, const TextLossOptions& options);
/// Columns position, mean_nll and n, over all texts.
void write_tsv(const std::string& path, const NllResult& result);

}  // namespace lw
