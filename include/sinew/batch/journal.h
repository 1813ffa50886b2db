// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sinew/core/result.h"

namespace sinew {

/// One of `count` parts of a batch, from 1; its jobs are every count-th of the manifest.
struct Shard {
  std::size_t index = 1, count = 1;
  bool holds(std::size_t job) const { return job % count == index - 1; }  ///< the job's place, from 0
};

/// "2/8". kUsage.
Result<Shard> parse_shard(std::string_view text);

/// How a job ended.
struct JobOutcome {
  int exit = 0;            ///< of the program; 6: a limit of the batch; 128 + N: killed by signal N
  double seconds = 0;      ///< of the last attempt
  double cpu_seconds = 0;  ///< of the last attempt, all threads
  double peak_mb = 0;      ///< the most memory that it held, 2^20 bytes
  int attempts = 1;
  double at = 0;        ///< when it ended, seconds since 1970
  std::string message;  ///< the sentence of a failure; the warnings of a success
};

/// What journals know of a job.
struct JobRecord {
  bool begun = false;  ///< at least once
  bool ended = false;  ///< `outcome` holds
  JobOutcome outcome;
};

/// By job_key.
using JobRecords = std::unordered_map<std::uint64_t, JobRecord>;

/// An append-only file of JSON lines. Each call of append is one write of whole lines; what sync has returned
/// for outlives a crash of the machine, and what append has returned for one of the process. Reading skips a
/// line that a crash cut off.
class Journal {
 public:
  /// Opens or creates the journal of a shard in `FOLDER/_batch`, which must exist.
  static Result<Journal> open(const std::filesystem::path& folder, const Shard& shard);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  void begin(std::uint64_t key);                                     ///< buffered
  void end(std::uint64_t key, std::size_t line, const JobOutcome&);  ///< buffered
  Result<void> append();                                             ///< writes what is buffered
  Result<void> sync();  ///< nothing to do where nothing was appended since

 private:
  Journal() = default;
  Error fail() const;
  std::filesystem::path file_;
  int descriptor_ = -1;
  bool dirty_ = false;
  std::string buffer_;
};

/// Adds what one journal says. Of several ends of a job the latest counts.
void read_journal(std::string_view text, JobRecords& records);

/// All journals of a folder, whatever shards they were of; empty where there is none. 100,000 jobs take a
/// quarter of a second.
Result<JobRecords> read_journals(const std::filesystem::path& folder);

}  // namespace sinew
