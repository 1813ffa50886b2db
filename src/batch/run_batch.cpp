// SPDX-License-Identifier: Apache-2.0
#include "sinew/batch/run_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <system_error>
#include <thread>

#include "batch/folder.h"
#include "batch/job_process.h"
#include "sinew/core/text.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestMessage = 1000;
constexpr double kSecondsForPicture = 120;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

bool is_there(const fs::path& path) {
  std::error_code failure;
  return fs::exists(fs::symlink_status(path, failure));
}

// What failed for a reason that another attempt may not meet.
bool worth_another_attempt(const Ended& ended) {
  return ended.timed_out || ended.exit == 1 || ended.exit == 5 || ended.exit > 127;
}

// Whoever stops a job from outside stops the batch with it: its turn comes within this time.
bool stopped_with_us(const Ended& ended, const Progress* progress) {
  if (ended.timed_out || (ended.exit != 130 && ended.exit != 137 && ended.exit != 143)) return false;
  for (int k = 0; k < 30 && !is_cancelled(progress); ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return is_cancelled(progress);
}

bool disk_is_full(const std::string& message) {
  for (const int code : {ENOSPC, EDQUOT})
    if (message.find(std::generic_category().message(code)) != std::string::npos) return true;
  return false;
}

std::string warnings_of(std::string_view errors) {
  std::string text;
  LineReader reader(errors);
  while (reader.next_line())
    if (reader.line().starts_with("warning: "))
      text += (text.empty() ? "" : "; ") + std::string(reader.line().substr(9));
  return printable(text, kLongestMessage);
}

class BatchRun {
 public:
  BatchRun(std::span<const BatchJob> jobs, const BatchOptions& options, Journal journal)
      : options_(options), journal_(std::move(journal)) {
    for (std::size_t k = 0; k < jobs.size(); ++k)
      if (options.shard.holds(k)) report_.jobs.push_back({jobs[k], false, false, {}});
    attempts_.resize(report_.jobs.size());
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    places_ = options.jobs > 0 ? options.jobs : cores;
    threads_ = options.threads > 0 ? options.threads : std::max<std::size_t>(1, cores / places_);
  }

  // Sorts the jobs into ended ones and those to run. kIo where an output is in the way.
  Result<void> plan(const JobRecords& records);
  Result<void> run();
  Result<void> draw_pictures();
  BatchReport take_report();

 private:
  fs::path output(std::size_t k) const { return options_.folder / fs::path(report_.jobs[k].job.out); }
  bool writes_file(const std::string& verb) const;
  Command command(std::size_t k) const;
  Result<std::optional<std::size_t>> next();
  Result<void> ended(std::size_t k, Ended ended);
  JobOutcome judge(std::size_t k, Ended& ended);
  Result<void> settle();
  void record(std::size_t k, const JobOutcome& outcome);

  const BatchOptions& options_;
  Journal journal_;
  BatchReport report_;
  std::vector<int> attempts_;
  std::deque<std::size_t> queue_;
  std::size_t places_ = 1, threads_ = 1, ended_before_ = 0, ended_now_ = 0;
  Clock::time_point start_ = Clock::now();
  double job_seconds_ = 0;
};

Result<void> BatchRun::plan(const JobRecords& records) {
  std::size_t in_the_way = 0, first = 0;
  for (std::size_t k = 0; k < report_.jobs.size(); ++k) {
    JobReport& job = report_.jobs[k];
    const auto found = records.find(job_key(job.job));
    const bool known = found != records.end();
    const bool there = is_there(output(k));
    if (known && found->second.ended) {
      const bool well = found->second.outcome.exit == 0;
      if (well ? there : !options_.redo_failed) {
        job.ended = true;
        job.skipped = well;
        job.outcome = found->second.outcome;
        ++(well ? report_.skipped : report_.failed);
        ++ended_before_;
        continue;
      }
    }
    if (there && !known && in_the_way++ == 0) first = k;
    queue_.push_back(k);
  }
  if (in_the_way == 0 || options_.overwrite == Overwrite::kYes) return {};
  return io_error(
      fmt::format("'{}' exists and is no result of line {} of this batch{}; use --force to replace such "
                  "files, or another "
                  "folder",
                  printable(output(first).string(), 400), report_.jobs[first].job.line,
                  in_the_way > 1 ? fmt::format(", and {} more like it", in_the_way - 1) : ""));
}

bool BatchRun::writes_file(const std::string& verb) const {
  for (const BatchVerb& known : options_.verbs)
    if (known.name == verb) return known.writes_file;
  return true;
}

Command BatchRun::command(std::size_t k) const {
  const BatchJob& job = report_.jobs[k].job;
  Command command;
  command.words = {options_.program, job.verb};
  command.words.insert(command.words.end(), job.args.begin(), job.args.end());
  command.keep_stdout = !writes_file(job.verb);
  if (!command.keep_stdout) {
    command.words.insert(command.words.end(), {"-o", output(k).string(), "--force"});
  }
  const auto sets_threads = [](const std::string& word) { return word.starts_with("--threads"); };
  if (std::none_of(job.args.begin(), job.args.end(), sets_threads))
    command.words.insert(command.words.end(), {"--threads", std::to_string(threads_)});
  return command;
}

Result<std::optional<std::size_t>> BatchRun::next() {
  if (queue_.empty()) return std::optional<std::size_t>();
  const std::size_t k = queue_.front();
  queue_.pop_front();
  ++attempts_[k];
  // Known before it begins: what it leaves behind when all is killed is then known as ours.
  journal_.begin(job_key(report_.jobs[k].job));
  SINEW_CHECK(journal_.append());
  SINEW_CHECK(make_folders(output(k).parent_path()));
  return std::optional<std::size_t>(k);
}

JobOutcome BatchRun::judge(std::size_t k, Ended& ended) {
  const BatchJob& job = report_.jobs[k].job;
  JobOutcome outcome{ended.exit, ended.seconds, ended.cpu_seconds, ended.peak_mb, attempts_[k], unix_time(),
                     {}};
  if (ended.exit == 0 && !ended.timed_out) {
    if (!writes_file(job.verb)) {
      if (const auto written = write_file(output(k), ended.output, Overwrite::kYes); !written) {
        outcome.exit = static_cast<int>(written.error().code);
        outcome.message = written.error().message;
        return outcome;
      }
    }
    if (is_there(output(k))) {
      outcome.message = warnings_of(ended.errors);
      return outcome;
    }
    outcome.exit = 1;
    outcome.message = "succeeded, but wrote no output";
    return outcome;
  }
  if (ended.timed_out) {
    outcome.exit = 6;
    outcome.message = fmt::format("stopped after {:g} s, the limit of --timeout", options_.timeout);
  } else if (ended.exit > 128 && ended.exit != 130 && ended.exit != 143) {
    outcome.message = fmt::format("ended by signal {} ({})", ended.exit - 128, strsignal(ended.exit - 128));
    if (const std::string said = last_sentence(ended.errors); !said.empty()) outcome.message += ": " + said;
  } else {
    outcome.message = last_sentence(ended.errors);
    if (outcome.message.empty())
      outcome.message = fmt::format("ended with code {} and no message", ended.exit);
    if (ended.exit == 6 && options_.memory_mb > 0)
      outcome.message += fmt::format(" (--memory is {} MB)", options_.memory_mb);
  }
  return outcome;
}

Result<void> BatchRun::ended(std::size_t k, Ended result) {
  job_seconds_ += result.seconds;
  if (stopped_with_us(result, options_.progress)) return cancelled();
  if (result.exit ==
      kNotStarted)  // replaced or removed while the batch ran: no fault of this job, or the next
    return io_error(fmt::format("cannot start '{}': run the same command again once it is there",
                                printable(options_.program, 400)));
  const JobOutcome outcome = judge(k, result);
  if (outcome.exit != 0 && disk_is_full(outcome.message))
    return io_error(
        fmt::format("line {}: {}; free some space and run the same command again, which goes on here",
                    report_.jobs[k].job.line, outcome.message));
  result.exit = outcome.exit;
  if (outcome.exit != 0 && worth_another_attempt(result) && attempts_[k] <= options_.retries) {
    queue_.push_front(k);
    return {};
  }
  record(k, outcome);
  return {};
}

void BatchRun::record(std::size_t k, const JobOutcome& outcome) {
  JobReport& job = report_.jobs[k];
  job.ended = true;
  job.outcome = outcome;
  ++(outcome.exit == 0 ? report_.done : report_.failed);
  ++ended_now_;
  journal_.end(job_key(job.job), job.job.line, outcome);
}

// While the next jobs already run.
Result<void> BatchRun::settle() {
  SINEW_CHECK(journal_.append());
  SINEW_CHECK(journal_.sync());
  const std::size_t all = report_.jobs.size();
  const std::size_t now = ended_before_ + ended_now_;
  report(options_.progress, batch_progress(now, all, report_.failed, seconds_since(start_), ended_now_),
         all > 0 ? static_cast<double>(now) / static_cast<double>(all) : 1);
  return {};
}

Result<void> BatchRun::run() {
  start_ = Clock::now();
  PoolWork work;
  work.next = [this] { return next(); };
  work.command = [this](std::size_t k) { return command(k); };
  work.ended = [this](std::size_t k, Ended result) { return ended(k, std::move(result)); };
  work.settle = [this] { return settle(); };
  const Result<void> result =
      run_pool(places_, {options_.timeout, options_.memory_mb}, work, options_.progress);
  const double seconds = seconds_since(start_);
  if (seconds > 0) report_.busy = std::min(1.0, job_seconds_ / (seconds * static_cast<double>(places_)));
  // What ended together with what stopped the batch is known too.
  if (const Result<void> kept = settle(); result.ok() && !kept) return kept;
  return result;
}

Result<void> BatchRun::draw_pictures() {
  std::deque<std::size_t> wanted;
  for (std::size_t k = 0; k < report_.jobs.size(); ++k) {
    const JobReport& job = report_.jobs[k];
    const std::string name = picture_name(job.job.out);
    if (!job.ended || job.outcome.exit != 0 || name.empty() || name == job.job.out) continue;
    std::error_code none, failure;
    const auto drawn = fs::last_write_time(options_.folder / name, none);
    if (none || drawn < fs::last_write_time(output(k), failure)) wanted.push_back(k);
  }
  const std::size_t all = wanted.size();
  PoolWork work;
  work.next = [&]() -> Result<std::optional<std::size_t>> {
    if (wanted.empty()) return std::optional<std::size_t>();
    const std::size_t k = wanted.front();
    wanted.pop_front();
    SINEW_CHECK(make_folders((options_.folder / picture_name(report_.jobs[k].job.out)).parent_path()));
    return std::optional<std::size_t>(k);
  };
  work.command = [&](std::size_t k) {
    const fs::path picture = options_.folder / picture_name(report_.jobs[k].job.out);
    return Command{{options_.program, "render", output(k).string(), "--skeleton", "--views", "three-quarter",
                    "--width", "240", "--height", "240", "-o", picture.string(), "--force", "--quiet",
                    "--threads", std::to_string(threads_)},
                   false};
  };
  work.ended = [](std::size_t, const Ended&) -> Result<void> { return {}; };  // then there is no picture
  work.settle = [&]() -> Result<void> {
    if (all > 0)
      report(options_.progress, fmt::format("{} pictures left", wanted.size()),
             1 - static_cast<double>(wanted.size()) / static_cast<double>(all));
    return {};
  };
  return run_pool(places_, {kSecondsForPicture, options_.memory_mb}, work, options_.progress);
}

BatchReport BatchRun::take_report() {
  report_.waiting = report_.jobs.size() - ended_before_ - ended_now_;
  return std::move(report_);
}

}  // namespace

