// Facts for the position card, printed one way.
#pragma once
#include <string>
#include <vector>

#include "encodings/position_encoding.h"

namespace lw {

CardFact text_fact(std::string name, std::string value);
CardFact flag_fact(std::string name, bool value);
/// Printed in the shortest form that reads back to the same double.
CardFact number_fact(std::string name, double value);
/// Printed as how many numbers there are and the first and last of them.
CardFact list_fact(std::string name, std::vector<double> numbers);

}  // namespace lw
