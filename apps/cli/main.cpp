// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <new>
#include <system_error>

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
  add_export(program);
  add_retarget(program);
  add_render(program);
  add_weights(program);
  add_reweight(program);
  add_skeleton(program);
  add_rig(program);
  add_batch(program);
  add_check(program);
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

// Says what was thrown, allocating nothing, and returns the exit code.
int fail_by_exception() noexcept {
  const auto limit = [](const char* text) {
    print_error(text);
    return static_cast<int>(ErrorCode::kLimit);
  };
  constexpr const char* kThreads =
      "sinew: not enough memory for another thread; try --threads 1, or a smaller mesh\n";
  const auto bug = [](const char* what) {
    for (const char* text : {"sinew: internal error, please report it: ", what, "\n"}) print_error(text);
    return static_cast<int>(ErrorCode::kBug);
  };
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return limit("sinew: not enough memory for this job; try a smaller mesh or fewer frames\n");
  } catch (const std::system_error& problem) {
    if (problem.code() == std::errc::resource_unavailable_try_again ||
        problem.code() == std::errc::not_enough_memory)
      return limit(kThreads);
    return bug(problem.what());
  } catch (const std::exception& problem) {
    if (std::strncmp(problem.what(), "pthread_create", 14) == 0) return limit(kThreads);  // as oneTBB says it
    return bug(problem.what());
  } catch (...) {
    return bug("an exception of an unknown kind");
  }
}

// What is thrown where nothing may be, in a destructor (a JSON document's needs memory to end) or while a
// frame is made, ends the program here, and files being written have no name yet.
[[noreturn]] void on_terminate() noexcept {
  _exit(std::current_exception() ? fail_by_exception() : static_cast<int>(ErrorCode::kBug));
}

// Before anything that allocates while the program is loaded.
__attribute__((constructor(101))) void watch_for_terminate() {
  std::set_terminate(on_terminate);
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
  } catch (...) {
    return sinew::cli::fail_by_exception();
  }
}
