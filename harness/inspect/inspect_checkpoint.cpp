#include "harness/inspect/inspect_checkpoint.h"

#include <cstdio>
#include <filesystem>

#include "encodings/tensor.h"
#include "harness/base/error.h"
#include "harness/base/exit_code.h"
#include "harness/base/log.h"
#include "harness/base/numbers.h"
#include "harness/experiment/checkpoint_model.h"
#include "harness/formats/container.h"
#include "harness/inspect/card_text.h"
#include "harness/inspect/word_order.h"
#include "harness/measure/position_card.h"
#include "harness/model/transformer.h"
#include "reports/text_table.h"

namespace lw {
namespace {

PositionCard card_of(const CheckpointModel& m, int64_t length) {
  const PositionCardOptions options{length, length > 0 ? length : m.train_length, false};
  return position_card(m.position.scheme(), m.position.shape(), options, [&] { return m.position.build(); });
}

/// Tokens, and the rows that they have in the embedding: files often have more of these. Only the reason where there
/// is no tokenizer.
Json tokenizer_of(const CheckpointModel& m) {
  const int64_t rows = m.checkpoint().model.model.vocabulary;
  const std::string none = m.source->why_no_text();
  if (!none.empty()) return Json{{"rows", rows}, {"reason", none}};
  const Tokenizer& t = m.source->text().tokenizer();
  const Json begin = t.prefix().empty() ? Json(nullptr) : Json(t.id_to_token(t.prefix().front()));
  return Json{{"rows", rows}, {"tokens", t.size()}, {"begin", begin}, {"cuts", t.cuts()}};
}

std::string tokenizer_words(const Json& tokenizer) {
  if (tokenizer.contains("reason")) return "none: " + tokenizer.at("reason").get<std::string>();
  const Json& begin = tokenizer.at("begin");
  return format_grouped(tokenizer.at("tokens").get<int64_t>()) + " tokens, " +
         format_grouped(tokenizer.at("rows").get<int64_t>()) + " rows of the embedding; " +
         (begin.is_null() ? "no BOS" : "a text begins with " + begin.dump());
}

/// What another order of the words does to the states; only the reason where there is no tokenizer.
Json order_of(const CheckpointModel& m) {
  try {
    return measure_order(*m.transformer, m.source->text().tokenizer());
  } catch (const Error& e) {
    return Json{{"reason", e.what()}};
  }
}

Json to_json(const CheckpointModel& m, const Json& tokenizer, const PositionCard& card, const Json& order) {
  Json values = Json::array(), used = Json::array();
  for (const auto& v : m.checkpoint().values)
    values.push_back({{"key", v.key}, {"value", v.value}, {"origin", v.origin}});
  for (const auto& w : m.weights.used) used.push_back({{"ours", w.ours}, {"theirs", w.theirs}, {"how", w.how}});
  return Json{{"family", m.checkpoint().family->name},
              {"model", m.checkpoint().model.model.summary()},
              {"vocabulary", m.checkpoint().model.model.vocabulary},
              {"tokenizer", tokenizer},
              {"parameters", m.transformer->count_parameters()},
              {"train_length", {{"declared", m.checkpoint().model.train_length}, {"used", m.train_length}}},
              {"position", to_json(card)},
              {"order", order},
              {"values", values},
              {"weights", {{"used", used}, {"ignored", m.weights.ignored}, {"left_out", m.weights.left_out}}},
              {"notes", m.source->notes()}};
}

void print_list(const char* title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::printf("%s\n", wrapped(std::string(title) + join(names), 100, "  ", "    ").c_str());
}

void print(const CheckpointModel& m, const Json& tokenizer, const PositionCard& card, const Json& order, bool color) {
  const ModelConfig& model = m.checkpoint().model.model;
  std::printf("%s\n", painted(m.source->name(), Paint::kBold, color).c_str());
  std::printf("  family      %s: %s\n", std::string(m.checkpoint().family->name).c_str(),
              std::string(m.checkpoint().family->summary).c_str());
  std::printf("  model       %s, vocabulary %s, %s parameters\n", model.summary().c_str(),
              format_grouped(model.vocabulary).c_str(), format_grouped(m.transformer->count_parameters()).c_str());
  std::printf("  stored as   %s\n", m.source->stored().c_str());
  std::printf("%s\n", wrapped("tokenizer   " + tokenizer_words(tokenizer), 100, "  ", "              ").c_str());
  if (tokenizer.contains("cuts")) std::printf("  cut by      %s\n", tokenizer.at("cuts").get<std::string>().c_str());
  std::printf("  trained to  %s tokens%s\n\n", format_grouped(m.train_length).c_str(),
              m.train_length == m.checkpoint().model.train_length ? ", as the file says" : "");
  std::printf("%s\n%s\n", painted("position card", Paint::kBold, color).c_str(), card_text(card, color).c_str());
  std::printf("%s\n%s\n", painted("the same words in another order", Paint::kBold, color).c_str(),
              order_text(order, color).c_str());
  TextTable table({{"value"}, {"is", false, true}, {"from", false, true}}, 1);
  for (const auto& v : m.checkpoint().values) table.add({{v.key}, {v.value}, {v.origin}});
  std::printf("%s\n%s\n", painted("what was read, and what was filled in", Paint::kBold, color).c_str(),
              table.str(120, color).c_str());
  std::printf("%s\n  %s tensors became %s parameters\n", painted("weights", Paint::kBold, color).c_str(),
              format_grouped(int64_t(m.checkpoint().container->tensors().size())).c_str(),
              format_grouped(int64_t(m.weights.used.size())).c_str());
  print_list("change nothing: ", m.weights.ignored);
  print_list("left out, of the position scheme that was replaced: ", m.weights.left_out);
  for (const auto& note : m.source->notes()) std::printf("%s\n", wrapped("note: " + note, 100, "  ", "    ").c_str());
}

}  // namespace

bool is_checkpoint_path(const std::string& path) {
  if (!locate_checkpoint(path).id.empty()) return true;
  const std::filesystem::path p(path);
  std::error_code unknown;
  if (std::filesystem::is_directory(p, unknown)) return true;
  const auto ending = p.extension();
  return std::filesystem::exists(p, unknown) && ending != ".yaml" && ending != ".yml";
}

int inspect_checkpoint(const std::string& path, const std::vector<std::string>& sets, const std::string& pre,
                       int64_t length, bool json) {
  CheckpointOptions options;
  options.path = path;
  options.sets = sets;
  options.pre = pre;
  const CheckpointModel model = load_model(options);
  for (const auto& warning : model.position.warnings()) log_warning(warning);
  const PositionCard card = card_of(model, length);
  const Json tokenizer = tokenizer_of(model), order = order_of(model);
  if (json)
    std::printf("%s\n", to_json(model, tokenizer, card, order).dump(2).c_str());
  else
    print(model, tokenizer, card, order, color_on_stdout());
  return card_disagreements(card).empty() ? 0 : kExitDisagrees;
}

}  // namespace lw
