// SPDX-License-Identifier: Apache-2.0
#include "render/legend.h"

#include <algorithm>
#include <cmath>

#include "render/ticks.h"
#include "sinew/core/text.h"

namespace sinew::render_detail {
namespace {
constexpr Rgb8 kText = {40, 40, 44}, kLine = {96, 96, 100};
}

Legend::Legend(const HeatMap& heat, const Font& font, double text_size, int height)
    : font_(font), title_(heat.title), size_(text_size), height_(height) {
  const double range = heat.high - heat.low;
  if (range != 0 && std::isfinite(range)) {
    for (const Tick& tick : linear_ticks(std::min(heat.low, heat.high), std::max(heat.low, heat.high), 5))
      marks_.push_back({(tick.value - heat.low) / range, tick.label});
  } else {
    std::string label;
    append_number(label, heat.low, 6);
    marks_.push_back({0.5, label});
  }
  has_nan_ = std::any_of(heat.values.begin(), heat.values.end(), [](float v) { return std::isnan(v); });
  double widest = font_.width("none", size_);
  for (const Mark& mark : marks_) widest = std::max(widest, font_.width(mark.label, size_));
  const double bar = 3.0 * size_ + widest;
  title_ = font_.fit(title_, size_, std::max(bar, 12 * size_));
  width_ = static_cast<int>(std::ceil(std::max(bar, font_.width(title_, size_) + 1.2 * size_)));
}

void Legend::draw(Canvas& canvas, int x, int y) const {
  const double left = x + 0.2 * size_, right = left + 1.3 * size_;
  const double top = y + 0.16 * height_, bottom = y + 0.84 * height_;
  for (int row = static_cast<int>(top); row < static_cast<int>(bottom); ++row)
    canvas.rectangle(left, row, right, row + 1, heat_colour(1 - (row + 0.5 - top) / (bottom - top)));
  const Vec2 frame[] = {{left, top}, {right, top}, {right, bottom}, {left, bottom}, {left, top}};
  canvas.polyline(frame, 1, kLine, 0.8);
  for (const Mark& mark : marks_) {
    const double at = bottom - mark.place * (bottom - top);
    canvas.line({right, at}, {right + 0.3 * size_, at}, 1, kLine);
    font_.draw(canvas, mark.label, right + 0.55 * size_, at + 0.36 * size_, size_, 0, kText);
  }
  font_.draw(canvas, title_, left, top - 1.1 * size_, size_, 0, kText);
  if (!has_nan_) return;
  const double patch = bottom + 0.8 * size_;
  canvas.rectangle(left, patch, right, patch + size_, heat_colour(std::nan("")));
  font_.draw(canvas, "none", right + 0.55 * size_, patch + 0.86 * size_, size_, 0, kText);
}

}  // namespace sinew::render_detail
