// SPDX-License-Identifier: Apache-2.0
#include "sinew/render/plot.h"

#include <algorithm>
#include <cmath>

#include "render/chart.h"
#include "sinew/core/text.h"

namespace sinew {
namespace {

using namespace render_detail;

constexpr std::size_t kMostMarkers = 40;  // a series with more points is drawn without

Result<void> check_size(const PlotOptions& options) {
  if (options.width < 1 || options.height < 1 || options.width > kMaxImageSide ||
      options.height > kMaxImageSide || std::int64_t{options.width} * options.height > kMaxImagePixels)
    return usage_error("a plot must have 1 to " + std::to_string(kMaxImageSide) +
                       " pixels a side and at most " + std::to_string(kMaxImagePixels >> 20) +
                       " million in all");
  return {};
}

int ticks_for(int pixels) {
  return std::clamp(pixels / 90, 2, 10);
}

bool below_log(const Scale& scale, double value) {
  return scale.log && value <= 0;
}

void draw_curve(Chart& chart, const LineSeries& series, std::size_t index) {
  // Values beyond a named end leave the room for data; a point far outside only gives the line its direction.
  std::vector<Vec2> points;
  std::size_t hidden = 0;
  for (std::size_t k = 0; k < series.x.size(); ++k) {
    hidden += below_log(chart.x(), series.x[k]) || below_log(chart.y(), series.y[k]) ? 1 : 0;
    const bool shown = chart.x().shows(series.x[k]) && chart.y().shows(series.y[k]);
    points.push_back(shown ? Vec2(chart.x_at(series.x[k]), chart.y_at(series.y[k]))
                           : Vec2::Constant(std::nan("")));
  }
  chart.note_hidden(hidden);
  chart.canvas().set_clip(chart.left() - 0.6 * chart.text_size(), chart.top() - 0.6 * chart.text_size(),
                          chart.right() + 0.6 * chart.text_size(), chart.bottom() + 0.6 * chart.text_size());
  chart.canvas().polyline(points, std::max(1.2, 0.16 * chart.text_size()), series_colour(index));
  if (points.size() <= kMostMarkers)
    for (const Vec2& p : points)
      if (p.allFinite()) chart.marker(p, index, 0.32 * chart.text_size());
  chart.canvas().clear_clip();
}

// The value above its bar, where there is room for it.
void draw_value(Chart& chart, double value, double middle, double end, double room) {
  std::string label;
  append_number(label, value, 3);
  const double size = 0.85 * chart.text_size();
  if (chart.font().width(label, size) > room) return;
  const double y = value < 0 ? end + 1.1 * size : end - 0.4 * size;
  chart.font().draw(chart.canvas(), label, middle, y, size, 0.5, kChartText);
}

void draw_bars(Chart& chart, const BarPlot& plot) {
  const double group = (chart.right() - chart.left()) / static_cast<double>(plot.groups.size());
  const double bar = 0.8 * group / static_cast<double>(plot.series.size());
  const double base = chart.y().log ? chart.bottom() : std::clamp(chart.y_at(0), chart.top(), chart.bottom());
  std::size_t hidden = 0;
  for (std::size_t s = 0; s < plot.series.size(); ++s)
    for (std::size_t g = 0; g < plot.groups.size(); ++g) {
      const double value = plot.series[s].values[g];
      hidden += below_log(chart.y(), value) ? 1 : 0;
      if (!chart.y().shows(value)) continue;
      const double left =
          chart.left() + static_cast<double>(g) * group + 0.1 * group + static_cast<double>(s) * bar;
      const double end = std::clamp(chart.y_at(value), chart.top(), chart.bottom());
      chart.canvas().rectangle(left + 0.04 * bar, std::min(end, base), left + 0.96 * bar, std::max(end, base),
                               series_colour(s));
      draw_value(chart, value, left + 0.5 * bar, end, 1.05 * bar);
    }
  chart.note_hidden(hidden);
}

}  // namespace

Result<Image> plot_lines(const LinePlot& plot, const PlotOptions& options) {
  SINEW_CHECK(check_size(options));
  std::vector<double> xs, ys;
  Chart::Text text{plot.title, plot.x.title, plot.y.title, {}, {}};
  for (const LineSeries& series : plot.series) {
    if (series.x.size() != series.y.size())
      return usage_error("the series \"" + series.name + "\" has " + std::to_string(series.x.size()) +
                         " x and " + std::to_string(series.y.size()) + " y");
    for (std::size_t k = 0; k < series.x.size(); ++k)
      if (std::isfinite(series.x[k]) && std::isfinite(series.y[k])) {
        xs.push_back(series.x[k]);
        ys.push_back(series.y[k]);
      }
    text.series.push_back(series.name);
  }
  SINEW_TRY(Scale x, make_scale(plot.x, xs, false, ticks_for(options.width)));
  SINEW_TRY(Scale y, make_scale(plot.y, ys, false, ticks_for(options.height) + 1));
  Chart chart(options, std::move(text), std::move(x), std::move(y));
  for (std::size_t s = 0; s < plot.series.size(); ++s) draw_curve(chart, plot.series[s], s);
  return chart.take();
}

Result<Image> plot_bars(const BarPlot& plot, const PlotOptions& options) {
  SINEW_CHECK(check_size(options));
  std::vector<double> values;
  Chart::Text text{plot.title, {}, plot.y.title, {}, plot.groups};
  for (const BarSeries& series : plot.series) {
    if (series.values.size() != plot.groups.size())
      return usage_error("the series \"" + series.name + "\" has " + std::to_string(series.values.size()) +
                         " values for " + std::to_string(plot.groups.size()) + " groups");
    values.insert(values.end(), series.values.begin(), series.values.end());
    text.series.push_back(series.name);
  }
  SINEW_TRY(Scale y, make_scale(plot.y, values, true, ticks_for(options.height) + 1));
  Chart chart(options, std::move(text), Scale{}, std::move(y));
  if (!plot.groups.empty() && !plot.series.empty()) draw_bars(chart, plot);
  return chart.take();
}

}  // namespace sinew
