// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/progress.h"

namespace sinew {

struct BenchResult {
  std::string name;  // "deform/lbs"
  std::string size;  // what was worked on, for a person
  double value = 0;
  std::string unit;  // "M vertices/s"
};

// Runs every registered benchmark whose name contains `name_filter` (empty: all), in order of name; those
// called scaling/ take minutes and run only where the filter says "scaling". Several seconds in all; stops
// between measurements when cancelled, with what it has. Sets the thread count while it runs and puts it back
// to what it was.
std::vector<BenchResult> run_benches(std::string_view name_filter, const Progress* progress = nullptr);

}  // namespace sinew
