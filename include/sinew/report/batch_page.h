// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "sinew/batch/run_batch.h"

namespace sinew {

/// Writes the results of a batch into its folder: index.html with totals, failures and pictures, further pages
/// page-2.html … of 500 results each, table.csv and report.json. Replaces those of an earlier run.
Result<void> save_batch_page(const BatchReport& report, const std::string& title,
                             const std::filesystem::path& folder);

/// kIo: the folder holds a page that no batch wrote, and nothing is to be replaced.
Result<void> check_batch_folder(const std::filesystem::path& folder, Overwrite overwrite);

/// Runs a batch as run_batch does, and writes the page of all that the folder's journals know. Fails as
/// check_batch_folder does, too.
Result<BatchReport> run_batch_with_page(std::span<const BatchJob> jobs, const std::string& title,
                                        const BatchOptions& options);

/// What the journals say of all jobs, as gather_batch does, and the page.
Result<BatchReport> gather_batch_with_page(std::span<const BatchJob> jobs, const std::string& title,
                                           const std::filesystem::path& folder);

/// A line for each job, under a line of names: line, verb, input (the first argument), out, exit, seconds,
/// cpu_seconds, peak_mb, attempts, message.
std::string batch_table(const BatchReport& report);

}  // namespace sinew
