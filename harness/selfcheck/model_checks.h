// Checks of a model under its position setting: whether a loss depends on anything but the tokens.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "encodings/position_setting.h"
#include "harness/model/model.h"
#include "harness/selfcheck/check.h"

namespace lw {

class Transformer;

/// What model checks look at.
struct ModelSubject {
  std::string name;
  int64_t length = 0;      // tokens in a sequence
  int64_t vocabulary = 0;  // tokens are below it
  int64_t mask_token = 0;
  std::function<std::shared_ptr<Transformer>()> make;  // in float32; equal each time
  PositionSetting position;
};

/// In the order of the functions below, with "precision" behind "finite".
std::vector<CheckResult> check_model(const ModelSubject& subject);
/// What the position card declares and what it measures.
CheckResult check_card(const ModelSubject& subject);

// The parts, for models of every kind. Losses are those of every token but the first, in nats.
CheckResult check_batch(const std::string& name, Model& model, const at::Tensor& tokens_BT);
CheckResult check_order(const std::string& name, Model& model, const at::Tensor& tokens_BT);
CheckResult check_threads(const std::string& name, Model& model, const at::Tensor& tokens_BT);
CheckResult check_finite(const std::string& name, Model& model, const at::Tensor& tokens_BT);
/// @param anew the same model, built again.
CheckResult check_repeat(const std::string& name, Model& model, Model& anew, const at::Tensor& tokens_BT);
/// @param model in float64. Hidden states of the whole sequence, and of one token after the other over cached keys.
CheckResult check_cache(const std::string& name, Transformer& model, const at::Tensor& tokens_BT);
/// The same in tiles of 7 queries, and at once.
CheckResult check_tiles(const std::string& name, Transformer& model, const at::Tensor& tokens_BT);

}  // namespace lw
