// SPDX-License-Identifier: Apache-2.0
#include "autorig/merge_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "autorig/limb_cut.h"

namespace sinew::autorig {
namespace {

using Neighbours = std::vector<std::vector<std::uint32_t>>;
constexpr std::uint32_t kNever = 0xffffffffu;

MergeTree merge(std::vector<std::uint32_t> order, const Neighbours& neighbours) {
  std::vector<std::uint32_t> rank(neighbours.size(), kNever);
  return merge_tree(std::move(order), rank, kNever, [&](std::uint32_t v, const auto& visit) {
    for (const std::uint32_t w : neighbours[v]) visit(w);
  });
}

// How many parts the points before a rank fall into, by flooding.
std::size_t parts_before(std::uint32_t rank, const std::vector<std::uint32_t>& order,
                         const Neighbours& neighbours) {
  std::vector<std::uint8_t> open(neighbours.size(), 0);
  for (std::uint32_t k = 0; k < rank; ++k) open[order[k]] = 1;
  std::size_t parts = 0;
  for (std::uint32_t k = 0; k < rank; ++k) {
    if (!open[order[k]]) continue;
    ++parts;
    std::vector<std::uint32_t> flood = {order[k]};
    open[order[k]] = 0;
    while (!flood.empty()) {
      const std::uint32_t v = flood.back();
      flood.pop_back();
      for (const std::uint32_t w : neighbours[v])
        if (open[w]) open[w] = 0, flood.push_back(w);
    }
  }
  return parts;
}

Neighbours random_graph(std::mt19937& random, std::uint32_t points, int edges) {
  Neighbours neighbours(points);
  for (int k = 0; k < edges; ++k) {
    const auto a = static_cast<std::uint32_t>(random() % points),
               b = static_cast<std::uint32_t>(random() % points);
    if (a == b) continue;
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  return neighbours;
}

TEST(MergeTree, ArcsThatGrowAreThePartsThatFloodingFinds) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 20; ++trial) {
    const Neighbours neighbours = random_graph(random, 60, 20 + 5 * trial);
    std::vector<std::uint32_t> order(60);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    const MergeTree tree = merge(order, neighbours);
    std::size_t growing = 0;
    std::uint32_t arc = 0;
    for (std::uint32_t k = 0; k < order.size(); ++k) {
      if (arc < tree.arc_count() && tree.begin[arc] == k) growing += 1 - tree.children_of(arc++).size();
      ASSERT_EQ(growing, parts_before(k + 1, order, neighbours)) << trial << " " << k;
    }
    EXPECT_EQ(arc, tree.arc_count());
  }
}

TEST(MergeTree, PointsOutsideTheOrderJoinNothing) {
  // A path of five whose middle is left out.
  const MergeTree tree = merge({0, 4, 1, 3}, {{1}, {0, 2}, {1, 3}, {2, 4}, {3}});
  ASSERT_EQ(tree.arc_count(), 2u);
  EXPECT_EQ(tree.arc, (std::vector<std::uint32_t>{0, 1, 0, 1}));
}

TEST(MergeTree, PeaksAreAsHighAsTheWayToAHigherOne) {
  // A path with hills of 5, 3 and 4 over valleys of 1 and 2, and one of 2.5 beside the last.
  const std::vector<double> height = {0, 5, 1, 3, 2, 4, 2.25, 2.5};
  BodyGraph graph;
  graph.neighbours.offsets = {0};
  for (std::uint32_t v = 0; v < height.size(); ++v) {
    if (v > 0) graph.neighbours.items.push_back(v - 1);
    if (v + 1 < height.size()) graph.neighbours.items.push_back(v + 1);
    graph.neighbours.offsets.push_back(static_cast<std::uint32_t>(graph.neighbours.items.size()));
  }
  const std::vector<Peak> peaks = find_peaks(join_tree(graph, height), height, 0.5);
  ASSERT_EQ(peaks.size(), 3u);
  EXPECT_EQ(peaks[0].point, 1u);
  EXPECT_TRUE(std::isinf(peaks[0].persistence));
  EXPECT_EQ(peaks[1].point, 5u);
  EXPECT_EQ(peaks[1].persistence, 3);
  EXPECT_EQ(peaks[2].point, 3u);
  EXPECT_EQ(peaks[2].persistence, 1);
}

}  // namespace
}  // namespace sinew::autorig
