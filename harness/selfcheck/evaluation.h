// What the checks of evaluation measure, with any way of asking a model.
#pragma once
#include "encodings/tensor.h"
#include "harness/selfcheck/finding.h"
#include "harness/selfcheck/probing.h"

namespace lw {

class Model;
class Transformer;

/// One sequence alone and among others: another number of rows sums in another order. In nats, float32. A pass of a
/// real checkpoint moves losses by 6e-6.
inline constexpr double kRowsBound = 1e-4;
/// float32 against float64. In nats.
inline constexpr double kFloat32Bound = 1e-4;

/// Adds each record of `b` as good where it is scored and `a` has the same bytes for that probe. Either
/// may have more probes; without any in common that is a fault.
void add_records(const std::string& name, const std::vector<Record>& a, const std::vector<Record>& b,
                 FaultCount& found);

/// Drawn token ids below `vocabulary`: [rows, length], int64.
at::Tensor drawn_tokens(int64_t rows, int64_t length, int64_t vocabulary);

/// Largest difference of a loss, in nats, between every sequence by itself and all in one pass.
double rows_apart(Model& model, const at::Tensor& tokens_BT);

/// Largest difference of a token's loss, in nats, between two models that should be alike, in one precision or two.
double losses_apart(Transformer& a, Transformer& b, const at::Tensor& tokens_BT);

}  // namespace lw
