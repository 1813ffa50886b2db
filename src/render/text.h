// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "render/canvas.h"

namespace sinew::render_detail {

// A font at any size. Where none can be found every call does nothing: measures are still sensible, nothing
// is drawn.
class Font {
 public:
  // `file` empty: DejaVu Sans where Debian, other systems and the user keep their fonts.
  explicit Font(const std::string& file = {});
  ~Font();
  Font(const Font&) = delete;
  Font& operator=(const Font&) = delete;

  bool loaded() const { return face_ != nullptr; }
  // A sentence for Image::warnings when no font was found.
  const std::string& missing() const { return missing_; }

  // Pixels from the pen's start to its end.
  double width(std::string_view utf8, double size) const;
  // anchor: 0 starts at x, 0.5 is centred on it, 1 ends there. y is the baseline. Quarter turn: reads
  // upwards.
  void draw(Canvas& canvas, std::string_view utf8, double x, double y, double size, double anchor,
            const Rgb8& colour, bool upwards = false) const;
  // The text cut with an ellipsis so that it is no wider than `limit`.
  std::string fit(std::string_view utf8, double size, double limit) const;

 private:
  // Bytes of the longest beginning that is no wider than `limit`, and its width.
  std::size_t measure(std::string_view utf8, double size, double limit, double& width) const;

  struct Face;
  std::unique_ptr<Face> face_;
  std::string missing_;
};

}  // namespace sinew::render_detail
