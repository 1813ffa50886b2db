// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string_view>
#include <thread>

#include "sinew/core/progress.h"

namespace sinew {

/// Counts pieces that several threads finish. As Progress promises, only the thread that made the counter
/// reports; it takes part in the loop, so that it does so every few pieces.
class PieceProgress {
 public:
  PieceProgress(const Progress* progress, std::string_view stage, std::size_t pieces)
      : progress_(progress), stage_(stage), pieces_(pieces) {}

  /// One more is done. From any thread.
  void add() {
    const std::size_t done = 1 + done_.fetch_add(1, std::memory_order_relaxed);
    if (std::this_thread::get_id() == owner_)
      report(progress_, stage_, static_cast<double>(done) / static_cast<double>(pieces_));
  }

 private:
  const Progress* progress_;
  std::string_view stage_;
  std::size_t pieces_;
  std::atomic<std::size_t> done_{0};
  std::thread::id owner_ = std::this_thread::get_id();
};

}  // namespace sinew
