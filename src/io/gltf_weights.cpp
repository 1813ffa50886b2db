// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/gltf_accessor.h"
#include "sinew/core/parallel.h"
#include "sinew/mesh/bvh.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kWeightGrain = 1 << 14;
constexpr double kOff = 1e-4;  // a sum further from 1 than this is worth a note

struct RowTally {
  WeightReport report;
  std::vector<std::uint32_t> lost;  // vertices of which no weight is a number
  std::vector<std::uint32_t> off;   // vertices whose weights did not sum to 1
  std::size_t bad_vertex = std::numeric_limits<std::size_t>::max();
  std::uint32_t bad_joint = 0;
};

RowTally fold(RowTally a, const RowTally& b) {
  a.report.normalised += b.report.normalised;
  a.report.not_numbers += b.report.not_numbers;
  a.report.negative += b.report.negative;
  a.report.odd_endpoints += b.report.odd_endpoints;
  a.report.unweighted += b.report.unweighted;
  a.report.borrowed += b.report.borrowed;
  a.report.influences = std::max(a.report.influences, b.report.influences);
  a.report.max_row_error = std::max(a.report.max_row_error, b.report.max_row_error);
  a.lost.insert(a.lost.end(), b.lost.begin(), b.lost.end());
  a.off.insert(a.off.end(), b.off.begin(), b.off.end());
  if (b.bad_vertex < a.bad_vertex) {
    a.bad_vertex = b.bad_vertex;
    a.bad_joint = b.bad_joint;
  }
  return a;
}

bool precedes(const Influence& a, const Influence& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
}

// Merges the entries of one joint into its first; returns how many are left. Sums run in the order of the
// file.
std::size_t merge(Influence* row, std::size_t size) {
  constexpr std::size_t kShort = 32;
  std::size_t kept = 0;
  if (size > kShort) {  // a file may give a vertex thousands, which must not take the square of that
    std::stable_sort(row, row + size, [](const auto& a, const auto& b) { return a.joint < b.joint; });
    for (std::size_t k = 0; k < size; ++k)
      if (kept > 0 && row[kept - 1].joint == row[k].joint)
        row[kept - 1].weight += row[k].weight;
      else
        row[kept++] = row[k];
    return kept;
  }
  for (std::size_t k = 0; k < size; ++k) {
    const auto same = [&](const Influence& other) { return other.joint == row[k].joint; };
    if (Influence* found = std::find_if(row, row + kept, same); found != row + kept)
      found->weight += row[k].weight;
    else
      row[kept++] = row[k];
  }
  return kept;
}

void finish(Influence* row, std::size_t size, double sum) {
  for (std::size_t k = 0; k < size; ++k) row[k].weight /= sum;
  std::sort(row, row + size, precedes);
}

// The stored numbers of all sets, set after set, four a vertex.
struct Stored {
  std::vector<std::uint32_t> joints;
  std::vector<float> weights;
  std::size_t vertices = 0, sets = 0;
};

Result<Stored> read_sets(const GltfDocument& document, const WeightSets& sets) {
  Stored stored;
  stored.sets = sets.joints.size();
  stored.vertices = document.accessors[static_cast<std::size_t>(sets.joints[0])].count;
  const std::size_t step = 4 * stored.vertices;
  stored.joints.resize(step * stored.sets);
  stored.weights.resize(step * stored.sets);
  for (std::size_t s = 0; s < stored.sets; ++s) {
    SINEW_CHECK(read_integers(document, document.accessors[static_cast<std::size_t>(sets.joints[s])],
                              std::span(stored.joints).subspan(s * step, step)));
    SINEW_CHECK(read_floats(document, document.accessors[static_cast<std::size_t>(sets.weights[s])],
                            std::span(stored.weights).subspan(s * step, step)));
  }
  return stored;
}

// One row into `row` (4 * sets places); returns its size.
std::size_t make_row(const Stored& stored, const BoundSkin& skin, std::size_t i, Influence* row,
                     RowTally& tally) {
  std::size_t size = 0;
  double sum = 0;
  bool odd = false;
  for (std::size_t s = 0; s < stored.sets; ++s)
    for (std::size_t c = 0; c < 4; ++c) {
      const std::size_t place = 4 * (s * stored.vertices + i) + c;
      const double weight = stored.weights[place];
      if (weight == 0) continue;
      if (!(std::abs(weight) <= kLargest)) {
        ++tally.report.not_numbers;
        odd = true;
      } else if (weight < 0) {
        ++tally.report.negative;
      } else if (stored.joints[place] >= skin.joints.size()) {
        if (i < tally.bad_vertex) tally.bad_joint = stored.joints[place];
        tally.bad_vertex = std::min(tally.bad_vertex, i);
      } else {
        row[size++] = {skin.joints[stored.joints[place]], weight};
        sum += weight;
      }
    }
  size = merge(row, size);
  tally.report.influences = std::max(tally.report.influences, size);
  if (size == 0) ++tally.report.unweighted;
  if (size == 0 && odd) tally.lost.push_back(static_cast<std::uint32_t>(i));
  if (size == 0) return 0;
  tally.report.max_row_error = std::max(tally.report.max_row_error, std::abs(sum - 1));
  if (std::abs(sum - 1) > kOff) {
    ++tally.report.normalised;
    tally.off.push_back(static_cast<std::uint32_t>(i));
  }
  finish(row, size, sum);
  return size;
}

