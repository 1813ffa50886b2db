// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "sinew/batch/run_batch.h"

namespace sinew {

/// Writes the results of a batch into its folder: index.html with totals, failures and pictures, further pages
/// page-2.html … of 500 results each, table.csv and report.json. Replaces those of an earlier run.
Result<void> save_batch_page(const BatchReport& report, const std::string& title,
                             const std::filesystem::path& folder);

/// A line for each job, under a line of names: line, verb, input (the first argument), out, exit, seconds,
/// cpu_seconds, peak_mb, attempts, message.
std::string batch_table(const BatchReport& report);

}  // namespace sinew
