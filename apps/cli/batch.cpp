// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "batch_slurm.h"
#include "sinew/batch/run_batch.h"
#include "sinew/batch/slurm.h"
#include "sinew/core/text.h"
#include "sinew/report/batch_page.h"
#include "sinew/report/report_json.h"
#include "verb_words.h"
#include "verbs.h"
#include "words.h"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;

struct BatchArguments {
  std::vector<std::string> in, words;
  std::string out, make, extension, shard;
  bool status = false, verbs = false, no_pictures = false;
  SlurmArguments slurm;
  BatchOptions batch;
};

bool takes_output(const VerbWords& verb) {
  for (const OptionWords& option : verb.options)
    for (const std::string& name : option.names)
      if (name == "--output") return true;
  for (const VerbWords& action : verb.actions)
    if (takes_output(action)) return true;
  return false;
}

// All but those that have no end, or would begin this one again.
std::vector<BatchVerb> batch_verbs(const Program& program) {
  std::vector<BatchVerb> verbs;
  for (const VerbWords& verb : program.words().actions)
    if (verb.name != "batch" && verb.name != "studio" && verb.name != "bench")
      verbs.push_back({verb.name, takes_output(verb)});
  return verbs;
}

// What a verb's results are called where nobody says it.
std::string usual_extension(const std::string& verb, const std::vector<std::string>& words) {
  if (verb == "render") return ".png";
  if (verb == "unpose") return ".obj";
  if (verb == "info") return std::count(words.begin(), words.end(), "--json") > 0 ? ".json" : ".txt";
  return verb == "compare" ? "" : ".glb";
}

Result<void> run_make(const BatchArguments& options, const Program& program) {
  if (options.in.empty()) return usage_error("--make: give the files, such as --make rig 'meshes/*.obj'");
  const std::string extension = options.extension == "none" ? ""
                                : options.extension.empty() ? usual_extension(options.make, options.words)
                                                            : options.extension;
  SINEW_TRY(const auto jobs, make_manifest(options.make, options.in, options.words, extension));
  const std::string text = manifest_text(jobs);
  const std::vector<BatchVerb> verbs = batch_verbs(program);
  if (const auto read = parse_manifest(text, "--make", verbs); !read)
    return usage_error(read.error().message);
  if (options.out.empty()) {
    program.console.print(Json::parse(text, nullptr, false), text);
    return {};
  }
  SINEW_CHECK(write_file(options.out, text, program.console.overwrite()));
  program.console.print({{"jobs", jobs.size()}, {"manifest", options.out}},
                        fmt::format("{}: {}", options.out, counted(jobs.size(), "job")));
  return {};
}

Result<void> run_verbs(const Program& program) {
  Json document = Json::object();
  std::string text;
  for (const BatchVerb& verb : batch_verbs(program)) {
    document[verb.name] = verb.writes_file;
    text += verb.name + (verb.writes_file ? "\n" : ": its output is what it prints\n");
  }
  program.console.print(document, text);
  return {};
}

// Progress on a terminal is the bar; elsewhere, in a log, a line now and then.
Progress batch_progress_of(const Console& console) {
  using Clock = std::chrono::steady_clock;
  Progress progress = *console.progress();
  if (!progress.report && !console.quiet)
    progress.report = [&console, last = Clock::now()](std::string_view stage, double) mutable {
      if (Clock::now() - last < std::chrono::seconds(30)) return;
      last = Clock::now();
      console.note(stage);
    };
  return progress;
}

std::string summary(const BatchArguments& options, const BatchReport& report) {
  std::string text = fmt::format("{}: {} done", options.out, counted(report.done, "job"));
  if (report.skipped > 0) text += fmt::format(", {} done before", report.skipped);
  if (report.failed > 0) text += fmt::format(", {} failed", report.failed);
  if (report.waiting > 0) text += fmt::format(", {} waiting", report.waiting);
  return text;
}

// Prints a report; where jobs failed, the error for the exit code.
Result<void> tell(const BatchArguments& options, const BatchReport& report, const Console& console) {
  console.print(to_json(report), summary(options, report));
  if (report.failed == 0) return {};
  for (const JobReport& job : report.jobs)
    if (job.ended && job.outcome.exit != 0)
      return impossible(fmt::format("{} of {} failed, the first in line {}: {}; see {}", report.failed,
                                    counted(report.jobs.size(), "job"), job.job.line, job.outcome.message,
                                    (fs::path(options.out) / "index.html").string()));
  return {};
}

// Whether a batch that was given to Slurm is still there.
void tell_queue(const BatchArguments& options, const Console& console) {
  std::error_code failure;
  if (!fs::exists(fs::path(options.out) / "_batch" / "slurm.sh", failure)) return;
  const Result<SlurmQueue> queue = slurm_queue(options.out);
  if (queue && queue->tasks() > 0)
    console.note(fmt::format("Slurm job {}: {} running, {} pending", queue->job,
                             counted(queue->running, "shard"), queue->pending));
}

