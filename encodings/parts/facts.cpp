#include "encodings/parts/facts.h"

#include <utility>

#include "harness/base/text.h"

namespace lw {

CardFact text_fact(std::string name, std::string value) { return {std::move(name), std::move(value), {}}; }

CardFact flag_fact(std::string name, bool value) { return text_fact(std::move(name), value ? "true" : "false"); }

CardFact number_fact(std::string name, double value) { return {std::move(name), format_number(value), {value}}; }

CardFact list_fact(std::string name, std::vector<double> numbers) {
  std::string printed = plural(int64_t(numbers.size()), "number");
  if (!numbers.empty()) printed += ": " + format_number(numbers.front());
  if (numbers.size() > 1) printed += " ... " + format_number(numbers.back());
  return {std::move(name), std::move(printed), std::move(numbers), true};
}

}  // namespace lw
