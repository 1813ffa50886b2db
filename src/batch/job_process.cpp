// SPDX-License-Identifier: Apache-2.0
#include "batch/job_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace sinew {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostErrors = std::size_t{64} << 10;
constexpr std::size_t kMostOutput = std::size_t{256} << 20;
constexpr auto kGrace = milliseconds(1000);      // between SIGTERM and SIGKILL
constexpr auto kGraceOfAll = milliseconds(100);  // when the whole batch is stopped
constexpr double kMb = 1024 * 1024;

// All that the child does between fork and exec; only what is allowed there.
[[noreturn]] void become(char* const* words, int output, int errors, pid_t parent,
                         const ProcessLimits& limits) {
  ::setpgid(0, 0);  // Ctrl-C is for the batch, which then ends its jobs
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (::getppid() != parent) ::_exit(137);
  const int input = ::open("/dev/null", O_RDONLY);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (limits.memory_mb > 0) {
    const rlim_t bytes = static_cast<rlim_t>(limits.memory_mb) << 20;
    const rlimit data{bytes, bytes};
    ::setrlimit(RLIMIT_DATA, &data);
  }
  ::execvp(words[0], words);
  const char text[] = "sinew: the program of the job cannot be started\n";
  (void)!::write(STDERR_FILENO, text, sizeof text - 1);
  ::_exit(kNotStarted);
}

double own_peak_mb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / kMb;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

bool make_pipe(int (&ends)[2]) {
  if (::pipe(ends) != 0) return false;
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return true;
}

}  // namespace

Result<JobProcess> JobProcess::start(const Command& command, const ProcessLimits& limits) {
  JobProcess process;
  int output[2] = {-1, -1}, errors[2] = {-1, -1};
  std::vector<char*> words;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid = -1;
  int problem = 0;
  if (make_pipe(errors)) {
    const bool opened = command.keep_stdout ? make_pipe(output)
                                            : (output[1] = ::open("/dev/null", O_WRONLY | O_CLOEXEC)) >= 0;
    const pid_t parent = ::getpid();
    if (opened) pid = ::fork();
    if (pid == 0) become(words.data(), output[1], errors[1], parent, limits);
  }
  if (pid < 0) problem = errno;
  for (const int end : {output[1], errors[1]})
    if (end >= 0) ::close(end);
  process.pid_ = pid;
  process.pipes_ = {output[0], errors[0]};
  if (pid < 0) {
    process.close_pipes();
    return io_error(
        fmt::format("cannot start another process: {}", std::generic_category().message(problem)));
  }
  ::setpgid(pid, pid);  // here too: whoever comes first
  process.begun_ = process.looked_ = Clock::now();
  if (limits.seconds > 0)
    process.deadline_ = process.begun_ + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(std::min(limits.seconds, 1e8)));
  process.floor_mb_ = own_peak_mb();
  return process;
}

JobProcess::JobProcess(JobProcess&& other) noexcept {
  *this = std::move(other);
}

JobProcess& JobProcess::operator=(JobProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pipes_, other.pipes_);
  std::swap(begun_, other.begun_);
  std::swap(looked_, other.looked_);
  std::swap(deadline_, other.deadline_);
  std::swap(last_warning_, other.last_warning_);
  std::swap(floor_mb_, other.floor_mb_);
  std::swap(seen_mb_, other.seen_mb_);
  std::swap(ended_, other.ended_);
  return *this;
}

