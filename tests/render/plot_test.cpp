// SPDX-License-Identifier: Apache-2.0
#include "sinew/render/plot.h"

#include <cmath>
#include <limits>

#include "render/chart.h"
#include "render/pictures.h"

namespace sinew::test {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
using render_detail::make_scale;
using render_detail::Scale;

std::size_t count_colour(const Image& image, const Rgb8& colour) {
  std::size_t count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) count += pixel(image, x, y) == colour ? 1 : 0;
  return count;
}

Image drawn(const Result<Image>& image) {
  EXPECT_TRUE(image.ok()) << (image.ok() ? "" : image.error().message);
  return image.ok() ? *image : Image{};
}

TEST(PlotScale, EndsAreRoundAndHoldTheData) {
  for (const auto& [low, high] :
       {std::pair(0.0, 1.0), std::pair(-3.7, 12.2), std::pair(1e-9, 3e-9), std::pair(1e12, 1.00001e12)})
    for (const bool log : {false, true}) {
      if (log && low <= 0) continue;
      const std::vector<double> data = {low, high};
      const auto scale = make_scale({"", log, {}, {}}, data, false, 5);
      ASSERT_TRUE(scale.ok());
      EXPECT_LE(scale->low, low * (low > 0 ? 1 + 1e-9 : 1 - 1e-9));
      EXPECT_GE(scale->high, high * (1 - 1e-9));
      EXPECT_GE(scale->place(low), -1e-6);
      EXPECT_LE(scale->place(high), 1 + 1e-6);
      EXPECT_GE(scale->ticks.size(), 2u) << low << " " << high << " " << log;
      EXPECT_LE(scale->ticks.size(), 40u);
    }
}

TEST(PlotScale, BarsStartAtZeroAndCurvesWhereTheyAre) {
  const std::vector<double> data = {30, 40};
  EXPECT_EQ(make_scale({}, data, true, 5)->low, 0);
  EXPECT_EQ(make_scale({}, data, false, 5)->low, 30);
  const std::vector<double> below = {-40, -30};
  EXPECT_EQ(make_scale({}, below, true, 5)->high, 0);
}

TEST(PlotScale, TicksAreRoundNumbers) {
  const auto labels = [](const std::vector<render_detail::Tick>& ticks) {
    std::string text;
    for (const auto& tick : ticks) text += tick.label + " ";
    return text;
  };
  EXPECT_EQ(labels(render_detail::linear_ticks(0, 1, 5)), "0 0.2 0.4 0.6 0.8 1 ");
  EXPECT_EQ(labels(render_detail::linear_ticks(-1.3, 7, 5)), "0 2 4 6 ");
  EXPECT_EQ(labels(render_detail::linear_ticks(0, 4e-7, 4)), "0 1e-7 2e-7 3e-7 4e-7 ");
  EXPECT_EQ(labels(render_detail::log_ticks(1, 5, 5)), "1 2   5 ");
  EXPECT_EQ(labels(render_detail::log_ticks(1e-3, 1e12, 3)), "0.001 100 1e7 1e12 ");
}

TEST(PlotScale, OneValueAndNoValueGiveAnAxisToo) {
  for (const std::vector<double>& data :
       {std::vector<double>{}, {0.0}, {5.0}, {-5.0}, {kNoNumber}, {1e300}, {-1e-300}})
    for (const bool log : {false, true})
      for (const bool zero : {false, true}) {
        const auto scale = make_scale({"", log, {}, {}}, data, zero, 5);
        ASSERT_TRUE(scale.ok());
        EXPECT_LT(scale->low, scale->high);
        EXPECT_TRUE(std::isfinite(scale->low) && std::isfinite(scale->high));
      }
}

TEST(PlotLines, CurveRunsThroughItsPoints) {
  LinePlot plot;
  plot.series = {{"", {0, 1}, {0, 1}}, {"", {0, 1}, {1, 0}}};
  const Image image = drawn(plot_lines(plot));
  EXPECT_GT(count_colour(image, series_colour(0)), 500u);
  EXPECT_GT(count_colour(image, series_colour(1)), 500u);
  // One rises, one falls: the upper right quarter belongs to the first alone.
  Image quarter = render_detail::white_image(image.width / 3, image.height / 3);
  render_detail::Canvas(quarter).paste(image, -2 * image.width / 3, 0);
  EXPECT_GT(count_colour(quarter, series_colour(0)), 50u);
  EXPECT_EQ(count_colour(quarter, series_colour(1)), 0u);
}

TEST(PlotLines, GapsWhereAValueIsMissing) {
  LinePlot plot;
  for (int k = 0; k <= 100; ++k) {
    if (k == 0) plot.series.push_back({"", {}, {}});
    plot.series[0].x.push_back(k);
    plot.series[0].y.push_back(k);
  }
  const std::size_t whole = count_colour(drawn(plot_lines(plot)), series_colour(0));
  for (std::size_t k = 30; k < 60; ++k) plot.series[0].y[k] = kNoNumber;
  const std::size_t gapped = count_colour(drawn(plot_lines(plot)), series_colour(0));
  EXPECT_NEAR(static_cast<double>(gapped) / static_cast<double>(whole), 0.69, 0.05);
}

