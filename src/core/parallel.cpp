// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/parallel.h"

#include <atomic>

namespace sinew {
namespace {

// Null: the default one. Objects for WebAssembly are linked with and without threads, and without them have
// no memory for thread_local; there is no other job system there either.
#ifdef __EMSCRIPTEN__
std::atomic<const Executor*> current_executor{nullptr};
#else
thread_local const Executor* current_executor = nullptr;
#endif

class SerialExecutor final : public Executor {
 public:
  void run(std::size_t pieces, void* context,
           void (*piece)(void* context, std::size_t index)) const override {
    for (std::size_t i = 0; i < pieces; ++i) piece(context, i);
  }
};

// One parallel_for on an executor.
struct RangeJob {
  std::size_t count, grain;
  void* context;
  detail::RangeBody body;
  const Executor* executor;
};

void run_piece(void* context, std::size_t index) {
  const auto& job = *static_cast<const RangeJob*>(context);
  const ExecutorScope scope(job.executor);  // what the body starts goes the same way
  job.body(job.context, index * job.grain, std::min(job.count, (index + 1) * job.grain));
}

// False: there is no executor but the default one.
bool run_on_executor(std::size_t count, std::size_t grain, void* context, detail::RangeBody body) {
  const Executor* executor = current_executor;
  if (!executor) return false;
  RangeJob job{count, grain, context, body, executor};
  const std::size_t pieces = (count + grain - 1) / grain;
  if (pieces == 1)
    body(context, 0, count);
  else
    executor->run(pieces, &job, run_piece);
  return true;
}

}  // namespace

const Executor& serial_executor() {
  static const SerialExecutor executor;
  return executor;
}

ExecutorScope::ExecutorScope(const Executor* executor) noexcept : before_(current_executor) {
  if (executor) current_executor = executor;
}

ExecutorScope::~ExecutorScope() {
  current_executor = before_;
}

}  // namespace sinew

#ifdef __EMSCRIPTEN__

#include <emscripten.h>
#include <emscripten/threading.h>

#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

// Objects are compiled once and linked with and without threads (bindings/wasm): which it is shows at run
// time. The workers are those that the page made before the module started; one cannot wait for new ones
// here.
namespace sinew {
namespace {

// The page's workers and the caller.
int available_threads() {
  if (!emscripten_has_threading_support()) return 1;
  return EM_ASM_INT({ return Module["threads"] | 0; });
}

// Threads that take the pieces of one job after the other.
class Pool {
 public:
  explicit Pool(int workers) {
    for (int k = 0; k < workers; ++k) std::thread([this] { work(); }).detach();
    workers_ = workers;
  }

  // False where the pool has a job already: a body that calls parallel_for itself.
  bool run(std::size_t count, std::size_t grain, void* context, detail::RangeBody body) {
    std::unique_lock<std::mutex> turn(turn_, std::try_to_lock);
    if (!turn) return false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      count_ = count, grain_ = grain, context_ = context, body_ = body;
      next_ = 0;
      idle_ = 0;
      ++job_;
    }
    wake_.notify_all();
    take_pieces();
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return idle_ == workers_; });
    if (failed_.exchange(false)) throw std::bad_alloc();  // the only thing that a body can throw
    return true;
  }

 private:
  void work() {
    int seen = 0;
    while (true) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [&] { return job_ != seen; });
        seen = job_;
      }
      take_pieces();
      const std::lock_guard<std::mutex> lock(mutex_);
      if (++idle_ == workers_) done_.notify_one();
    }
  }

  void take_pieces() {
    try {
      for (std::size_t begin; (begin = next_.fetch_add(grain_)) < count_;)
        body_(context_, begin, std::min(count_, begin + grain_));
    } catch (...) {
      failed_ = true;
    }
  }

  std::mutex turn_, mutex_;
  std::condition_variable wake_, done_;
  int workers_ = 0, idle_ = 0, job_ = 0;
  std::size_t count_ = 0, grain_ = 1;
  void* context_ = nullptr;
  detail::RangeBody body_ = nullptr;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
};

std::atomic<int> wanted_threads{0};

}  // namespace

void set_thread_count(int count) {
  wanted_threads = count > 0 ? count : 0;
}

int thread_count() {
  static const int available = available_threads();
  const int set = wanted_threads;
  return set > 0 ? std::min(set, available) : available;
}

namespace detail {
void parallel_for_ranges(std::size_t count, std::size_t grain, void* context, RangeBody body) {
  if (run_on_executor(count, grain, context, body)) return;
  if (count > grain && thread_count() > 1) {
    static Pool* pool = new Pool(thread_count() - 1);  // as long as the page
    if (pool->run(count, grain, context, body)) return;
  }
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
#include <new>
#include <stdexcept>

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
  if (run_on_executor(count, grain, context, body)) return;
  const std::size_t pieces = (count + grain - 1) / grain;
  // One piece, or one thread: no scheduler, so small jobs pay nothing.
  if (pieces <= 1 || threads == 1) {
    for (std::size_t begin = 0; begin < count; begin += grain)
      body(context, begin, std::min(count, begin + grain));
    return;
  }
  try {
    // Of its own: a loop inside another must not end early because a piece of the outer one has thrown.
    tbb::task_group_context alone(tbb::task_group_context::isolated);
    tbb::parallel_for(
        std::size_t{0}, pieces,
        [=](std::size_t piece) { body(context, piece * grain, std::min(count, (piece + 1) * grain)); },
        alone);
  } catch (const std::runtime_error&) {  // a thread that cannot be made; bodies throw nothing but bad_alloc
    throw std::bad_alloc();
  }
}
}  // namespace detail
}  // namespace sinew

#endif
