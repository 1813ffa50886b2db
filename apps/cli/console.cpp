// SPDX-License-Identifier: Apache-2.0
#include "console.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
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

void draw_bar(std::string_view stage, double fraction, Clock::time_point start) {
  static Clock::time_point last;
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - start).count() < kSecondsBeforeBar) return;
  if (std::chrono::duration<double>(now - last).count() < 0.1) return;
  last = now;
  const int filled = static_cast<int>(kBarWidth * std::clamp(fraction, 0.0, 1.0));
  fmt::print(stderr, "\r\033[K{:<12} [{:#<{}}{:.<{}}] {:3.0f} %", stage, "", filled, "", kBarWidth - filled,
             100 * std::clamp(fraction, 0.0, 1.0));
  std::fflush(stderr);
  bar_shown = true;
}

}  // namespace

int stop_signal() {
  return signal_number;
}

void Console::start() {
  std::signal(SIGALRM, on_deadline);
  std::signal(SIGINT, on_stop);
  std::signal(SIGTERM, on_stop);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is then an error of write(), like a full disk
  auto logger = spdlog::stderr_color_mt("sinew");
  logger->set_pattern("%v");
  logger->set_level(quiet ? spdlog::level::err : spdlog::level::info);
  spdlog::set_default_logger(logger);
  if (threads > 0) set_thread_count(threads);
  progress_.cancel = &stop_requested;
  if (!quiet && isatty(STDERR_FILENO))
    progress_.report = [start = Clock::now()](std::string_view stage, double fraction) {
      draw_bar(stage, fraction, start);
    };
}

void Console::finish() const {
  if (bar_shown) fmt::print(stderr, "\r\033[K");
  bar_shown = false;
}

void Console::print(const Json& document, std::string_view text) const {
  finish();
  // Names in files need not be UTF-8: what is not becomes U+FFFD rather than an exception.
  if (json)
    fmt::print("{}\n", document.dump(1, ' ', false, Json::error_handler_t::replace));
  else if (!text.empty())
    fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  std::fflush(stdout);
}

void Console::note(std::string_view text) const {
  finish();
  spdlog::info("note: {}", text);
}

void Console::notes(std::string_view file, const std::vector<std::string>& notes) const {
  for (const std::string& text : notes)
    note(text.find(file) == std::string::npos ? fmt::format("{}: {}", file, text) : text);
}

}  // namespace sinew::cli
