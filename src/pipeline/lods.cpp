// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/lods.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "sinew/core/parallel.h"
#include "sinew/mesh/bvh.h"
#include "sinew/rig/skinned_mesh.h"
#include "sinew/rig/vertex_subset.h"
#ifdef SINEW_MESHOPTIMIZER
#include <meshoptimizer.h>
#endif

namespace sinew {

#ifndef SINEW_MESHOPTIMIZER

Result<std::vector<Lod>> make_lods(const Rig&, std::size_t) {
  return impossible("levels of detail need meshoptimizer: install libmeshoptimizer-dev and build again");
}

#else

namespace {

struct Simplified {
  std::vector<Triangle> triangles;
  float error = 0;  // as meshoptimizer estimates it
};

// Only vertices in use are handed over: copies at the same place count as seams.
Simplified simplified(const std::vector<Triangle>& triangles, const std::vector<Vec3>& positions,
                      std::size_t aim) {
  std::vector<unsigned> now(positions.size(), 0), used, from, to(3 * triangles.size());
  for (const Triangle& t : triangles)
    for (const std::uint32_t corner : t) now[corner] = 1;
  std::vector<Vec3f> places;
  for (unsigned i = 0; i < now.size(); ++i) {
    if (now[i] == 0) continue;
    now[i] = static_cast<unsigned>(used.size());
    used.push_back(i);
    places.push_back(positions[i].cast<float>());
  }
  for (const Triangle& t : triangles)
    for (const std::uint32_t corner : t) from.push_back(now[corner]);
  Simplified result;
  // No bound on the error: the number of triangles is the aim.
  const std::size_t count = meshopt_simplify(to.data(), from.data(), from.size(), places[0].data(),
                                             places.size(), sizeof(Vec3f), 3 * aim, 1.0F, 0, &result.error);
  for (std::size_t k = 0; k + 2 < count; k += 3)
    result.triangles.push_back({used[to[k]], used[to[k + 1]], used[to[k + 2]]});
  return result;
}

// The vertices of a part at one place, which differ in normals or texture coordinates.
class Copies {
 public:
  explicit Copies(const Rig& rig) : rig_(rig), first_(rig.mesh.vertex_count()) {
    std::map<std::tuple<std::size_t, double, double, double>, std::uint32_t> at;
    for (std::size_t p = 0; p < rig.parts.size(); ++p) {
      const std::size_t begin = rig.parts[p].vertex_begin;
      for (std::size_t i = begin; i < begin + rig.parts[p].vertex_count; ++i) {
        const Vec3& x = rig.mesh.positions[i];
        const auto vertex = static_cast<std::uint32_t>(i);
        first_[i] = at.try_emplace({p, x.x(), x.y(), x.z()}, vertex).first->second;
        members_[first_[i]].push_back(vertex);
      }
    }
  }

  std::vector<Triangle> welded(std::vector<Triangle> triangles) const {
    for (Triangle& t : triangles)
      for (std::uint32_t& corner : t) corner = first_[corner];
    return triangles;
  }

  // Of the copies at each corner the three that lie nearest in the texture and face as the triangle does.
  Triangle chosen(const Triangle& welded) const {
    const auto& x = rig_.mesh.positions;
    const Vec3 facing = (x[welded[1]] - x[welded[0]]).cross(x[welded[2]] - x[welded[0]]).normalized();
    const auto& a = members_.at(welded[0]);
    const auto& b = members_.at(welded[1]);
    const auto& c = members_.at(welded[2]);
    Triangle best = welded;
    double least = std::numeric_limits<double>::infinity();
    for (const std::uint32_t i : a)
      for (const std::uint32_t j : b)
        for (const std::uint32_t k : c) {
          const double cost = apart(i, j) + apart(j, k) + apart(k, i) +
                              1e-3 * (away(i, facing) + away(j, facing) + away(k, facing));
          if (cost >= least) continue;
          least = cost;
          best = {i, j, k};
        }
    return best;
  }

 private:
  double apart(std::uint32_t i, std::uint32_t j) const {
    const auto& uv = rig_.mesh.texcoords;
    return uv.empty() ? 0 : static_cast<double>((uv[i] - uv[j]).squaredNorm());
  }
  double away(std::uint32_t i, const Vec3& facing) const {
    const auto& normals = rig_.mesh.normals;
    return normals.empty() ? 0 : 1 - normals[i].cast<double>().dot(facing);
  }

  const Rig& rig_;
  std::vector<std::uint32_t> first_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> members_;
};

struct Distances {
  double sum = 0, max = 0, count = 0;

  void add(std::span<const Vec3> points, const PolyMesh& surface) {
    const TriangleView view = triangulate(surface);
    const Bvh tree({surface.positions, view.triangles});
    std::vector<double> far(points.size());
    parallel_for(points.size(), 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) far[i] = (tree.nearest(points[i]).point - points[i]).norm();
    });
    for (const double distance : far) {
      sum += distance * distance;
      max = std::max(max, distance);
    }
    count += static_cast<double>(points.size());
  }
  double rms() const { return count > 0 ? std::sqrt(sum / count) : 0; }
};

void measure(const Rig& full, Lod& lod) {
  Distances rest, clips;
  const Box3 box = bounding_box(full.mesh.positions);
  rest.add(full.mesh.positions, lod.rig.mesh);
  double posed_size = 0;
  for (const Clip& clip : full.clips)
    for (const double share : {0.2, 0.5, 0.8}) {
      Pose pose = rest_pose(full.skeleton);
      sample_clip(clip, full.skeleton, share * clip.duration(), pose);
      const PolyMesh posed = skinned_mesh(full, pose);
      posed_size = std::max(posed_size, bounding_box(posed.positions).diagonal().norm());
      clips.add(posed.positions, skinned_mesh(lod.rig, pose));
    }
  const double size = box.isEmpty() ? 0 : box.diagonal().norm();
  if (size > 0) {
    lod.rms = rest.rms() / size;
    lod.max = rest.max / size;
  }
  if (posed_size > 0) {
    lod.clip_rms = clips.rms() / posed_size;
    lod.clip_max = clips.max / posed_size;
  }
}

}  // namespace

Result<std::vector<Lod>> make_lods(const Rig& rig, std::size_t count) {
  std::vector<Triangle> triangles = triangulate(rig.mesh).triangles;
  if (triangles.empty()) return impossible("there are no faces to simplify");
  std::vector<Lod> levels;
  const Copies copies(rig);
  bool across = false;
  std::size_t aim = triangles.size();
  for (std::size_t level = 0; level < count; ++level) {
    aim = std::max<std::size_t>(aim / 2, 1);
    Simplified fewer = simplified(triangles, rig.mesh.positions, aim);
    // Where many edges are hard or lie on seams, hardly a vertex can go, or the wrong ones do.
    Simplified welded = simplified(copies.welded(triangles), rig.mesh.positions, aim);
    if (fewer.triangles.size() > aim + aim / 10 || fewer.error > 2 * welded.error) {
      across = true;
      for (Triangle& triangle : welded.triangles) triangle = copies.chosen(triangle);
      fewer = std::move(welded);
    }
    triangles = std::move(fewer.triangles);
    Lod lod;
    lod.rig = with_triangles(rig, triangles, lod.vertices);
    lod.triangles = triangles.size();
    lod.across_seams = across;
    measure(rig, lod);
    levels.push_back(std::move(lod));
  }
  return levels;
}

#endif

}  // namespace sinew
