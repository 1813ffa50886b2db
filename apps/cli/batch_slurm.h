// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "console.h"
#include "sinew/batch/run_batch.h"

namespace sinew::cli {

// What `batch --slurm` adds to a batch.
struct SlurmArguments {
  bool submit = false, wait = false;
  std::size_t shards = 0;               // 0: chosen
  std::vector<std::string> directives;  // of sbatch
};

// Submits what is left of a batch, unless the cluster has it already, and prints what was submitted; or waits
// for its end where asked to.
Result<void> run_on_slurm(const SlurmArguments& slurm, const std::string& manifest, const BatchOptions& batch,
                          std::span<const BatchJob> jobs, const Console& console);

}  // namespace sinew::cli
