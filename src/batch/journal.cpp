// SPDX-License-Identifier: Apache-2.0
#include "sinew/batch/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "batch/folder.h"
#include "sinew/core/file.h"
#include "sinew/core/text.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "{\"begin\":\"";

std::optional<std::uint64_t> parse_key(std::string_view text) {
  std::uint64_t key = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), key, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return key;
}

// Reads the flat object of an end without building a document, which would take most of the time.
struct EndReader {
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  std::optional<std::uint64_t> job;
  bool has_exit = false;
  JobOutcome outcome;
  std::string member;

  bool number(double value) {
    if (member == "exit")
      outcome.exit = static_cast<int>(value), has_exit = true;
    else if (member == "seconds")
      outcome.seconds = value;
    else if (member == "cpu_seconds")
      outcome.cpu_seconds = value;
    else if (member == "peak_mb")
      outcome.peak_mb = value;
    else if (member == "attempts")
      outcome.attempts = static_cast<int>(value);
    else if (member == "at")
      outcome.at = value;
    return std::abs(value) < 1e15;
  }
  bool key(string_t& name) {
    member.swap(name);
    return true;
  }
  bool string(string_t& text) {
    if (member == "job") job = parse_key(text);
    if (member == "message") outcome.message.swap(text);
    return true;
  }
  bool number_integer(number_integer_t value) { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) { return number(value); }
  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool binary(binary_t&) { return false; }
  bool start_object(std::size_t) { return true; }
  bool end_object() { return true; }
  bool start_array(std::size_t) { return true; }
  bool end_array() { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) { return false; }
};

}  // namespace

Result<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto index = parse_int(text.substr(0, slash));
  const auto count = slash == std::string_view::npos ? std::nullopt : parse_int(text.substr(slash + 1));
  if (!index || !count || *index < 1 || *count < 1 || *index > *count || *count > 1'000'000)
    return usage_error(
        fmt::format("shard '{}': give I/N, the part I of N, such as 1/8", printable(text, 60)));
  return Shard{static_cast<std::size_t>(*index), static_cast<std::size_t>(*count)};
}

Result<Journal> Journal::open(const fs::path& folder, const Shard& shard) {
  Journal journal;
  journal.file_ = own_folder(folder) /
                  (shard.count == 1 ? std::string("journal.jsonl")
                                    : fmt::format("journal-{}-of-{}.jsonl", shard.index, shard.count));
  journal.descriptor_ = ::open(journal.file_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (journal.descriptor_ < 0) return journal.fail();
  // A line that a crash or a full disk cut off is closed, so that the next one begins anew.
  const off_t size = ::lseek(journal.descriptor_, 0, SEEK_END);
  char last = '\n';
  if (size > 0 && ::pread(journal.descriptor_, &last, 1, size - 1) == 1 && last != '\n')
    journal.buffer_ = "\n";
  return journal;
}

Journal::Journal(Journal&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      dirty_(other.dirty_),
      buffer_(std::move(other.buffer_)) {}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Error Journal::fail() const {
  return io_error(fmt::format("cannot write '{}': {}", printable(file_.string(), 400),
                              std::generic_category().message(errno)));
}

void Journal::begin(std::uint64_t key) {
  buffer_ += fmt::format("{}{:016x}\"}}\n", kBegin, key);
}

void Journal::end(std::uint64_t key, std::size_t line, const JobOutcome& outcome) {
  const auto rounded = [](double value) { return std::round(value * 1000) / 1000; };
  const nlohmann::ordered_json document = {{"job", fmt::format("{:016x}", key)},
                                           {"line", line},
                                           {"exit", outcome.exit},
                                           {"seconds", rounded(outcome.seconds)},
                                           {"cpu_seconds", rounded(outcome.cpu_seconds)},
                                           {"peak_mb", rounded(outcome.peak_mb)},
                                           {"attempts", outcome.attempts},
                                           {"at", rounded(outcome.at)},
                                           {"message", outcome.message}};
  buffer_ += document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<void> Journal::append() {
  for (std::size_t from = 0; from < buffer_.size();) {
    const ssize_t size = ::write(descriptor_, buffer_.data() + from, buffer_.size() - from);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail();
    from += static_cast<std::size_t>(size);
    dirty_ = true;
  }
  buffer_.clear();
  return {};
}

Result<void> Journal::sync() {
  if (!dirty_) return {};
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) return fail();
  dirty_ = false;
  return {};
}

void read_journal(std::string_view text, JobRecords& records) {
  // Not a LineReader: a line ends with \n alone, and one without it is no line.
  for (std::size_t from = 0, end; (end = text.find('\n', from)) != std::string_view::npos; from = end + 1) {
    const std::string_view line = text.substr(from, end - from);
    if (line.starts_with(kBegin)) {
      const std::string_view rest = line.substr(kBegin.size());
      if (const auto key = parse_key(rest.substr(0, rest.find('"')))) records[*key].begun = true;
      continue;
    }
    EndReader reader;
    if (line.empty() || !nlohmann::json::sax_parse(line.begin(), line.end(), &reader)) continue;
    if (!reader.job || !reader.has_exit) continue;
    JobRecord& record = records[*reader.job];
    if (record.ended && record.outcome.at > reader.outcome.at) continue;
    record.begun = record.ended = true;
    record.outcome = std::move(reader.outcome);
  }
}

Result<JobRecords> read_journals(const fs::path& folder) {
  JobRecords records;
  std::error_code failure;
  for (fs::directory_iterator entry(own_folder(folder), failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with("journal") || !name.ends_with(".jsonl")) continue;
    SINEW_TRY(const std::string text, read_file(entry->path()));
    read_journal(text, records);
  }
  return records;
}

}  // namespace sinew
