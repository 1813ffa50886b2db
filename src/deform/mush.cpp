// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/mush.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "sinew/core/parallel.h"
#include "sinew/mesh/weld.h"

namespace sinew {
namespace {

constexpr std::size_t kMushGrain = 2048;

// Four floats a vertex, so that one load takes a point.
using Point = Eigen::Array4f;
using PaddedPoints = std::vector<Point, Eigen::aligned_allocator<Point>>;

struct MushWorkspace : Workspace {
  std::unique_ptr<Workspace> inner;
  std::vector<Vec3f> positions, normals;  // of the inner deformer
  PaddedPoints from, to;
};

// Rows: normal, tangent, and the third direction of a right-handed frame; zero where the surface has none.
using Frame = Eigen::Matrix3f;

class Mush : public Deformer {
 public:
  Mush(const Rig& rig, std::unique_ptr<Deformer> inner, const MushOptions& options)
      : inner_(std::move(inner)), options_(options), rest_normals_(normals_of(rig.mesh)) {
    const TriangleView view = triangulate(rig.mesh);
    const WeldedTriangles welded = weld_triangles({rig.mesh.positions, view.triangles});
    to_welded_ = welded.weld.to_welded;
    representative_ = welded.weld.representative;
    link(welded);
    PaddedPoints points(representative_.size()), buffer(representative_.size());
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = point(welded.weld.positions[i].cast<float>());
    smooth(points, buffer);
    deltas_.resize(to_welded_.size());
    rest_frames_.resize(representative_.size());
    for (std::size_t i = 0; i < points.size(); ++i) rest_frames_[i] = frame(points, i);
    for (std::size_t v = 0; v < to_welded_.size(); ++v) {
      const std::uint32_t i = to_welded_[v];
      const Vec3f offset = rig.mesh.positions[v].cast<float>() - points[i].head<3>().matrix();
      deltas_[v] = rest_frames_[i] * offset;
    }
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    auto workspace = std::make_unique<MushWorkspace>();
    if (inner_) {
      workspace->inner = inner_->make_workspace();
      workspace->positions.resize(to_welded_.size());
      workspace->normals.resize(to_welded_.size());
    }
    workspace->from.resize(representative_.size());
    workspace->to.resize(representative_.size());
    return workspace;
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    auto& state = static_cast<MushWorkspace&>(workspace);
    std::span<const Vec3f> positions = input.positions, normals = input.normals;
    if (inner_) {
      const Status status =
          inner_->deform(input, *state.inner, state.positions,
                         out_normals.empty() ? std::span<Vec3f>() : std::span<Vec3f>(state.normals));
      if (status != Status::kOk) return status;
      positions = state.positions;
      normals = state.normals;
    }
    parallel_for(representative_.size(), kMushGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) state.from[i] = point(positions[representative_[i]]);
    });
    smooth(state.from, state.to);
    parallel_for(to_welded_.size(), kMushGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const std::uint32_t i = to_welded_[v];
        const Frame now = frame(state.from, i);
        const bool known = !rest_frames_[i].isZero() && !now.isZero();
        out_positions[v] =
            known ? Vec3f(state.from[i].head<3>().matrix() + now.transpose() * deltas_[v]) : positions[v];
        if (out_normals.empty()) continue;
        const Vec3f n = now.transpose() * (rest_frames_[i] * rest_normals_[v]);
        out_normals[v] = known && n.norm() > 0 ? Vec3f(n.normalized()) : normals[v];
      }
    });
    return Status::kOk;
  }

  std::optional<double> energy(const Workspace& workspace) const override {
    if (!inner_) return std::nullopt;
    return inner_->energy(*static_cast<const MushWorkspace&>(workspace).inner);
  }

 private:
  static Point point(const Vec3f& p) { return Point(p.x(), p.y(), p.z(), 0); }

  void link(const WeldedTriangles& welded) {
    const std::size_t n = representative_.size();
    std::vector<std::set<std::uint32_t>> around(n);
    for (const Triangle& t : welded.triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        around[t[k]].insert(t[(k + 1) % 3]);
        around[t[k]].insert(t[(k + 2) % 3]);
      }
    offsets_.push_back(0);
    for (const auto& others : around) {
      neighbours_.insert(neighbours_.end(), others.begin(), others.end());
      offsets_.push_back(static_cast<std::uint32_t>(neighbours_.size()));
    }
    std::vector<std::vector<std::array<std::uint32_t, 2>>> corners(n);
    for (const Triangle& t : welded.triangles)
      for (std::size_t k = 0; k < 3; ++k) corners[t[k]].push_back({t[(k + 1) % 3], t[(k + 2) % 3]});
    fan_offsets_.push_back(0);
    for (const auto& fan : corners) {
      fans_.insert(fans_.end(), fan.begin(), fan.end());
      fan_offsets_.push_back(static_cast<std::uint32_t>(fans_.size()));
    }
  }

  // The result is in `points`.
  void smooth(PaddedPoints& points, PaddedPoints& buffer) const noexcept {
    const float step = static_cast<float>(options_.step);
    for (int pass = 0; pass < options_.passes; ++pass) {
      parallel_for(points.size(), kMushGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const std::uint32_t first = offsets_[i], last = offsets_[i + 1];
          Point sum = Point::Zero();
          for (std::uint32_t k = first; k < last; ++k) sum += points[neighbours_[k]];
          buffer[i] = first == last
                          ? points[i]
                          : Point(points[i] + step * (sum / static_cast<float>(last - first) - points[i]));
        }
      });
      points.swap(buffer);
    }
  }

  // From the normal of the faces around and the way to the first neighbour.
  Frame frame(const PaddedPoints& points, std::size_t i) const noexcept {
    const auto at = [&](std::uint32_t k) { return Vec3f(points[k].head<3>()); };
    const Vec3f here = at(static_cast<std::uint32_t>(i));
    Vec3f normal = Vec3f::Zero();
    for (std::uint32_t k = fan_offsets_[i]; k < fan_offsets_[i + 1]; ++k)
      normal += (at(fans_[k][0]) - here).cross(at(fans_[k][1]) - here);
    Frame result = Frame::Zero();
    if (offsets_[i] == offsets_[i + 1]) return result;
    const float length = normal.norm();
    if (!(length > 0)) return result;
    normal /= length;
    Vec3f tangent = at(neighbours_[offsets_[i]]) - here;
    tangent -= tangent.dot(normal) * normal;
    const float size = tangent.norm();
    if (!(size > 0)) return result;
    tangent /= size;
    result << normal.transpose(), tangent.transpose(), normal.cross(tangent).transpose();
    return result;
  }

  std::unique_ptr<Deformer> inner_;
  MushOptions options_;
  std::vector<Vec3f> rest_normals_;
  std::vector<std::uint32_t> to_welded_, representative_;
  std::vector<std::uint32_t> offsets_, neighbours_;  // of welded vertices
  std::vector<std::uint32_t> fan_offsets_;
  std::vector<std::array<std::uint32_t, 2>> fans_;  // the other corners of the triangles around
  std::vector<Vec3f> deltas_;                       // per vertex, in the frame of the smoothed rest surface
  std::vector<Frame> rest_frames_;
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_mush(const Rig& rig, std::unique_ptr<Deformer> inner,
                                             const MushOptions& options) {
  if (options.passes < 0 || options.passes > 1000)
    return usage_error("the passes of delta mush must lie between 0 and 1000");
  if (!(options.step >= 0 && options.step <= 1))
    return usage_error("the step of delta mush must lie between 0 and 1");
  return std::unique_ptr<Deformer>(std::make_unique<Mush>(rig, std::move(inner), options));
}

}  // namespace sinew
