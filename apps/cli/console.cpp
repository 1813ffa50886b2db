// SPDX-License-Identifier: Apache-2.0
#include "console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>

#include "sinew/core/parallel.h"

namespace sinew::cli {
namespace {

using Clock = std::chrono::steady_clock;

// A job that has not looked at its flag by then is ended; files being written have no name yet and vanish
// with it.
constexpr int kPatienceMilliseconds = 150;
constexpr double kSecondsBeforeBar = 1.0;
constexpr int kBarWidth = 30;

std::atomic<bool> stop_requested{false};
volatile std::sig_atomic_t signal_number = 0;
bool bar_shown = false;

void on_deadline(int) {
  _exit(128 + signal_number);
}

void on_stop(int number) {
  signal_number = number;
  stop_requested.store(true, std::memory_order_relaxed);
  itimerval patience{};
  patience.it_value.tv_usec = kPatienceMilliseconds * 1000;
  setitimer(ITIMER_REAL, &patience, nullptr);
}

// From how fast the bar has moved since it last began anew; nothing while that tells little.
std::string time_left(double fraction, Clock::time_point now) {
  static Clock::time_point begun;
  static double first = 2, latest = 2;
  if (fraction < latest) begun = now, first = fraction;
  latest = fraction;
  const double passed = std::chrono::duration<double>(now - begun).count();
  if (passed < kSecondsBeforeBar || fraction - first < 0.02) return "";
  const double left = passed * (1 - fraction) / (fraction - first);
  return left < 100 ? fmt::format(", {:.0f} s left", std::ceil(left))
                    : fmt::format(", {:.0f} min left", std::ceil(left / 60));
}

void draw_bar(std::string_view stage, double fraction, Clock::time_point start) {
  static Clock::time_point last;
  const auto now = Clock::now();
  const std::string left = time_left(fraction, now);
  if (std::chrono::duration<double>(now - start).count() < kSecondsBeforeBar) return;
  if (std::chrono::duration<double>(now - last).count() < 0.1) return;
  last = now;
  const int filled = static_cast<int>(kBarWidth * std::clamp(fraction, 0.0, 1.0));
  print_error(fmt::format("\r\033[K{:<12} [{:#<{}}{:.<{}}] {:3.0f} %{}", stage, "", filled, "",
                          kBarWidth - filled, 100 * std::clamp(fraction, 0.0, 1.0), left));
  bar_shown = true;
}

void print_progress(std::string_view stage, double fraction) {
  static Clock::time_point last;
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - last).count() < 0.1) return;
  last = now;
  print_error(fmt::format("progress: {:.3f} {}\n", std::clamp(fraction, 0.0, 1.0), stage));
}

}  // namespace

void hold_streams() noexcept {
  // Opened the wrong way round, so that whoever uses one sees that it fails. open() takes the lowest number.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void print_error(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

Result<void> flush_output() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return {};
  return io_error("cannot write to the standard output: the disk is full, or the reading program has ended");
}

int stop_signal() {
  return signal_number;
}

void Console::start() {
  std::signal(SIGALRM, on_deadline);
  std::signal(SIGINT, on_stop);
  std::signal(SIGTERM, on_stop);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is then an error of write(), like a full disk
  if (threads > 0) set_thread_count(threads);
  progress_.cancel = &stop_requested;
  if (progress_lines)
    progress_.report = [](std::string_view stage, double fraction) { print_progress(stage, fraction); };
  else if (!quiet && isatty(STDERR_FILENO))
    progress_.report = [start = Clock::now()](std::string_view stage, double fraction) {
      draw_bar(stage, fraction, start);
    };
}

void Console::finish() const {
  if (bar_shown) print_error("\r\033[K");
  bar_shown = false;
}

void Console::print(const Json& document, std::string_view text) const {
  finish();
  // Names in files need not be UTF-8: what is not becomes U+FFFD rather than an exception.
  std::string dumped;
  if (json && facing.given() && document.is_object()) {
    Json named = document;
    named["turned_from"] = to_text(facing);
    dumped = named.dump(1, ' ', false, Json::error_handler_t::replace);
  } else if (json) {
    dumped = document.dump(1, ' ', false, Json::error_handler_t::replace);
  }
  if (json) text = dumped;
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (!text.empty() && !text.ends_with('\n')) std::fputc('\n', stdout);
  std::fflush(stdout);  // what failed is remembered, see flush_output
}

void Console::note(std::string_view text) const {
  finish();
  if (!quiet) print_error(fmt::format("note: {}\n", text));
}

void Console::warn(std::string_view text) const {
  finish();
  if (!quiet) print_error(fmt::format("warning: {}\n", text));
}

void Console::warnings(std::string_view file, const std::vector<std::string>& texts) const {
  for (const std::string& text : texts)
    warn(text.find(file) == std::string::npos ? fmt::format("{}: {}", file, text) : text);
}

}  // namespace sinew::cli
