#include "harness/inspect/word_order.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "encodings/position_setting.h"
#include "encodings/tensor.h"
#include "harness/base/numbers.h"
#include "harness/model/transformer.h"
#include "harness/tokenizer/tokenizer.h"
#include "reports/text_table.h"

namespace lw {
namespace {
using Json = nlohmann::ordered_json;

/// The sentence's ids, or none where a word is not one token.
std::vector<int64_t> word_ids(const Tokenizer& tokenizer, const std::string& sentence) {
  auto ids = tokenizer.encode(sentence, {.add_special = true}).ids;
  const auto words = size_t(1 + std::count(sentence.begin(), sentence.end(), ' '));
  const bool known = !tokenizer.unknown() || std::count(ids.begin(), ids.end(), *tokenizer.unknown()) == 0;
  if (!known || ids.size() != words + tokenizer.prefix().size() + tokenizer.suffix().size()) ids.clear();
  return ids;
}

bool same_tokens(OrderIds pair) {
  std::sort(pair.first.begin(), pair.first.end());
  std::sort(pair.second.begin(), pair.second.end());
  return pair.first == pair.second;
}

/// As many as keep `inspect` quick: all of them up to about 150 million parameters, and 2 at least.
size_t affordable_pairs(const Transformer& model) {
  constexpr double kMultiplyAdds = 1.2e11;  // seconds on a few cores
  constexpr double kTokensOfPair = 4 * 7;   // 2 sentences, with and without positions
  return std::max<size_t>(2, size_t(kMultiplyAdds / kTokensOfPair / double(model.count_parameters())));
}

Json to_json(const OrderDistance& d) {
  return {{"mean", d.mean}, {"largest", d.largest}, {"per_token", d.per_token}, {"unrelated", d.unrelated}};
}

/// The model without positions, for a while.
class WithoutPositions {
 public:
  explicit WithoutPositions(Transformer& model) : model_(model), own_(model.shared_encoding()) {
    model.set_encoding(PositionSetting::none(model.config().shape(1)).build());  // no length matters to it
  }
  ~WithoutPositions() { model_.set_encoding(own_); }
  WithoutPositions(const WithoutPositions&) = delete;
  WithoutPositions& operator=(const WithoutPositions&) = delete;

 private:
  Transformer& model_;
  std::shared_ptr<PositionEncoding> own_;
};

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, std::abs(value) < 1e-4 ? "%.0e" : "%.4f", value);
  return text;
}

}  // namespace

std::vector<OrderIds> order_pair_ids(const Tokenizer& tokenizer) {
  std::vector<OrderIds> out;
  for (const auto& [first, second] : order_pairs()) {
    OrderIds ids{word_ids(tokenizer, first), word_ids(tokenizer, second)};
    if (!ids.first.empty() && same_tokens(ids)) out.push_back(std::move(ids));
  }
  return out;
}

Json measure_order(Transformer& model, const Tokenizer& tokenizer) {
  auto pairs = order_pair_ids(tokenizer);
  const auto has_rows = [&](const std::vector<int64_t>& ids) {
    return std::all_of(ids.begin(), ids.end(), [&](int64_t id) { return id < model.config().vocabulary; });
  };
  std::erase_if(pairs, [&](const OrderIds& pair) { return !has_rows(pair.first); });
  pairs.resize(std::min(pairs.size(), affordable_pairs(model)));
  Json out{{"pairs", pairs.size()}, {"of", order_pairs().size()}};
  if (pairs.size() < 2) {
    out["reason"] = "the tokenizer has the words of too few sentences as one token each";
    return out;
  }
  out["own"] = to_json(order_distance(model, pairs));
  const WithoutPositions none(model);
  out["none"] = to_json(order_distance(model, pairs));
  return out;
}

std::string order_text(const Json& order, bool color) {
  if (order.contains("reason"))
    return wrapped("not measured: " + order.at("reason").get<std::string>(), 100, "  ", "    ");
  const std::string pairs = order.at("pairs").dump() + " of " + order.at("of").dump() + " pairs of sentences";
  TextTable table({{"positions"}, {"1 - cosine"}, {"largest"}, {"per token"}, {"other words"}}, 1);
  for (const char* name : {"own", "none"}) {
    const Json& d = order.at(name);
    std::vector<TextTable::Item> row{{name}};
    for (const char* key : {"mean", "largest", "per_token", "unrelated"})
      row.push_back({short_number(d.at(key).get<double>())});
    table.add(std::move(row));
  }
  return "  " + pairs + "; states averaged over tokens, last layer\n" + table.str(100, color);
}

}  // namespace lw
