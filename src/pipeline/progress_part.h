// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/core/progress.h"

namespace sinew {

// Progress of one step of a job, as a share of the whole job: fractions 0 to 1 become `begin` to `end`. Must not
// outlive `whole`.
inline Progress progress_part(const Progress* whole, double begin, double end) {
  Progress part;
  if (!whole) return part;
  part.cancel = whole->cancel;
  if (whole->report)
    part.report = [whole, begin, end](std::string_view stage, double fraction) {
      whole->report(stage, begin + fraction * (end - begin));
    };
  return part;
}

}  // namespace sinew
