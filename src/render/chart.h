// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "render/canvas.h"
#include "render/text.h"
#include "render/ticks.h"
#include "sinew/render/plot.h"

namespace sinew::render_detail {

inline constexpr Rgb8 kChartText = {40, 40, 44}, kChartLine = {110, 110, 116}, kChartGrid = {226, 226, 230};

// One axis: values to places between 0 and 1.
struct Scale {
  double low = 0, high = 1;
  bool log = false;
  std::vector<Tick> ticks;
  bool shows(double value) const;    // finite, and above 0 on a log scale
  double place(double value) const;  // not cut to 0 ... 1
};

// Round numbers around the data unless the axis names its ends. `with_zero` for bars.
Result<Scale> make_scale(const Axis& axis, std::span<const double> data, bool with_zero, int tick_count);

// Title, legend, axes and the room for data between them.
class Chart {
 public:
  struct Text {
    std::string title, x_title, y_title;
    std::vector<std::string> series;  // names; all empty: no legend
    std::vector<std::string> groups;  // labels of bars, instead of ticks along x
  };
  Chart(const PlotOptions& options, Text text, Scale x, Scale y);

  Image take() { return std::move(image_); }
  Canvas& canvas() { return canvas_; }
  const Font& font() const { return font_; }
  double text_size() const { return size_; }
  double x_at(double value) const { return left_ + x_.place(value) * (right_ - left_); }
  double y_at(double value) const { return bottom_ - y_.place(value) * (bottom_ - top_); }
  double left() const { return left_; }
  double right() const { return right_; }
  double top() const { return top_; }
  double bottom() const { return bottom_; }
  const Scale& x() const { return x_; }
  const Scale& y() const { return y_; }

  void marker(const Vec2& at, std::size_t series, double radius);
  void note_hidden(std::size_t count);  // values that a log axis cannot show

 private:
  void lay_out();
  void draw_legend();
  void draw_axes();
  void draw_groups();
  double group_width() const;

  Image image_;
  Canvas canvas_;
  Font font_;
  Text text_;
  Scale x_, y_;
  double size_ = 12;
  double left_ = 0, right_ = 1, top_ = 0, bottom_ = 1;
  bool upright_groups_ = false;
};

}  // namespace sinew::render_detail
