// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/result.h"

namespace sinew {

struct Command {
  std::vector<std::string> words;  // the program first; searched for in PATH where it has no '/'
  bool keep_stdout = false;        // else it is thrown away
};

struct ProcessLimits {
  double seconds = 0;         // 0: none
  std::size_t memory_mb = 0;  // of data, 2^20 bytes; 0: none
};

// The exit code of a program that could not be started, as of the shell.
inline constexpr int kNotStarted = 127;

// How a process ended.
struct Ended {
  int exit = 0;  // 128 + N: by signal N
  bool timed_out = false;
  double seconds = 0, cpu_seconds = 0, peak_mb = 0;
  std::string output, errors;  // stdout where it was kept; the end of stderr
};

// A process of its own: nothing of it outlives this program, however that ends (on Linux).
class JobProcess {
 public:
  static Result<JobProcess> start(const Command& command, const ProcessLimits& limits);
  JobProcess(JobProcess&& other) noexcept;
  JobProcess& operator=(JobProcess&& other) noexcept;
  ~JobProcess();  // ends it

  // What to wait for; then `look` reads what came, ends a process that is over its time, and says whether it
  // has ended. Never waits.
  void add_to(std::vector<pollfd>& descriptors) const;
  bool look();
  bool is_closing() const;  // it closed its streams: the end is near
  void ask_to_stop();       // SIGTERM, and SIGKILL a second later
  Ended take_result() { return std::move(ended_); }

 private:
  using Clock = std::chrono::steady_clock;
  JobProcess() = default;
  void read_pipes();
  void look_at_memory();
  void send(int signal) const;
  void close_pipes();

  pid_t pid_ = -1;
  std::array<int, 2> pipes_ = {-1, -1};  // its stdout, its stderr
  Clock::time_point begun_, looked_;
  std::optional<Clock::time_point> deadline_, last_warning_;
  double floor_mb_ = 0, seen_mb_ = 0;
  Ended ended_;
};

// What a pool of processes does.
struct PoolWork {
  // The number of the next job, when a place is free; nullopt: there is none now. An error ends the pool.
  std::function<Result<std::optional<std::size_t>>()> next;
  std::function<Command(std::size_t)> command;
  std::function<Result<void>(std::size_t, Ended)> ended;  // an error ends the pool
  std::function<Result<void>()> settle;  // while all places are taken: at each end, and five times a second
};

// Runs jobs, `places` at once, until there is none. On an error, or when cancelled, what runs is stopped.
Result<void> run_pool(std::size_t places, const ProcessLimits& limits, const PoolWork& work,
                      const Progress* progress);

}  // namespace sinew
