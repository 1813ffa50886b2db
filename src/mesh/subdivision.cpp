// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/subdivision.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "sinew/core/parallel.h"
#include "sinew/mesh/catmull_clark.h"
#include "sinew/mesh/weld.h"

namespace sinew {
namespace {

constexpr std::size_t kMostFaces = std::size_t{1} << 22;
constexpr std::size_t kRefineGrain = 1 << 12;

// The surface, and the mesh as the file has it, whose vertices may lie several on one of the surface.
struct Level {
  PolyMesh surface, split;
  std::vector<std::uint32_t> to_surface;  // per vertex of `split`
  Stencils rows;                          // surface vertices from those of the control surface
};

Stencils identity_rows(std::size_t count) {
  Stencils rows;
  rows.offsets.resize(count + 1);
  std::iota(rows.offsets.begin(), rows.offsets.end(), 0u);
  rows.sources.assign(rows.offsets.begin(), rows.offsets.end() - 1);
  rows.weights.assign(count, 1.0);
  return rows;
}

// after * before, columns of a row in rising order.
Stencils product(const Stencils& after, const Stencils& before, std::size_t columns) {
  Stencils result;
  result.offsets.push_back(0);
  std::vector<double> sums(columns, 0.0);
  std::vector<std::uint8_t> seen(columns, 0);
  std::vector<std::uint32_t> used;
  for (std::size_t row = 0; row < after.row_count(); ++row) {
    used.clear();
    for (std::uint32_t k = after.offsets[row]; k < after.offsets[row + 1]; ++k) {
      const std::uint32_t middle = after.sources[k];
      for (std::uint32_t m = before.offsets[middle]; m < before.offsets[middle + 1]; ++m) {
        const std::uint32_t column = before.sources[m];
        if (!seen[column]) used.push_back(column);
        seen[column] = 1;
        sums[column] += after.weights[k] * before.weights[m];
      }
    }
    std::sort(used.begin(), used.end());
    for (const std::uint32_t column : used) {
      result.sources.push_back(column);
      result.weights.push_back(sums[column]);
      sums[column] = 0;
      seen[column] = 0;
    }
    result.offsets.push_back(static_cast<std::uint32_t>(result.sources.size()));
  }
  return result;
}

// The faces of the mesh and of its surface: corners that lie on the one before are taken out, and faces that
// then have fewer than three, or one twice, are left out. They have no area.
void take_faces(const PolyMesh& mesh, const Weld& weld, PolyMesh& split, PolyMesh& surface) {
  std::vector<std::uint32_t> own, welded, sorted;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    own.clear();
    welded.clear();
    for (const std::uint32_t v : mesh.face(f)) {
      if (!welded.empty() && welded.back() == weld.to_welded[v]) continue;
      own.push_back(v);
      welded.push_back(weld.to_welded[v]);
    }
    while (welded.size() > 1 && welded.back() == welded.front()) own.pop_back(), welded.pop_back();
    sorted = welded;
    std::sort(sorted.begin(), sorted.end());
    if (own.size() < 3 || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) continue;
    split.add_face(own);
    surface.add_face(welded);
  }
}

std::vector<Vec2f> refined_texcoords(const PolyMesh& mesh, const Refinement& refined) {
  if (mesh.texcoords.empty()) return {};
  std::vector<Vec2f> out = mesh.texcoords;
  for (const auto& [a, b] : refined.edges) out.push_back((mesh.texcoords[a] + mesh.texcoords[b]) / 2);
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    Vec2f sum = Vec2f::Zero();
    for (const std::uint32_t v : mesh.face(f)) sum += mesh.texcoords[v];
    out.push_back(sum / static_cast<float>(mesh.face(f).size()));
  }
  return out;
}

Result<void> refine(Level& level, std::size_t columns) {
  SINEW_TRY(Refinement surface, refine_catmull_clark(level.surface));
  SINEW_TRY(Refinement split, refine_catmull_clark(level.split));
  const std::size_t old = level.surface.vertex_count();
  std::vector<std::uint32_t> to_surface = level.to_surface;
  for (const auto& [a, b] : split.edges) {
    const std::uint32_t u = level.to_surface[a], v = level.to_surface[b];
    const std::array<std::uint32_t, 2> edge = {std::min(u, v), std::max(u, v)};
    const auto place = std::lower_bound(surface.edges.begin(), surface.edges.end(), edge);
    to_surface.push_back(static_cast<std::uint32_t>(old + (place - surface.edges.begin())));
  }
  for (std::size_t f = 0; f < level.split.face_count(); ++f)
    to_surface.push_back(static_cast<std::uint32_t>(old + surface.edges.size() + f));
  split.mesh.texcoords = refined_texcoords(level.split, split);
  level.rows = product(surface.stencils, level.rows, columns);
  level.surface = std::move(surface.mesh);
  level.split = std::move(split.mesh);
  level.to_surface = std::move(to_surface);
  return {};
}

