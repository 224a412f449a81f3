// Labels under a grid: what does not fit its column stands in two lines, and the figure has room for both.
#include "reports/figures/heat_map.h"

#include <string>

#include "tests/catch.h"

namespace lw {
namespace {

double height_of(const std::string& svg) {
  const size_t at = svg.find("height=\"");
  REQUIRE(at != std::string::npos);
  return std::stod(svg.substr(at + 8));
}

HeatMap grid(std::vector<std::string> columns) {
  HeatMap map;
  map.label = "loss by distance";
  map.rows = {"rope"};
  map.cells = {std::vector<HeatCell>(columns.size(), HeatCell{"0.5", 0.5, ""})};
  map.columns = std::move(columns);
  return map;
}

bool has(const std::string& svg, const std::string& part) { return svg.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a range too wide for its column stands in two lines") {
  const std::string narrow = draw(grid({"0", "16-31", "64-127"})), wide = draw(grid({"0", "16-31", "16,384-32,767"}));
  CHECK(has(narrow, ">64-127</text>"));
  CHECK(has(wide, ">16-31</text>"));
  CHECK(has(wide, ">16,384-</text>"));
  CHECK(has(wide, ">32,767</text>"));
  CHECK_FALSE(has(wide, "16,384-32,767"));
  CHECK(height_of(wide) == height_of(narrow) + 13);
}

TEST_CASE("a wide label that is no range stays in one line") {
  CHECK(has(draw(grid({"0", "everything"})), ">everything</text>"));
}

}  // namespace lw