Result<BatchReport> run_batch(std::span<const BatchJob> jobs, const BatchOptions& options) {
  const auto start = Clock::now();
  SINEW_CHECK(make_folders(own_folder(options.folder)));
  SINEW_TRY(const FolderLock lock,
            FolderLock::take(options.folder, options.shard, options.lock_wait, options.progress));
  SINEW_TRY(const JobRecords records, read_journals(options.folder));
  SINEW_TRY(Journal journal, Journal::open(options.folder, options.shard));
  BatchRun run(jobs, options, std::move(journal));
  SINEW_CHECK(run.plan(records));
  SINEW_CHECK(run.run());
  if (options.pictures) SINEW_CHECK(run.draw_pictures());
  BatchReport report = run.take_report();
  report.seconds = seconds_since(start);
  return report;
}

Result<BatchReport> gather_batch(std::span<const BatchJob> jobs, const fs::path& folder,
                                 const std::function<Result<void>(const BatchReport&)>& write) {
  if (!is_there(own_folder(folder)))
    return io_error(fmt::format("'{}': no batch has run in this folder", printable(folder.string(), 400)));
  FileLock lock;
  if (write) {
    SINEW_TRY(lock, FileLock::take(own_folder(folder) / "page-lock", FileLock::Kind::kExclusive, true));
  }
  SINEW_TRY(const JobRecords records, read_journals(folder));
  BatchReport report;
  for (const BatchJob& job : jobs) {
    JobReport& entry = report.jobs.emplace_back();
    entry.job = job;
    const auto found = records.find(job_key(job));
    entry.ended = found != records.end() && found->second.ended;
    if (entry.ended) entry.outcome = found->second.outcome;
    ++(!entry.ended ? report.waiting : entry.outcome.exit == 0 ? report.done : report.failed);
    if (entry.ended) report.seconds += entry.outcome.seconds;
  }
  if (write) SINEW_CHECK(write(report));
  return report;
}

