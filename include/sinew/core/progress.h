// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

namespace sinew {

/// How a long job reports progress to its caller and is cancelled.
/// Options structs carry a `const Progress* progress = nullptr`; jobs report from the thread that called them.
struct Progress {
  /// fraction in [0, 1] of the named stage; may be empty.
  std::function<void(std::string_view stage, double fraction)> report;
  /// Set from another thread or a signal handler; jobs look at least every 50 ms and return cancelled().
  const std::atomic<bool>* cancel = nullptr;
};

inline bool is_cancelled(const Progress* progress) {
  return progress && progress->cancel && progress->cancel->load(std::memory_order_relaxed);
}

inline void report(const Progress* progress, std::string_view stage, double fraction) {
  if (progress && progress->report) progress->report(stage, fraction);
}

}  // namespace sinew
