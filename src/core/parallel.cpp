// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/parallel.h"

#include <atomic>

#ifdef __EMSCRIPTEN__

namespace sinew {
void set_thread_count(int) {}
int thread_count() {
  return 1;
}
namespace detail {
void parallel_for_ranges(std::size_t count, std::size_t grain, void* context, RangeBody body) {
  for (std::size_t begin = 0; begin < count; begin += grain)
    body(context, begin, std::min(count, begin + grain));
}
}  // namespace detail
}  // namespace sinew

#else

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <memory>
#include <mutex>

namespace sinew {
namespace {
std::mutex control_mutex;
std::unique_ptr<tbb::global_control> control;
std::atomic<int> threads{0};
}  // namespace

void set_thread_count(int count) {
  const std::lock_guard lock(control_mutex);
  control.reset();
  threads = count > 0 ? count : 0;
  if (count > 0)
    control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                    static_cast<std::size_t>(count));
}

int thread_count() {
  const int set = threads;
  return set > 0 ? set : tbb::info::default_concurrency();
}

namespace detail {
void parallel_for_ranges(std::size_t count, std::size_t grain, void* context, RangeBody body) {
  const std::size_t pieces = (count + grain - 1) / grain;
  // One piece, or one thread: no scheduler, so small jobs pay nothing.
  if (pieces <= 1 || threads == 1) {
    for (std::size_t begin = 0; begin < count; begin += grain)
      body(context, begin, std::min(count, begin + grain));
    return;
  }
  tbb::parallel_for(std::size_t{0}, pieces, [=](std::size_t piece) {
    body(context, piece * grain, std::min(count, (piece + 1) * grain));
  });
}
}  // namespace detail
}  // namespace sinew

#endif
