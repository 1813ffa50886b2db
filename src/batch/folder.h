// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "sinew/batch/journal.h"
#include "sinew/core/progress.h"
#include "sinew/core/result.h"

namespace sinew {

// What a batch keeps in its folder beside the results.
inline constexpr std::string_view kOwnFolder = "_batch";
inline std::filesystem::path own_folder(const std::filesystem::path& folder) {
  return folder / kOwnFolder;
}

// Whether an output would take the place of something that the batch itself writes.
bool is_own_name(std::string_view out);

// Makes a folder and those above it. kIo.
Result<void> make_folders(const std::filesystem::path& folder);

// A lock of flock(2): it ends with the process, however that ends.
class FileLock {
 public:
  enum class Kind { kShared, kExclusive };
  // Waits for nobody unless told to: it is not held then. A file system without locks counts as free.
  static Result<FileLock> take(const std::filesystem::path& file, Kind kind, bool wait = false);
  FileLock() = default;
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FileLock();
  bool change(Kind kind);  // of a lock that is held; false: others hold it too
  bool held() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

// The right to run a shard of a batch in a folder: nobody else has the same shard, the whole, or shards of
// another number.
class FolderLock {
 public:
  // Waits so many seconds for others to end, then kIo.
  static Result<FolderLock> take(const std::filesystem::path& folder, const Shard& shard, double seconds,
                                 const Progress* progress);

 private:
  Result<bool> attempt(const std::filesystem::path& folder, const Shard& shard);
  FileLock folder_, shard_;
};

}  // namespace sinew
