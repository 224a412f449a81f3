// Small pieces of SVG and HTML text: escaping, numbers, marks.
#pragma once
#include <string>
#include <string_view>

namespace lw {

/// For element text and attribute values of HTML and XML; characters that XML does not allow are dropped.
std::string escaped(std::string_view text);

/// A coordinate: one decimal, no trailing zero.
std::string px(double value);

/// One of kMarks shapes centred at (x, y), filled by the class of the series around it.
std::string mark(int shape, double x, double y);
inline constexpr int kMarks = 8;

/// Estimated width of text in the figures' font, in pixels.
double text_pixels(std::string_view text, bool bold = false);

/// <text> at (x, y). @param anchor "start", "middle" or "end".
std::string svg_text(std::string_view cls, double x, double y, std::string_view text,
                     std::string_view anchor = "start");
std::string svg_line(std::string_view cls, double x1, double y1, double x2, double y2);
std::string svg_rect(std::string_view cls, double x, double y, double width, double height);

/// The drawing wrapped in its root element, with a label for screen readers.
std::string svg_root(double width, double height, std::string_view label, std::string_view body);

}  // namespace lw
