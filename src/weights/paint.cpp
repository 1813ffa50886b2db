// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/paint.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "sinew/core/parallel.h"
#include "sinew/mesh/bvh.h"
#include "sinew/mesh/topology.h"
#include "weights/sparse_rows.h"

namespace sinew {
namespace {

constexpr double kImageTolerance = 0.02;  // of the diagonal
constexpr double kLeastWeight = 1e-4;     // below it a joint leaves the row

double painted(double value, double mean, double amount, const Brush& brush) {
  switch (brush.mode) {
    case BrushMode::kAdd:
      return value + amount * brush.value;
    case BrushMode::kReplace:
      return value + amount * (brush.value - value);
    case BrushMode::kSmooth:
      return value + amount * (mean - value);
  }
  return value;
}

double weight_of(std::span<const Influence> row, std::uint32_t joint) {
  for (const Influence& influence : row)
    if (influence.joint == joint) return influence.weight;
  return 0;
}

bool is_locked(const PaintOptions& options, std::uint32_t joint) {
  return joint < options.locked.size() && options.locked[joint] != 0;
}

// One joint once, largest first.
std::vector<Influence> sorted_row(std::span<const Influence> row) {
  SkinWeights one;
  one.offsets.assign(1, 0);
  one.add_row(row);
  return std::move(one.entries);
}

// The row with the joints that are not locked sharing what the locked ones and `joint` leave; at most
// `influences` of them. `joint` gets `wanted`; with kNobody all share alike.
constexpr std::uint32_t kNobody = 0xffffffffu;
std::vector<Influence> shared_row(std::span<const Influence> row, std::uint32_t joint, double wanted,
                                  const PaintOptions& options) {
  std::vector<Influence> kept, rest;
  double locked = 0;
  for (const Influence& influence : row) {
    if (influence.joint == joint) continue;
    if (is_locked(options, influence.joint))
      kept.push_back(influence), locked += influence.weight;
    else if (influence.weight > 0)
      rest.push_back(influence);
  }
  const double free = std::max(0.0, 1 - locked);
  double own = joint == kNobody ? 0 : std::clamp(wanted, 0.0, free);
  if (own < kLeastWeight) own = 0;
  if (rest.empty()) {
    // Nobody else would take the rest.
    if (joint == kNobody || free == 0) return {row.begin(), row.end()};
    own = free;
  }
  const std::size_t used = kept.size() + (own > 0 ? 1 : 0);
  const auto most = static_cast<std::size_t>(std::max(options.influences, 1));
  std::stable_sort(rest.begin(), rest.end(), [](const Influence& a, const Influence& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
  });
  const std::size_t room = std::max<std::size_t>(most > used ? most - used : 0, own < free ? 1 : 0);
  if (rest.size() > room) rest.resize(room);
  double sum = 0;
  for (const Influence& influence : rest) sum += influence.weight;
  if (own > 0) kept.push_back({joint, own});
  for (const Influence& influence : rest)
    if (const double weight = influence.weight * (free - own) / sum; weight > 0)
      kept.push_back({influence.joint, weight});
  return sorted_row(kept);
}

std::vector<Influence> smoothed_row(const SkinWeights& weights, const PaintSurface& surface,
                                    const Touch& touch, const PaintOptions& options) {
  const auto around = surface.neighbours(touch.vertex);
  const auto row = weights.row(surface.weld().representative[touch.vertex]);
  if (around.empty()) return {row.begin(), row.end()};
  std::vector<Influence> mixed;
  for (const Influence& influence : row)
    mixed.push_back({influence.joint, is_locked(options, influence.joint)
                                          ? influence.weight
                                          : (1 - touch.amount) * influence.weight});
  for (const std::uint32_t k : around)
    for (const Influence& influence : weights.row(surface.weld().representative[k]))
      if (!is_locked(options, influence.joint))
        mixed.push_back(
            {influence.joint, touch.amount * influence.weight / static_cast<double>(around.size())});
  return shared_row(sorted_row(mixed), kNobody, 0, options);
}

}  // namespace

double falloff_at(Falloff falloff, double x) {
  if (!(x < 1)) return 0;
  switch (falloff) {
    case Falloff::kSmooth:
      return (1 - x * x) * (1 - x * x);
    case Falloff::kLinear:
      return 1 - x;
    case Falloff::kSphere:
      return std::sqrt(1 - x * x);
    case Falloff::kConstant:
      return 1;
  }
  return 0;
}

PaintSurface::PaintSurface(MeshView rest) : welded_(weld_triangles(rest)) {
  neighbours_ = vertex_neighbours(size(), edge_table(size(), FaceList(welded_.triangles)));
  copies_ = group_by_key(size(), welded_.weld.to_welded);
}

std::vector<Touch> PaintSurface::touched(std::span<const Vec3f> shown, std::uint32_t vertex,
                                         const Vec3& centre, double radius, double strength,
                                         Falloff falloff) const {
  std::vector<Touch> result;
  if (!(radius > 0) || vertex >= welded_.weld.to_welded.size()) return result;
  const auto share = [&](std::uint32_t k) {
    return (shown[welded_.weld.representative[k]].cast<double>() - centre).norm() / radius;
  };
  // The first vertex may lie outside a brush that is smaller than its triangle: its neighbours count too.
  const std::uint32_t first = welded_.weld.to_welded[vertex];
  std::vector<std::uint32_t> stack{first};
  std::unordered_set<std::uint32_t> seen{first};
  while (!stack.empty()) {
    const std::uint32_t k = stack.back();
    stack.pop_back();
    const double x = share(k);
    if (x < 1) result.push_back({k, strength * falloff_at(falloff, x)});
    if (x < 1 || k == first)
      for (const std::uint32_t next : neighbours_[k])
        if (seen.insert(next).second) stack.push_back(next);
  }
  std::sort(result.begin(), result.end(), [](const Touch& a, const Touch& b) { return a.vertex < b.vertex; });
  return result;
}

std::vector<Touch> PaintSurface::flooded(double strength) const {
  std::vector<Touch> result(size());
  for (std::uint32_t k = 0; k < result.size(); ++k) result[k] = {k, strength};
  return result;
}

std::vector<Touch> PaintSurface::mirrored(std::span<const Touch> touched, int axis, double centre) const {
  if (axis != axis_ || centre != centre_ || images_.size() != size()) {
    axis_ = axis;
    centre_ = centre;
    images_.assign(size(), {{0, 0, 0}, Vec3::Zero()});
    const Bvh bvh(welded_.view());
    const double reach = kImageTolerance * bounding_box(welded_.weld.positions).diagonal().norm();
    parallel_for(size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        Vec3 image = welded_.weld.positions[k];
        image[axis] = 2 * centre - image[axis];
        if (!image.allFinite() || bvh.empty()) continue;
        const NearestPoint nearest = bvh.nearest(image, reach);
        if (nearest.found()) images_[k] = {welded_.triangles[nearest.triangle], nearest.barycentric};
      }
    });
  }
  std::vector<double> amounts(size(), 0);
  for (const Touch& touch : touched) amounts[touch.vertex] = touch.amount;
  std::vector<Touch> result;
  for (std::uint32_t k = 0; k < size(); ++k) {
    if (amounts[k] > 0) continue;
    double amount = 0;
    for (std::size_t c = 0; c < 3; ++c)
      amount += images_[k].barycentric[static_cast<Eigen::Index>(c)] * amounts[images_[k].corners[c]];
    if (amount > 0) result.push_back({k, amount});
  }
  return result;
}

