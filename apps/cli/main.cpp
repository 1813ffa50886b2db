// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "sinew/core/version.h"
#include "verbs.h"

namespace sinew::cli {

CLI::App* add_verb(Program& program, const std::string& name, const std::string& summary,
                   const std::string& examples) {
  CLI::App* verb = program.app.add_subcommand(name, summary);
  verb->description(fmt::format("Examples:\n{}\n{}", examples, summary));
  Console& console = program.console;
  verb->add_flag("--json", console.json, "print one JSON document to stdout")->group("Common");
  verb->add_flag("--force", console.force, "replace files that exist")->group("Common");
  verb->add_flag("--quiet", console.quiet, "no notes and no progress bar")->group("Common");
  verb->add_option("--threads", console.threads,
                   "threads to use (default: all cores); results do not depend on it")
      ->check(CLI::Range(1, 1024))
      ->group("Common");
  return verb;
}

CLI::Option* add_repeatable(CLI::App* verb, const std::string& name, std::vector<std::string>& values,
                            const std::string& help) {
  return verb->add_option(name, values, help)->allow_extra_args(false)->take_all();
}

namespace {

// The summary of a verb in the list of verbs is its last line: examples belong to its own page.
class Formatter : public CLI::Formatter {
 public:
  std::string make_subcommand(const CLI::App* sub) const override {
    const std::string text = sub->get_description();
    return fmt::format("  {:<12}{}\n", sub->get_name(), text.substr(text.rfind('\n') + 1));
  }
};

int fail(const Console& console, const Error& error) {
  console.finish();
  if (error.code == ErrorCode::kCancelled) return 128 + (stop_signal() ? stop_signal() : 2);
  fmt::print(stderr, "sinew: {}\n", error.message);
  return static_cast<int>(error.code);
}

int run(int argc, char** argv) {
  Program program;
  program.app.description("sinew turns a character mesh into a rig that deforms well, and runs the rig.");
  program.app.name("sinew");
  program.app.formatter(std::make_shared<Formatter>());
  program.app.set_version_flag("--version", fmt::format("sinew {}", version()));
  program.app.require_subcommand(1);
  program.app.footer(
      "'sinew VERB --help' shows a verb's options, with examples.\n"
      "Exit codes: 0 done, 1 our bug, 2 usage, 3 bad input, 4 cannot be done, 5 I/O, 6 a limit, 130/143 "
      "stopped.");
  add_make(program);
  add_info(program);
  add_convert(program);
  add_pose(program);
  add_bake(program);
  add_render(program);
  add_weights(program);
  add_reweight(program);
  add_skeleton(program);
  add_rig(program);
  add_compare(program);
  add_stack(program);
  add_inbetween(program);
  add_keys(program);
  add_unpose(program);
  add_cage(program);
  add_handles(program);
  add_studio(program);
  add_bench(program);
  try {
    program.app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    // CLI11 gives help and version the code 0; every misuse is ours to number.
    return program.app.exit(problem) == 0 ? 0 : static_cast<int>(ErrorCode::kUsage);
  }
  program.console.start();
  const Result<void> result = program.run();
  program.console.finish();
  return result ? 0 : fail(program.console, result.error());
}

}  // namespace
}  // namespace sinew::cli

int main(int argc, char** argv) {
  try {
    return sinew::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("sinew: there is not enough memory for this job; try a smaller mesh or fewer frames\n",
               stderr);
    return static_cast<int>(sinew::ErrorCode::kLimit);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "sinew: a fault of the program itself, please report it: {}\n", problem.what());
    return static_cast<int>(sinew::ErrorCode::kBug);
  }
}
