// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <new>

#include "verbs.h"

namespace sinew::cli {

namespace {

// The library names parameters; here they are flags.
std::string with_flag(const Error& error) {
  std::string message = error.message;
  if (error.parameter.empty()) return message;
  if (message.starts_with(error.parameter)) return "--" + message;
  for (const char* before : {": ", "; "}) {  // behind the name of a file, or as what would help
    const std::size_t place = message.find(before + error.parameter + " ");
    if (place == std::string::npos) continue;
    message.insert(place + 2, "--");
    break;
  }
  return message;
}

int fail(const Console& console, const Error& error) {
  console.finish();
  if (error.code == ErrorCode::kCancelled) return 128 + (stop_signal() ? stop_signal() : 2);
  print_error(fmt::format("sinew: {}\n", with_flag(error)));
  return static_cast<int>(error.code);
}

int run(int argc, char** argv) {
  Program program;
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
  const std::optional<int> code = program.parse(argc, argv);
  if (code && *code != 0) return *code;
  if (!code) {
    program.console.start();
    if (const Result<void> result = program.run(); !result) return fail(program.console, result.error());
    program.console.finish();
  }
  const Result<void> printed = flush_output();
  return printed ? 0 : fail(program.console, printed.error());
}

}  // namespace
}  // namespace sinew::cli

int main(int argc, char** argv) {
  sinew::cli::hold_streams();
#if defined(SINEW_NEEDS_SSE42) && defined(__x86_64__)
  if (!__builtin_cpu_supports("sse4.2")) {
    sinew::cli::print_error("sinew: this processor has no SSE4.2; build with -DSINEW_SSE2=ON\n");
    return static_cast<int>(sinew::ErrorCode::kImpossible);
  }
#endif
  try {
    return sinew::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    sinew::cli::print_error(
        "sinew: there is not enough memory for this job; try a smaller mesh or fewer frames\n");
    return static_cast<int>(sinew::ErrorCode::kLimit);
  } catch (const std::exception& problem) {
    sinew::cli::print_error("sinew: a fault of the program itself, please report it: ");
    sinew::cli::print_error(problem.what());
    sinew::cli::print_error("\n");
    return static_cast<int>(sinew::ErrorCode::kBug);
  }
}