std::vector<RowEdit> paint_weights(const SkinWeights& weights, const PaintSurface& surface,
                                   std::span<const Touch> touched, std::uint32_t joint, const Brush& brush,
                                   const PaintOptions& options) {
  std::vector<RowEdit> edits;
  if (is_locked(options, joint)) return edits;
  for (const Touch& touch : touched) {
    const auto row = weights.row(surface.weld().representative[touch.vertex]);
    if (row.empty() || !(touch.amount > 0)) continue;
    const std::vector<Influence> changed =
        brush.mode == BrushMode::kSmooth
            ? smoothed_row(weights, surface, touch, options)
            : shared_row(row, joint, painted(weight_of(row, joint), 0, touch.amount, brush), options);
    for (const std::uint32_t i : surface.copies(touch.vertex)) edits.push_back({i, changed});
  }
  std::sort(edits.begin(), edits.end(),
            [](const RowEdit& a, const RowEdit& b) { return a.vertex < b.vertex; });
  return edits;
}

std::vector<RowEdit> apply_rows(SkinWeights& weights, std::span<const RowEdit> edits) {
  std::vector<RowEdit> before;
  SkinWeights next;
  next.offsets.reserve(weights.offsets.size());
  next.entries.reserve(weights.entries.size() + edits.size());
  next.offsets.push_back(0);
  auto edit = edits.begin();
  for (std::size_t i = 0; i < weights.vertex_count(); ++i) {
    auto row = weights.row(i);
    if (edit != edits.end() && edit->vertex == i) {
      before.push_back({edit->vertex, {row.begin(), row.end()}});
      row = edit->row;
      ++edit;
    }
    next.entries.insert(next.entries.end(), row.begin(), row.end());
    next.offsets.push_back(static_cast<std::uint32_t>(next.entries.size()));
  }
  weights = std::move(next);
  return before;
}

void paint_values(std::span<float> values, const PaintSurface& surface, std::span<const Touch> touched,
                  const Brush& brush, double least, double most, double missing) {
  const auto at = [&](std::uint32_t k) {
    const double value = values[surface.weld().representative[k]];
    return std::isfinite(value) ? value : missing;
  };
  std::vector<double> results;
  for (const Touch& touch : touched) {
    const auto around = surface.neighbours(touch.vertex);
    double mean = around.empty() ? at(touch.vertex) : 0;
    for (const std::uint32_t k : around) mean += at(k) / static_cast<double>(around.size());
    results.push_back(std::clamp(painted(at(touch.vertex), mean, touch.amount, brush), least, most));
  }
  for (std::size_t t = 0; t < touched.size(); ++t)
    for (const std::uint32_t i : surface.copies(touched[t].vertex))
      values[i] = static_cast<float>(results[t]);
}

}  // namespace sinew
