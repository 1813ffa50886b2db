// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sinew::studio {

// Does what would keep the server from answering others, one thing after the other, on a thread of its own.
class Background {
 public:
  Background() : thread_([this] { run(); }) {}
  ~Background();  // waits for what is under way; what waits is not done

  // `work` does not throw.
  void add(std::function<void()> work);
  // Takes nothing more and forgets what waits; whether nothing was under way before `patience` was over.
  bool stop(std::chrono::milliseconds patience);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool busy_ = false, ending_ = false;
  std::thread thread_;
};

}  // namespace sinew::studio
