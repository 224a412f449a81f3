#include "reports/text_table.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/printable.h"

namespace lw {
namespace {

constexpr size_t kGap = 2;

std::string padded(const std::string& text, size_t width, bool right) {
  const size_t have = text_width(text);
  const std::string space(width > have ? width - have : 0, ' ');
  return right ? space + text : text + space;
}

}  // namespace

std::string painted(const std::string& text, Paint paint, bool color) {
  if (!color || paint == Paint::kNone || text.empty()) return text;
  const char* code = paint == Paint::kBold   ? "1"
                     : paint == Paint::kDim  ? "2"
                     : paint == Paint::kGood ? "32"
                     : paint == Paint::kBad  ? "31"
                                             : "33";
  return "\x1b[" + std::string(code) + "m" + text + "\x1b[0m";
}

std::string terminal_text(const std::string& text, bool color) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t next = std::min(text.find_first_of("\n\x1b", at), text.size());
    out += visible(std::string_view(text).substr(at, next - at));
    at = next;
    if (at == text.size()) break;
    size_t end = at + 1;  // of a line feed, or of "\x1b[31m"
    if (color && text[at] == '\x1b' && text.compare(end, 1, "[") == 0) {
      const size_t last = text.find_first_not_of("0123456789", end + 1);
      if (last != std::string::npos && text[last] == 'm' && last - end <= 3) end = last + 1;
    }
    const bool kept = text[at] == '\n' || end > at + 1;
    out += kept ? text.substr(at, end - at) : visible(text.substr(at, end - at));
    at = end;
  }
  return out;
}

size_t text_width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string wrapped(const std::string& text, size_t width, const std::string& indent) {
  return wrapped(text, width, indent, indent);
}

std::string wrapped(const std::string& text, size_t width, const std::string& first, const std::string& indent) {
  std::string out = first;
  size_t used = text_width(first);
  bool fresh = true;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (!fresh && used + 1 + text_width(word) > width) {
      out += "\n" + indent;
      used = text_width(indent);
    } else if (!fresh) {
      out += ' ';
      ++used;
    }
    fresh = false;
    out += word;
    used += text_width(word);
  }
  return out;
}

/// Neighbouring items that are printed as one.
struct TextTable::Run {
  size_t begin, end;
  const Item* item;
};

void TextTable::add(std::vector<Item> row) {
  LW_CHECK(row.size() == columns_.size(), "a row has one item a column");
  rows_.push_back(std::move(row));
}

std::vector<TextTable::Run> TextTable::runs(const std::vector<Item>& row, size_t begin, size_t end) const {
  std::vector<Run> result;
  for (size_t i = begin; i < end; ++i) {
    const bool joins = !result.empty() && row[i].span && result.back().item->span &&
                       row[i].text == result.back().item->text && !columns_[i].border_before;
    if (joins)
      result.back().end = i + 1;
    else
      result.push_back({i, i + 1, &row[i]});
  }
  return result;
}

size_t TextTable::room(const std::vector<size_t>& widths, size_t begin, size_t end) const {
  size_t total = 0;
  for (size_t i = begin; i < end; ++i)
    total += widths[i] + (i > begin ? kGap + (columns_[i].border_before ? 2 : 0) : 0);
  return total;
}

std::vector<size_t> TextTable::widths() const {
  std::vector<size_t> result;
  for (const auto& column : columns_) result.push_back(text_width(column.head));
  for (const auto& row : rows_) {
    if (row.size() != columns_.size()) continue;
    for (size_t i = 0; i < row.size(); ++i)
      if (!row[i].span) result[i] = std::max(result[i], text_width(row[i].text));
  }
  for (const auto& row : rows_) {
    if (row.size() != columns_.size()) continue;
    for (const auto& run : runs(row, 0, row.size())) {
      const size_t have = room(result, run.begin, run.end), need = text_width(run.item->text);
      if (need > have) result[run.end - 1] += need - have;
    }
  }
  return result;
}

std::string TextTable::line(const std::vector<Item>& row, const std::vector<size_t>& widths, size_t begin, size_t end,
                            bool color) const {
  std::string out;
  const auto put = [&](size_t from, size_t to) {
    for (const auto& run : runs(row, from, to)) {
      if (!out.empty()) out += columns_[run.begin].border_before ? "  | " : "  ";
      const size_t space = room(widths, run.begin, run.end);
      const std::string text =
          padded(run.item->text, space, run.begin >= fixed_ && !run.item->span && !columns_[run.begin].left);
      out += painted(text, run.item->paint, color);
    }
  };
  put(0, fixed_);
  put(begin, end);
  if (!color) out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

std::string TextTable::str(size_t width, bool color) const {
  const auto columns = widths();
  std::vector<Item> head;
  for (const auto& column : columns_) head.push_back({column.head, Paint::kBold, false});
  const size_t left = room(columns, 0, fixed_);
  std::string out;
  for (size_t begin = fixed_; begin < columns_.size();) {
    size_t end = begin + 1;
    while (end < columns_.size() && left + kGap + 2 + room(columns, begin, end + 1) <= width) ++end;
    if (begin > fixed_) out += "\n";
    out += line(head, columns, begin, end, color);
    for (const auto& row : rows_)
      out += row.size() == columns_.size() ? line(row, columns, begin, end, color)
                                           : painted(row.front().text, Paint::kDim, color) + "\n";
    begin = end;
  }
  return out;
}

}  // namespace lw
