// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <random>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "core/file_internal.h"
#include "sinew/core/text.h"

namespace sinew {

std::atomic<bool> detail::only_named_temporaries{false};

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferSize = std::size_t{1} << 20;

std::string quoted(const fs::path& path) {
  return "'" + printable(path.string(), 400) + "'";
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

// Closes on every way out.
class FileDescriptor {
 public:
  explicit FileDescriptor(int value) : value_(value) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int get() const { return value_; }

 private:
  int value_;
};

// Reads until the end of the file; `expected` is only a guess, since files grow and pipes have no size.
Result<std::string> read_all(int descriptor, const fs::path& path, std::uint64_t expected,
                             std::uint64_t max_bytes) {
  std::string bytes;
  std::size_t size = 0;
  bytes.resize(static_cast<std::size_t>(expected) + 1);  // one more, so that the end is seen without growing
  for (;;) {
    if (size == bytes.size()) bytes.resize(std::max<std::size_t>(2 * size, 1 << 16));
    const ssize_t got =
        ::read(descriptor, bytes.data() + size, std::min<std::size_t>(bytes.size() - size, 1 << 30));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error("cannot read " + quoted(path) + ": " + reason(errno));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > max_bytes)
      return bad_input(quoted(path) + " is larger than the limit of " + std::to_string(max_bytes) + " bytes");
  }
  bytes.resize(size);
  return bytes;
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// A name beside the target that nobody else has: hidden, with our process number and a random part.
fs::path temporary_beside(const fs::path& target) {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  char suffix[48];
  std::snprintf(suffix, sizeof suffix, ".%ld-%016llx.tmp", static_cast<long>(::getpid()),
                static_cast<unsigned long long>(random()));
  // Long names must stay within the 255 bytes of a file name.
  return folder_of(target) / ("." + target.filename().string().substr(0, 180) + suffix);
}

// A file without a name: it vanishes with the process, even one that is killed. -1 where the file system has
// none.
int open_unnamed([[maybe_unused]] const fs::path& folder) {
#ifdef O_TMPFILE
  // It can only be given a name through /proc.
  if (!detail::only_named_temporaries && ::access("/proc/self/fd", X_OK) == 0)
    return ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#endif
  return -1;
}

bool give_name(int descriptor, const fs::path& name) {
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  return ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

// Renames without replacing; errno is EEXIST where something is there. File systems that cannot do it in one
// step try a hard link, and only those that know neither look first and rename then.
bool rename_new(const fs::path& from, const fs::path& to) {
#if defined(__linux__) && defined(RENAME_NOREPLACE)
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
#endif
  if (::link(from.c_str(), to.c_str()) == 0) {
    ::unlink(from.c_str());
    return true;
  }
  if (errno != EPERM && errno != ENOSYS && errno != ENOTSUP) return false;
  struct stat status;
  if (::lstat(to.c_str(), &status) == 0) {
    errno = EEXIST;
    return false;
  }
  return std::rename(from.c_str(), to.c_str()) == 0;
}

// The new name must survive a power cut too. Some file systems cannot sync folders; the file itself is safe
// by now.
void sync_folder(const fs::path& folder) {
  const FileDescriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() >= 0) (void)::fsync(descriptor.get());
}

// Through a link, the file that it names is replaced and the link stays; also where that is not there yet.
Result<fs::path> behind_links(const fs::path& path) {
  constexpr int kMostLinks = 40;  // as the system follows
  fs::path at = path;
  std::error_code error;
  for (int k = 0; k < kMostLinks; ++k) {
    if (!fs::is_symlink(at, error)) {
      if (fs::is_directory(folder_of(at), error)) return at;
      return io_error("cannot write " + quoted(path) + ": it is a link to " + quoted(at) +
                      ", whose folder does not exist");
    }
    const fs::path next = fs::read_symlink(at, error);
    if (error) break;
    at = next.is_absolute() ? next : folder_of(at) / next;
  }
  return io_error("cannot write " + quoted(path) + ": it is a broken link; remove it");
}

}  // namespace

Error exists_already(const fs::path& path) {
  return {ErrorCode::kIo, quoted(path) + " already exists; force overwrites it, or choose another name",
          "force"};
}

Result<std::string> read_file(const fs::path& path, std::uint64_t max_bytes) {
  const FileDescriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return io_error("cannot open " + quoted(path) + ": " + reason(errno));
  struct stat status;
  if (::fstat(descriptor.get(), &status) != 0)
    return io_error("cannot read " + quoted(path) + ": " + reason(errno));
  if (S_ISDIR(status.st_mode)) return io_error(quoted(path) + " is a folder, not a file");
  const auto size = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  if (size > max_bytes)
    return bad_input(quoted(path) + " has " + std::to_string(size) + " bytes, more than the limit of " +
                     std::to_string(max_bytes));
  try {
    return read_all(descriptor.get(), path, size, max_bytes);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return limit_error("not enough memory to read " + quoted(path));
}

Result<void> check_writable(const fs::path& path, Overwrite overwrite) {
  if (path.empty()) return io_error("the name of the output file is empty");
  struct stat status;
  // A dangling link counts as something that is there.
  if (::lstat(path.c_str(), &status) == 0) {
    if (overwrite == Overwrite::kNo) return exists_already(path);
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return io_error("cannot write " + quoted(path) + ": it is a folder");
    return {};
  }
  if (errno != ENOENT) return io_error("cannot write " + quoted(path) + ": " + reason(errno));
  if (!path.has_filename()) return io_error("cannot write " + quoted(path) + ": it names a folder");
  std::error_code ignored;
  if (!fs::is_directory(folder_of(path), ignored))
    return io_error("cannot write " + quoted(path) + ": there is no folder " + quoted(folder_of(path)));
  return {};
}

Result<AtomicFile> AtomicFile::open(const fs::path& path, Overwrite overwrite) {
  SINEW_CHECK(check_writable(path, overwrite));
  AtomicFile file;
  file.overwrite_ = overwrite;
  SINEW_TRY(file.target_, behind_links(path));
  struct stat status;
  const bool exists = ::stat(file.target_.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    // A device or a pipe is written to, never replaced.
    file.descriptor_ = ::open(file.target_.c_str(), O_WRONLY | O_CLOEXEC);
    file.direct_ = true;
  } else {
    file.descriptor_ = open_unnamed(folder_of(file.target_));
    for (int attempt = 0; file.descriptor_ < 0 && attempt < 16; ++attempt) {
      file.temporary_ = temporary_beside(file.target_);
      file.descriptor_ = ::open(file.temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
      if (file.descriptor_ < 0) file.temporary_.clear();
      if (file.descriptor_ < 0 && errno != EEXIST) break;
    }
    // What is replaced keeps its permissions.
    if (file.descriptor_ >= 0 && exists) (void)::fchmod(file.descriptor_, status.st_mode & 07777);
  }
  if (file.descriptor_ < 0) return io_error("cannot write " + quoted(path) + ": " + reason(errno));
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      overwrite_(other.overwrite_),
      direct_(other.direct_),
      buffer_(std::move(other.buffer_)) {
  other.temporary_.clear();
}

AtomicFile::~AtomicFile() {
  discard();
}

void AtomicFile::discard() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  descriptor_ = -1;
  temporary_.clear();
  buffer_.clear();
}

// Gives up: nothing of what was written stays.
Error AtomicFile::fail(int error) {
  discard();
  if (error == EEXIST) return exists_already(target_);
  return io_error("cannot write " + quoted(target_) + ": " + reason(error) +
                  (direct_ ? "" : "; nothing was changed"));
}

Result<void> AtomicFile::write_out(const char* data, std::size_t size) {
  if (descriptor_ < 0) return io_error("cannot write " + quoted(target_) + ": writing it failed before");
  while (size > 0) {
    const ssize_t done = ::write(descriptor_, data, std::min<std::size_t>(size, 1 << 30));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return fail(done < 0 ? errno : EIO);
    data += done;
    size -= static_cast<std::size_t>(done);
  }
  return {};
}

Result<void> AtomicFile::flush() {
  const Result<void> result = write_out(buffer_.data(), buffer_.size());
  buffer_.clear();
  return result;
}

Result<void> AtomicFile::write(const void* data, std::size_t size) {
  return write(std::string_view(static_cast<const char*>(data), size));
}

Result<void> AtomicFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferSize) SINEW_CHECK(flush());
  if (bytes.size() >= kBufferSize || descriptor_ < 0) return write_out(bytes.data(), bytes.size());
  buffer_ += bytes;
  return {};
}

Result<void> AtomicFile::commit() {
  SINEW_CHECK(flush());
  if (descriptor_ < 0)
    return io_error("cannot write " + quoted(target_) + ": it was committed or failed before");
  // Devices, pipes and some network file systems cannot be synced; a full or broken disk says so here.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return fail(errno);
  if (direct_) {
    if (::close(std::exchange(descriptor_, -1)) != 0) return fail(errno);
    return {};
  }
  if (temporary_.empty()) {
    // An unnamed file: straight to its place where nothing may be there, else by way of a name of its own.
    if (overwrite_ == Overwrite::kNo) {
      if (!give_name(descriptor_, target_)) return fail(errno);
      discard();
      sync_folder(folder_of(target_));
      return {};
    }
    fs::path name = temporary_beside(target_);
    if (!give_name(descriptor_, name)) return fail(errno);
    temporary_ = std::move(name);  // which needs no memory: from here on it is ours to remove
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) return fail(errno);
  const bool renamed = overwrite_ == Overwrite::kYes ? std::rename(temporary_.c_str(), target_.c_str()) == 0
                                                     : rename_new(temporary_, target_);
  if (!renamed) return fail(errno);
  temporary_.clear();
  sync_folder(folder_of(target_));
  return {};
}

Result<void> write_file(const fs::path& path, std::string_view bytes, Overwrite overwrite) {
  SINEW_TRY(auto file, AtomicFile::open(path, overwrite));
  SINEW_CHECK(file.write(bytes));
  return file.commit();
}

}  // namespace sinew
