#include "reports/figures/field_map.h"

#include <cmath>

#include "reports/figures/palette.h"
#include "tests/catch.h"
#include "tests/reports/markup.h"

namespace lw {
namespace {

FieldMap waves(size_t rows, size_t columns) {
  FieldMap map;
  map.title = "waves & <tides>";
  map.label = "waves";
  map.x_label = "position";
  map.y_label = "channel";
  for (size_t r = 0; r < rows; ++r) {
    auto& row = map.rows.emplace_back();
    for (size_t c = 0; c < columns; ++c) row.push_back(std::sin(double(c) / (1 + double(r))));
  }
  return map;
}

}  // namespace

TEST_CASE("a field is well-formed and small, also where it has to be thinned") {
  for (const auto& [rows, columns] : {std::pair<size_t, size_t>{1, 1}, {64, 200}, {1000, 5000}}) {
    const std::string svg = standalone_svg(draw(waves(rows, columns)));
    CHECK(fixture::markup_fault(svg) == "");
    CHECK(svg.size() < 300000);
    CHECK(svg.find("waves &amp; &lt;tides&gt;") != std::string::npos);
  }
}

TEST_CASE("a field's colours tell signs apart") {
  FieldMap map = waves(1, 1);
  const auto has = [&](double value, const std::string& cls) {
    map.rows = {{value}};
    return draw(map).find("<path class=\"" + cls + "\" d=\"M0 7") != std::string::npos;
  };
  CHECK(has(-1, "f0"));
  CHECK(has(-5, "f0"));
  CHECK(has(0, "f12"));
  CHECK(has(1, "f24"));
}

TEST_CASE("only files with a field carry its colours") {
  CHECK(standalone_svg("<svg><text class=\"tick\">x</text></svg>").find(".f12{") == std::string::npos);
  CHECK(standalone_svg(draw(waves(2, 2))).find(".f12{") != std::string::npos);
}

}  // namespace lw
