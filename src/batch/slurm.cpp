// SPDX-License-Identifier: Apache-2.0
#include "sinew/batch/slurm.h"

#include <fmt/format.h>

#include "batch/folder.h"
#include "batch/job_process.h"
#include "sinew/batch/manifest.h"
#include "sinew/batch/run_batch.h"
#include "sinew/core/text.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

constexpr double kSecondsForAnswer = 120;

// A word of a shell script.
std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// The value of a directive; '%' stands for itself in file names only when it is doubled.
std::string directive_path(const std::string& text) {
  std::string value = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') value += '\\';
    if (c == '%') value += '%';
    value += c;
  }
  return value + "\"";
}

// The answer of one of Slurm's programs.
Result<std::string> ask(std::vector<std::string> words, const Progress* progress) {
  const std::string name = words.front();
  Ended answer;
  bool asked = false;
  PoolWork work;
  work.next = [&]() -> Result<std::optional<std::size_t>> {
    if (asked) return std::optional<std::size_t>();
    asked = true;
    return std::optional<std::size_t>(0);
  };
  work.command = [&](std::size_t) { return Command{words, true}; };
  work.ended = [&](std::size_t, Ended ended) -> Result<void> {
    answer = std::move(ended);
    return {};
  };
  work.settle = []() -> Result<void> { return {}; };
  SINEW_CHECK(run_pool(1, {kSecondsForAnswer, 0}, work, progress));
  if (answer.exit == 0) return std::move(answer.output);
  if (answer.exit == kNotStarted)
    return io_error(fmt::format("cannot start {}: --slurm needs Slurm on this machine", name));
  if (answer.timed_out) return io_error(fmt::format("{} did not answer in {:g} s", name, kSecondsForAnswer));
  return io_error(fmt::format("{} failed: {}", name, last_sentence(answer.errors)));
}

}  // namespace

std::string slurm_job_name(const fs::path& folder) {
  std::error_code failure;
  fs::path whole = fs::weakly_canonical(folder, failure);
  if (failure) whole = fs::absolute(folder, failure);
  return fmt::format("sinew-{:016x}", job_key({0, "", {}, whole.string()}));
}

std::string slurm_script(const SlurmRequest& request) {
  const std::string log = (own_folder(request.folder) / "slurm").string();
  std::string text = fmt::format(
      "#!/bin/sh\n#SBATCH --job-name={}\n#SBATCH --array=1-{}\n#SBATCH --ntasks=1\n#SBATCH "
      "--cpus-per-task={}\n",
      slurm_job_name(request.folder), request.shards, request.cpus);
  if (request.memory_mb > 0) text += fmt::format("#SBATCH --mem={}M\n", request.memory_mb);
  std::string output = directive_path(log);
  output.insert(output.size() - 1, "/%A_%a.log");
  text += "#SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --output=" + output + "\n";
  for (const std::string& directive : request.directives) text += "#SBATCH " + directive + "\n";
  text += "\n# Safe to submit again: what the journals in this folder know as ended is not run again.\n";
  for (const std::string& word : request.command) text += shell_word(word) + " ";
  text += fmt::format("--shard \"$SLURM_ARRAY_TASK_ID/{}\"\n", request.shards);
  return text +
         "code=$?\n# 4: all jobs ran, and some failed; the journal knows which.\n"
         "[ $code -eq 4 ] && exit 0\nexit $code\n";
}

SlurmQueue parse_slurm_queue(std::string_view answer) {
  SlurmQueue queue;
  LineReader reader(answer);
  while (reader.next_line()) {
    const std::string_view job = reader.next_word();
    const std::string_view state = reader.next_word();
    if (state.empty()) continue;
    if (queue.job.empty()) queue.job = std::string(job);
    ++(state == "RUNNING" || state == "COMPLETING" ? queue.running : queue.pending);
  }
  return queue;
}

Result<SlurmQueue> slurm_queue(const fs::path& folder, const Progress* progress) {
  SINEW_TRY(const std::string answer, ask({"squeue", "--me", "--noheader", "--array",
                                           "--name=" + slurm_job_name(folder), "--format=%F %T"},
                                          progress));
  return parse_slurm_queue(answer);
}

Result<SlurmQueue> submit_slurm(const SlurmRequest& request, const Progress* progress) {
  const fs::path own = own_folder(request.folder);
  SINEW_CHECK(make_folders(own / "slurm"));
  // Of two who submit at the same time the second one finds what the first one did.
  SINEW_TRY(const FileLock lock, FileLock::take(own / "submit-lock", FileLock::Kind::kExclusive, true));
  SINEW_TRY(SlurmQueue queue, slurm_queue(request.folder, progress));
  if (queue.tasks() > 0) return queue;
  SINEW_CHECK(write_file(own / "slurm.sh", slurm_script(request), Overwrite::kYes));
  SINEW_TRY(const std::string answer, ask({"sbatch", "--parsable", (own / "slurm.sh").string()}, progress));
  queue.job = answer.substr(0, answer.find_first_of(";\n"));  // "12" or "12;cluster"
  queue.pending = request.shards;
  return queue;
}

}  // namespace sinew
