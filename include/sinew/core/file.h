// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/result.h"

namespace sinew {

/// The whole file as bytes. kIo when it is not there or cannot be read, kBadInput when it is larger than
/// max_bytes.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::uint64_t max_bytes = std::uint64_t{8} << 30);

/// Whether a writer may replace what is there.
enum class Overwrite { kNo, kYes };

/// What is said of an output that exists and may not be replaced.
Error exists_already(const std::filesystem::path& path);

/// kIo where `path` exists and may not be replaced, or its folder is not there. Ask before a long job starts.
Result<void> check_writable(const std::filesystem::path& path, Overwrite overwrite);

/// Writes to a temporary file beside the target, syncs it and renames it over the target: the target holds the
/// old bytes or all of the new ones, whatever happens in between. The temporary file goes away on failure;
/// where the file system can it has no name until the end, so that not even a killed process leaves it. With
/// Overwrite::kNo a file that appears in the meantime is not replaced either (kIo). Devices and pipes are
/// written to as they are. A process that may meet a limit on file sizes must ignore SIGXFSZ to get the error.
class AtomicFile {
 public:
  static Result<AtomicFile> open(const std::filesystem::path& path, Overwrite overwrite);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();  ///< discards what was not committed

  Result<void> write(std::string_view bytes);  ///< buffered
  Result<void> write(const void* data, std::size_t size);
  Result<void> commit();

 private:
  AtomicFile() = default;
  Result<void> flush();
  Result<void> write_out(const char* data, std::size_t size);
  void discard();
  Error fail(int error);
  std::filesystem::path target_, temporary_;
  int descriptor_ = -1;
  Overwrite overwrite_ = Overwrite::kNo;
  bool direct_ = false;  ///< a device or a pipe
  std::string buffer_;
};

Result<void> write_file(const std::filesystem::path& path, std::string_view bytes, Overwrite overwrite);

}  // namespace sinew
