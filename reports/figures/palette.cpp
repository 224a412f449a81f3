#include "reports/figures/palette.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace lw {
namespace {

// After Okabe and Ito (2008), darkened where the original is too faint for text on white, and more tones
// between them in lightness. The dark set keeps the hues.
constexpr std::array<const char*, kTones> kLight = {"#0072b2", "#d55e00", "#009e73", "#b4528b", "#b37700", "#2d9bd8",
                                                    "#6a51a3", "#7f4f24", "#7a8b00", "#1b3a63", "#e0567a", "#5f6368"};
constexpr std::array<const char*, kTones> kDark = {"#5fb0ea", "#ff8f4a", "#3ccf9f", "#e392c3", "#e8b33f", "#93d5ff",
                                                   "#b39ddb", "#c99a6b", "#c5d455", "#8fa9d6", "#ff93ab", "#b8bcc4"};

struct Rgb {
  double r, g, b;
};

std::string hex(const Rgb& c) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", static_cast<unsigned>(std::lround(c.r)),
                static_cast<unsigned>(std::lround(c.g)), static_cast<unsigned>(std::lround(c.b)));
  return text.data();
}

Rgb mixed(const Rgb& x, const Rgb& y, double t) {
  return {x.r + (y.r - x.r) * t, x.g + (y.g - x.g) * t, x.b + (y.b - x.b) * t};
}

/// Pale where nothing is left, strong where all is right: lightness alone carries the value.
std::string heat_color(int step, bool dark) {
  const double t = step / double(kHeatSteps - 1);
  const Rgb empty = dark ? Rgb{42, 40, 46} : Rgb{246, 240, 232};
  const Rgb middle = dark ? Rgb{30, 82, 128} : Rgb{134, 184, 221};
  const Rgb full = dark ? Rgb{132, 202, 255} : Rgb{0, 82, 138};
  return hex(t < 0.5 ? mixed(empty, middle, 2 * t) : mixed(middle, full, 2 * t - 1));
}

/// Blue below zero, red above, the paper's colour at zero: both sides darken alike, so that size shows without hue.
std::string field_color(int step, bool dark) {
  const double t = 2 * step / double(kFieldSteps - 1) - 1;
  const Rgb zero = dark ? Rgb{33, 33, 38} : Rgb{250, 249, 247};
  const Rgb side =
      t < 0 ? (dark ? Rgb{110, 180, 255} : Rgb{8, 81, 156}) : (dark ? Rgb{255, 140, 110} : Rgb{178, 34, 20});
  return hex(mixed(zero, side, std::pow(std::abs(t), 0.85)));
}

std::string tone_color(int tone, bool dark) { return (dark ? kDark : kLight)[static_cast<size_t>(tone)]; }

std::string field_css(bool dark) {
  std::string css;
  for (int step = 0; step < kFieldSteps; ++step)
    css += ".f" + std::to_string(step) + "{stroke:" + field_color(step, dark) + "}";
  return css;
}

}  // namespace

std::map<std::string, SeriesStyle> series_styles(const View& view) {
  std::map<std::string, SeriesStyle> styles;
  int next = 0;
  for (const auto& variant : view.variants())
    if (!view.setting(variant).scaled || view.baseline(variant).empty()) {
      styles[variant] = {next, next};
      ++next;
    }
  std::map<std::string, int> used;  // by baseline
  for (const auto& variant : view.variants()) {
    if (styles.contains(variant)) continue;
    const SeriesStyle& base = styles[view.baseline(variant)];
    int& count = used[view.baseline(variant)];
    if (count % kTones == base.tone % kTones) ++count;
    styles[variant] = {count, count};
    ++count;
  }
  return styles;
}

std::string figure_css(bool dark) {
  const std::string ink = dark ? "#ececf0" : "#1c1c1e", mute = dark ? "#a3a3ab" : "#62626a";
  const std::string rule = dark ? "#3a3a41" : "#dedee3", soft = dark ? "#212126" : "#f4f4f7";
  const std::string paper = dark ? "#17171a" : "#fff";
  std::string css = ".grid{stroke:" + rule + ";stroke-width:.8}.axis{stroke:" + mute +
                    "}.lab,.tick,.hint,.dim{fill:" + mute +
                    "}.tick,.cell{font-size:11.5px}.lab{font-size:12px}.hint{font-size:11px;paint-order:stroke;"
                    "stroke:" +
                    paper + ";stroke-width:3px;stroke-linejoin:round}";
  css += ".end{font-weight:600;font-size:12px}.head{fill:" + ink +
         ";font-weight:600;font-size:12.5px}.train{stroke:" + ink + ";stroke-dasharray:3 3}.zero{stroke:" + ink +
         "}.beyond,.held{fill:" + soft + "}.void{fill:none;stroke:" + rule + "}.chance{fill:none;stroke:" + mute +
         ";stroke-width:1.2;stroke-dasharray:1 3.5;stroke-linecap:round}";
  css +=
      ".ln{fill:none;stroke-width:1.9;stroke-linejoin:round}.thin{fill:none;stroke-width:1.1;opacity:.75}"
      ".leash{stroke-width:.8;opacity:.7}.early{stroke-dasharray:1 3}.rb{opacity:" +
      std::string(dark ? ".16" : ".11") + "}.many .rb{opacity:" + std::string(dark ? ".09" : ".06") +
      "}.seed{opacity:.45}.hit{fill:transparent}.mk{stroke:" + paper +
      ";stroke-width:.8}.span{stroke-width:2.4;stroke-linecap:round}";
  for (int tone = 0; tone < kTones; ++tone) {
    const std::string group = ".s" + std::to_string(tone) + " ", color = tone_color(tone, dark);
    css += group + ".ln," + group + ".thin," + group + ".leash," + group + ".span{stroke:" + color + "}" + group +
           ".mk," + group + ".rb," + group + ".seed," + group + ".end{fill:" + color + "}.d" + std::to_string(tone) +
           "{background:" + color + "}";
  }
  for (int step = 0; step < kHeatSteps; ++step) {
    const std::string name = ".h" + std::to_string(step);
    const bool light_text = dark ? step < 8 : step > 6;
    css += name + " rect{fill:" + heat_color(step, dark) + "}" + name +
           " text{fill:" + std::string(light_text ? "#fff" : "#1c1c1e") + "}";
  }
  return css;
}

std::string standalone_svg(std::string svg) {
  const std::string field = svg.find("class=\"f") == std::string::npos ? "" : field_css(false);
  const std::string style =
      "<style>text{font-family:Helvetica,Arial,\"DejaVu Sans\",sans-serif}" + figure_css(false) + field + "</style>";
  svg.insert(svg.find('>') + 1, style);
  return svg + "\n";
}

}  // namespace lw