// Gives the vertices whose weights were lost those of the nearest vertex that has any.
void borrow_rows(std::span<const Vec3> positions, const std::vector<std::uint32_t>& lost, std::size_t most,
                 std::vector<Influence>& rows, std::span<std::uint32_t> sizes, WeightReport& report) {
  if (lost.empty()) return;
  std::vector<Triangle> points;
  std::vector<std::uint32_t> vertex_of;
  for (std::uint32_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] > 0) {
      points.push_back({i, i, i});
      vertex_of.push_back(i);
    }
  const Bvh weighted({positions, points});
  for (const std::uint32_t i : lost) {
    const NearestPoint nearest = weighted.nearest(positions[i]);
    if (!nearest.found()) continue;
    const std::uint32_t from = vertex_of[nearest.triangle];
    std::copy_n(&rows[most * from], sizes[from], &rows[most * i]);
    sizes[i] = sizes[from];
    ++report.borrowed;
    --report.unweighted;
  }
}

bool holds_four(const GltfDocument& document, int index, std::uint64_t vertices) {
  const Accessor& accessor = document.accessors[static_cast<std::size_t>(index)];
  return accessor.width() == 4 && accessor.columns == 1 && accessor.count == vertices;
}

std::string four_wanted(const std::string& name, int index, std::uint64_t vertices) {
  return "." + name + " is accessors[" + std::to_string(index) +
         "], which does not hold four numbers for each of " + std::to_string(vertices) + " vertices";
}

// Gives the stored values to the entries of the rows that hold the same joints. Returns how many were odd.
std::size_t spread(const Stored& stored, const std::vector<int>& list, std::span<const float> endpoints,
                   const BoundSkin& skin, const SkinWeights& weights, std::size_t first,
                   std::vector<float>& values) {
  const std::uint32_t joints =
      skin.joints.empty() ? 0 : *std::max_element(skin.joints.begin(), skin.joints.end()) + 1;
  const auto spread_row = [&](std::size_t i, std::vector<std::size_t>& entry_of) {
    const std::size_t begin = weights.offsets[first + i], end = weights.offsets[first + i + 1];
    for (std::size_t e = begin; e < end; ++e) entry_of[weights.entries[e].joint] = e;
    std::size_t odd = 0;
    for (std::size_t s = 0; s < stored.sets; ++s)
      for (std::size_t c = 0; c < 4 && list[s] >= 0; ++c) {
        const std::size_t place = 4 * (s * stored.vertices + i) + c;
        if (!(stored.weights[place] > 0) || stored.joints[place] >= skin.joints.size()) continue;
        const float value = std::isnan(endpoints[place]) ? 0.0f : std::clamp(endpoints[place], 0.0f, 1.0f);
        odd += value != endpoints[place];
        const std::size_t e = entry_of[skin.joints[stored.joints[place]]];
        if (e >= begin && e < end) values[e] = value;  // else it is another row's
      }
    return odd;
  };
  return parallel_reduce(
      stored.vertices, kWeightGrain, std::size_t{0},
      [&](std::size_t begin, std::size_t end) {
        std::vector<std::size_t> entry_of(joints, weights.entries.size());
        std::size_t odd = 0;
        for (std::size_t i = begin; i < end; ++i) odd += spread_row(i, entry_of);
        return odd;
      },
      [](std::size_t a, std::size_t b) { return a + b; });
}

}  // namespace

