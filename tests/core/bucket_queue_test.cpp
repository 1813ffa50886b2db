// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/bucket_queue.h"

#include <gtest/gtest.h>

#include <queue>
#include <random>
#include <utility>

namespace sinew {
namespace {

using Queue = BucketQueue<double>;

bool keep_all(const Queue::Entry&) {
  return false;
}

// A front that pushes keys ahead of the one it pops, by steps that are short, equal or much longer than a range.
TEST(BucketQueue, GivesTheOrderOfAHeap) {
  for (const double width : {1e-9, 0.02, 0.3, 10.0}) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> step(0, 1);
    Queue queue(width);
    std::priority_queue<std::pair<double, std::uint32_t>, std::vector<std::pair<double, std::uint32_t>>,
                        std::greater<>>
        heap;
    const auto push = [&](double key, std::uint32_t item) {
      queue.push(key, item);
      heap.push({key, item});
    };
    for (std::uint32_t k = 0; k < 20; ++k) push(k % 2 == 0 ? 0 : -step(random), 20 - k);
    Queue::Entry entry;
    std::uint32_t pushed = 20;
    while (!heap.empty()) {
      ASSERT_TRUE(queue.pop(entry, keep_all));
      ASSERT_EQ(entry.key, heap.top().first) << width;
      ASSERT_EQ(entry.item, heap.top().second) << width;
      heap.pop();
      for (int k = 0; k < 3 && pushed < 20'000; ++k, ++pushed)
        push(entry.key + (k == 0 ? 0 : k == 1 ? step(random) : 1000 * step(random)), pushed % 977);
    }
    EXPECT_FALSE(queue.pop(entry, keep_all));
  }
}

TEST(BucketQueue, TellsWhatIsLikelyNext) {
  Queue queue(10);
  EXPECT_EQ(queue.next(), nullptr);
  for (const std::uint32_t item : {3u, 1u, 2u}) queue.push(item, item);
  Queue::Entry entry;
  for (const std::uint32_t item : {1u, 2u, 3u}) {
    ASSERT_TRUE(queue.pop(entry, keep_all));
    EXPECT_EQ(entry.item, item);
    if (item < 3) {
      ASSERT_NE(queue.next(), nullptr);
      EXPECT_EQ(queue.next()->item, item + 1);
    }
  }
  EXPECT_EQ(queue.next(), nullptr);
}

TEST(BucketQueue, LeavesOutWhatIsStale) {
  Queue queue(1);
  queue.push(0, 0);
  queue.push(5, 1);
  queue.push(5.5, 2);
  queue.push(9, 1);
  Queue::Entry entry;
  const auto stale = [](const Queue::Entry& one) { return one.key == 9; };
  for (const std::uint32_t item : {0u, 1u, 2u}) {
    ASSERT_TRUE(queue.pop(entry, stale));
    EXPECT_EQ(entry.item, item);
  }
  EXPECT_FALSE(queue.pop(entry, stale));
  queue.push(9.5, 4);
  ASSERT_TRUE(queue.pop(entry, stale));
  EXPECT_EQ(entry.item, 4u);
}

}  // namespace
}  // namespace sinew
