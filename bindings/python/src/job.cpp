// SPDX-License-Identifier: Apache-2.0
#include "job.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace sinew::python {
namespace {

constexpr auto kLook = std::chrono::milliseconds(50);

// What job and caller tell each other.
struct Board {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false, news = false;
  std::string stage;
  double fraction = 0;
  std::exception_ptr failure;
};

// Until the job is done or it is time to look for signals; true: done.
bool wait_for(Board& board) {
  const nb::gil_scoped_release released;
  std::unique_lock lock(board.mutex);
  return board.changed.wait_for(lock, kLook, [&] { return board.done; });
}

void tell(const nb::object& progress, Board& board) {
  std::string stage;
  double fraction = 0;
  {
    const std::lock_guard lock(board.mutex);
    if (!board.news) return;
    board.news = false;
    stage = board.stage;
    fraction = board.fraction;
  }
  progress(stage, fraction);
}

}  // namespace

void run_job(const nb::object& progress, Progress& live, std::atomic<bool>& cancel,
             const std::function<void()>& job, std::atomic<bool>* also) {
  Board board;
  const bool tells = !progress.is_none();
  live.cancel = &cancel;
  if (tells)
    live.report = [&board](std::string_view stage, double fraction) {
      const std::lock_guard lock(board.mutex);
      board.stage = stage;
      board.fraction = fraction;
      board.news = true;
    };
  std::thread worker([&] {
    try {
      job();
    } catch (...) {
      board.failure = std::current_exception();
    }
    const std::lock_guard lock(board.mutex);
    board.done = true;
    board.changed.notify_one();
  });
  std::exception_ptr stopped;
  for (bool done = false; !done;) {
    done = wait_for(board);
    if (stopped) continue;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (tells) tell(progress, board);
    } catch (nb::python_error&) {
      stopped = std::current_exception();
      cancel = true;
      if (also) *also = true;
    }
  }
  {
    const nb::gil_scoped_release released;
    worker.join();
  }
  live.report = nullptr;
  cancel = false;
  if (also) *also = false;
  if (stopped) std::rethrow_exception(stopped);
  if (board.failure) std::rethrow_exception(board.failure);
}

}  // namespace sinew::python