Result<WeightSets> find_weight_sets(GltfDocument& document, const Json& attributes, std::uint64_t vertices,
                                    const std::string& place) {
  WeightSets sets;
  for (std::size_t s = 0;; ++s) {
    const std::string joints = "JOINTS_" + std::to_string(s), weights = "WEIGHTS_" + std::to_string(s);
    SINEW_TRY(const int j, index_member(attributes, joints.c_str(), document.accessors.size()));
    SINEW_TRY(const int w, index_member(attributes, weights.c_str(), document.accessors.size()));
    if (j < 0 && w < 0) return sets;
    if (j < 0 || w < 0) {
      document.warnings.push_back(place + " has " + (j < 0 ? weights : joints) +
                                  " without its partner: ignored");
      return sets;
    }
    for (const int index : {j, w})
      if (!holds_four(document, index, vertices))
        return bad_input(four_wanted(index == j ? joints : weights, index, vertices));
    if (document.accessors[static_cast<std::size_t>(j)].component == Component::kFloat)
      return bad_input("." + joints + " holds floats: joints are whole numbers");
    const std::string endpoints = "_SINEW_ENDPOINT_" + std::to_string(s);
    SINEW_TRY(const int e, index_member(attributes, endpoints.c_str(), document.accessors.size()));
    if (e >= 0 && !holds_four(document, e, vertices)) return bad_input(four_wanted(endpoints, e, vertices));
    const std::string twists = "_SINEW_ENDPOINT_TWIST_" + std::to_string(s);
    SINEW_TRY(const int t, index_member(attributes, twists.c_str(), document.accessors.size()));
    if (t >= 0 && !holds_four(document, t, vertices)) return bad_input(four_wanted(twists, t, vertices));
    sets.joints.push_back(j);
    sets.weights.push_back(w);
    sets.endpoints.push_back(e);
    sets.twists.push_back(t);
  }
}

Result<void> append_rows(const GltfDocument& document, const WeightSets& sets, const BoundSkin& skin,
                         std::span<const Vec3> positions, SkinWeights& weights, WeightReport& report) {
  SINEW_TRY(const Stored stored, read_sets(document, sets));
  const std::size_t most = 4 * stored.sets, count = stored.vertices;
  std::vector<Influence> rows(most * count);
  if (weights.offsets.empty()) weights.offsets.push_back(0);
  const std::size_t first = weights.offsets.size();
  weights.offsets.resize(first + count);
  RowTally tally = parallel_reduce(
      count, kWeightGrain, RowTally{},
      [&](std::size_t begin, std::size_t end) {
        RowTally part;
        for (std::size_t i = begin; i < end; ++i)
          weights.offsets[first + i] =
              static_cast<std::uint32_t>(make_row(stored, skin, i, &rows[most * i], part));
        return part;
      },
      fold);
  if (tally.bad_vertex < count)
    return bad_input(" gives vertex " + std::to_string(tally.bad_vertex) + " to joint " +
                     std::to_string(tally.bad_joint) + ", but its skin has " +
                     std::to_string(skin.joints.size()) + " joints: bind the mesh again");
  borrow_rows(positions, tally.lost, most, rows, std::span(weights.offsets).subspan(first), tally.report);
  RowTally so_far;
  so_far.report = report;
  report = fold(so_far, tally).report;
  const auto base = static_cast<std::uint32_t>(first - 1);
  for (const std::uint32_t i : tally.off) report.off_rows.push_back(base + i);
  for (const std::uint32_t i : tally.lost) report.lost_rows.push_back(base + i);
  for (std::size_t i = 0; i < count; ++i) weights.offsets[first + i] += weights.offsets[first + i - 1];
  weights.entries.resize(weights.offsets.back());
  parallel_for(count, kWeightGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::copy_n(&rows[most * i], weights.offsets[first + i] - weights.offsets[first + i - 1],
                  weights.entries.begin() + weights.offsets[first + i - 1]);
  });
  return {};
}

Result<void> append_endpoints(const GltfDocument& document, const WeightSets& sets,
                              const std::vector<int>& list, const BoundSkin& skin, const SkinWeights& weights,
                              std::size_t first, std::vector<float>& values, WeightReport& report) {
  values.resize(weights.entries.size(), 0.0f);
  if (!WeightSets::has_any(list)) return {};
  SINEW_TRY(const Stored stored, read_sets(document, sets));
  const std::size_t step = 4 * stored.vertices;
  std::vector<float> endpoints(step * stored.sets);
  for (std::size_t s = 0; s < stored.sets; ++s)
    if (list[s] >= 0)
      SINEW_CHECK(read_floats(document, document.accessors[static_cast<std::size_t>(list[s])],
                              std::span(endpoints).subspan(s * step, step)));
  report.odd_endpoints += spread(stored, list, endpoints, skin, weights, first, values);
  return {};
}

void append_rigid_rows(std::uint32_t joint, std::size_t count, SkinWeights& weights) {
  if (weights.offsets.empty()) weights.offsets.push_back(0);
  for (std::size_t i = 0; i < count; ++i) {
    weights.entries.push_back({joint, 1.0});
    weights.offsets.push_back(static_cast<std::uint32_t>(weights.entries.size()));
  }
}

}  // namespace sinew::gltf
