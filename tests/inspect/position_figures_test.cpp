// Figures show every kind of layer.
#include "harness/inspect/position_figures.h"

#include <algorithm>

#include "harness/inspect/scheme_options.h"
#include "tests/catch_torch.h"

namespace lw {
namespace {

std::string decay_of(const std::string& yaml) {
  const PositionSetting setting = PositionSetting::parse(parse_yaml(yaml, "test"), described_shape());
  for (const auto& figure : position_figures("x", setting, 0, 64))
    if (figure.name == "decay") return figure.svg;
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the decay figure has a line for each kind of layer, whichever comes first", "[figures]") {
  const std::string kinds = "kinds: {rope: {scheme: rope}, nope: {scheme: none}}}";
  for (const std::string order : {"[rope, nope]", "[nope, rope]"}) {
    INFO(order);
    const std::string svg = decay_of("{scheme: layered, layers: " + order + ", " + kinds);
    CHECK(has(svg, "layers like 0"));
    CHECK(has(svg, "layers like 1"));
  }
  CHECK_FALSE(has(decay_of("{scheme: rope}"), "layers like"));
  CHECK_FALSE(decay_of("{scheme: rope}").empty());
}

}  // namespace lw
