// SPDX-License-Identifier: Apache-2.0
#include "studio/jobs.h"

#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <stdexcept>

#include "sinew/characters/characters.h"
#include "sinew/io/mesh_files.h"
#include "sinew/report/overall_progress.h"

namespace sinew::studio {
namespace {

using namespace std::chrono_literals;

JobOutput output_of(std::string bytes) {
  JobOutput output;
  output.name = "out.glb";
  output.bytes = std::move(bytes);
  output.report = {{"a", 1}};
  output.text = {"Done."};
  return output;
}

// Waits for what must come; a minute is forever.
JobStatus end_of(Jobs& jobs, const std::string& id) {
  for (int k = 0; k < 6000; ++k) {
    const auto status = jobs.status(id);
    if (!status || status->state != JobState::kRunning) return status.value_or(JobStatus{});
    std::this_thread::sleep_for(10ms);
  }
  ADD_FAILURE() << "the job does not end";
  return {};
}

// A job that runs until it is told to stop.
Work endless(std::promise<void>& begun) {
  return [&begun](const Progress& progress) -> Result<JobOutput> {
    begun.set_value();
    while (!is_cancelled(&progress)) std::this_thread::sleep_for(1ms);
    return cancelled();
  };
}

class JobsTest : public testing::Test {
 protected:
  FileStore files_{FileStore::Limits{}};
  Jobs jobs_{files_};
};

TEST_F(JobsTest, AJobLeavesAFileAReportAndSentences) {
  const auto id = jobs_.start("rig", [](const Progress& progress) -> Result<JobOutput> {
    report(&progress, "half", 0.5);
    return output_of("bytes");
  });
  ASSERT_TRUE(id);
  const JobStatus done = end_of(jobs_, *id);
  EXPECT_EQ(done.state, JobState::kDone);
  EXPECT_EQ(done.kind, "rig");
  EXPECT_EQ(done.stage, "half");
  EXPECT_EQ(done.fraction, 1);
  EXPECT_EQ(done.report["a"], 1);
  EXPECT_EQ(done.text, std::vector<std::string>{"Done."});
  EXPECT_EQ(*files_.find(done.file)->bytes, "bytes");
  EXPECT_FALSE(jobs_.status("none"));
}

TEST_F(JobsTest, FailuresAndThrowsEndTheJobAlone) {
  const auto failed =
      jobs_.start("rig", [](const Progress&) -> Result<JobOutput> { return bad_input("broken"); });
  EXPECT_EQ(end_of(jobs_, *failed).state, JobState::kFailed);
  EXPECT_EQ(jobs_.status(*failed)->error.message, "broken");
  const auto thrown =
      jobs_.start("rig", [](const Progress&) -> Result<JobOutput> { throw std::runtime_error("oops"); });
  EXPECT_EQ(end_of(jobs_, *thrown).error.code, ErrorCode::kBug);
  const auto full = jobs_.start("rig", [](const Progress&) -> Result<JobOutput> { throw std::bad_alloc(); });
  EXPECT_EQ(end_of(jobs_, *full).error.code, ErrorCode::kLimit);
  const auto after = jobs_.start("rig", [](const Progress&) -> Result<JobOutput> { return output_of("x"); });
  EXPECT_EQ(end_of(jobs_, *after).state, JobState::kDone);
}

TEST_F(JobsTest, OneAtATimeAndACancelledOneMakesPlaceAtOnce) {
  std::promise<void> begun;
  const auto first = jobs_.start("rig", endless(begun));
  begun.get_future().wait();
  EXPECT_FALSE(jobs_.start("rig", [](const Progress&) -> Result<JobOutput> { return output_of("x"); }));
  EXPECT_TRUE(jobs_.cancel(*first));
  EXPECT_EQ(jobs_.status(*first)->state, JobState::kCancelled);
  const auto second = jobs_.start("rig", [](const Progress&) -> Result<JobOutput> { return output_of("x"); });
  ASSERT_TRUE(second);
  EXPECT_EQ(end_of(jobs_, *second).state, JobState::kDone);
  EXPECT_TRUE(jobs_.cancel(*second));
  EXPECT_EQ(jobs_.status(*second)->state, JobState::kDone) << "what is done stays done";
  EXPECT_FALSE(jobs_.cancel("none"));
}

TEST_F(JobsTest, WhatACancelledJobStillMakesIsThrownAway) {
  std::promise<void> begun, go_on;
  const auto id = jobs_.start("rig", [&](const Progress&) -> Result<JobOutput> {
    begun.set_value();
    go_on.get_future().wait();
    return output_of("late");
  });
  begun.get_future().wait();
  jobs_.cancel(*id);
  go_on.set_value();
  EXPECT_TRUE(jobs_.stop(60s));
  EXPECT_EQ(jobs_.status(*id)->state, JobState::kCancelled);
  EXPECT_EQ(jobs_.status(*id)->file, "");
}

TEST_F(JobsTest, StopSaysWhetherTheThreadCameBack) {
  EXPECT_TRUE(jobs_.stop(1ms));
  std::promise<void> begun, go_on;
  jobs_.start("rig", [&](const Progress&) -> Result<JobOutput> {
    begun.set_value();
    go_on.get_future().wait();
    return cancelled();
  });
  begun.get_future().wait();
  EXPECT_FALSE(jobs_.stop(1ms));
  go_on.set_value();
  EXPECT_TRUE(jobs_.stop(60s));
}

TEST_F(JobsTest, FractionsNeverGoBack) {
  std::vector<double> seen;
  Progress whole;
  whole.report = [&](std::string_view, double fraction) { seen.push_back(fraction); };
  OverallProgress overall(whole);
  for (const double end : {0.1, 0.6, 1.0}) {
    const Progress* part = overall.part("part", end);
    for (const char* stage : {"one", "two", "one", "three"})
      for (const double fraction : {0.0, 0.7, 0.3, 1.0, 5.0, -1.0}) report(part, stage, fraction);
    EXPECT_LT(seen.back(), end);
  }
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.front(), 0);
  EXPECT_GT(seen.back(), 0.9);
}

// Wherever it is, and it leaves nothing. It is cancelled by its own reports: how fast it runs does not matter.
// How long it goes on is printed: Progress promises 50 ms.
TEST_F(JobsTest, ARigJobStopsWhenItIsCancelled) {
  auto character = make_character("biped", {.resolution = 6000});
  ASSERT_TRUE(character.ok());
  const auto stored = files_.add("body.obj", write_obj(character->mesh));
  ASSERT_TRUE(stored.ok());
  for (const double least : {0.0, 0.1, 0.3, 0.5, 0.7}) {
    RigJob job;
    job.file = *stored;
    std::promise<std::string> name;
    std::once_flag once;
    std::chrono::steady_clock::time_point told;
    const auto id = jobs_.start("rig", [&](const Progress& progress) {
      const std::string own = name.get_future().get();
      Progress watched = progress;
      watched.report = [&](std::string_view stage, double fraction) {
        progress.report(stage, fraction);
        if (fraction < least) return;
        std::call_once(once, [&] {
          jobs_.cancel(own);
          told = std::chrono::steady_clock::now();
        });
      };
      auto made = run_rig_job(job, watched);
      EXPECT_FALSE(made.ok()) << "not stopped at " << least;
      return made;
    });
    ASSERT_TRUE(id);
    name.set_value(*id);
    while (jobs_.status(*id)->state == JobState::kRunning) std::this_thread::sleep_for(1ms);
    ASSERT_TRUE(jobs_.stop(60s));
    EXPECT_EQ(jobs_.status(*id)->state, JobState::kCancelled) << least;
    EXPECT_EQ(jobs_.status(*id)->file, "");
    std::printf("cancelled at %.1f: stopped after %.0f ms\n", least,
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - told).count());
  }
}

}  // namespace
}  // namespace sinew::studio
