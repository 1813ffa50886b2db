// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <new>
#include <set>
#include <utility>

namespace sinew {
namespace {

using Pieces = std::multiset<std::pair<std::size_t, std::size_t>>;

Pieces pieces(std::size_t count, std::size_t grain) {
  std::mutex mutex;
  Pieces seen;
  parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
    const std::lock_guard lock(mutex);
    seen.emplace(begin, end);
  });
  return seen;
}

class ParallelTest : public ::testing::Test {
 protected:
  void TearDown() override { set_thread_count(0); }
};

TEST_F(ParallelTest, ThePiecesAreTheSameForAnyThreadCount) {
  for (const auto& [count, grain] :
       {std::pair<std::size_t, std::size_t>{0, 4}, {1, 4}, {4, 4}, {5, 4}, {1000, 7}, {10, 100}}) {
    Pieces expected;
    for (std::size_t begin = 0; begin < count; begin += grain)
      expected.emplace(begin, std::min(count, begin + grain));
    for (const int threads : {1, 2, 3, 8, 0}) {
      set_thread_count(threads);
      EXPECT_EQ(pieces(count, grain), expected) << threads << " threads, " << count << " in " << grain;
    }
  }
}

TEST_F(ParallelTest, AGrainOfZeroIsOne) {
  EXPECT_EQ(pieces(3, 0), (Pieces{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(parallel_reduce(
                3, 0, 0, [](std::size_t begin, std::size_t end) { return static_cast<int>(end - begin); },
                [](int a, int b) { return a + b; }),
            3);
}

TEST_F(ParallelTest, AReductionHasTheSameBitsForAnyThreadCount) {
  constexpr std::size_t kCount = 100'000;
  const auto sum = [] {
    return parallel_reduce(
        kCount, 1000, 0.0,
        [](std::size_t begin, std::size_t end) {
          double part = 0;
          for (std::size_t i = begin; i < end; ++i) part += std::sin(static_cast<double>(i)) * 1e10 + 1e-7;
          return part;
        },
        [](double a, double b) { return a + b; });
  };
  set_thread_count(1);
  const double expected = sum();
  for (const int threads : {2, 5, 16, 0}) {
    set_thread_count(threads);
    for (int repeat = 0; repeat < 20; ++repeat) ASSERT_EQ(sum(), expected);
  }
}

TEST_F(ParallelTest, AFoldKeepsTheOrderOfThePieces) {
  const auto text = parallel_reduce(
      std::size_t{26}, 3, std::string(),
      [](std::size_t begin, std::size_t end) {
        std::string part;
        for (std::size_t i = begin; i < end; ++i) part += static_cast<char>('a' + i);
        return part;
      },
      [](const std::string& a, const std::string& b) { return a + b; });
  EXPECT_EQ(text, "abcdefghijklmnopqrstuvwxyz");
}

TEST_F(ParallelTest, LoopsNest) {
  std::atomic<int> calls{0};
  parallel_for(8, 1, [&](std::size_t, std::size_t) {
    parallel_for(8, 1, [&](std::size_t, std::size_t) { ++calls; });
  });
  EXPECT_EQ(calls, 64);
}

// Were inner loops cancelled with the outer one, they would leave their work undone without a word.
TEST_F(ParallelTest, AnInnerLoopIsWholeAlthoughAnotherPieceThrows) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> begun = 0, cut = 0;
    try {
      parallel_for(8, 1, [&](std::size_t begin, std::size_t) {
        ++begun;
        if (begin == 7) throw std::bad_alloc();
        std::atomic<int> done = 0;
        for (int repeat = 0; repeat < 20; ++repeat) {
          done = 0;
          parallel_for(64, 1, [&](std::size_t, std::size_t) { ++done; });
          if (done != 64) ++cut;
        }
      });
    } catch (const std::bad_alloc&) {
    }
    ASSERT_EQ(cut, 0);
  }
}

TEST_F(ParallelTest, TheThreadCountIsWhatWasSetAndNeverBelowOne) {
  set_thread_count(3);
  EXPECT_EQ(thread_count(), 3);
  set_thread_count(0);
  EXPECT_GE(thread_count(), 1);
  set_thread_count(-5);
  EXPECT_GE(thread_count(), 1);
}

// An engine's own job system: counts what it is given and runs it back to front.
class Backwards final : public Executor {
 public:
  void run(std::size_t pieces, void* context, void (*piece)(void*, std::size_t)) const override {
    ++jobs;
    for (std::size_t i = pieces; i-- > 0;) piece(context, i);
  }
  mutable int jobs = 0;
};

TEST(Executor, TakesEveryPieceOnceWhileItsScopeLives) {
  const Backwards executor;
  std::vector<int> seen(1000, 0);
  const auto count = [&] {
    parallel_for(seen.size(), 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++seen[i];
    });
  };
  {
    const ExecutorScope scope(&executor);
    count();
    EXPECT_EQ(executor.jobs, 1);
    const ExecutorScope same(nullptr);  // changes nothing
    count();
    EXPECT_EQ(executor.jobs, 2);
  }
  count();
  EXPECT_EQ(executor.jobs, 2) << "afterwards the default executor runs again";
  for (const int times : seen) EXPECT_EQ(times, 3);
}

TEST(Executor, RunsWhatItsPiecesStart) {
  const Backwards executor;
  const ExecutorScope scope(&executor);
  std::atomic<int> inner{0};
  parallel_for(4, 1, [&](std::size_t, std::size_t) {
    parallel_for(8, 1, [&](std::size_t, std::size_t) { ++inner; });
  });
  EXPECT_EQ(inner, 32);
  EXPECT_EQ(executor.jobs, 5);
}

TEST(ParallelEach, TakesEveryOneOnceAndTheDearestFirst) {
  const std::vector<double> costs{1, 5, 3, 5, 0};
  std::vector<std::size_t> order;
  {
    const ExecutorScope scope(&serial_executor());
    parallel_each(costs, [&](std::size_t k) { order.push_back(k); });
  }
  EXPECT_EQ(order, (std::vector<std::size_t>{1, 3, 2, 0, 4}));
  std::vector<std::atomic<int>> taken(1000);
  parallel_each(std::vector<double>(1000, 1.0), [&](std::size_t k) { ++taken[k]; });
  for (const auto& count : taken) EXPECT_EQ(count, 1);
}

TEST(Executor, SumsHaveTheSameBitsOnAnyOfThem) {
  const auto sum = [] {
    return parallel_reduce(
        100000, 777, 0.0,
        [](std::size_t begin, std::size_t end) {
          double part = 0;
          for (std::size_t i = begin; i < end; ++i) part += 1.0 / static_cast<double>(i + 1);
          return part;
        },
        [](double a, double b) { return a + b; });
  };
  const double usual = sum();
  const Backwards backwards;
  for (const Executor* executor : {static_cast<const Executor*>(&backwards), &serial_executor()}) {
    const ExecutorScope scope(executor);
    EXPECT_EQ(sum(), usual);
  }
}

}  // namespace
}  // namespace sinew
