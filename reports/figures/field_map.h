// A field of many signed numbers as colours: rows by columns, blue below zero, red above.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace lw {

struct FieldMap {
  std::string label;  // what a screen reader says
  std::string title;  // over the field, may be empty
  std::string x_label, y_label;
  std::vector<std::vector<double>> rows;                         // all of one length; the first is drawn at the top
  double limit = 1;                                              // the strongest colours stand for -limit and +limit
  std::vector<std::pair<double, std::string>> x_ticks, y_ticks;  // at column and row numbers, from 0
  double width = 530;                                            // about that wide: cells are whole pixels
};

/// Fields of more than 96 rows or 240 columns are thinned by taking every second, third, ... of them.
std::string draw(const FieldMap& map);

}  // namespace lw
