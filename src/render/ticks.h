// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sinew::render_detail {

struct Tick {
  double value = 0;
  std::string label;  // empty: a small tick between labelled ones
};

// Round values (1, 2, 2.5 or 5 times a power of ten) in [low, high], about `count` of them; low < high, both
// finite.
std::vector<Tick> linear_ticks(double low, double high, int count);
// Powers of ten in [low, high], thinned to about `count` labels; 0 < low < high. Ranges under two decades
// also get 2 and 5.
std::vector<Tick> log_ticks(double low, double high, int count);

}  // namespace sinew::render_detail
