// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/file.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "core/file_internal.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

// Each test also runs the way of file systems that have no files without a name.
class FileTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    detail::only_named_temporaries = GetParam();
    std::string pattern = (fs::temp_directory_path() / "sinew-file-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    detail::only_named_temporaries = false;
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  // A device of our own where we could replace the system's by mistake (root), else the system's; empty where
  // a node cannot be made or opened here.
  fs::path device(const char* name, unsigned minor) const {
    if (::geteuid() != 0) return fs::path("/dev") / name;
    const fs::path path = folder_ / name;
    if (::mknod(path.c_str(), S_IFCHR | 0666, ::makedev(1, minor)) != 0 || ::access(path.c_str(), W_OK) != 0)
      return {};
    return std::ofstream(path).good() ? path : fs::path();
  }
  fs::path full_device() const { return device("full", 7); }
  fs::path null_device() const { return device("null", 3); }

  fs::path folder_;
};

std::string contents(const fs::path& path) {
  const auto bytes = read_file(path);
  return bytes.ok() ? *bytes : "<" + bytes.error().message + ">";
}

TEST_P(FileTest, WhatWasWrittenIsReadBack) {
  std::string bytes(3'000'000, 'x');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7919 >> 3);
  ASSERT_TRUE(write_file(folder_ / "a", bytes, Overwrite::kNo).ok());
  EXPECT_TRUE(contents(folder_ / "a") == bytes);
  ASSERT_TRUE(write_file(folder_ / "empty", "", Overwrite::kNo).ok());
  EXPECT_EQ(contents(folder_ / "empty"), "");
  EXPECT_EQ(files_in_folder(), 2u);
}

TEST_P(FileTest, SmallAndLargePiecesKeepTheirOrder) {
  auto file = AtomicFile::open(folder_ / "a", Overwrite::kNo);
  ASSERT_TRUE(file.ok());
  std::string expected;
  for (int i = 0; i < 200; ++i) {
    const std::string piece(static_cast<std::size_t>(i % 3 == 0 ? 1'200'000 : i * 100),
                            static_cast<char>('a' + i % 26));
    if (expected.size() > 20'000'000) break;
    expected += piece;
    ASSERT_TRUE(file->write(piece.data(), piece.size()).ok());
  }
  ASSERT_TRUE(file->commit().ok());
  EXPECT_TRUE(contents(folder_ / "a") == expected);
}

TEST_P(FileTest, TheTargetIsUntouchedUntilCommitAndNothingStaysWithoutIt) {
  ASSERT_TRUE(write_file(folder_ / "a", "old", Overwrite::kNo).ok());
  {
    auto file = AtomicFile::open(folder_ / "a", Overwrite::kYes);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write("new").ok());
    AtomicFile moved = *std::move(file);
    EXPECT_EQ(contents(folder_ / "a"), "old");
  }
  EXPECT_EQ(contents(folder_ / "a"), "old");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_P(FileTest, ExistingFilesAreReplacedOnlyWhenAskedTo) {
  ASSERT_TRUE(write_file(folder_ / "a", "old", Overwrite::kNo).ok());
  const auto refused = write_file(folder_ / "a", "new", Overwrite::kNo);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  EXPECT_NE(refused.error().message.find("/a'"), std::string::npos);
  EXPECT_EQ(contents(folder_ / "a"), "old");
  ASSERT_TRUE(write_file(folder_ / "a", "new", Overwrite::kYes).ok());
  EXPECT_EQ(contents(folder_ / "a"), "new");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_P(FileTest, AFileThatAppearsWhileWritingIsNotReplaced) {
  auto file = AtomicFile::open(folder_ / "a", Overwrite::kNo);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->write("ours").ok());
  ASSERT_TRUE(write_file(folder_ / "a", "theirs", Overwrite::kNo).ok());
  const auto result = file->commit();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kIo);
  EXPECT_EQ(contents(folder_ / "a"), "theirs");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_P(FileTest, OfManyWritersWithoutForceExactlyOneWins) {
  std::atomic<int> wins{0};
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i)
    writers.emplace_back([&, i] {
      if (write_file(folder_ / "a", std::string(1000, static_cast<char>('0' + i)), Overwrite::kNo).ok())
        ++wins;
    });
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(wins, 1);
  EXPECT_EQ(contents(folder_ / "a").size(), 1000u);
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_P(FileTest, AReplacedFileKeepsItsPermissionsAndALinkStaysALink) {
  ASSERT_TRUE(write_file(folder_ / "a", "old", Overwrite::kNo).ok());
  ASSERT_EQ(::chmod((folder_ / "a").c_str(), 0640), 0);
  fs::create_symlink("a", folder_ / "link");
  ASSERT_TRUE(write_file(folder_ / "link", "new", Overwrite::kYes).ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(contents(folder_ / "a"), "new");
  EXPECT_EQ(fs::status(folder_ / "a").permissions(), static_cast<fs::perms>(0640));
}

TEST_P(FileTest, ALinkToWhatIsNotThereYetStaysALink) {
  fs::create_directory(folder_ / "other");
  fs::create_symlink("other/a", folder_ / "link");
  fs::create_symlink("link", folder_ / "second");
  ASSERT_TRUE(write_file(folder_ / "second", "new", Overwrite::kYes).ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "second"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(contents(folder_ / "other" / "a"), "new");
  fs::create_symlink("missing/a", folder_ / "nowhere");
  fs::create_symlink("loop", folder_ / "loop");
  for (const char* name : {"nowhere", "loop"}) {
    const auto result = write_file(folder_ / name, "new", Overwrite::kYes);
    ASSERT_FALSE(result.ok()) << name;
    EXPECT_EQ(result.error().code, ErrorCode::kIo);
    EXPECT_TRUE(fs::is_symlink(folder_ / name)) << name;
  }
}

TEST_P(FileTest, NamesAsLongAsTheFileSystemAllowsWork) {
  const fs::path path = folder_ / std::string(255, 'n');
  EXPECT_TRUE(write_file(path, "1", Overwrite::kNo).ok());
  EXPECT_TRUE(write_file(path, "2", Overwrite::kYes).ok());
  EXPECT_EQ(contents(path), "2");
}

TEST_P(FileTest, MissingFoldersAndFoldersAsFilesAreSaidBeforeTheWork) {
  for (const fs::path& path : {folder_ / "missing" / "a", folder_, fs::path(""), folder_ / "x" / ""}) {
    const auto result = check_writable(path, Overwrite::kYes);
    ASSERT_FALSE(result.ok()) << path;
    EXPECT_EQ(result.error().code, ErrorCode::kIo);
    EXPECT_FALSE(write_file(path, "x", Overwrite::kYes).ok()) << path;
  }
  EXPECT_TRUE(check_writable(folder_ / "a", Overwrite::kNo).ok());
  fs::create_symlink("nowhere", folder_ / "dangling");
  EXPECT_FALSE(check_writable(folder_ / "dangling", Overwrite::kNo).ok());
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_P(FileTest, ReadingSaysWhatIsWrong) {
  const auto missing = read_file(folder_ / "missing.obj");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kIo);
  EXPECT_NE(missing.error().message.find("missing.obj"), std::string::npos);
  const auto folder = read_file(folder_);
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().code, ErrorCode::kIo);
  ASSERT_TRUE(write_file(folder_ / "large", std::string(100, 'x'), Overwrite::kNo).ok());
  const auto large = read_file(folder_ / "large", 99);
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().code, ErrorCode::kBadInput);
  EXPECT_TRUE(read_file(folder_ / "large", 100).ok());
  // A device has no size to check beforehand.
  const auto endless = read_file("/dev/zero", 1 << 20);
  ASSERT_FALSE(endless.ok());
  EXPECT_EQ(endless.error().code, ErrorCode::kBadInput);
}

