// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/inbetween.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "pipeline/inbetween_lead.h"
#include "sinew/autorig/iso_curves.h"
#include "sinew/core/parallel.h"
#include "sinew/math/rotation_fit.h"
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
    report.warnings.push_back(found.error().message + "; the curves are chains of edges");
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

// Leads the curves: along the skeleton, and each as a rigid piece from where that puts it to where it is in
// the next shape. What is left, the bending, is the curves' own.
class CurveLead {
 public:
  CurveLead(SkeletonLead lead, const IsoCurves& curves, std::size_t vertices)
      : lead_(std::move(lead)), curves_(&curves), frames_(vertices), pieces_(curves.ring_count()) {}

  // The next shape, each vertex in the frame that it will have there.
  std::vector<Vec3> remainder(std::size_t first, std::span<const Vec3> from, std::span<const Vec3> next) {
    std::vector<Vec3> local(next.size());
    lead_.frames(first, 1, frames_);
    for (std::size_t i = 0; i < next.size(); ++i) local[i] = transform_point(inverse(frames_[i]), next[i]);
    for (std::size_t r = 0; r < pieces_.size(); ++r) {
      pieces_[r] = fit(curves_->ring(r), from, local);
      const Piece& piece = pieces_[r];
      for (const std::uint32_t v : curves_->ring(r))
        local[v] = piece.from + piece.turn.conjugate() * (local[v] - piece.to);
    }
    return local;
  }
  void carry(std::size_t first, double share, std::span<Vec3f> frame) {
    for (std::size_t r = 0; r < pieces_.size(); ++r) {
      const Piece& piece = pieces_[r];
      const Quat turn = Quat::Identity().slerp(share, piece.turn);
      const Vec3 middle = piece.from + share * (piece.to - piece.from);
      for (const std::uint32_t v : curves_->ring(r))
        frame[v] = (middle + turn * (frame[v].cast<double>() - piece.from)).cast<float>();
    }
    lead_.frames(first, share, frames_);
    for (std::size_t i = 0; i < frame.size(); ++i)
      frame[i] = transform_point(frames_[i], frame[i].cast<double>()).cast<float>();
  }

 private:
  struct Piece {
    Vec3 from = Vec3::Zero(), to = Vec3::Zero();
    Quat turn = Quat::Identity();
  };
  static Piece fit(std::span<const std::uint32_t> ring, std::span<const Vec3> from,
                   std::span<const Vec3> to) {
    Piece piece;
    for (const std::uint32_t v : ring) piece.from += from[v], piece.to += to[v];
    piece.from /= static_cast<double>(ring.size());
    piece.to /= static_cast<double>(ring.size());
    Mat3 spread = Mat3::Zero();
    for (const std::uint32_t v : ring) spread += (to[v] - piece.to) * (from[v] - piece.from).transpose();
    if (ring.size() >= 3) piece.turn = fit_rotation(spread);
    return piece;
  }

  SkeletonLead lead_;
  const IsoCurves* curves_;
  std::vector<DualQuat> frames_;
  std::vector<Piece> pieces_;  // per curve
};

Result<CurveLead> build_lead(const ShapeSkeleton& found, const IsoCurves& curves,
                             std::span<const PolyMesh> shapes) {
  std::vector<std::span<const Vec3>> positions;
  for (const PolyMesh& shape : shapes) positions.emplace_back(shape.positions);
  SINEW_TRY(SkeletonLead lead,
            SkeletonLead::build(found.skeleton, found.heads, ring_weights(found.weights, curves), positions,
                                found.reference));
  return CurveLead(std::move(lead), curves, shapes[0].vertex_count());
}

// A frame's share of the way from rest under a constant force.
double share_at(std::size_t frame, std::span<const int> keys, std::size_t pair) {
  const double t = static_cast<double>(static_cast<int>(frame) - keys[pair]) / (keys[pair + 1] - keys[pair]);
  return t * t;
}

void measure_way(const ShapeSkeleton& found, std::span<const PolyMesh> shapes, std::span<const int> keys,
                 const BakedFrames& frames, InbetweenReport& report) {
  const WayMeasure measure(found, shapes);
  std::vector<Vec3> now(shapes[0].vertex_count());
  for (std::size_t s = 0; s + 1 < shapes.size(); ++s)
    for (auto k = static_cast<std::size_t>(keys[s]) + 1; k < static_cast<std::size_t>(keys[s + 1]); ++k) {
      const double share = share_at(k, keys, s);
      for (std::size_t i = 0; i < now.size(); ++i) now[i] = frames.positions[k][i].cast<double>();
      measure.add(s, share, now, report.changes);
      const std::vector<Vec3>&a = shapes[s].positions, &b = shapes[s + 1].positions;
      for (std::size_t i = 0; i < now.size(); ++i) now[i] = a[i] + share * (b[i] - a[i]);
      measure.add(s, share, now, report.straight);
    }
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
  const bool led = request.motion == InbetweenMotion::kSkeleton;
  InbetweenOptions options = request.options;
  options.material.damped = led;

  const auto search = Clock::now();
  SINEW_TRY(const ShapeSkeleton found, skeleton_of_shapes(shapes, request.progress));
  r.skeleton = found.name;
  r.joints = found.name.empty() ? 0 : found.skeleton.size();
  if (led && found.name.empty())
    r.warnings.push_back(
        fmt::format("no skeleton was found ({}): the whole mesh moves as one rigid body", found.problem));
  std::optional<CurveLead> lead;
  if (led) {
    SINEW_TRY(lead, build_lead(found, curves, shapes));
  }
  r.skeleton_milliseconds = milliseconds_since(search);

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
      SINEW_TRY(Inbetween made, Inbetween::build(curves, n, intervals, options));
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
    const std::vector<Vec3> next =
        lead ? lead->remainder(s, shapes[s].positions, shapes[s + 1].positions) : shapes[s + 1].positions;
    mover->second.run(shapes[s].positions, next, between);
    for (std::size_t k = 0; lead && k < between.size(); ++k)
      lead->carry(s, share_at(first + 1 + k, keys, s), between[k]);
    for (const std::span<Vec3f> frame : between)
      for (std::size_t i = 0; i < n; ++i)
        if (leader[i] != i) frame[i] = frame[leader[i]];
  }
  frames.positions.back() = in_float(shapes.back().positions);
  r.milliseconds = milliseconds_since(start) - r.skeleton_milliseconds;
  measure_way(found, shapes, keys, frames, r);
  if (!led && r.stiffest > std::numbers::pi * (1 + 1e-9))
    r.warnings.push_back(
        fmt::format("the highest bending mode reaches a phase of {:.2f} radians, more than pi: frames "
                    "overshoot; lower the bending",
                    r.stiffest));
  if (request.normals) add_normals(shapes[0], frames);
  return frames;
}

}  // namespace sinew
