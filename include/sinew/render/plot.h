// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/render/render.h"

namespace sinew {

struct Axis {
  std::string title;
  bool log = false;  ///< values of 0 and below cannot be shown then: they are left out and noted
  std::optional<double> low, high;  ///< default: round numbers around the data; linear bars always start at 0
};

/// A curve: points in the order given, a gap where one is not finite.
struct LineSeries {
  std::string name;          ///< for the legend
  std::vector<double> x, y;  ///< of one length
};

struct LinePlot {
  std::string title;
  Axis x, y;
  std::vector<LineSeries> series;
};

/// One bar in every group; no bar where the value is not finite.
struct BarSeries {
  std::string name;            ///< for the legend
  std::vector<double> values;  ///< one per group
};

struct BarPlot {
  std::string title;
  std::vector<std::string> groups;
  Axis y;
  std::vector<BarSeries> series;
};

/// Options of plot_lines().
struct PlotOptions {
  int width = 720, height = 440;
  std::string font;  ///< a font file; empty: DejaVu Sans in the usual folders
};

/// Plots in the look of the pictures: white ground, the colours of series_colour, a marker shape for each
/// series. A legend appears where a series has a name. Without data the axes run from 0 to 1. kUsage: a size
/// outside 1 ... kMaxImageSide, x and y (or values and groups) of different length, low not below high.
Result<Image> plot_lines(const LinePlot& plot, const PlotOptions& options = {});
Result<Image> plot_bars(const BarPlot& plot, const PlotOptions& options = {});

}  // namespace sinew