Result<Level> refine_all(const PolyMesh& control, const Weld& weld, int levels) {
  Level level;
  level.split.positions = control.positions;
  level.split.texcoords = control.texcoords;
  level.to_surface = weld.to_welded;
  level.surface.positions = weld.positions;
  take_faces(control, weld, level.split, level.surface);
  const std::size_t columns = weld.positions.size();
  level.rows = identity_rows(columns);
  for (int k = 0; k < levels; ++k) SINEW_CHECK(refine(level, columns));
  return level;
}

Weld unwelded(const PolyMesh& mesh) {
  Weld weld;
  weld.to_welded.resize(mesh.vertex_count());
  std::iota(weld.to_welded.begin(), weld.to_welded.end(), 0u);
  weld.representative = weld.to_welded;
  weld.positions = mesh.positions;
  return weld;
}

}  // namespace

Result<Subdivision> Subdivision::build(const PolyMesh& control, int levels) {
  if (levels < 0 || levels > kMostLevels)
    return usage_error("a mesh is subdivided 0 to " + std::to_string(kMostLevels) + " times");
  if (levels > 0 && control.face_vertices.size() > (kMostFaces >> (2 * (levels - 1))))
    return limit_error("subdividing " + std::to_string(control.face_count()) + " faces " +
                       std::to_string(levels) + " times makes more than 4 million: take fewer levels");
  Weld weld = weld_vertices(control.positions);
  auto refined = refine_all(control, weld, levels);
  if (!refined && weld.representative.size() < control.vertex_count()) {
    weld = unwelded(control);
    refined = refine_all(control, weld, levels);
  }
  if (!refined) return refined.error();
  Level& level = *refined;

  Subdivision result;
  result.levels_ = levels;
  result.control_count_ = control.vertex_count();
  result.mesh_ = std::move(level.split);
  PolyMesh& mesh = result.mesh_;
  std::vector<std::uint32_t> shown(level.surface.vertex_count(), 0);  // a vertex of the mesh for each
  for (std::size_t i = level.to_surface.size(); i-- > 0;)
    shown[level.to_surface[i]] = static_cast<std::uint32_t>(i);
  std::vector<std::vector<Corner>> around(level.surface.vertex_count());
  for (std::size_t f = 0; f < level.surface.face_count(); ++f) {
    const auto face = level.surface.face(f);
    for (std::size_t c = 0; c < face.size(); ++c)
      around[face[c]].push_back(
          {shown[face[(c + 1) % face.size()]], shown[face[(c + face.size() - 1) % face.size()]]});
  }
  result.offsets_.push_back(0);
  result.corner_offsets_.push_back(0);
  for (std::size_t i = 0; i < level.to_surface.size(); ++i) {
    const std::uint32_t row = level.to_surface[i];
    for (std::uint32_t k = level.rows.offsets[row]; k < level.rows.offsets[row + 1]; ++k)
      result.entries_.push_back(
          {weld.representative[level.rows.sources[k]], static_cast<float>(level.rows.weights[k])});
    result.offsets_.push_back(static_cast<std::uint32_t>(result.entries_.size()));
    result.corners_.insert(result.corners_.end(), around[row].begin(), around[row].end());
    result.corner_offsets_.push_back(static_cast<std::uint32_t>(result.corners_.size()));
    mesh.positions[i] = level.surface.positions[row];
  }
  return result;
}

void Subdivision::apply(std::span<const Vec3f> control, std::span<Vec3f> out) const noexcept {
  parallel_for(vertex_count(), kRefineGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3f sum = Vec3f::Zero();
      for (std::uint32_t k = offsets_[i]; k < offsets_[i + 1]; ++k)
        sum += entries_[k].weight * control[entries_[k].source];
      out[i] = sum;
    }
  });
}

void Subdivision::normals(std::span<const Vec3f> points, std::span<Vec3f> out) const noexcept {
  parallel_for(vertex_count(), kRefineGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3f sum = Vec3f::Zero();
      for (std::uint32_t k = corner_offsets_[i]; k < corner_offsets_[i + 1]; ++k)
        sum += (points[corners_[k].next] - points[i]).cross(points[corners_[k].before] - points[i]);
      const float length = sum.norm();
      out[i] = length > 0 ? Vec3f(sum / length) : Vec3f::UnitY();
    }
  });
}

}  // namespace sinew
