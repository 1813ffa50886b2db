// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <numeric>

#include "render/canvas.h"

namespace sinew {

Image tile(std::span<const Image> images, int columns) {
  assert(columns >= 1);
  const std::size_t across =
      std::min(static_cast<std::size_t>(std::max(columns, 1)), std::max<std::size_t>(images.size(), 1));
  std::vector<int> widths(across, 0), heights((images.size() + across - 1) / across, 0);
  for (std::size_t i = 0; i < images.size(); ++i) {
    widths[i % across] = std::max(widths[i % across], images[i].width);
    heights[i / across] = std::max(heights[i / across], images[i].height);
  }
  Image out = render_detail::white_image(std::accumulate(widths.begin(), widths.end(), 0),
                                         std::accumulate(heights.begin(), heights.end(), 0));
  render_detail::Canvas canvas(out);
  int y = 0;
  for (std::size_t row = 0; row < heights.size(); y += heights[row++]) {
    int x = 0;
    for (std::size_t column = 0; column < across && row * across + column < images.size();
         x += widths[column++]) {
      const Image& image = images[row * across + column];
      canvas.paste(image, x + (widths[column] - image.width) / 2, y + (heights[row] - image.height) / 2);
      for (const std::string& note : image.warnings)
        if (std::find(out.warnings.begin(), out.warnings.end(), note) == out.warnings.end())
          out.warnings.push_back(note);
    }
  }
  return out;
}

}  // namespace sinew
