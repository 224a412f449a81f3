#include "harness/eval/order_distance.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "encodings/tensor.h"
#include "harness/base/error.h"
#include "harness/model/transformer.h"

namespace lw {
namespace {

/// [N, T, D], float64 on the CPU: states of N sequences of one length.
at::Tensor states_of(Transformer& model, const std::vector<std::vector<int64_t>>& rows) {
  const auto length = int64_t(rows.front().size());
  std::vector<int64_t> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  const auto options = at::TensorOptions(at::kLong).device(model.parameters().front().device());
  const auto tokens_NT = at::tensor(flat, at::kLong).view({-1, length}).to(options);
  const auto pos_1T = at::arange(length, options).unsqueeze(0);
  return model.hidden(tokens_NT, pos_1T).to(at::kCPU, at::kDouble);
}

/// The place of each token, sorted by id, and by place where an id occurs twice.
at::Tensor by_id(const std::vector<int64_t>& ids) {
  std::vector<int64_t> order(ids.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return ids[size_t(a)] < ids[size_t(b)]; });
  return at::tensor(order, at::kLong);
}

/// Sequences of one length go through the model together, with nothing padded.
std::map<size_t, std::vector<OrderIds>> by_length(const std::vector<OrderIds>& pairs) {
  std::map<size_t, std::vector<OrderIds>> out;
  for (const auto& pair : pairs) {
    auto sorted = pair;
    std::sort(sorted.first.begin(), sorted.first.end());
    std::sort(sorted.second.begin(), sorted.second.end());
    LW_CHECK(sorted.first == sorted.second, "the two sides of a pair must hold the same tokens");
    out[pair.first.size()].push_back(pair);
  }
  return out;
}

at::Tensor unit(const at::Tensor& x_ND) { return x_ND / x_ND.norm(2, {-1}, true); }

}  // namespace

OrderDistance order_distance(Transformer& model, const std::vector<OrderIds>& pairs) {
  LW_CHECK(pairs.size() >= 2, "one pair has no other to be compared with");
  at::NoGradGuard no_grad;
  std::vector<at::Tensor> first, second, moved;
  for (const auto& [length, group] : by_length(pairs)) {
    std::vector<std::vector<int64_t>> rows;
    for (const auto& [a, b] : group) rows.insert(rows.end(), {a, b});
    const auto states_NTD = states_of(model, rows);
    for (size_t i = 0; i < group.size(); ++i) {
      const auto a_TD = states_NTD[int64_t(2 * i)].index_select(0, by_id(group[i].first));
      const auto b_TD = states_NTD[int64_t(2 * i + 1)].index_select(0, by_id(group[i].second));
      first.push_back(a_TD.mean(0));
      second.push_back(b_TD.mean(0));
      moved.push_back(2 * (a_TD - b_TD).norm(2, {-1}) / (a_TD.norm(2, {-1}) + b_TD.norm(2, {-1})));
    }
  }
  const auto a_PD = unit(at::stack(first)), b_PD = unit(at::stack(second));
  const auto swapped_P = 1 - (a_PD * b_PD).sum(-1);
  const auto n = double(pairs.size());
  OrderDistance out;
  out.mean = swapped_P.mean().item<double>();
  out.largest = swapped_P.max().item<double>();
  out.per_token = at::cat(moved).mean().item<double>();
  // The n entries of the diagonal are 1.
  out.unrelated = 1 - (a_PD.matmul(a_PD.t()).sum().item<double>() - n) / (n * (n - 1));
  return out;
}

const std::vector<OrderPair>& order_pairs() {
  static const std::vector<OrderPair> kPairs = {
      // Subject and object.
      {"the dog bit the man", "the man bit the dog"},
      {"the cat followed the mouse", "the mouse followed the cat"},
      {"the teacher thanked the student", "the student thanked the teacher"},
      {"the lawyer called the doctor", "the doctor called the lawyer"},
      {"the king feared the queen", "the queen feared the king"},
      {"the boy kissed the girl", "the girl kissed the boy"},
      {"the wolf killed the bear", "the bear killed the wolf"},
      {"the father loved the son", "the son loved the father"},
      {"the sister helped the brother", "the brother helped the sister"},
      {"the driver stopped the police", "the police stopped the driver"},
      {"the army attacked the city", "the city attacked the army"},
      {"the horse led the farmer", "the farmer led the horse"},
      {"the writer knew the editor", "the editor knew the writer"},
      {"the player blamed the coach", "the coach blamed the player"},
      {"the nurse met the patient", "the patient met the nurse"},
      {"the moon covered the sun", "the sun covered the moon"},
      {"the company sued the state", "the state sued the company"},
      {"the judge heard the witness", "the witness heard the judge"},
      // Which of the two it describes.
      {"the old man saw the young woman", "the young man saw the old woman"},
      {"the red car hit the blue bus", "the blue car hit the red bus"},
      {"the big house had a small garden", "the small house had a big garden"},
      {"the hot soup came with cold bread", "the cold soup came with hot bread"},
      // Place and direction.
      {"the book is under the table", "the table is under the book"},
      {"the school is behind the church", "the church is behind the school"},
      {"the ship sailed from the island to the city", "the ship sailed from the city to the island"},
      {"the train ran from the north to the south", "the train ran from the south to the north"},
      // Negation and sequence.
      {"the room was cold and not dark", "the room was not cold and dark"},
      {"the door was open but not broken", "the door was not open but broken"},
      {"the rain came before the wind", "the wind came before the rain"},
      {"the child ate and then slept", "the child slept and then ate"},
  };
  return kPairs;
}

}  // namespace lw
