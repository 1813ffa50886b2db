// SPDX-License-Identifier: Apache-2.0
#include "batch/folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "sinew/core/text.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

bool lock_file(int descriptor, FileLock::Kind kind, bool wait) {
  const int what = (kind == FileLock::Kind::kShared ? LOCK_SH : LOCK_EX) | (wait ? 0 : LOCK_NB);
  int code;
  do code = ::flock(descriptor, what);
  while (code != 0 && errno == EINTR);
  return code == 0 || errno != EWOULDBLOCK;
}

// How many shards those have that run, as the lock file says.
std::string shards_noted(int descriptor) {
  char text[32];
  const ssize_t size = ::pread(descriptor, text, sizeof text, 0);
  return std::string(text, size > 0 ? static_cast<std::size_t>(size) : 0);
}

void note_shards(int descriptor, const std::string& text) {
  if (::ftruncate(descriptor, 0) == 0)
    (void)!::pwrite(descriptor, text.data(), text.size(), 0);  // unreadable is as good as another number
}

}  // namespace

bool is_own_name(std::string_view out) {
  const std::string_view first = out.substr(0, out.find('/'));
  if (first == kOwnFolder || first == "table.csv" || first == "report.json") return true;
  return first == "index.html" || (first.starts_with("page-") && first.ends_with(".html"));
}

Result<void> make_folders(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (!failure) return {};
  return io_error(
      fmt::format("'{}': cannot make this folder: {}", printable(folder.string(), 400), failure.message()));
}

Result<FileLock> FileLock::take(const fs::path& file, Kind kind, bool wait) {
  FileLock lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock.held())
    return io_error(fmt::format("cannot write '{}': {}", printable(file.string(), 400),
                                std::generic_category().message(errno)));
  if (!lock_file(lock.descriptor_, kind, wait)) return FileLock();
  return lock;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool FileLock::change(Kind kind) {
  return lock_file(descriptor_, kind, false);
}

Result<bool> FolderLock::attempt(const fs::path& folder, const Shard& shard) {
  using Kind = FileLock::Kind;
  const fs::path own = own_folder(folder);
  if (shard.count == 1) {
    SINEW_TRY(folder_, FileLock::take(own / "lock", Kind::kExclusive));
    return folder_.held();
  }
  // Shards share the folder with others of the same number. One at a time passes the gate, so that those
  // who begin together do not take each other for a batch that runs.
  SINEW_TRY(const FileLock gate, FileLock::take(own / "gate", Kind::kExclusive, true));
  SINEW_TRY(folder_, FileLock::take(own / "lock", Kind::kShared));
  if (!folder_.held()) return false;
  const std::string number = std::to_string(shard.count);
  if (shards_noted(folder_.descriptor()) != number) {
    if (!folder_.change(Kind::kExclusive)) return false;
    note_shards(folder_.descriptor(), number);
    folder_.change(Kind::kShared);
  }
  SINEW_TRY(shard_,
            FileLock::take(own / fmt::format("lock-{}-of-{}", shard.index, shard.count), Kind::kExclusive));
  return shard_.held();
}

Result<FolderLock> FolderLock::take(const fs::path& folder, const Shard& shard, double seconds,
                                    const Progress* progress) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  // A process that a killed batch was just starting holds its locks until it has died, too.
  seconds = std::max(seconds, 0.2);
  for (;;) {
    FolderLock lock;
    SINEW_TRY(const bool held, lock.attempt(folder, shard));
    if (held) return lock;
    if (is_cancelled(progress)) return cancelled();
    if (std::chrono::duration<double>(Clock::now() - start).count() >= seconds) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return io_error(fmt::format("'{}': another batch runs in this folder; wait for it or stop it",
                              printable(folder.string(), 400)));
}

}  // namespace sinew
