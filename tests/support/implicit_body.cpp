// SPDX-License-Identifier: Apache-2.0
#include "support/implicit_body.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sinew::test {
namespace {

constexpr std::uint32_t kNoVertex = 0xffffffffu;

// A lattice over the box of a body, with how deep each of its points lies.
class DepthGrid {
 public:
  DepthGrid(const std::vector<BodyPart>& parts, double blend, int cells) {
    Box3 box;
    for (const BodyPart& part : parts)
      for (const auto& [point, radius] : part.line) {
        box.extend(Vec3(point.array() - radius - 2 * blend));
        box.extend(Vec3(point.array() + radius + 2 * blend));
      }
    step_ = box.sizes().maxCoeff() / cells;
    low_ = box.min().array() - 1.5 * step_;
    for (std::size_t k = 0; k < 3; ++k)
      count_[k] = static_cast<std::size_t>(box.sizes()[static_cast<int>(k)] / step_) + 4;
    depth_.reserve(count_[0] * count_[1] * count_[2]);
    for (std::size_t z = 0; z < count_[2]; ++z)
      for (std::size_t y = 0; y < count_[1]; ++y)
        for (std::size_t x = 0; x < count_[0]; ++x)
          depth_.push_back(depth_in(parts, place({x, y, z}), blend));
  }
  using Corner = std::array<std::size_t, 3>;
  const Corner& count() const { return count_; }
  std::size_t index(const Corner& at) const { return at[0] + count_[0] * (at[1] + count_[1] * at[2]); }
  double depth(const Corner& at) const { return depth_[index(at)]; }
  Vec3 place(const Corner& at) const {
    return low_ +
           step_ * Vec3(static_cast<double>(at[0]), static_cast<double>(at[1]), static_cast<double>(at[2]));
  }

 private:
  Corner count_{};
  double step_ = 0;
  Vec3 low_;
  std::vector<double> depth_;
};

DepthGrid::Corner beside(DepthGrid::Corner at, std::size_t axis) {
  ++at[axis];
  return at;
}

// The mean of where the surface crosses the edges of a cell; false: it does not.
bool middle_of_cell(const DepthGrid& grid, const DepthGrid::Corner& cell, Vec3& middle) {
  middle.setZero();
  int crossings = 0;
  for (std::size_t k = 0; k < 8; ++k) {
    const DepthGrid::Corner from = {cell[0] + (k & 1), cell[1] + (k >> 1 & 1), cell[2] + (k >> 2)};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if ((k >> axis & 1) != 0) continue;
      const DepthGrid::Corner to = beside(from, axis);
      const double a = grid.depth(from), b = grid.depth(to);
      if ((a > 0) == (b > 0)) continue;
      middle += grid.place(from) + a / (a - b) * (grid.place(to) - grid.place(from));
      ++crossings;
    }
  }
  middle /= std::max(crossings, 1);
  return crossings > 0;
}

}  // namespace

double BodyPart::depth(const Vec3& p) const {
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k + 1 < line.size(); ++k) {
    const Vec3 way = line[k + 1].point - line[k].point;
    const double t = std::clamp((p - line[k].point).dot(way) / way.squaredNorm(), 0.0, 1.0);
    const double radius = line[k].radius + t * (line[k + 1].radius - line[k].radius);
    best = std::max(best, radius - (line[k].point + t * way - p).norm());
  }
  return best;
}

double BodyPart::length() const {
  double sum = 0;
  for (std::size_t k = 0; k + 1 < line.size(); ++k) sum += (line[k + 1].point - line[k].point).norm();
  return sum;
}

Vec3 BodyPart::at(double share) const {
  double left = share * length();
  for (std::size_t k = 0; k + 1 < line.size(); ++k) {
    const Vec3 way = line[k + 1].point - line[k].point;
    if (left <= way.norm()) return line[k].point + left / way.norm() * way;
    left -= way.norm();
  }
  return line.back().point;
}

std::vector<BodyPart> both_sides(const BodyPart& left) {
  BodyPart one = left, other = left;
  one.name = "Left" + left.name, other.name = "Right" + left.name;
  for (auto& [point, radius] : other.line) point.x() = -point.x();
  return {one, other};
}

double depth_in(const std::vector<BodyPart>& parts, const Vec3& p, double blend) {
  double deepest = -std::numeric_limits<double>::infinity();
  std::vector<double> depths;
  for (const BodyPart& part : parts) {
    depths.push_back(part.depth(p));
    deepest = std::max(deepest, depths.back());
  }
  double sum = 0;
  for (const double depth : depths)
    if (depth - deepest > -8 * blend) sum += std::exp((depth - deepest) / blend);
  return deepest + blend * std::log(sum);
}

PolyMesh surface_of(const std::vector<BodyPart>& parts, double blend, int cells) {
  const DepthGrid grid(parts, blend, cells);
  const auto& count = grid.count();
  PolyMesh mesh;
  std::vector<std::uint32_t> vertex(count[0] * count[1] * count[2], kNoVertex);  // per cell
  const auto for_each = [&](std::size_t from, const auto& visit) {
    for (std::size_t z = from; z + 1 < count[2]; ++z)
      for (std::size_t y = from; y + 1 < count[1]; ++y)
        for (std::size_t x = from; x + 1 < count[0]; ++x) visit(DepthGrid::Corner{x, y, z});
  };
  Vec3 middle;
  for_each(0, [&](const DepthGrid::Corner& cell) {
    if (!middle_of_cell(grid, cell, middle)) return;
    vertex[grid.index(cell)] = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.push_back(middle);
  });
  // Around every edge that crosses the surface lie four cells.
  for_each(1, [&](const DepthGrid::Corner& from) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool inside = grid.depth(from) > 0;
      if (inside == (grid.depth(beside(from, axis)) > 0)) continue;
      const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
      std::array<std::uint32_t, 4> ring;
      for (std::size_t k = 0; k < 4; ++k) {
        DepthGrid::Corner cell = from;
        cell[u] -= k == 1 || k == 2 ? 0 : 1;
        cell[v] -= k >= 2 ? 0 : 1;
        ring[k] = vertex[grid.index(cell)];
      }
      if (!inside) std::reverse(ring.begin(), ring.end());
      mesh.add_face({ring[0], ring[1], ring[2]});
      mesh.add_face({ring[0], ring[2], ring[3]});
    }
  });
  return mesh;
}

}  // namespace sinew::test
