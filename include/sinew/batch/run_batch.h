// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sinew/batch/journal.h"
#include "sinew/batch/manifest.h"
#include "sinew/core/file.h"
#include "sinew/core/progress.h"
#include "sinew/core/result.h"

namespace sinew {

/// How a batch is run.
struct BatchOptions {
  std::filesystem::path folder;  ///< of the results; made where it is missing
  std::string program;           ///< what runs a job: `program VERB ARGS… -o OUT --force --threads N`
  std::vector<BatchVerb> verbs;  ///< empty: all take -o
  Shard shard;
  std::size_t jobs = 0;       ///< at once; 0: one for each core
  std::size_t threads = 0;    ///< of each job that does not say; 0: the cores shared among the jobs
  double timeout = 0;         ///< seconds for an attempt of a job; 0: no limit
  std::size_t memory_mb = 0;  ///< for the data of a job, 2^20 bytes; 0: no limit
  int retries = 1;            ///< after a crash, an I/O error or a time limit; other failures are final
  bool redo_failed = false;   ///< also jobs that failed in an earlier run
  bool pictures = true;       ///< of results that are meshes, by `program render`
  double lock_wait = 0;       ///< seconds to wait for another batch in the same folder
  Overwrite overwrite = Overwrite::kNo;  ///< whether outputs that this batch did not make are replaced
  const Progress* progress = nullptr;    ///< stages say counts and the time left
};

/// A job and what is known of it.
struct JobReport {
  BatchJob job;
  bool ended = false;    ///< `outcome` holds; else it has not run yet
  bool skipped = false;  ///< it had ended well before this run
  JobOutcome outcome;
};

/// Of a run, or of all that the journals know.
struct BatchReport {
  std::size_t done = 0;         ///< well, in this run
  std::size_t failed = 0;       ///< in this run or an earlier one
  std::size_t skipped = 0;      ///< done before
  std::size_t waiting = 0;      ///< not run, or not to the end
  double seconds = 0;           ///< of this run
  double busy = 0;              ///< part of the time, over all places, in which jobs ran
  std::vector<JobReport> jobs;  ///< of the shard, in the order of the manifest
};

/// Runs the jobs of a shard that the journals of the folder do not know as ended, each in a process of its
/// own. A run that ends early, even by SIGKILL, loses nothing: the next one repeats at most what was running.
/// A job that fails is counted and stops no other. kIo: another batch runs in the folder, an output exists
/// that no journal knows (nothing is started then), or the disk is full. kCancelled.
Result<BatchReport> run_batch(std::span<const BatchJob> jobs, const BatchOptions& options);

/// What the journals say of all jobs; `done` counts those of any run. `write` may save it: one process at a
/// time does, so that what the last one writes holds everything.
Result<BatchReport> gather_batch(std::span<const BatchJob> jobs, const std::filesystem::path& folder,
                                 const std::function<Result<void>(const BatchReport&)>& write = {});

/// The picture of a result, relative to the folder; empty: results of this kind have none.
std::string picture_name(const std::string& out);

/// "3 of 10 done, 1 failed, 2 min left"; without the time where nothing has been done yet.
std::string batch_progress(std::size_t ended, std::size_t all, std::size_t failed, double seconds,
                           std::size_t ended_in_it);

/// The sentence of a job that failed, from the end of what it printed to stderr: the last line, without the
/// program's name. Empty where it printed nothing.
std::string last_sentence(std::string_view errors);

}  // namespace sinew