JobProcess::~JobProcess() {
  close_pipes();
  if (pid_ <= 0) return;
  send(SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void JobProcess::close_pipes() {
  for (int& pipe : pipes_)
    if (pipe >= 0) ::close(std::exchange(pipe, -1));
}

void JobProcess::send(int signal) const {
  if (::kill(-pid_, signal) != 0) ::kill(pid_, signal);
}

void JobProcess::add_to(std::vector<pollfd>& descriptors) const {
  for (const int pipe : pipes_)
    if (pipe >= 0) descriptors.push_back({pipe, POLLIN, 0});
}

bool JobProcess::is_closing() const {
  return pipes_[1] < 0;
}

void JobProcess::read_pipes() {
  char bytes[1 << 14];
  for (std::size_t k = 0; k < pipes_.size(); ++k)
    while (pipes_[k] >= 0) {
      const ssize_t size = ::read(pipes_[k], bytes, sizeof bytes);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) break;
      if (size == 0) {
        ::close(std::exchange(pipes_[k], -1));
        break;
      }
      std::string& text = k == 0 ? ended_.output : ended_.errors;
      text.append(bytes, static_cast<std::size_t>(size));
      if (k == 1 && text.size() > 2 * kMostErrors) text.erase(0, text.size() - kMostErrors);
      if (k == 0 && text.size() > kMostOutput) {
        ended_.errors += "\nsinew: more than 256 MB printed to stdout\n";
        send(SIGKILL);
        ::close(std::exchange(pipes_[k], -1));
      }
    }
}

// The kernel's own figure counts what this program held when it forked; what it shows while the job runs
// does not.
void JobProcess::look_at_memory() {
  char name[48], line[128];
  std::snprintf(name, sizeof name, "/proc/%ld/status", static_cast<long>(pid_));
  std::FILE* file = std::fopen(name, "re");
  if (!file) return;
  long kilobytes = 0;
  while (std::fgets(line, sizeof line, file))
    if (std::sscanf(line, "VmHWM: %ld", &kilobytes) == 1) break;
  std::fclose(file);
  seen_mb_ = std::max(seen_mb_, static_cast<double>(kilobytes) * 1024 / kMb);
}

bool JobProcess::look() {
  if (pid_ <= 0) return true;
  read_pipes();
  const auto now = Clock::now();
  siginfo_t state{};
  const int asked = ::waitid(P_PID, static_cast<id_t>(pid_), &state, WEXITED | WNOHANG | WNOWAIT);
  if ((asked == 0 && state.si_pid == pid_) || (asked != 0 && errno == ECHILD)) {
    ::kill(-pid_, SIGKILL);  // what the job itself may have started, while its number is still taken
    int status = 0;
    rusage usage{};
    const pid_t reaped = ::wait4(pid_, &status, 0, &usage);
    pid_ = -1;
    read_pipes();
    close_pipes();
    ended_.exit = reaped < 0 ? 1 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    ended_.seconds = std::chrono::duration<double>(now - begun_).count();
    ended_.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    const double peak = static_cast<double>(usage.ru_maxrss) * 1024 / kMb;
    ended_.peak_mb = peak > floor_mb_ || seen_mb_ == 0 ? peak : seen_mb_;
    return true;
  }
  if (now - looked_ > milliseconds(90)) {
    looked_ = now;
    look_at_memory();
  }
  if (deadline_ && now > *deadline_ && !last_warning_) {
    ended_.timed_out = true;
    ask_to_stop();
  }
  if (last_warning_ && now > *last_warning_) send(SIGKILL);
  return false;
}

void JobProcess::ask_to_stop() {
  send(SIGTERM);
  last_warning_ = Clock::now() + kGrace;
}

namespace {

struct PoolPlace {
  std::size_t job;
  JobProcess process;
};

void stop_all(std::vector<PoolPlace>& places) {
  for (PoolPlace& place : places) place.process.ask_to_stop();
  const auto until = std::chrono::steady_clock::now() + kGraceOfAll;
  const auto runs = [](PoolPlace& place) { return !place.process.look(); };
  while (std::any_of(places.begin(), places.end(), runs) && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(milliseconds(2));
  places.clear();  // kills the others
}

void wait_for_any(const std::vector<PoolPlace>& places, std::vector<pollfd>& descriptors) {
  descriptors.clear();
  bool closing = false;
  for (const PoolPlace& place : places) {
    place.process.add_to(descriptors);
    closing = closing || place.process.is_closing();
  }
  (void)::poll(descriptors.data(), descriptors.size(), closing ? 1 : 100);  // a signal ends it early
}

Result<void> run_places(std::size_t count, const ProcessLimits& limits, const PoolWork& work,
                        const Progress* progress, std::vector<PoolPlace>& places) {
  std::vector<pollfd> descriptors;
  auto settled = std::chrono::steady_clock::time_point();
  for (bool changed = true;;) {
    while (places.size() < count) {
      if (is_cancelled(progress)) return cancelled();
      SINEW_TRY(const std::optional<std::size_t> job, work.next());
      if (!job) break;
      SINEW_TRY(JobProcess process, JobProcess::start(work.command(*job), limits));
      places.push_back({*job, std::move(process)});
    }
    const auto now = std::chrono::steady_clock::now();
    if (changed || now - settled > milliseconds(200)) {
      settled = now;
      SINEW_CHECK(work.settle());
    }
    if (places.empty()) return {};
    wait_for_any(places, descriptors);
    if (is_cancelled(progress)) return cancelled();
    changed = false;
    for (std::size_t k = 0; k < places.size();) {
      if (!places[k].process.look()) {
        ++k;
        continue;
      }
      PoolPlace place = std::move(places[k]);
      places.erase(places.begin() + static_cast<std::ptrdiff_t>(k));
      changed = true;
      SINEW_CHECK(work.ended(place.job, place.process.take_result()));
    }
  }
}

}  // namespace

Result<void> run_pool(std::size_t places, const ProcessLimits& limits, const PoolWork& work,
                      const Progress* progress) {
  std::vector<PoolPlace> running;
  Result<void> result = run_places(std::max<std::size_t>(places, 1), limits, work, progress, running);
  stop_all(running);
  return result;
}

}  // namespace sinew
