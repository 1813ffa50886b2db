// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/prune_with_falloff.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "sinew/mesh/topology.h"
#include "weights/sparse_rows.h"

namespace sinew {
namespace {

constexpr double kLittle = 0.05;  // of a row
constexpr double kFade = 0.5;     // weights twice as large as the first that goes are whole
constexpr int kTimes = 20;        // four leave twice the step in a fine mesh

// How much alike two joints move: less by a factor of e for every bone between them.
Eigen::MatrixXd hierarchy_affinity(std::span<const int> parents) {
  const auto n = static_cast<Eigen::Index>(parents.size());
  std::vector<int> depth(parents.size(), 0);
  const auto above = [&](int j) { return parents[static_cast<std::size_t>(j)]; };
  for (std::size_t j = 0; j < parents.size(); ++j)
    for (int k = above(static_cast<int>(j)); k >= 0; k = above(k)) ++depth[j];
  Eigen::MatrixXd alike(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index k = 0; k <= i; ++k) {
      int a = static_cast<int>(i), b = static_cast<int>(k), steps = 0;
      for (; a != b && a >= 0 && b >= 0; ++steps) {
        int& lower = depth[static_cast<std::size_t>(a)] >= depth[static_cast<std::size_t>(b)] ? a : b;
        lower = above(lower);
      }
      alike(i, k) = alike(k, i) = std::exp(-steps);
    }
  return alike;
}

// One row, largest first, cut to `most`: what stays fades towards the first that goes, and each loss goes to
// what stays, by its size and hierarchy_affinity.
void cut(std::span<const Influence> row, std::size_t most, const Eigen::MatrixXd& alike,
         std::vector<Influence>& kept) {
  kept.assign(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(std::min(most, row.size())));
  if (row.size() <= most) return;
  const double first_gone = row[most].weight;
  const bool all_alike = !(row[0].weight > first_gone);
  for (Influence& entry : kept)
    if (!all_alike) entry.weight = std::min(entry.weight, (entry.weight - first_gone) / kFade);
  std::erase_if(kept, [](const Influence& entry) { return !(entry.weight > 0); });
  const std::vector<Influence> stays = kept;
  for (std::size_t k = 0; k < row.size(); ++k) {
    const auto own =
        std::find_if(stays.begin(), stays.end(), [&](const Influence& s) { return s.joint == row[k].joint; });
    const double lost = row[k].weight - (own == stays.end() ? 0 : own->weight);
    if (!(lost > 0)) continue;
    double sum = 0;
    for (const Influence& s : stays) sum += s.weight * alike(row[k].joint, s.joint);
    for (std::size_t i = 0; i < stays.size(); ++i)
      kept[i].weight += lost * stays[i].weight * alike(row[k].joint, stays[i].joint) / sum;
  }
}

// Rows of the welded vertices, what they were cut to, and what they are cut from.
struct CutRows {
  SkinWeights whole, cut;
  std::vector<std::uint8_t> changed;  // per welded vertex: the cut took something
};

void cut_all(const SkinWeights& from, std::size_t most, const Eigen::MatrixXd& alike, CutRows& rows) {
  rows.cut = {};
  rows.cut.offsets.assign(1, 0);
  std::vector<Influence> kept;
  for (std::size_t i = 0; i < from.vertex_count(); ++i) {
    double total = 0;
    for (const Influence& entry : from.row(i)) total += entry.weight;
    cut(from.row(i), most, alike, kept);
    for (Influence& entry : kept) entry.weight /= total;
    rows.cut.add_row(kept);
    const auto is = rows.cut.row(i), was = rows.whole.row(i);
    rows.changed[i] =
        !std::equal(is.begin(), is.end(), was.begin(), was.end(), [](const Influence& a, const Influence& b) {
          return a.joint == b.joint && std::abs(a.weight - b.weight) < 1e-9;
        });
  }
}

// The whole rows plus the mean of what was changed at a vertex and at its neighbours: what is taken from a
// joint at one vertex is also taken around it, so that the change, not the weights, becomes smooth.
SkinWeights share_changes(const CutRows& rows, const IndexLists& neighbours) {
  SkinWeights shared;
  shared.offsets.assign(1, 0);
  std::vector<Influence> sum;
  const auto add_change = [&](std::size_t vertex, double scale) {
    if (!rows.changed[vertex]) return;
    add_scaled(rows.cut.row(vertex), scale, sum);
    add_scaled(rows.whole.row(vertex), -scale, sum);
  };
  for (std::size_t i = 0; i < rows.changed.size(); ++i) {
    const auto around = neighbours[i];
    sum.assign(rows.whole.row(i).begin(), rows.whole.row(i).end());
    add_change(i, around.empty() ? 1 : 0.5);
    for (const std::uint32_t k : around) add_change(k, 0.5 / static_cast<double>(around.size()));
    SkinWeights row;
    row.add_row(sum);
    sum.assign(row.row(0).begin(), row.row(0).end());
    std::erase_if(sum, [](const Influence& entry) { return !(entry.weight > 1e-9); });
    normalise(sum);
    shared.add_row(sum);
  }
  return shared;
}

// Half of the sum of differences between two rows, each of which sums to 1.
double moved(std::span<const Influence> before, std::span<const Influence> after) {
  double total = 0, common = 0;
  for (const Influence& b : before) total += b.weight;
  for (const Influence& b : before)
    for (const Influence& a : after)
      if (a.joint == b.joint) common += std::min(a.weight, b.weight / total);
  return before.empty() ? 0 : std::max(0.0, 1 - common);
}

}  // namespace

Pruned prune_with_falloff(const SkinWeights& weights, std::span<const int> parents,
                          const WeldedTriangles& welded, int influences) {
  Pruned plain = prune_weights(weights, influences);
  if (plain.error <= kLittle) return plain;
  const auto most = static_cast<std::size_t>(std::max(influences, 1));
  const Eigen::MatrixXd alike = hierarchy_affinity(parents);
  const std::size_t count = welded.weld.positions.size();
  const IndexLists neighbours = vertex_neighbours(count, edge_table(count, FaceList(welded.triangles)));
  CutRows rows;
  rows.whole.offsets.assign(1, 0);
  rows.changed.resize(count);
  std::vector<Influence> row;
  for (const std::uint32_t vertex : welded.weld.representative) {
    row.assign(weights.row(vertex).begin(), weights.row(vertex).end());
    normalise(row);
    rows.whole.add_row(row);
  }
  cut_all(rows.whole, most, alike, rows);
  for (int time = 0; time < kTimes; ++time) cut_all(share_changes(rows, neighbours), most, alike, rows);
  Pruned pruned;
  pruned.weights.offsets.assign(1, 0);
  for (const std::uint32_t vertex : welded.weld.to_welded) pruned.weights.add_row(rows.cut.row(vertex));
  for (std::size_t i = 0; i < weights.vertex_count(); ++i)
    pruned.error = std::max(pruned.error, moved(weights.row(i), pruned.weights.row(i)));
  return pruned;
}

}  // namespace sinew
