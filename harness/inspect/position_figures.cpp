#include "harness/inspect/position_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "encodings/tensor.h"
#include "harness/base/json_read.h"
#include "harness/base/numbers.h"
#include "harness/measure/position_card.h"
#include "harness/measure/position_claims.h"
#include "reports/figures/field_map.h"
#include "reports/figures/line_chart.h"

namespace lw {
namespace {
using Json = nlohmann::ordered_json;

/// What all figures of one setting are drawn from.
struct Source {
  const PositionSetting& setting;
  ModelShape shape;
  int64_t train_length, deployed;  // tokens
  std::vector<std::string> applies_to;
  std::string name;

  std::shared_ptr<PositionEncoding> encoding() const {
    return fresh_encoding([&] { return setting.build(); });
  }
  bool touches(const char* place) const {
    return std::find(applies_to.begin(), applies_to.end(), place) != applies_to.end();
  }
  /// Positions from 0 that a figure may ask for, up to what the setting is to reach.
  int64_t reach(int64_t most) const {
    const int64_t wanted = std::min(most, std::max<int64_t>(deployed, 16));
    return std::min(wanted, encoding()->max_positions().value_or(wanted));
  }
};

std::vector<std::vector<double>> to_rows(const at::Tensor& x_RC) {
  const auto x = x_RC.contiguous();
  std::vector<std::vector<double>> rows;
  for (int64_t r = 0; r < x.size(0); ++r)
    rows.emplace_back(x.data_ptr<double>() + r * x.size(1), x.data_ptr<double>() + (r + 1) * x.size(1));
  return rows;
}

/// About `count` round numbers from 0 to `last`.
std::vector<std::pair<double, std::string>> round_ticks(int64_t last, int64_t count) {
  int64_t step = 1;
  while (last / step > count) step *= step % 5 == 0 || step == 1 ? 2 : step % 2 == 0 && last / step > 2 * count ? 5 : 2;
  std::vector<std::pair<double, std::string>> ticks;
  for (int64_t at = 0; at <= last; at += step) ticks.emplace_back(double(at), format_grouped(at));
  return ticks;
}

PositionFigure field_figure(const Source& source, const at::Tensor& field_DT, const std::string& what,
                            const std::string& y_label) {
  FieldMap map;
  map.title = source.name + ": " + what;
  map.label = map.title + ", channel by position";
  map.x_label = "position";
  map.y_label = y_label;
  map.rows = to_rows(field_DT);
  map.limit = std::max(1e-12, field_DT.abs().max().item<double>());
  map.x_ticks = round_ticks(field_DT.size(1) - 1, 8);
  map.y_ticks = round_ticks(field_DT.size(0) - 1, 8);
  return {"encoding", standalone_svg(draw(map))};
}

/// The vector whose rotation shows cosines and sines: 1 on the first channel of each pair and on channels that do not
/// rotate, 0 on the second. Pairs are found by rotating each channel alone, so any layout is drawn right.
at::Tensor first_of_pairs(PositionEncoding& encoding, const Source& source, int64_t layer) {
  const int64_t width = source.shape.head_width, tokens = std::max<int64_t>(2, source.reach(64));
  const auto pos = measure_positions(0, tokens);
  auto first_E = at::ones({width}, at::kDouble);
  for (int64_t channel = 0; channel < width; ++channel) {
    auto one = at::zeros({1, source.shape.heads, tokens, width}, at::kDouble);
    one.select(-1, channel).fill_(1);
    auto turned_E = encoding.rotate_key(one, {pos, pos, layer, nullptr}).abs().amax({0, 1, 2});
    turned_E[channel] = 0;
    const int64_t partner = turned_E.argmax().item<int64_t>();
    if (turned_E[partner].item<double>() > 1e-12 && partner < channel) first_E[channel] = 0;
  }
  return first_E;
}

/// The first layer on which keys are touched: schemes may leave layers without positions.
std::optional<PositionFigure> rotated_keys(const Source& source) {
  const auto encoding = source.encoding();
  const int64_t tokens = source.reach(200);
  const auto pos = measure_positions(0, tokens);
  for (const int64_t layer : source.encoding()->layers_of_each_kind()) {
    const auto first_E = first_of_pairs(*encoding, source, layer);
    const auto key = first_E.expand({1, source.shape.heads, tokens, source.shape.head_width}).contiguous();
    const auto rotated = encoding->rotate_key(key, {pos, pos, layer, nullptr});
    if (measure_gap(rotated, key) <= kMeasureTolerance) continue;
    return field_figure(source, rotated.select(0, 0).select(0, 0).t(), "cosine and sine of each pair, by channel",
                        "channel of a head");
  }
  return std::nullopt;
}

std::optional<PositionFigure> encoding_figure(const Source& source) {
  if (source.touches("input")) {
    const auto codes_TD = input_codes(*source.encoding(), source.shape, measure_positions(0, source.reach(200)));
    return field_figure(source, codes_TD.t(), "code added to the input", "channel");
  }
  return source.touches("key") ? rotated_keys(source) : std::nullopt;
}

/// One line a head, at most eight of them, spread over all; one for all where heads are alike.
std::vector<ChartSeries> head_series(const at::Tensor& every_HN) {
  std::vector<ChartSeries> out;
  const bool alike = measure_gap(every_HN, every_HN.narrow(0, 0, 1).expand_as(every_HN)) <= kMeasureTolerance;
  const auto value_HN = alike ? every_HN.narrow(0, 0, 1) : every_HN;
  const int64_t heads = value_HN.size(0), shown = std::min<int64_t>(heads, 8);
  const auto rows = to_rows(value_HN);
  for (int64_t i = 0; i < shown; ++i) {
    const int64_t head = shown < 2 ? 0 : i * (heads - 1) / (shown - 1);
    ChartSeries series{alike ? "every head" : "head " + std::to_string(head), {int(i), int(i)}, {}, {}, true};
    for (size_t d = 0; d < rows[size_t(head)].size(); ++d)
      if (std::isfinite(rows[size_t(head)][d]))
        series.points.push_back({double(d), rows[size_t(head)][d], std::nullopt, {}, ""});
    if (!series.points.empty()) out.push_back(std::move(series));
  }
  return out;
}

LineChart by_distance(const Source& source, int64_t last, const std::string& what, const std::string& y_label) {
  LineChart chart;
  chart.label = source.name + ": " + what;
  chart.x_label = source.name + ": " + what + ", by distance in tokens";
  chart.y_label = y_label;
  chart.log2_x = false;
  chart.width = 620;
  chart.whole_range = true;
  chart.x_ticks = round_ticks(last, 8);
  chart.trained = {double(source.train_length)};
  return chart;
}

/// With zeros for queries and keys what is left is the bias; schemes that multiply need some content to show.
std::optional<PositionFigure> bias_figure(const Source& source) {
  const int64_t count = source.reach(512);
  if (!source.touches("logits") || count < 2) return std::nullopt;
  for (const int64_t layer : source.encoding()->layers_of_each_kind()) {
    const auto encoding = source.encoding();
    auto bias_HN = logits_by_distance(*encoding, source.shape, layer, count, {});
    std::string what = "bias on the logits";
    if (bias_HN.nan_to_num().abs().max().item<double>() == 0) {
      const auto one = at::ones({1, source.shape.heads, source.shape.head_width}, at::kDouble);
      const auto plain = PositionSetting::none(source.shape).build();
      bias_HN = logits_by_distance(*encoding, source.shape, layer, count, one) -
                logits_by_distance(*plain, source.shape, layer, count, one);
      what = "change of the logit of equal q and k";
    }
    LineChart chart = by_distance(source, count - 1, what, "logit");
    chart.series = head_series(bias_HN);
    if (!chart.series.empty()) return PositionFigure{"bias", standalone_svg(draw(chart))};
  }
  return std::nullopt;
}

/// "1", "10", "1k", "100k", "1M", "1e9".
std::string power_words(int power) {
  const std::string digits = format_number(std::pow(10, power % 3));
  if (power > 8) return "1e" + std::to_string(power);
  return digits + (power < 3 ? "" : power < 6 ? "k" : "M");
}

std::vector<double> wavelengths_of(const PositionEncoding& encoding, int64_t length) {
  for (const auto& f : encoding.facts(length))
    if (f.name == "wavelengths") return f.numbers;
  return {};
}

ChartSeries wavelength_series(const std::string& name, int style, const std::vector<double>& wavelengths) {
  ChartSeries series{name, {style, style}, {}, {}, wavelengths.size() > 64};
  for (size_t i = 0; i < wavelengths.size(); ++i)
    if (std::isfinite(wavelengths[i]))
      series.points.push_back({double(i),
                               std::log10(wavelengths[i]),
                               std::nullopt,
                               {},
                               "pair " + std::to_string(i) + ": " + format_fixed(wavelengths[i], 1) + " positions"});
  return series;
}

std::optional<PositionFigure> wavelength_figure(const Source& source, int64_t length) {
  const auto now = wavelengths_of(*source.encoding(), length);
  if (now.empty()) return std::nullopt;
  LineChart chart;
  chart.label = source.name + ": wavelength of each pair";
  chart.x_label = source.name + ": pair; above a dotted line it never finishes a rotation";
  chart.y_label = "positions to a full rotation";
  chart.log2_x = false;
  chart.x_ticks = round_ticks(int64_t(now.size()) - 1, 8);
  double longest = std::log10(double(source.deployed));
  std::vector<double> plain;
  if (!source.setting.added_after_training().empty()) plain = wavelengths_of(*source.setting.trained().build(), length);
  for (const auto& list : {now, plain})
    for (const double w : list)
      if (std::isfinite(w)) longest = std::max(longest, std::log10(w));
  for (int power = 0; power <= int(std::ceil(longest)); ++power) chart.y_ticks.emplace_back(power, power_words(power));
  const auto level = [&](int64_t tokens, const std::string& what) {
    chart.levels.emplace_back(std::log10(double(tokens)), what + " " + format_grouped(tokens));
  };
  level(source.train_length, "trained to");
  if (source.deployed > source.train_length) level(source.deployed, "to reach");
  if (!plain.empty()) chart.series.push_back(wavelength_series("unscaled", 1, plain));
  chart.series.push_back(wavelength_series(plain.empty() ? "wavelength" : "scaled", 0, now));
  return PositionFigure{"wavelengths", standalone_svg(draw(chart))};
}

/// Logits between a query and keys of the same content, by distance, for each of many draws: [draws x H, count].
at::Tensor like_logits(const Source& source, int64_t layer, int64_t count) {
  constexpr int64_t kDraws = 48;
  const auto encoding = source.encoding();
  const ModelShape& shape = source.shape;
  const auto weight = measure_draws({shape.width, shape.heads * shape.head_width}, 5) / std::sqrt(double(shape.width));
  const auto pos = measure_positions(0, count);
  std::vector<at::Tensor> drawn;
  for (int64_t i = 0; i < kDraws; ++i) {
    const auto x = measure_draws({1, 1, shape.width}, uint64_t(100 + i)).expand({1, count, shape.width});
    const auto head =
        at::matmul(encoding->embed(x, pos), weight).view({1, count, shape.heads, shape.head_width}).transpose(1, 2);
    drawn.push_back(last_query_logits(*encoding, head, layer));
  }
  return at::cat(drawn, 0).to(at::kDouble);
}

/// Mean over draws and heads, with its 95 % interval.
ChartSeries mean_series(const std::string& name, int style, const at::Tensor& all_SN) {
  const auto mean_N = all_SN.mean(0),
             error_N = (all_SN - mean_N).square().mean(0).sqrt() * (1.96 / std::sqrt(double(all_SN.size(0))));
  ChartSeries series{name, {style, style}, {}, {}, true};
  for (int64_t d = 0; d < all_SN.size(1); ++d) {
    const double mean = mean_N[d].item<double>(), error = error_N[d].item<double>();
    if (std::isfinite(mean)) series.points.push_back({double(d), mean, Interval{mean - error, mean + error}, {}, ""});
  }
  return series;
}

/// A line for each kind of layer.
std::optional<PositionFigure> decay_figure(const Source& source) {
  const int64_t count = source.reach(512);
  if (count < 2) return std::nullopt;
  const auto layers = source.encoding()->layers_of_each_kind();
  LineChart chart = by_distance(source, count - 1, "logit of a random query and a like key", "logit");
  for (size_t i = 0; i < layers.size(); ++i) {
    const std::string name = layers.size() == 1 ? "mean" : "layers like " + std::to_string(layers[i]);
    auto series = mean_series(name, int(i), like_logits(source, layers[i], count));
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) return std::nullopt;
  return PositionFigure{"decay", standalone_svg(draw(chart))};
}

}  // namespace

std::vector<PositionFigure> position_figures(const std::string& name, const PositionSetting& setting, int64_t length,
                                             int64_t deployed) {
  at::NoGradGuard no_grad;
  const ModelShape& shape = setting.shape();
  const PositionCard card = position_card(setting.scheme(), shape, {0, 0, false}, [&] { return setting.build(); });
  const int64_t state = length > 0 ? length : shape.train_length;
  const Source source{setting, shape, shape.train_length, length > 0 ? length : deployed, card.applies_to, name};
  std::vector<PositionFigure> out;
  for (auto& figure :
       {encoding_figure(source), bias_figure(source), wavelength_figure(source, state), decay_figure(source)})
    if (figure) out.push_back(*figure);
  return out;
}

}  // namespace lw
