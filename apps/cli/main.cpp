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

// These say what went wrong, allocating nothing, and return the exit code.

int fail_for_memory() noexcept {
  print_error("sinew: not enough memory for this job; try a smaller mesh or fewer frames\n");
  return static_cast<int>(ErrorCode::kLimit);
}

int fail_for_threads() noexcept {
  print_error("sinew: not enough memory for another thread; try --threads 1, or a smaller mesh\n");
  return static_cast<int>(ErrorCode::kLimit);
}

int fail_by_bug(const char* what) noexcept {
  for (const char* text : {"sinew: internal error, please report it: ", what, "\n"}) print_error(text);
  return static_cast<int>(ErrorCode::kBug);
}

int fail_by_exception() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return fail_for_memory();
  } catch (const std::system_error& problem) {
    const bool memory = problem.code() == std::errc::resource_unavailable_try_again ||
                        problem.code() == std::errc::not_enough_memory;
    return memory ? fail_for_threads() : fail_by_bug(problem.what());
  } catch (const std::exception& problem) {
    const bool thread = std::strncmp(problem.what(), "pthread_create", 14) == 0;  // as oneTBB says it
    return thread ? fail_for_threads() : fail_by_bug(problem.what());
  } catch (...) {
    return fail_by_bug("an exception of an unknown kind");
  }
}

thread_local bool memory_ran_out = false;

[[noreturn]] void on_out_of_memory() {
  memory_ran_out = true;
  throw std::bad_alloc();
}

// What is thrown where nothing may be, in a destructor (a JSON document's needs memory to end) or while a
// frame is made, ends the program here, and files being written have no name yet. The C++ library itself
// allocates in functions that may not throw (folders that are listed); then nothing is known of the exception.
[[noreturn]] void on_terminate() noexcept {
  if (std::current_exception()) _exit(fail_by_exception());
  _exit(memory_ran_out ? fail_for_memory() : fail_by_bug("it was ended for a reason that is not known"));
}

// Before anything that allocates while the program is loaded.
__attribute__((constructor(101))) void watch_for_terminate() {
  std::set_terminate(on_terminate);
  std::set_new_handler(on_out_of_memory);
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
