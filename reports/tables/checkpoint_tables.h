// Tables of weights that were loaded: which file, trained how far, under which positions.
#pragma once
#include <string>
#include <vector>

#include "harness/results/checkpoint_info.h"
#include "reports/tables/table.h"
#include "reports/view.h"

namespace lw {

/// A row a variant: how far its checkpoint was trained, and what of its position was changed.
Table checkpoints_table(const View& view);
/// A row a checkpoint: family, storage, hash.
Table checkpoint_files_table(const View& view);
/// A row a text that a checkpoint was evaluated on.
Table checkpoint_texts_table(const View& view);

/// Each checkpoint once, whatever positions it is used under.
std::vector<const CheckpointInfo*> checkpoints_of(const View& view);

/// "128 (context_length, metadata)"
std::string declared_length_words(const CheckpointInfo& info);
/// "512 (model.train_length of the config)"
std::string used_length_words(const CheckpointInfo& info);
/// "scaling.rope_type yarn in place of llama3; …", or "as the checkpoint has it".
std::string position_change_words(const CheckpointInfo& info);
/// "head_dim = 8 (hidden_size / num_attention_heads)"
std::string filled_words(const FilledValue& value);

}  // namespace lw