TEST(PlotLines, LogAxisMakesAPowerLawStraightAndNotesWhatItCannotShow) {
  const auto scale = make_scale({"", true, 1.0, 1000.0}, std::vector<double>{1, 1000}, false, 5);
  ASSERT_TRUE(scale.ok());
  EXPECT_NEAR(scale->place(10), 1.0 / 3, 1e-12);
  EXPECT_NEAR(scale->place(100), 2.0 / 3, 1e-12);
  LinePlot plot;
  plot.y.log = true;
  plot.series = {{"time", {1, 2, 3, 4}, {1, 10, 0, -5}}};
  const Image image = drawn(plot_lines(plot));
  ASSERT_EQ(image.warnings.size(), 1u);
  EXPECT_EQ(image.warnings[0].substr(0, 2), "2 ");
}

TEST(PlotLines, TextIsDrawnAndMissedWithoutAFont) {
  LinePlot plot;
  plot.series = {{"", {0, 1}, {0, 1}}};
  const Image bare = drawn(plot_lines(plot));
  plot.title = "Title";
  EXPECT_NE(drawn(plot_lines(plot)).rgb, bare.rgb);
  plot.title.clear();
  plot.series[0].name = "first";
  EXPECT_NE(drawn(plot_lines(plot)).rgb, bare.rgb);
  plot.y.title = "sideways";
  PlotOptions options;
  options.font = "/nowhere/none.ttf";
  EXPECT_EQ(drawn(plot_lines(plot, options)).warnings.size(), 1u);
}

TEST(PlotBars, HeightsAreInProportion) {
  BarPlot plot;
  plot.groups = {"a", "b", "c"};
  plot.y.low = 0;
  plot.y.high = 4;
  plot.series = {{"", {1, 2, 4}}};
  const Image image = drawn(plot_bars(plot));
  std::vector<double> columns;  // heights of the bars, from a run of columns of one height
  std::vector<int> heights(static_cast<std::size_t>(image.width), 0);
  for (int x = 0; x < image.width; ++x)
    for (int y = 0; y < image.height; ++y)
      heights[static_cast<std::size_t>(x)] += pixel(image, x, y) == series_colour(0) ? 1 : 0;
  for (std::size_t x = 20; x + 20 < heights.size(); ++x)
    if (heights[x] > 10 && heights[x] == heights[x + 10] &&
        (columns.empty() || std::abs(columns.back() - heights[x]) > 5))
      columns.push_back(heights[x]);
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_NEAR(columns[1] / columns[0], 2, 0.05);
  EXPECT_NEAR(columns[2] / columns[0], 4, 0.1);
}

TEST(PlotBars, MissingValuesNegativeValuesAndLongNamesWork) {
  BarPlot plot;
  plot.groups = {"a name that is far too long for its bar", "b", "c"};
  plot.series = {{"one", {kNoNumber, -2, 4}}, {"two", {INFINITY, 1, -1e-9}}};
  EXPECT_GT(count_colour(drawn(plot_bars(plot)), series_colour(0)), 1000u);
  plot.y.log = true;
  EXPECT_EQ(drawn(plot_bars(plot)).warnings.size(), 1u);
  EXPECT_TRUE(plot_bars({}).ok());
  EXPECT_TRUE(plot_bars(plot, {1, 1, {}}).ok());
  EXPECT_TRUE(plot_bars(plot, {40, 30, {}}).ok());
}

TEST(Plot, WrongCallsAreUsageErrors) {
  const auto is_usage = [](const Result<Image>& result) {
    return !result.ok() && result.error().code == ErrorCode::kUsage;
  };
  EXPECT_TRUE(is_usage(plot_lines({}, {0, 100, {}})));
  EXPECT_TRUE(is_usage(plot_bars({}, {100, kMaxImageSide + 1, {}})));
  LinePlot lines;
  lines.series = {{"torn", {1, 2}, {1}}};
  EXPECT_TRUE(is_usage(plot_lines(lines)));
  lines.series = {{"", {1, 2}, {1, 2}}};
  lines.x.low = 3;
  lines.x.high = 3;
  EXPECT_TRUE(is_usage(plot_lines(lines)));
  lines.x = {"", true, -1.0, 1.0};
  EXPECT_TRUE(is_usage(plot_lines(lines)));
  BarPlot bars;
  bars.groups = {"a"};
  bars.series = {{"", {1, 2}}};
  EXPECT_TRUE(is_usage(plot_bars(bars)));
}

}  // namespace
}  // namespace sinew::test
