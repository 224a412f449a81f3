#include "harness/results/position_card.h"

#include <cmath>

#include "harness/results/field_json.h"

namespace lw {
namespace {

/// Whole numbers are written whole: 8, not 8.0. An infinite number is written as null.
Json number_json(double number) {
  constexpr double kWhole = 9007199254740992.0;  // 2^53: float64 counts no farther
  if (std::abs(number) < kWhole && number == std::trunc(number)) return int64_t(number);
  return number;
}

Json fact_json(const SchemeFact& fact) {
  if (fact.numbers.empty() && !fact.list) return fact.text;
  if (!fact.list && fact.numbers.size() == 1) return number_json(fact.numbers.front());
  Json list = Json::array();
  for (const double number : fact.numbers) list.push_back(number_json(number));
  return list;
}

struct CardWriter : FieldWriter {
  using FieldWriter::FieldWriter;
  void rest(const std::vector<SchemeFact>& facts) {
    for (const auto& fact : facts) json_[fact.name] = fact_json(fact);
  }
};

class CardReader : public FieldReader {
 public:
  using FieldReader::FieldReader;
  void rest(std::vector<SchemeFact>& facts) { facts_ = &facts; }
  /// Whatever fields() did not name.
  void read_rest() {
    for (const auto& [key, value] : json_.items())
      if (!seen_.contains(key)) facts_->push_back(fact(key, value));
  }

 private:
  SchemeFact fact(const std::string& key, const Json& value) const {
    if (value.is_string()) return {key, value.get<std::string>(), {}};
    SchemeFact out{key, "", {}, value.is_array()};
    for (const auto& item : value.is_array() ? value : Json::array({value})) {
      if (!item.is_null() && !item.is_number())
        throw Error(ErrorKind::kInput,
                    place_ + ": " + key + ": " + found_what(json_shown(value)).allowed("words, a number or numbers"));
      out.numbers.push_back(item.is_null() ? std::numeric_limits<double>::infinity() : item.get<double>());
    }
    return out;
  }
  std::vector<SchemeFact>* facts_ = nullptr;
};

}  // namespace

std::vector<std::string> card_disagreements(const PositionCard& card) {
  std::vector<std::string> names;
  each_property(card, [&](const char* name, const CardProperty& property) {
    if (property.disagrees()) names.emplace_back(name);
  });
  return names;
}

Json to_json(const PositionCard& card) {
  Json json = Json::object();
  CardWriter io(json);
  fields(io, card);
  return json;
}

PositionCard position_card_from_json(const Json& json, const std::string& place) {
  PositionCard card;
  CardReader io(json, place);
  fields(io, card);
  io.read_rest();
  return card;
}

}  // namespace lw
