// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "file_store.h"
#include "sinew/core/progress.h"

namespace sinew::studio {

using Json = nlohmann::ordered_json;

using Work = std::function<Result<JobOutput>(const Progress& progress)>;

enum class JobState { kRunning, kDone, kFailed, kCancelled };

struct JobStatus {
  std::string id, kind;
  JobState state = JobState::kRunning;
  std::string stage;
  double fraction = 0, seconds = 0;  // the fraction never goes back
  std::string file, name;            // when done
  Json report;
  std::vector<std::string> text;
  Error error;  // when failed
};

// One job at a time, on a thread of its own. May be used from several threads.
class Jobs {
 public:
  explicit Jobs(FileStore& files);
  ~Jobs();  // waits for the job to see that it is cancelled

  // nullopt: another one runs. One that was cancelled is waited for by the new job, not by the caller.
  std::optional<std::string> start(const std::string& kind, Work work);
  std::optional<JobStatus> status(const std::string& id);
  // The job counts as cancelled at once, and its thread stops as soon as it looks. False: no such job.
  bool cancel(const std::string& id);
  // Cancels all; whether the thread was idle before `patience` was over.
  bool stop(std::chrono::milliseconds patience);

 private:
  struct Job;

  void run();
  void run_one(Job& job, const Work& work);
  void finish(Job& job, Result<JobOutput> output);

  FileStore& files_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> jobs_;  // the newest last; a few old ones are remembered
  std::shared_ptr<Job> next_;              // to be done
  bool busy_ = false, ending_ = false;
  std::thread thread_;
};

}  // namespace sinew::studio
