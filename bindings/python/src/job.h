// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "python.h"
#include "sinew/core/progress.h"

namespace sinew::python {

/// Runs a job on a thread of its own, without the interpreter's lock, while the thread that called waits: it
/// looks for signals every 50 ms and calls `progress` (a callable of stage and fraction, or None). Ctrl-C, or
/// an exception of the callable, cancels the job; when that has ended the exception goes on to the caller.
/// `live` is what the job reports to; it is cancelled by `cancel`, and may be kept by what the job makes.
/// `also`: set together with `cancel`.
void run_job(const nb::object& progress, Progress& live, std::atomic<bool>& cancel,
             const std::function<void()>& job, std::atomic<bool>* also = nullptr);

/// The same for jobs that keep nothing of the progress they get. `job` gives a Result, whose error is raised.
template <class Job>
auto run_job(const nb::object& progress, Job&& job) {
  using Value = decltype(job(static_cast<const Progress*>(nullptr)));
  std::atomic<bool> cancel = false;
  Progress live;
  std::optional<Value> result;
  run_job(progress, live, cancel, [&] { result.emplace(job(&live)); });
  return value_of(std::move(*result));
}

}  // namespace sinew::python
