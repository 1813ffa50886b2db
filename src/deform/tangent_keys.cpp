// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/tangent_keys.h"

#include <algorithm>
#include <array>

#include "deform/key_shifts.h"
#include "sinew/core/parallel.h"
#include "sinew/mesh/weld.h"

namespace sinew {
namespace {

constexpr std::size_t kTangentGrain = 2048;

// Turns the rest frame of a vertex into that of now; the identity where one of them is missing.
class Frames {
 public:
  explicit Frames(const PolyMesh& mesh) {
    const TriangleView view = triangulate(mesh);
    const WeldedTriangles welded = weld_triangles({mesh.positions, view.triangles});
    to_welded_ = welded.weld.to_welded;
    std::vector<std::uint32_t> corners;
    for (const Triangle& k : welded.triangles) corners.insert(corners.end(), k.begin(), k.end());
    const IndexLists lists = group_by_key(welded.weld.positions.size(), corners);
    offsets_ = lists.offsets;
    if (offsets_.empty()) offsets_.push_back(0);
    for (const std::uint32_t corner : lists.items) {
      const Triangle& k = welded.triangles[corner / 3];
      const std::uint32_t c = corner % 3;
      fans_.push_back({k[(c + 1) % 3], k[(c + 2) % 3]});
    }
    representative_ = welded.weld.representative;
    const std::vector<Vec3f> rest = float_positions(mesh);
    for (std::size_t i = 0; i < representative_.size(); ++i) rest_.push_back(frame(rest, i));
  }

  Eigen::Matrix3f turn(std::span<const Vec3f> x, std::size_t vertex) const noexcept {
    const std::uint32_t i = to_welded_[vertex];
    const Eigen::Matrix3f now = frame(x, i);
    if (now.isZero(0) || rest_[i].isZero(0)) return Eigen::Matrix3f::Identity();
    return now * rest_[i].transpose();
  }

 private:
  // Columns: normal, tangent, and the third direction; zero where there is none.
  Eigen::Matrix3f frame(std::span<const Vec3f> x, std::size_t i) const noexcept {
    Eigen::Matrix3f result = Eigen::Matrix3f::Zero();
    if (offsets_[i] == offsets_[i + 1]) return result;
    const auto at = [&](std::uint32_t k) { return x[representative_[k]]; };
    const Vec3f here = x[representative_[i]];
    Vec3f normal = Vec3f::Zero();
    for (std::uint32_t k = offsets_[i]; k < offsets_[i + 1]; ++k)
      normal += (at(fans_[k][0]) - here).cross(at(fans_[k][1]) - here);
    if (!(normal.norm() > 0)) return result;
    normal.normalize();
    Vec3f tangent = at(fans_[offsets_[i]][0]) - here;
    tangent -= tangent.dot(normal) * normal;
    if (!(tangent.norm() > 0)) return result;
    tangent.normalize();
    result << normal, tangent, normal.cross(tangent);
    return result;
  }

  std::vector<std::uint32_t> to_welded_, representative_, offsets_;
  std::vector<std::array<std::uint32_t, 2>> fans_;  // the other corners of the triangles around
  std::vector<Eigen::Matrix3f> rest_;
};

class TangentKeys : public Deformer {
 public:
  explicit TangentKeys(const Rig& rig) : frames_(rig.mesh), keys_(rig.keys) {
    for (const ShapeKey& key : keys_) defaults_.push_back(key.default_weight);
  }

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Workspace>(); }

  Status deform(const FrameInput& input, Workspace&, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    const std::span<const double> weights = input.key_weights.empty() ? defaults_ : input.key_weights;
    parallel_for(out_positions.size(), kTangentGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Vec3f delta = Vec3f::Zero(), normal_delta = Vec3f::Zero();
        for (std::size_t k = 0; k < keys_.size(); ++k) {
          const auto weight = static_cast<float>(weights[k]);
          if (weight == 0) continue;
          delta += weight * keys_[k].deltas[i];
          if (!keys_[k].normal_deltas.empty()) normal_delta += weight * keys_[k].normal_deltas[i];
        }
        const bool moves = !delta.isZero(0) || !normal_delta.isZero(0);
        const Eigen::Matrix3f turn =
            moves ? frames_.turn(input.positions, i) : Eigen::Matrix3f(Eigen::Matrix3f::Identity());
        out_positions[i] = moves ? Vec3f(input.positions[i] + turn * delta) : input.positions[i];
        if (out_normals.empty()) continue;
        const Vec3f normal = input.normals[i] + turn * normal_delta;
        out_normals[i] = moves && normal.norm() > 0 ? Vec3f(normal.normalized()) : input.normals[i];
      }
    });
    return Status::kOk;
  }

 private:
  Frames frames_;
  std::vector<ShapeKey> keys_;
  std::vector<double> defaults_;
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_tangent_keys(const Rig& rig) {
  return std::unique_ptr<Deformer>(std::make_unique<TangentKeys>(rig));
}

}  // namespace sinew
