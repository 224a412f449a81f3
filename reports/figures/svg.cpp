#include "reports/figures/svg.h"

#include <cmath>

#include "harness/base/numbers.h"
#include "harness/base/printable.h"

namespace lw {

std::string escaped(std::string_view raw) {
  const std::string text = find_invisible(raw) == raw.npos ? std::string(raw) : visible(raw);
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string px(double value) { return format_number(std::round(value * 10) / 10 + 0.0); }

std::string mark(int shape, double x, double y) {
  const auto at = [&](const std::string& rest) {
    return "<path class=\"mk\" d=\"M" + px(x) + " " + px(y) + rest + "\"/>";
  };
  switch (shape % kMarks) {
    case 0:
      return "<circle class=\"mk\" cx=\"" + px(x) + "\" cy=\"" + px(y) + "\" r=\"3.6\"/>";
    case 1:
      return svg_rect("mk", x - 3.2, y - 3.2, 6.4, 6.4);
    case 2:
      return at("m0 -4.6l4.4 7.6h-8.8z");  // triangle
    case 3:
      return at("m0 -4.7l4.7 4.7l-4.7 4.7l-4.7 -4.7z");  // diamond
    case 4:
      return at("m0 4.6l4.4 -7.6h-8.8z");  // triangle on its tip
    case 5:
      return at("m-1.3 -4.3h2.6v3h3v2.6h-3v3h-2.6v-3h-3v-2.6h3z");  // plus
    case 6:
      return at("m-4.2 -4.6l4.2 2.9l4.2 -2.9v6l-4.2 3.2l-4.2 -3.2z");  // shield
    default:
      return at("m-4.4 -1.6h8.8v3.2h-8.8z");  // bar
  }
}

double text_pixels(std::string_view text, bool bold) {
  double width = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;
    width += c == 'i' || c == 'l' || c == '.' || c == ',' || c == ' ' || c == '-' ? 4.2
             : c == 'm' || c == 'w'                                               ? 10.2
                                                                                  : 7;
  }
  return width * (bold ? 1.08 : 1);
}

std::string svg_text(std::string_view cls, double x, double y, std::string_view text, std::string_view anchor) {
  std::string out = "<text class=\"" + std::string(cls) + "\" x=\"" + px(x) + "\" y=\"" + px(y) + "\"";
  if (anchor != "start") out += " text-anchor=\"" + std::string(anchor) + "\"";
  return out + ">" + escaped(text) + "</text>";
}

std::string svg_line(std::string_view cls, double x1, double y1, double x2, double y2) {
  return "<line class=\"" + std::string(cls) + "\" x1=\"" + px(x1) + "\" y1=\"" + px(y1) + "\" x2=\"" + px(x2) +
         "\" y2=\"" + px(y2) + "\"/>";
}

std::string svg_rect(std::string_view cls, double x, double y, double width, double height) {
  return "<rect" + (cls.empty() ? "" : " class=\"" + std::string(cls) + "\"") + " x=\"" + px(x) + "\" y=\"" + px(y) +
         "\" width=\"" + px(width) + "\" height=\"" + px(height) + "\"/>";
}

std::string svg_root(double width, double height, std::string_view label, std::string_view body) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + px(width) + " " + px(height) + "\" width=\"" +
         px(width) + "\" height=\"" + px(height) + "\" role=\"img\" aria-label=\"" + escaped(label) + "\">" +
         std::string(body) + "</svg>";
}

}  // namespace lw
