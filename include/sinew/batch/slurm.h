// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/result.h"

namespace sinew {

/// A batch as a job array of Slurm, one task a shard.
struct SlurmRequest {
  std::vector<std::string> command;  ///< what a task runs, the program first; `--shard I/N` is added
  std::filesystem::path folder;      ///< of the results, which all nodes see under this name
  std::size_t shards = 1;
  std::size_t cpus = 1;                 ///< of a task
  std::size_t memory_mb = 0;            ///< of a task; 0: as the cluster has it
  std::vector<std::string> directives;  ///< more options of sbatch, such as "--partition=long"
};

/// Tasks of a batch that the cluster still has.
struct SlurmQueue {
  std::string job;  ///< the number of the array; empty: none
  std::size_t running = 0, pending = 0;
  std::size_t tasks() const { return running + pending; }
};

/// The name of a folder's job array, by which it is found again: two folders never share it.
std::string slurm_job_name(const std::filesystem::path& folder);

/// The script of the array. A task that ran all its jobs ends with 0 also where some failed, since the journal
/// knows them; one whose node is lost is run again by Slurm, and goes on where the shard's journal ends.
std::string slurm_script(const SlurmRequest& request);

/// What squeue answers, a line "JOB STATE" for each task.
SlurmQueue parse_slurm_queue(std::string_view answer);

/// Asks squeue. kIo: there is none, or it does not answer.
Result<SlurmQueue> slurm_queue(const std::filesystem::path& folder, const Progress* progress = nullptr);

/// Writes FOLDER/_batch/slurm.sh and gives it to sbatch, unless the cluster still has an array of this folder.
/// Returns what it has then. kIo: no sbatch, or it refuses.
Result<SlurmQueue> submit_slurm(const SlurmRequest& request, const Progress* progress = nullptr);

}  // namespace sinew
