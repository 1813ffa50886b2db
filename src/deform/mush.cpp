// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/mush.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "sinew/core/disjoint_sets.h"
#include "sinew/core/parallel.h"
#include "sinew/mesh/weld.h"
#include "sinew/rig/copies.h"

namespace sinew {
namespace {

constexpr std::size_t kMushGrain = 2048;
// Edges of this part of the mesh's size are smoothed as the options say. Longer ones less, by the square, so
// that smoothing reaches as far on a coarse mesh as on a fine one; for finer meshes there are more passes.
constexpr double kMushEdge = 0.02;
constexpr double kMostPasses = 4;  // times those of the options
// A part of a mesh has edges of no more than this part of its own size, the root of its area: else a button
// would be smoothed to a point.
constexpr double kPartEdge = 0.03;
// Where smoothing leaves less than this of the faces around a vertex there is no frame to put detail back in.
constexpr double kLeastFan = 0.05;

// Joints that scale by less are rigid up to the rounding of a file's floats.
constexpr double kMushRigid = 4e-6;

// Four floats a vertex, so that one load takes a point.
using Point = Eigen::Array4f;
using PaddedPoints = std::vector<Point, Eigen::aligned_allocator<Point>>;

struct MushWorkspace : Workspace {
  std::unique_ptr<Workspace> inner;
  std::vector<Vec3f> positions, normals;  // of the inner deformer
  PaddedPoints from, to;
  std::vector<float> joint_scales;
};

// Rows: normal, tangent, and the third direction of a right-handed frame; zero where the surface has none.
using Frame = Eigen::Matrix3f;

class Mush : public Deformer {
 public:
  Mush(const Rig& rig, std::unique_ptr<Deformer> inner, const MushOptions& options)
      : inner_(std::move(inner)), options_(options), rest_normals_(normals_of(rig.mesh)) {
    const TriangleView view = triangulate(rig.mesh);
    const WeldedTriangles welded = weld_triangles({rig.mesh.positions, view.triangles}, 0, copies_of(rig));
    to_welded_ = welded.weld.to_welded;
    representative_ = welded.weld.representative;
    if (rig.weights.vertex_count() == to_welded_.size())
      for (const std::uint32_t v : representative_) skin_.add_row(rig.weights.row(v));
    joint_count_ = rig.skeleton.size();
    link(welded);
    measure(welded);
    PaddedPoints points(representative_.size()), buffer(representative_.size());
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = point(welded.weld.positions[i].cast<float>());
    std::vector<float> areas(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) areas[i] = fan_area(points, i);
    smooth(points, buffer);
    deltas_.resize(to_welded_.size());
    rest_frames_.resize(representative_.size());
    for (std::size_t i = 0; i < points.size(); ++i)
      rest_frames_[i] = fan_area(points, i) >= kLeastFan * areas[i] ? frame(points, i) : Frame::Zero();
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
    workspace->joint_scales.resize(joint_count_);
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
    const bool scaled = find_scales(input.matrices, state.joint_scales);
    parallel_for(to_welded_.size(), kMushGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const std::uint32_t i = to_welded_[v];
        const Frame now = frame(state.from, i);
        const bool known = !rest_frames_[i].isZero() && !now.isZero();
        Vec3f delta = deltas_[v], normal = rest_frames_[i] * rest_normals_[v];
        if (scaled) {
          // The normal of the faces flips in a mirror by itself, the tangents do not.
          const float scale = scale_of(i, state.joint_scales), size = std::abs(scale);
          delta = Vec3f(scale * delta.x(), size * delta.y(), size * delta.z());
          if (scale < 0) normal.tail<2>() *= -1;
        }
        out_positions[v] =
            known ? Vec3f(state.from[i].head<3>().matrix() + now.transpose() * delta) : positions[v];
        if (out_normals.empty()) continue;
        const Vec3f n = now.transpose() * normal;
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

  // How much each joint scales, negative where it mirrors; false where all are rigid.
  bool find_scales(std::span<const Affine3> matrices, std::span<float> scales) const noexcept {
    if (skin_.entries.empty() || matrices.size() != scales.size()) return false;
    bool any = false;
    for (std::size_t j = 0; j < scales.size(); ++j) {
      const double scale = std::cbrt(matrices[j].linear().determinant());
      scales[j] = static_cast<float>(scale);
      any |= !(std::abs(scale - 1) < kMushRigid);
    }
    return any;
  }

  // Detail is as large as the joints make the vertex, not as the surface around it: that one is squeezed in
  // bends.
  float scale_of(std::uint32_t i, std::span<const float> scales) const noexcept {
    float sum = 0, weights = 0;
    for (const Influence& one : skin_.row(i)) {
      sum += static_cast<float>(one.weight) * scales[one.joint];
      weights += static_cast<float>(one.weight);
    }
    return weights > 0 ? sum / weights : 1.0f;
  }

  void link(const WeldedTriangles& welded) {
    const std::size_t n = representative_.size();
    // How many triangles each edge has: those with one are a border, along which its vertices are smoothed,
    // so that cuffs and collars keep their length.
    std::vector<std::map<std::uint32_t, int>> edges(n);
    for (const Triangle& t : welded.triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        ++edges[t[k]][t[(k + 1) % 3]];
        ++edges[t[k]][t[(k + 2) % 3]];
      }
    std::vector<std::vector<std::uint32_t>> around(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (const auto& [other, faces] : edges[i])
        if (faces == 1) around[i].push_back(other);
      if (around[i].empty())
        for (const auto& [other, faces] : edges[i]) around[i].push_back(other);
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

  // How far each vertex goes in a pass, and how many passes there are.
  void measure(const WeldedTriangles& welded) {
    const std::vector<Vec3>& positions = welded.weld.positions;
    const std::size_t n = positions.size();
    DisjointSets parts(n);
    Eigen::AlignedBox3d box;
    for (const Triangle& t : welded.triangles) {
      for (const std::uint32_t corner : t)
        if (positions[corner].allFinite()) box.extend(positions[corner]);
      parts.join(t[0], t[1]);
      parts.join(t[1], t[2]);
    }
    std::vector<double> areas(n, 0.0);
    for (const Triangle& t : welded.triangles)
      areas[parts.find(t[0])] +=
          0.5 * (positions[t[1]] - positions[t[0]]).cross(positions[t[2]] - positions[t[0]]).norm();
    const double whole = box.isEmpty() ? 0 : kMushEdge * box.diagonal().norm();
    steps_.assign(n, 0.0f);
    std::vector<double> wanted(n, 0.0), sorted;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t first = offsets_[i], last = offsets_[i + 1];
      if (first == last) continue;
      double square = 0;
      for (std::uint32_t k = first; k < last; ++k)
        square += (positions[neighbours_[k]] - positions[i]).squaredNorm();
      square /= last - first;
      const double edge = std::min(whole, kPartEdge * std::sqrt(areas[parts.find(i)]));
      wanted[i] = square > 0 ? edge * edge / square : 0;
      if (std::isfinite(wanted[i])) sorted.push_back(wanted[i]);
    }
    if (sorted.empty()) return;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double more = std::clamp(*middle, 1.0, kMostPasses);
    passes_ = static_cast<int>(std::lround(options_.passes * more));
    for (std::size_t i = 0; i < n; ++i)
      if (std::isfinite(wanted[i]))
        steps_[i] = static_cast<float>(options_.step * std::min(1.0, wanted[i] / more));
  }

  float fan_area(const PaddedPoints& points, std::size_t i) const noexcept {
    const auto at = [&](std::uint32_t k) { return Vec3f(points[k].head<3>()); };
    const Vec3f here = at(static_cast<std::uint32_t>(i));
    float sum = 0;
    for (std::uint32_t k = fan_offsets_[i]; k < fan_offsets_[i + 1]; ++k)
      sum += (at(fans_[k][0]) - here).cross(at(fans_[k][1]) - here).norm();
    return sum;
  }

  // The result is in `points`.
  void smooth(PaddedPoints& points, PaddedPoints& buffer) const noexcept {
    for (int pass = 0; pass < passes_; ++pass) {
      parallel_for(points.size(), kMushGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const std::uint32_t first = offsets_[i], last = offsets_[i + 1];
          Point sum = Point::Zero();
          for (std::uint32_t k = first; k < last; ++k) sum += points[neighbours_[k]];
          buffer[i] =
              first == last
                  ? points[i]
                  : Point(points[i] + steps_[i] * (sum / static_cast<float>(last - first) - points[i]));
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
  int passes_ = 0;
  std::vector<float> steps_;  // per welded vertex
  std::vector<Vec3f> rest_normals_;
  std::vector<std::uint32_t> to_welded_, representative_;
  std::vector<std::uint32_t> offsets_, neighbours_;  // of welded vertices
  std::vector<std::uint32_t> fan_offsets_;
  std::vector<std::array<std::uint32_t, 2>> fans_;  // the other corners of the triangles around
  std::vector<Vec3f> deltas_;                       // per vertex, in the frame of the smoothed rest surface
  std::vector<Frame> rest_frames_;
  SkinWeights skin_;  // of the welded vertices
  std::size_t joint_count_ = 0;
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
