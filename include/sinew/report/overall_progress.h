// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "sinew/core/progress.h"

namespace sinew {

/// Joins the stages of several steps, each of which counts from 0, into one fraction that never goes back.
class OverallProgress {
 public:
  explicit OverallProgress(const Progress& whole) : whole_(whole) {
    part_.cancel = whole.cancel;
    part_.report = [this](std::string_view stage, double fraction) { step(stage, fraction); };
  }
  OverallProgress(const OverallProgress&) = delete;
  OverallProgress& operator=(const OverallProgress&) = delete;

  // The next step, shown under this name, ends at `end` of the whole. Valid as long as this object.
  const Progress* part(std::string name, double end) {
    now_ = std::max(now_, end_);
    end_ = end;
    name_ = std::move(name);
    stage_.clear();
    report(&whole_, name_, now_);
    return &part_;
  }

 private:
  // How many stages a step has nobody says: each takes half of what is left of it.
  void step(std::string_view stage, double fraction) {
    if (stage != stage_) {
      stage_ = stage;
      stage_begin_ = now_;
      stage_end_ = now_ + (end_ - now_) / 2;
    }
    now_ = std::max(now_, stage_begin_ + std::clamp(fraction, 0.0, 1.0) * (stage_end_ - stage_begin_));
    report(&whole_, name_, now_);
  }

  const Progress& whole_;
  Progress part_;
  std::string name_, stage_;
  double now_ = 0, end_ = 0, stage_begin_ = 0, stage_end_ = 0;
};

}  // namespace sinew
