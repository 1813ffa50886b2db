// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/tile_samples.h"

namespace sinew::render_detail {

// Draws the named segments over the resolved tile, each pixel as far as its samples see the line. Where lines
// meet, the strongest counts, so that vertices do not become blots.
void draw_hidden_lines(const RasterScene& scene, std::span<const std::uint32_t> segments,
                       const TileSamples& samples, int x0, int y0, int w, int h, Frame& frame);

}  // namespace sinew::render_detail
