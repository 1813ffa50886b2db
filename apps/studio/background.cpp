// SPDX-License-Identifier: Apache-2.0
#include "background.h"

#include <utility>

namespace sinew::studio {

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Background::add(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (ending_) return;
  waiting_.push_back(std::move(work));
  changed_.notify_all();
}

bool Background::stop(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  ending_ = true;
  changed_.notify_all();
  return changed_.wait_for(lock, patience, [this] { return !busy_; });
}

void Background::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace sinew::studio
