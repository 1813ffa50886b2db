// SPDX-License-Identifier: Apache-2.0
#include "sinew/batch/slurm.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

// The cluster itself is tested by tests/repo/slurm_test.py; here squeue and sbatch are scripts that keep a queue in a file.
namespace sinew {
namespace {

namespace fs = std::filesystem;

class Slurm : public testing::Test {
 protected:
  Slurm() {
    fs::create_directories(root_ / "bin");
    request_.folder = root_ / "it's 100 %";
    fs::create_directories(request_.folder);
    request_.shards = 3;
    path_ = std::getenv("PATH");
    ::setenv("PATH", ((root_ / "bin").string() + ":" + path_).c_str(), 1);
  }
  ~Slurm() override {
    ::setenv("PATH", path_.c_str(), 1);
    fs::remove_all(root_);
  }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name) << text;
    ::chmod((root_ / name).c_str(), 0755);
  }
  std::string get(const fs::path& file) const {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  void install() const {
    put("bin/squeue", fmt::format("#!/bin/sh\necho \"$@\" >> {0}/asked\ncat {0}/queue 2>/dev/null || true\n",
                                  root_.string()));
    put("bin/sbatch",
        fmt::format("#!/bin/sh\necho \"$@\" >> {0}/given\nprintf '41 RUNNING\\n41 PENDING\\n41 PENDING\\n' > "
                    "{0}/queue\necho '41;cluster'\n",
                    root_.string()));
  }

  fs::path root_ = fs::temp_directory_path() / ("sinew-slurm-unit-" + std::to_string(::getpid()));
  SlurmRequest request_;
  std::string path_;
};

TEST_F(Slurm, TheScriptRunsOneShardATaskAndForgivesFailedJobs) {
  request_.command = {"printf", "%s|", "it's", "a b", "$HOME", "`x`"};
  request_.cpus = 4;
  request_.memory_mb = 5000;
  request_.directives = {"--partition=long"};
  const std::string text = slurm_script(request_);
  for (const char* line : {"#SBATCH --array=1-3\n", "#SBATCH --cpus-per-task=4\n", "#SBATCH --mem=5000M\n",
                           "#SBATCH --requeue\n", "#SBATCH --partition=long\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
  EXPECT_NE(text.find("it's 100 %%/_batch/slurm/%A_%a.log\""), std::string::npos) << text;
  // All directives stand before the first command, where Slurm stops to look for them.
  EXPECT_LT(text.rfind("#SBATCH"), text.find("'printf'"));
  put("script", text);
  const std::string run = fmt::format("SLURM_ARRAY_TASK_ID=2 sh {0}/script > {0}/out", root_.string());
  EXPECT_EQ(std::system(run.c_str()), 0);
  EXPECT_EQ(get(root_ / "out"), "it's|a b|$HOME|`x`|--shard|2/3|");
  for (const auto& [code, told] : {std::pair{4, 0}, std::pair{5, 5}, std::pair{143, 143}}) {
    request_.command = {"sh", "-c", fmt::format("exit {}", code)};
    put("script", slurm_script(request_));
    const int status = std::system(fmt::format("SLURM_ARRAY_TASK_ID=1 sh {}/script", root_.string()).c_str());
    EXPECT_EQ(WEXITSTATUS(status), told);
  }
}

TEST_F(Slurm, TwiceIsOnce) {
  install();
  request_.command = {"true"};
  const auto first = submit_slurm(request_);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first->job, "41");
  EXPECT_EQ(first->tasks(), 3U);
  const auto second = submit_slurm(request_);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->job, "41");
  EXPECT_EQ(second->running, 1U);
  EXPECT_EQ(second->pending, 2U);
  const std::string script = (request_.folder / "_batch" / "slurm.sh").string();
  EXPECT_EQ(get(root_ / "given"), "--parsable " + script + "\n");
  EXPECT_NE(get(root_ / "asked").find("--name=" + slurm_job_name(request_.folder)), std::string::npos);
  fs::remove(root_ / "queue");
  EXPECT_EQ(slurm_queue(request_.folder)->tasks(), 0U);
}

TEST_F(Slurm, FoldersHaveNamesOfTheirOwn) {
  EXPECT_NE(slurm_job_name(root_ / "a"), slurm_job_name(root_ / "b"));
  EXPECT_EQ(slurm_job_name(root_ / "a"), slurm_job_name(root_ / "bin" / ".." / "a"));
}

TEST_F(Slurm, WhatSlurmSaysWhenItRefusesIsTold) {
  put("bin/squeue", "#!/bin/sh\nexit 0\n");
  put("bin/sbatch", "#!/bin/sh\necho 'sbatch: error: invalid partition specified: long' >&2\nexit 1\n");
  request_.command = {"true"};
  const auto refused = submit_slurm(request_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  EXPECT_NE(refused.error().message.find("invalid partition"), std::string::npos);
  ::setenv("PATH", (root_ / "nothing").c_str(), 1);
  const auto missing = slurm_queue(request_.folder);
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("needs Slurm"), std::string::npos);
}

TEST(SlurmQueue, IsReadFromLines) {
  const SlurmQueue queue = parse_slurm_queue("7 RUNNING\n7 PENDING\n\n7 COMPLETING\n7 REQUEUE_HOLD\n8\n");
  EXPECT_EQ(queue.job, "7");
  EXPECT_EQ(queue.running, 2U);
  EXPECT_EQ(queue.pending, 2U);
  EXPECT_EQ(parse_slurm_queue("").tasks(), 0U);
}

}  // namespace
}  // namespace sinew