TEST_P(FileTest, AFullDeviceIsAnIoErrorAndDevicesAreNeverReplaced) {
  const fs::path full_path = full_device(), null_path = null_device();
  if (full_path.empty() || null_path.empty()) GTEST_SKIP() << "no device nodes in the temporary folder";
  const auto full = write_file(full_path, "bytes", Overwrite::kYes);
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().code, ErrorCode::kIo);
  EXPECT_NE(full.error().message.find(full_path.string()), std::string::npos);
  EXPECT_TRUE(fs::is_character_file(full_path));
  EXPECT_TRUE(write_file(null_path, "bytes", Overwrite::kYes).ok());
  EXPECT_TRUE(fs::is_character_file(null_path));
  EXPECT_FALSE(write_file(null_path, "bytes", Overwrite::kNo).ok());
}

// In a child process, since the limit cannot be taken back. The signal is ignored as the command line does.
TEST_P(FileTest, AFileSizeLimitLeavesTheOldFileAndNoOther) {
  ASSERT_TRUE(write_file(folder_ / "a", "old", Overwrite::kNo).ok());
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto result = write_file(folder_ / "a", std::string(5'000'000, 'x'), Overwrite::kYes);
    ::_exit(!result.ok() && result.error().code == ErrorCode::kIo ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(contents(folder_ / "a"), "old");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_P(FileTest, AFullDiskLeavesTheOldFileAndNoOther) {
  if (::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=1m") != 0)
    GTEST_SKIP() << "mounting a small tmpfs needs root";
  struct Unmount {
    const fs::path& folder;
    ~Unmount() { ::umount2(folder.c_str(), MNT_DETACH); }
  } unmount{folder_};
  ASSERT_TRUE(write_file(folder_ / "a", "old", Overwrite::kNo).ok());
  const auto result = write_file(folder_ / "a", std::string(5'000'000, 'x'), Overwrite::kYes);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kIo);
  EXPECT_NE(result.error().message.find("/a'"), std::string::npos);
  EXPECT_EQ(contents(folder_ / "a"), "old");
  EXPECT_EQ(files_in_folder(), 1u);
  EXPECT_TRUE(write_file(folder_ / "a", std::string(300'000, 'x'), Overwrite::kYes).ok());
}

// Whenever the writer is killed, the target holds all of the old bytes or all of the new ones.
TEST_P(FileTest, AKilledWriterNeverLeavesAHalfFile) {
  ASSERT_TRUE(write_file(folder_ / "a", std::string(1'000'000, 'o'), Overwrite::kNo).ok());
  for (int round = 0; round < 15; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) {
        if (!write_file(folder_ / "a", std::string(1'000'000, static_cast<char>('a' + round)),
                        Overwrite::kYes)
                 .ok())
          ::_exit(1);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2 + 3 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const std::string bytes = contents(folder_ / "a");
    ASSERT_EQ(bytes.size(), 1'000'000u);
    EXPECT_EQ(bytes.find_first_not_of(bytes[0]), std::string::npos);
  }
}

TEST_P(FileTest, AFileThatFailedCannotBeCommitted) {
  const fs::path full = full_device();
  if (full.empty()) GTEST_SKIP() << "no device nodes in the temporary folder";
  auto file = AtomicFile::open(full, Overwrite::kYes);
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE(file->write(std::string(3'000'000, 'x')).ok());
  EXPECT_FALSE(file->write("more").ok());
  EXPECT_FALSE(file->commit().ok());
}

INSTANTIATE_TEST_SUITE_P(Temporaries, FileTest, ::testing::Bool(),
                         [](const auto& named) { return named.param ? "Named" : "Unnamed"; });

}  // namespace
}  // namespace sinew
