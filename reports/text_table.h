// Tables of fixed-width text: columns as wide as they must be, split into blocks where the screen ends.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lw {

enum class Paint { kNone, kBold, kDim, kGood, kBad, kWarn };

/// The text in ANSI colour, or as it is when `color` is false.
std::string painted(const std::string& text, Paint paint, bool color);
/// Text with every control character as \xNN, but for line feeds and, where there is colour, what painted() puts in.
std::string terminal_text(const std::string& text, bool color);
/// Columns a terminal needs for UTF-8 text without wide characters.
size_t text_width(std::string_view text);
/// Breaks at spaces; every line starts with `indent`, the first with `first` instead where given.
std::string wrapped(const std::string& text, size_t width, const std::string& indent);
std::string wrapped(const std::string& text, size_t width, const std::string& first, const std::string& indent);

class TextTable {
 public:
  struct Column {
    std::string head;
    bool border_before = false;  // a bar between this column and the one before
    bool left = false;           // set to the left although it is not fixed
  };
  struct Item {
    std::string text;
    Paint paint = Paint::kNone;
    bool span = false;  // runs on through the items after it that have the same text
  };

  /// The first `fixed` columns are repeated in every block and set to the left; the others to the right.
  TextTable(std::vector<Column> columns, size_t fixed) : columns_(std::move(columns)), fixed_(fixed) {}
  /// One item a column.
  void add(std::vector<Item> row);
  /// A line of its own between rows.
  void add_heading(const std::string& text) { rows_.push_back({{text}}); }
  std::string str(size_t width, bool color) const;

 private:
  struct Run;
  std::vector<Run> runs(const std::vector<Item>& row, size_t begin, size_t end) const;
  std::vector<size_t> widths() const;
  size_t room(const std::vector<size_t>& widths, size_t begin, size_t end) const;
  std::string line(const std::vector<Item>& row, const std::vector<size_t>& widths, size_t begin, size_t end,
                   bool color) const;

  std::vector<Column> columns_;
  size_t fixed_;
  std::vector<std::vector<Item>> rows_;
};

}  // namespace lw
