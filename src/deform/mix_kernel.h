// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sinew {

// a = (1 - m) a + m b for `vertices` points, three floats each; m per vertex. At m = 0 or 1 the result is a
// or b exactly.
void mix_points(const float* m, std::size_t vertices, float* a, const float* b);
// The same for normals, which get length 1; a stays where the mix vanishes.
void mix_normals(const float* m, std::size_t vertices, float* a, const float* b);

}  // namespace sinew
