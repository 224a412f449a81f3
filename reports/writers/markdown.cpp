#include "reports/writers/markdown.h"

#include <string_view>

namespace lw {
namespace {

std::string line(const Table& table, const TableRow& row) {
  std::string out = "|";
  if (row.cells.empty()) {
    out += " **" + markdown_text(row.heading) + "** |";
    for (size_t i = 1; i < table.columns.size(); ++i) out += "  |";
    return out + "\n";
  }
  for (const auto& cell : row.cells) out += " " + markdown_text(cell.plain()) + " |";
  return out + "\n";
}

}  // namespace

std::string markdown_text(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool link = text[i] == ']' && i + 1 < text.size() && (text[i + 1] == '(' || text[i + 1] == ':');
    if (link || std::string_view("\\`*_<>|#").find(text[i]) != std::string_view::npos) out += '\\';
    out += text[i] == '\n' ? ' ' : text[i];
  }
  return out;
}

std::string write_markdown(const Table& table, const std::string& heading) {
  if (table.empty()) return "";
  std::string out = table.title.empty() || table.title == heading ? "" : "**" + markdown_text(table.title) + ".**";
  if (!table.how_to_read.empty()) out += (out.empty() ? "" : " ") + markdown_text(table.how_to_read);
  if (!out.empty()) out += "\n\n";
  out += "|";
  for (const auto& column : table.columns) out += " " + markdown_text(column.plain()) + " |";
  out += "\n|";
  for (const auto& column : table.columns) out += column.align == Align::kLeft ? "---|" : "---:|";
  out += "\n";
  for (const auto& row : table.rows) out += line(table, row);
  for (const auto& [mark, meaning] : table.legend()) out += "\n" + markdown_text(mark + ": " + meaning) + ".\n";
  if (!table.notes.empty()) out += "\n";
  for (const auto& note : table.notes) out += "- " + markdown_text(note) + "\n";
  return out;
}

}  // namespace lw
