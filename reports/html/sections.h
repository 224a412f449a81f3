// The sections of report.html, one function each; empty text where the run has nothing to show.
#pragma once
#include <string>

#include "reports/figures/figures.h"
#include "reports/html/elements.h"
#include "reports/writers/html.h"

namespace lw {

/// What the sections are made from.
struct PageSource {
  const Summary& summary;
  const View& view;
  const FigureMaker& figures;
};

std::string verdict_section(const PageSource& source);
std::string length_section(const PageSource& source);
std::string distance_section(const PageSource& source);
std::string depth_section(const PageSource& source);
std::string order_swap_section(const PageSource& source);
std::string likelihood_section(const PageSource& source);
std::string short_section(const PageSource& source);
std::string effective_section(const PageSource& source);
std::string checkpoint_section(const PageSource& source);
std::string training_section(const PageSource& source);
std::string card_section(const PageSource& source);
std::string reproduce_section(const PageSource& source);

/// Writes a variant's name behind a dot of its colour.
VariantHtml variant_dots(const PageSource& source);

}  // namespace lw
