// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

namespace sinew {

/// A job system that parallel_for runs on: an engine brings its own, oneTBB is the default. run() calls
/// piece(context, i) once for each i below `pieces`, on any threads and in any order, and returns when all are
/// done. An exception that a piece throws may end the job, and is thrown on by run().
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void run(std::size_t pieces, void* context,
                   void (*piece)(void* context, std::size_t index)) const = 0;
};

/// All on the thread that calls: for those who spread characters over threads of their own.
const Executor& serial_executor();

/// While it lives, every parallel_for of this thread, and of the pieces that it starts, runs on `executor`;
/// null changes nothing.
class ExecutorScope {
 public:
  explicit ExecutorScope(const Executor* executor) noexcept;
  ~ExecutorScope();
  ExecutorScope(const ExecutorScope&) = delete;
  ExecutorScope& operator=(const ExecutorScope&) = delete;

 private:
  const Executor* before_;
};

/// Threads of the default executor; 0 asks for all cores. Results never depend on it.
void set_thread_count(int count);
int thread_count();

namespace detail {
using RangeBody = void (*)(void* context, std::size_t begin, std::size_t end);
void parallel_for_ranges(std::size_t count, std::size_t grain, void* context, RangeBody body);
}  // namespace detail

/// Calls body(begin, end) over [0, count) in pieces of `grain` (the last may be shorter). The pieces are the
/// same for any thread count, so a body that writes only its own range gives the same bits on any machine.
template <class Body>
void parallel_for(std::size_t count, std::size_t grain, Body&& body) {
  using Callable = std::remove_reference_t<Body>;
  detail::parallel_for_ranges(count, std::max<std::size_t>(grain, 1),
                              const_cast<std::remove_const_t<Callable>*>(&body),
                              [](void* context, std::size_t begin, std::size_t end) {
                                (*static_cast<Callable*>(context))(begin, end);
                              });
}

/// Calls body(i) for every i below the number of costs: the dearest first, and whichever thread is free takes the next, so
/// that none waits long for the others at the end.
template <class Body>
void parallel_each(std::span<const double> costs, Body&& body) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  std::atomic<std::size_t> next{0};
  parallel_for(order.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) body(order[next++]);
  });
}

/// Sum (or any fold) of map(begin, end) over fixed pieces, folded in order: the same bits for any thread
/// count.
template <class T, class Map, class Fold>
T parallel_reduce(std::size_t count, std::size_t grain, T identity, Map&& map, Fold&& fold) {
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t pieces = (count + grain - 1) / grain;
  std::vector<T> partial(pieces, identity);
  parallel_for(pieces, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t piece = begin; piece < end; ++piece)
      partial[piece] = map(piece * grain, std::min(count, (piece + 1) * grain));
  });
  T total = identity;
  for (const T& part : partial) total = fold(total, part);
  return total;
}

}  // namespace sinew
