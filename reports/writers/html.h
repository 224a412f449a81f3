// Tables for HTML pages.
#pragma once
#include <functional>
#include <string>

#include "reports/tables/table.h"

namespace lw {

/// The name of a variant as HTML: behind a dot of its colour.
using VariantHtml = std::function<std::string(const std::string& variant)>;

/// Rows and legend; "" for a table without rows. @param titled with title and how to read it as a caption.
std::string write_html(const Table& table, const VariantHtml& variant = nullptr, bool titled = false);
/// A table of names and values as a list of definitions.
std::string html_list(const Table& table);

}  // namespace lw
