// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/inbetween.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "sinew/autorig/iso_curves.h"
#include "sinew/core/parallel.h"
#include "sinew/mesh/weld.h"

namespace sinew {
namespace {

constexpr double kMostBytes = 16.0 * (1u << 30);
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Result<void> check(std::span<const PolyMesh> shapes, const InbetweenRequest& request) {
  if (shapes.size() < 2) return usage_error("in-betweens need at least two shapes");
  if (request.frames < static_cast<int>(shapes.size()))
    return usage_error(fmt::format("{} shapes need at least {} frames", shapes.size(), shapes.size()));
  const std::size_t n = shapes[0].vertex_count();
  if (n == 0) return bad_input("the first shape has no vertices");
  for (std::size_t s = 1; s < shapes.size(); ++s)
    if (shapes[s].vertex_count() != n)
      return bad_input(
          fmt::format("shape {} has {} vertices and the first has {}: in-betweens need the same "
                      "mesh in every shape",
                      s + 1, shapes[s].vertex_count(), n));
  const double bytes = static_cast<double>(request.frames) * static_cast<double>(n) * sizeof(Vec3f) *
                       (request.normals ? 2 : 1);
  if (bytes > kMostBytes)
    return impossible(fmt::format("{} frames of {} vertices need {:.0f} GiB: ask for fewer frames",
                                  request.frames, n, bytes / (1u << 30)));
  return {};
}

// Who moves exactly as the vertex it lies on.
std::vector<std::uint32_t> followers(std::span<const PolyMesh> shapes, const Weld& weld) {
  std::vector<std::uint32_t> leader(weld.to_welded.size());
  for (std::uint32_t i = 0; i < leader.size(); ++i) {
    leader[i] = weld.representative[weld.to_welded[i]];
    for (const PolyMesh& shape : shapes)
      if (shape.positions[i] != shape.positions[leader[i]]) {
        leader[i] = i;
        break;
      }
  }
  return leader;
}

IsoCurves find_curves(const PolyMesh& mesh, InbetweenReport& report) {
  IsoCurves curves;
  auto found = iso_curves(mesh);
  report.from_quads = found.ok();
  if (found.ok())
    curves = *std::move(found);
  else
    report.notes.push_back(found.error().message + "; the curves are chains of edges");
  if (curves.vertices.size() < mesh.vertex_count()) {
    const WeldedFaces welded = weld_faces(mesh);
    PolyMesh joined = mesh;  // the welded faces on the vertices of the mesh itself
    joined.face_offsets = welded.mesh.face_offsets;
    joined.face_vertices = welded.mesh.face_vertices;
    for (std::uint32_t& v : joined.face_vertices) v = welded.weld.representative[v];
    add_chains(curves, joined);
  }
  report.rings = curves.ring_count();
  for (const std::uint8_t closed : curves.closed) report.closed += closed;
  return curves;
}

std::vector<Vec3f> in_float(const std::vector<Vec3>& positions) {
  std::vector<Vec3f> out(positions.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = positions[i].cast<float>();
  return out;
}

void add_normals(const PolyMesh& mesh, BakedFrames& frames) {
  const TriangleView view = triangulate(mesh);
  const WeldedTriangles welded = weld_triangles({mesh.positions, view.triangles});
  std::vector<Vec3> positions(welded.weld.positions.size());
  for (const auto& frame : frames.positions) {
    for (std::size_t w = 0; w < positions.size(); ++w)
      positions[w] = frame[welded.weld.representative[w]].cast<double>();
    const std::vector<Vec3> normals = vertex_normals({positions, welded.triangles});
    std::vector<Vec3f> out(frame.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Vec3& normal = normals[welded.weld.to_welded[i]];
      out[i] = normal.isZero() ? Vec3f::UnitY() : Vec3f(normal.cast<float>());
    }
    frames.normals.push_back(std::move(out));
  }
}

}  // namespace

std::vector<int> key_frames(int shapes, int frames) {
  std::vector<int> keys;
  for (std::int64_t s = 0; s < shapes; ++s)
    keys.push_back(static_cast<int>((s * (frames - 1) + (shapes - 1) / 2) / (shapes - 1)));
  return keys;
}

Result<BakedFrames> inbetween(std::span<const PolyMesh> shapes, const InbetweenRequest& request,
                              InbetweenReport* report) {
  SINEW_CHECK(check(shapes, request));
  InbetweenReport local;
  InbetweenReport& r = report ? *report : local;
  r = {};
  const auto start = Clock::now();
  const IsoCurves curves = find_curves(shapes[0], r);
  r.curves_milliseconds = milliseconds_since(start);

  const std::size_t n = shapes[0].vertex_count();
  const std::vector<int> keys = key_frames(static_cast<int>(shapes.size()), request.frames);
  std::map<int, Inbetween> movers;  // by the number of intervals of a pair
  BakedFrames frames;
  frames.fps = request.fps;
  frames.positions.resize(static_cast<std::size_t>(request.frames));
  const std::vector<std::uint32_t> leader = followers(shapes, weld_vertices(shapes[0].positions));
  for (std::size_t s = 0; s + 1 < shapes.size(); ++s) {
    if (is_cancelled(request.progress)) return cancelled();
    sinew::report(request.progress, "moving curves",
                  static_cast<double>(s) / static_cast<double>(shapes.size() - 1));
    const int intervals = keys[s + 1] - keys[s];
    auto mover = movers.find(intervals);
    if (mover == movers.end()) {
      SINEW_TRY(Inbetween made, Inbetween::build(curves, n, intervals, request.options));
      mover = movers.emplace(intervals, std::move(made)).first;
    }
    r.stiffest = mover->second.stiffest();
    const auto first = static_cast<std::size_t>(keys[s]);
    frames.positions[first] = in_float(shapes[s].positions);
    std::vector<std::span<Vec3f>> between;
    for (std::size_t k = first + 1; k < static_cast<std::size_t>(keys[s + 1]); ++k) {
      frames.positions[k].resize(n);
      between.push_back(frames.positions[k]);
    }
    mover->second.run(shapes[s].positions, shapes[s + 1].positions, between);
    for (const std::span<Vec3f> frame : between)
      for (std::size_t i = 0; i < n; ++i)
        if (leader[i] != i) frame[i] = frame[leader[i]];
  }
  frames.positions.back() = in_float(shapes.back().positions);
  r.milliseconds = milliseconds_since(start);
  if (r.stiffest > std::numbers::pi * (1 + 1e-9))
    r.notes.push_back(
        fmt::format("the stiffest wave swings {:.2f} radians on the way, more than pi: frames "
                    "overshoot; lower the bending",
                    r.stiffest));
  if (request.normals) add_normals(shapes[0], frames);
  return frames;
}

}  // namespace sinew