Result<void> run_batch_verb(const BatchArguments& given, const Program& program) {
  if (!given.make.empty()) return run_make(given, program);
  if (given.verbs) return run_verbs(program);
  BatchArguments options = given;
  const Console& console = program.console;
  if (!options.words.empty())
    return usage_error("options after -- need --make; jobs have their own \"args\"");
  if (options.in.size() != 1) return usage_error("give one manifest, or --make VERB and files");
  if (options.out.empty()) return usage_error("--output is required: the folder of the results");
  BatchOptions& batch = options.batch;
  if (!options.shard.empty()) {
    SINEW_TRY(batch.shard, parse_shard(options.shard));
  }
  batch.verbs = batch_verbs(program);
  SINEW_TRY(const std::vector<BatchJob> jobs, read_manifest(options.in.front(), batch.verbs));
  const std::string title = fs::path(options.in.front()).filename().string();
  if (options.status) {
    SINEW_TRY(const BatchReport report, gather_batch_with_page(jobs, title, options.out));
    tell_queue(options, console);
    return tell(options, report, console);
  }
  std::error_code failure;
  batch.program = fs::read_symlink("/proc/self/exe", failure).string();
  if (failure) return io_error("cannot find the path of this program: " + failure.message());
  batch.folder = options.out;
  batch.threads = static_cast<std::size_t>(console.threads);
  batch.pictures = !options.no_pictures;
  batch.overwrite = console.overwrite();
  const Progress progress = batch_progress_of(console);
  batch.progress = &progress;
  if (options.slurm.submit) {
    if (!options.shard.empty()) return usage_error("--slurm creates the shards: leave out --shard");
    SINEW_CHECK(check_batch_folder(options.out, console.overwrite()));
    SINEW_CHECK(run_on_slurm(options.slurm, options.in.front(), batch, jobs, console));
    if (!options.slurm.wait) return {};
    SINEW_TRY(const BatchReport report, gather_batch_with_page(jobs, title, options.out));
    const Result<void> told = tell(options, report, console);
    if (report.waiting == 0) return told;
    return impossible(
        fmt::format("{} did not run: Slurm ended their shards, see {}; run the same command again",
                    counted(report.waiting, "job"), (fs::path(options.out) / "_batch" / "slurm").string()));
  }
  SINEW_TRY(const BatchReport report, run_batch_with_page(jobs, title, batch));
  return tell(options, report, console);
}

}  // namespace

void add_batch(Program& program) {
  auto options = std::make_shared<BatchArguments>();
  BatchOptions& batch = options->batch;
  const Verb verb =
      add_verb(program, "batch", "run many jobs in processes of their own, with limits and a journal",
               "  sinew batch --make rig 'meshes/*.obj' -o jobs.jsonl -- --template biped\n"
               "  sinew batch jobs.jsonl -o results --timeout 600 --memory 4000\n"
               "  sinew batch jobs.jsonl -o results --shard 2/8\n"
               "  sinew batch jobs.jsonl -o results --status\n");
  verb.option(
      "MANIFEST", options->in,
      "jobs as JSON lines: {\"verb\": \"rig\", \"args\": [\"a.obj\"], \"out\": \"a.glb\"}; with --make, "
      "files or patterns");
  verb.footer("Options after -- are passed to each job that --make writes.");
  verb.option(
      "-o,--output", options->out,
      "the folder of the results, with index.html, table.csv and report.json; with --make, the manifest");
  verb.option("--make", options->make, "VERB: write a manifest that runs this verb for each file").last_one();
  verb.option("--extension", options->extension,
              "EXT: file extension of the outputs of --make; none: a folder (default: depends on the verb, "
              ".glb for most)")
      .needs("--make");
  verb.option("--jobs", batch.jobs, "jobs that run at the same time (default: one per core)").range(1, 4096);
  verb.option("--timeout", batch.timeout, "time limit of a job in seconds (default: none)").range(0.01, 1e7);
  verb.option("--memory", batch.memory_mb, "memory limit of a job in MB (default: none)").range(16, 1 << 24);
  verb.option("--retries", batch.retries, "more attempts after a crash, an I/O error or a time limit")
      .range(0, 100)
      .show_default();
  verb.flag("--redo-failed", batch.redo_failed, "also repeat jobs that failed before");
  verb.option("--shard", options->shard,
              "I/N: run part I of N only; parts may run at the same time, on any machine");
  verb.option("--lock-wait", batch.lock_wait,
              "seconds to wait for another batch in the same folder (default: 0, refuse)")
      .range(0.0, 1e7);
  verb.flag("--no-pictures", options->no_pictures, "render no pictures of the results");
  verb.flag("--status", options->status, "run nothing: print what has been done and write the page");
  verb.flag("--verbs", options->verbs,
            "run nothing: list the verbs that jobs can have; with --json, whether each writes a file");
  verb.flag("--slurm", options->slurm.submit,
            "submit the remaining jobs to a Slurm cluster, as an array of shards; safe to repeat");
  verb.option("--shards", options->slurm.shards, "tasks of the array (default: one for 20 jobs, at most 500)")
      .needs("--slurm")
      .range(1, 1000000);
  verb.flag("--wait", options->slurm.wait, "wait until the cluster is done").needs("--slurm");
  verb.repeatable("--sbatch", options->slurm.directives,
                  "OPTION: passed to sbatch, such as --sbatch=--partition=long; repeatable")
      .needs("--slurm");
  verb.rest(options->words);
  verb.runs([&program, options] { return run_batch_verb(*options, program); });
}

}  // namespace sinew::cli
