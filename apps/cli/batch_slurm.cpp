// SPDX-License-Identifier: Apache-2.0
#include "batch_slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "sinew/batch/slurm.h"
#include "words.h"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::size_t kJobsOfShard = 20, kMostShards = 500;
constexpr int kMissedAnswers = 20;  // a controller that is restarted does not answer for a while

// The jobs that a run would begin.
std::size_t jobs_left(const BatchReport& report, const BatchOptions& batch) {
  std::error_code failure;
  return static_cast<std::size_t>(
      std::count_if(report.jobs.begin(), report.jobs.end(), [&](const JobReport& job) {
        if (!job.ended) return true;
        if (job.outcome.exit != 0) return batch.redo_failed;
        return !fs::exists(fs::symlink_status(batch.folder / fs::path(job.job.out), failure));
      }));
}

SlurmRequest request_of(const SlurmArguments& slurm, const std::string& manifest, const BatchOptions& batch,
                        std::size_t left) {
  SlurmRequest request;
  request.folder = fs::absolute(batch.folder);
  request.cpus = std::max<std::size_t>(1, batch.jobs) * std::max<std::size_t>(1, batch.threads);
  // Beside the jobs' data there is the program's code and the batch itself.
  if (batch.memory_mb > 0)
    request.memory_mb = std::max<std::size_t>(1, batch.jobs) * (batch.memory_mb + 64) + 256;
  request.shards = slurm.shards > 0
                       ? slurm.shards
                       : std::clamp<std::size_t>((left + kJobsOfShard - 1) / kJobsOfShard, 1, kMostShards);
  request.directives = slurm.directives;
  // Paths of jobs are taken from where the command was given.
  request.directives.push_back("--chdir=\"" + fs::current_path().string() + "\"");
  auto& words = request.command;
  words = {batch.program, "batch", fs::absolute(manifest).string(), "-o", request.folder.string()};
  const auto add = [&](const char* name, const auto& value) {
    words.insert(words.end(), {name, fmt::format("{}", value)});
  };
  add("--jobs", std::max<std::size_t>(1, batch.jobs));
  add("--threads", std::max<std::size_t>(1, batch.threads));
  add("--retries", batch.retries);
  // A task of a node that the controller has given up may still run: its successor waits for its end.
  add("--lock-wait", 86400);
  if (batch.timeout > 0) add("--timeout", batch.timeout);
  if (batch.memory_mb > 0) add("--memory", batch.memory_mb);
  if (batch.redo_failed) words.push_back("--redo-failed");
  if (!batch.pictures) words.push_back("--no-pictures");
  if (batch.overwrite == Overwrite::kYes) words.push_back("--force");
  return request;
}

std::string submitted(const SlurmQueue& queue, std::size_t left) {
  if (queue.tasks() == 0) return "nothing is left to do; --status shows the results";
  return fmt::format("Slurm job {}: {} for {}; --status shows its progress", queue.job,
                     counted(queue.tasks(), "shard"), counted(left, "job"));
}

Result<void> wait_for_slurm(const BatchOptions& batch, std::span<const BatchJob> jobs) {
  const auto start = std::chrono::steady_clock::now();
  int missed = 0;
  std::size_t first_ended = jobs.size();
  for (;;) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const Result<SlurmQueue> queue = slurm_queue(batch.folder, batch.progress);
    if (!queue && (queue.error().code == ErrorCode::kCancelled || ++missed > kMissedAnswers))
      return queue.error();
    if (queue) missed = 0;
    if (queue && queue->tasks() == 0) return {};
    SINEW_TRY(const BatchReport now, gather_batch(jobs, batch.folder));
    const std::size_t ended = jobs.size() - now.waiting;
    first_ended = std::min(first_ended, ended);
    report(batch.progress, batch_progress(ended, jobs.size(), now.failed, seconds, ended - first_ended),
           static_cast<double>(ended) / static_cast<double>(jobs.size()));
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(std::clamp(seconds / 10, 1.0, 15.0));
    while (std::chrono::steady_clock::now() < until) {
      if (is_cancelled(batch.progress)) return cancelled();
      std::this_thread::sleep_for(20ms);
    }
  }
}

}  // namespace

Result<void> run_on_slurm(const SlurmArguments& slurm, const std::string& manifest, const BatchOptions& given,
                          std::span<const BatchJob> jobs, const Console& console) {
  BatchOptions batch = given;
  std::error_code failure;
  fs::create_directories(batch.folder / "_batch", failure);
  // A shard that Slurm ended is submitted again as long as that helps.
  for (std::size_t before = jobs.size() + 1;;) {
    SINEW_TRY(const BatchReport known, gather_batch(jobs, batch.folder));
    const std::size_t left = jobs_left(known, batch);
    SlurmQueue queue;
    if (left > 0 && left < before) {
      SINEW_TRY(queue, submit_slurm(request_of(slurm, manifest, batch, left), batch.progress));
    } else {
      SINEW_TRY(queue, slurm_queue(batch.folder, batch.progress));
    }
    if (!slurm.wait) {
      console.print({{"job", queue.job}, {"shards", queue.tasks()}, {"waiting", left}},
                    submitted(queue, left));
      return {};
    }
    if (queue.tasks() == 0) return {};
    console.note(submitted(queue, left));
    SINEW_CHECK(wait_for_slurm(batch, jobs));
    before = left;
    batch.redo_failed = false;  // once
  }
}

}  // namespace sinew::cli
