// SPDX-License-Identifier: Apache-2.0
#include "render/chart.h"

#include <algorithm>
#include <cmath>

namespace sinew::render_detail {

Chart::Chart(const PlotOptions& options, Text text, Scale x, Scale y)
    : image_(white_image(options.width, options.height)),
      canvas_(image_),
      font_(options.font),
      text_(std::move(text)),
      x_(std::move(x)),
      y_(std::move(y)),
      size_(std::clamp(std::min(options.width / 52.0, options.height / 30.0), 8.0, 60.0)) {
  lay_out();
  draw_legend();
  draw_axes();
  if (!font_.loaded()) image_.warnings.push_back(font_.missing());
}

double Chart::group_width() const {
  return (right_ - left_) / static_cast<double>(std::max<std::size_t>(text_.groups.size(), 1));
}

void Chart::lay_out() {
  double label = 0;
  for (const Tick& tick : y_.ticks) label = std::max(label, font_.width(tick.label, size_));
  left_ = 0.8 * size_ + label + 0.7 * size_ + (text_.y_title.empty() ? 0 : 1.7 * size_);
  right_ = canvas_.width() - 1.6 * size_;
  top_ = 0.9 * size_ + (text_.title.empty() ? 0 : 2.0 * size_);
  // The legend's rows: as many names in each as fit.
  if (std::any_of(text_.series.begin(), text_.series.end(),
                  [](const std::string& name) { return !name.empty(); })) {
    double x = left_;
    top_ += 1.7 * size_;
    for (const std::string& name : text_.series) {
      const double width = font_.width(name, size_) + 3.4 * size_;
      if (x > left_ && x + width > right_) {
        x = left_;
        top_ += 1.5 * size_;
      }
      x += width;
    }
  }
  double widest = 0;
  for (const std::string& group : text_.groups) widest = std::max(widest, font_.width(group, size_));
  upright_groups_ = widest > 0.94 * group_width();
  const double labels =
      upright_groups_ ? std::min(widest, 0.4 * canvas_.height()) + 1.0 * size_ : 1.9 * size_;
  bottom_ = canvas_.height() - labels - 0.6 * size_ - (text_.x_title.empty() ? 0 : 1.5 * size_);
  // Pictures too small for their text still get a place for the data.
  right_ = std::max(right_, left_ + 1);
  bottom_ = std::max(bottom_, top_ + 1);
}

void Chart::draw_legend() {
  double y = 0.9 * size_;
  if (!text_.title.empty()) {
    font_.draw(canvas_, font_.fit(text_.title, 1.2 * size_, canvas_.width() - left_), left_, y + 1.1 * size_,
               1.2 * size_, 0, kChartText);
    y += 2.0 * size_;
  }
  if (std::all_of(text_.series.begin(), text_.series.end(),
                  [](const std::string& name) { return name.empty(); }))
    return;
  double x = left_;
  for (std::size_t s = 0; s < text_.series.size(); ++s) {
    const double width = font_.width(text_.series[s], size_) + 3.4 * size_;
    if (x > left_ && x + width > right_) {
      x = left_;
      y += 1.5 * size_;
    }
    if (text_.groups.empty()) {
      canvas_.line({x, y + 0.4 * size_}, {x + 1.7 * size_, y + 0.4 * size_}, 0.16 * size_, series_colour(s));
      marker({x + 0.85 * size_, y + 0.4 * size_}, s, 0.32 * size_);
    } else {
      canvas_.rectangle(x + 0.4 * size_, y, x + 1.4 * size_, y + 0.85 * size_, series_colour(s));
    }
    font_.draw(canvas_, text_.series[s], x + 2.1 * size_, y + 0.76 * size_, size_, 0, kChartText);
    x += width;
  }
}

void Chart::draw_axes() {
  const double thin = std::max(1.0, size_ / 14);
  for (const Tick& tick : y_.ticks) {
    const double y = std::round(y_at(tick.value)) + 0.5;
    canvas_.line({left_, y}, {right_, y}, thin, kChartGrid, tick.label.empty() ? 0.45 : 1);
    if (!tick.label.empty())
      font_.draw(canvas_, tick.label, left_ - 0.7 * size_, y + 0.36 * size_, size_, 1, kChartText);
  }
  if (text_.groups.empty())
    for (const Tick& tick : x_.ticks) {
      const double x = std::round(x_at(tick.value)) + 0.5;
      canvas_.line({x, top_}, {x, bottom_}, thin, kChartGrid, tick.label.empty() ? 0.3 : 0.7);
      canvas_.line({x, bottom_}, {x, bottom_ + (tick.label.empty() ? 0.2 : 0.35) * size_}, thin, kChartLine);
      font_.draw(canvas_, tick.label, x, bottom_ + 1.5 * size_, size_, 0.5, kChartText);
    }
  else
    draw_groups();
  const double base = std::round(bottom_) + 0.5, side = std::round(left_) + 0.5;
  canvas_.line({side, base}, {right_, base}, thin, kChartLine);
  canvas_.line({side, top_}, {side, base}, thin, kChartLine);
  font_.draw(canvas_, font_.fit(text_.x_title, size_, right_ - left_), 0.5 * (left_ + right_),
             canvas_.height() - 0.7 * size_, size_, 0.5, kChartText);
  font_.draw(canvas_, font_.fit(text_.y_title, size_, bottom_ - top_ + 3 * size_), 1.5 * size_,
             0.5 * (top_ + bottom_), size_, 0.5, kChartText, true);
}

void Chart::draw_groups() {
  for (std::size_t g = 0; g < text_.groups.size(); ++g) {
    const double x = left_ + (static_cast<double>(g) + 0.5) * group_width();
    if (upright_groups_)
      font_.draw(canvas_, font_.fit(text_.groups[g], size_, 0.4 * canvas_.height()), x + 0.36 * size_,
                 bottom_ + 0.6 * size_, size_, 1, kChartText, true);
    else
      font_.draw(canvas_, text_.groups[g], x, bottom_ + 1.5 * size_, size_, 0.5, kChartText);
  }
}

void Chart::marker(const Vec2& at, std::size_t series, double radius) {
  const double r = 0.9 * radius, d = 1.3 * radius;
  const Vec2 square[] = {at + Vec2(-r, -r), at + Vec2(r, -r), at + Vec2(r, r), at + Vec2(-r, r)};
  const Vec2 diamond[] = {at + Vec2(-d, 0), at + Vec2(0, -d), at + Vec2(d, 0), at + Vec2(0, d)};
  const Vec2 triangle[] = {at + Vec2(-d, 0.8 * d), at + Vec2(d, 0.8 * d), at + Vec2(0, -d)};
  const Rgb8 colour = series_colour(series);
  switch (series % 4) {
    case 0:
      canvas_.disc(at, radius, colour);
      break;
    case 1:
      canvas_.convex(square, colour);
      break;
    case 2:
      canvas_.convex(triangle, colour);
      break;
    default:
      canvas_.convex(diamond, colour);
      break;
  }
}

void Chart::note_hidden(std::size_t count) {
  if (count > 0)
    image_.warnings.push_back(std::to_string(count) +
                              " values of 0 or below cannot be shown on a logarithmic axis");
}

}  // namespace sinew::render_detail
