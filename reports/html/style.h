// The stylesheet of report pages.
#pragma once
#include <string>

namespace lw {

/// Light and dark by the reader's preference, narrow screens and print included; figures too.
std::string page_css();

}  // namespace lw
