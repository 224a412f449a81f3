#include "reports/writers/latex.h"

#include <array>
#include <string_view>
#include <utility>

namespace lw {
namespace {

constexpr size_t kMostRows = 40;    // on one page
constexpr size_t kMostColumns = 7;  // in normal size

constexpr std::array<std::pair<std::string_view, std::string_view>, 28> kSpecial = {{
    {"->", "$\\to$"},
    {">= ", "$\\ge$~"},
    {"<= ", "$\\le$~"},
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"$", "\\$"},
    {"&", "\\&"},
    {"#", "\\#"},
    {"%", "\\%"},
    {"_", "\\_"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"<", "$<$"},
    {">", "$>$"},
    {"|", "$|$"},
    {"[", "{[}"},  // at the start of a row it would be an option of the line break before
    {"]", "{]}"},
    {"\n", " "},
    {"\r", " "},
    {"\xC2\xB1", "$\\pm$"},
    {"\xC2\xB7", "$\\cdot$"},
    {"\xE2\x80\xA6", "\\ldots{}"},
    {"\xE2\x86\x92", "$\\to$"},
    {"\xE2\x88\x92", "$-$"},
    {"\xE2\x89\xA5", "$\\ge$"},
    {"\xE2\x89\xA4", "$\\le$"},
    {"\xE2\x9C\x95", "$\\times$"},
}};

/// The sign of a number is a minus, not a hyphen.
std::string cell_text(const std::string& text) {
  const bool minus = text.size() > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9';
  return minus ? "$-$" + latex_text(text.substr(1)) : latex_text(text);
}

std::string cell_latex(const TableCell& cell) {
  std::string out = cell_text(cell.text) + latex_text(cell.mark);
  if (!cell.low.empty()) out += " {\\scriptsize{[}" + cell_text(cell.low) + ", " + cell_text(cell.high) + "{]}}";
  if (!cell.n.empty()) out += " {\\scriptsize$n$~" + cell.n + "}";
  if (!cell.note.empty()) out += (out.empty() ? "(" : " (") + latex_text(cell.note) + ")";
  return out;
}

std::string row_latex(const Table& table, const TableRow& row) {
  if (row.cells.empty())
    return "\\multicolumn{" + std::to_string(table.columns.size()) + "}{l}{\\emph{" + latex_text(row.heading) +
           "}} \\\\\n";
  std::string out;
  for (const auto& [begin, end] : cell_runs(row)) {
    const std::string words = cell_latex(row.cells[begin]);
    if (begin > 0) out += " & ";
    out += end - begin == 1 ? words : "\\multicolumn{" + std::to_string(end - begin) + "}{c}{" + words + "}";
  }
  return out + " \\\\\n";
}

std::string column_spec(const Table& table) {
  size_t wide = 0;
  for (const auto& column : table.columns) wide += column.wraps ? 1 : 0;
  std::string out;
  for (const auto& column : table.columns) {
    const size_t percent = wide > 0 ? 72 / wide : 0;
    if (column.wraps)
      out += ">{\\raggedright\\arraybackslash}p{0." + std::string(percent < 10 ? "0" : "") + std::to_string(percent) +
             "\\linewidth}";
    else
      out += column.align == Align::kLeft ? "l" : "r";
  }
  return out;
}

std::string caption(const Table& table) {
  std::string out = latex_text(table.title) + ".";
  if (!table.how_to_read.empty()) out += " " + latex_text(table.how_to_read);
  for (const auto& [mark, meaning] : table.legend()) out += " " + latex_text(mark + ": " + meaning) + ".";
  for (const auto& note : table.notes) out += " " + latex_text(note) + ".";
  return "\\caption{" + out + "}\\label{tab:" + table.id + "}";
}

}  // namespace

const char* const kLatexPackages =
    "\\usepackage{array}\n\\usepackage{booktabs}\n\\usepackage{graphicx}\n\\usepackage{longtable}\n";

std::string latex_text(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i);
    bool special = false;
    for (const auto& [plain, latex] : kSpecial) {
      if (!rest.starts_with(plain)) continue;
      out += latex;
      i += plain.size();
      special = true;
      break;
    }
    if (!special) out += text[i++];
  }
  return out;
}

std::string write_latex(const Table& table) {
  if (table.empty()) return "";
  const bool long_table = table.rows.size() > kMostRows;
  std::string head;
  for (const auto& column : table.columns) head += (head.empty() ? "" : " & ") + latex_text(column.plain());
  std::string body = "\\toprule\n" + head + " \\\\\n\\midrule\n" + (long_table ? "\\endhead\n" : "");
  for (const auto& row : table.rows) body += row_latex(table, row);
  body += "\\bottomrule\n";
  if (long_table)
    return "{\\footnotesize\n\\begin{longtable}{" + column_spec(table) + "}\n" + caption(table) + " \\\\\n" + body +
           "\\end{longtable}}\n";
  bool wraps = false;
  for (const auto& column : table.columns) wraps = wraps || column.wraps;
  const bool shrunk = !wraps && table.columns.size() > kMostColumns;
  const std::string rows = "\\begin{tabular}{" + column_spec(table) + "}\n" + body + "\\end{tabular}";
  return "\\begin{table}[htbp]\n\\centering\\small\n" + caption(table) + "\n" +
         (shrunk ? "\\resizebox{\\linewidth}{!}{%\n" + rows + "}" : rows) + "\n\\end{table}\n";
}

}  // namespace lw