std::string picture_name(const std::string& out) {
  const std::size_t dot = out.rfind('.');
  const std::string extension = dot == std::string::npos ? "" : out.substr(dot);
  for (const char* picture : {".png", ".jpg", ".jpeg"})
    if (equals_ignoring_case(extension, picture)) return out;
  for (const char* mesh : {".glb", ".gltf", ".obj", ".ply", ".off", ".stl"})
    if (equals_ignoring_case(extension, mesh)) return std::string(kOwnFolder) + "/pictures/" + out + ".png";
  return {};
}

std::string batch_progress(std::size_t ended, std::size_t all, std::size_t failed, double seconds,
                           std::size_t ended_in_it) {
  std::string text = fmt::format("{} of {} done", ended, all);
  if (failed > 0) text += fmt::format(", {} failed", failed);
  if (ended_in_it == 0 || ended >= all) return text;
  const double left = seconds / static_cast<double>(ended_in_it) * static_cast<double>(all - ended);
  if (left < 90) return text + fmt::format(", {:.0f} s left", left);
  if (left < 90 * 60) return text + fmt::format(", {:.0f} min left", left / 60);
  if (left < 36 * 3600) return text + fmt::format(", {:.1f} h left", left / 3600);
  return text + fmt::format(", {:.1f} days left", left / 86400);
}

std::string last_sentence(std::string_view errors) {
  std::string_view last;
  LineReader reader(errors);
  while (reader.next_line())
    if (reader.line().find_first_not_of(" \t") != std::string_view::npos) last = reader.line();
  if (last.starts_with("sinew: ")) last.remove_prefix(7);
  return printable(last, kLongestMessage);
}

}  // namespace sinew
