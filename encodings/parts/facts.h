// Makes the facts of a position card, so that every scheme prints its numbers in the same form.
#pragma once
#include <string>
#include <vector>

#include "encodings/position_encoding.h"

namespace lw {

[[nodiscard]] CardFact text_fact(std::string name, std::string value);
[[nodiscard]] CardFact flag_fact(std::string name, bool value);
/// Printed in the shortest form that reads back to the same double.
[[nodiscard]] CardFact number_fact(std::string name, double value);
/// Printed as the count of the numbers, with the first and the last of them.
[[nodiscard]] CardFact list_fact(std::string name, std::vector<double> numbers);

}  // namespace lw
