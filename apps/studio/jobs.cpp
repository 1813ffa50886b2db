// SPDX-License-Identifier: Apache-2.0
#include "jobs.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "guard.h"

namespace sinew::studio {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kRemembered = 32;

// A library below may throw; that ends the job and not the server.
Result<JobOutput> guarded(const Work& work, const Progress& progress) {
  try {
    return work(progress);
  } catch (const std::bad_alloc&) {
    return limit_error("not enough memory for this job; try a smaller mesh");
  } catch (const std::exception& problem) {
    return Error{ErrorCode::kBug, std::string("internal error, please report it: ") + problem.what()};
  }
}

}  // namespace

struct Jobs::Job {
  JobStatus status;
  Work work;
  std::atomic<bool> cancel{false};
  Clock::time_point begun = Clock::now();

  double age() const { return std::chrono::duration<double>(Clock::now() - begun).count(); }
};

Jobs::Jobs(FileStore& files) : files_(files), thread_([this] { run(); }) {}

Jobs::~Jobs() {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& job : jobs_) job->cancel = true;
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::optional<std::string> Jobs::start(const std::string& kind, Work work) {
  const std::lock_guard lock(mutex_);
  if (std::any_of(jobs_.begin(), jobs_.end(),
                  [](const auto& job) { return job->status.state == JobState::kRunning; }))
    return std::nullopt;
  auto job = std::make_shared<Job>();
  job->status.id = random_id();
  job->status.kind = kind;
  job->work = std::move(work);
  jobs_.push_back(job);
  if (jobs_.size() > kRemembered) jobs_.pop_front();
  next_ = job;
  changed_.notify_all();
  return job->status.id;
}

std::optional<JobStatus> Jobs::status(const std::string& id) {
  const std::lock_guard lock(mutex_);
  for (const auto& job : jobs_) {
    if (job->status.id != id) continue;
    if (job->status.state == JobState::kRunning) job->status.seconds = job->age();
    return job->status;
  }
  return std::nullopt;
}

bool Jobs::cancel(const std::string& id) {
  const std::lock_guard lock(mutex_);
  for (const auto& job : jobs_) {
    if (job->status.id != id) continue;
    job->cancel = true;
    if (job->status.state == JobState::kRunning) {
      job->status.state = JobState::kCancelled;
      job->status.seconds = job->age();
    }
    if (next_ == job) next_.reset();
    return true;
  }
  return false;
}

bool Jobs::stop(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  next_.reset();
  for (const auto& job : jobs_) {
    job->cancel = true;
    if (job->status.state == JobState::kRunning) job->status.state = JobState::kCancelled;
  }
  return changed_.wait_for(lock, patience, [this] { return !busy_; });
}

void Jobs::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || next_; });
    if (ending_) return;
    const std::shared_ptr<Job> job = std::exchange(next_, nullptr);
    const Work work = std::move(job->work);
    busy_ = true;
    lock.unlock();
    run_one(*job, work);
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void Jobs::run_one(Job& job, const Work& work) {
  Progress progress;
  progress.cancel = &job.cancel;
  progress.report = [&](std::string_view stage, double fraction) {
    const std::lock_guard lock(mutex_);
    job.status.stage = stage;
    job.status.fraction = std::max(job.status.fraction, std::clamp(fraction, 0.0, 1.0));
  };
  finish(job, guarded(work, progress));
}

void Jobs::finish(Job& job, Result<JobOutput> output) {
  Result<StoredFile> file = Error{};
  if (output.ok() && !job.cancel) file = files_.add(output->name, std::move(output->bytes));
  const std::lock_guard lock(mutex_);
  JobStatus& status = job.status;
  if (status.state != JobState::kRunning) {  // cancelled in the meantime
    if (file.ok()) files_.remove(file->id);
    return;
  }
  status.seconds = job.age();
  if (output.ok() && file.ok()) {
    status.state = JobState::kDone;
    status.fraction = 1;
    status.file = file->id;
    status.name = file->name;
    status.report = std::move(output->report);
    status.text = std::move(output->text);
  } else {
    status.state = JobState::kFailed;
    status.error = output.ok() ? file.error() : output.error();
  }
}

}  // namespace sinew::studio
