// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/canvas.h"
#include "render/text.h"

namespace sinew::render_detail {

// The colour bar of a heat map with its ticks and title.
class Legend {
 public:
  Legend(const HeatMap& heat, const Font& font, double text_size, int height);
  int width() const { return width_; }
  void draw(Canvas& canvas, int x, int y) const;

 private:
  struct Mark {
    double place;  // 0 at the bottom, 1 at the top
    std::string label;
  };
  const Font& font_;
  std::string title_;
  std::vector<Mark> marks_;
  bool has_nan_ = false;
  double size_;
  int height_, width_ = 0;
};

}  // namespace sinew::render_detail
