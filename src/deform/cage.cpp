// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/cage.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "deform/normal_carrier.h"
#include "sinew/core/parallel.h"
#include "sinew/core/text.h"
#include "sinew/volume/harmonic_cage.h"

namespace sinew {
namespace {

constexpr std::size_t kCageGrain = 512;

struct CageWorkspace : Workspace {
  std::vector<Vec3> offsets;  // C' - C
  std::vector<Vec3f> short_offsets;
  std::vector<Eigen::Matrix3f> turns;  // per triangle of a skinned cage: its gradient, less the identity
  NormalCarrier::Scratch normals;
};

class CageDeformer : public Deformer {
 public:
  CageDeformer(const Rig& rig, const Cage& cage, std::span<const Vec3> moved)
      : cage_(cage), moved_(moved.begin(), moved.end()), normals_(rig.mesh) {
    if (is_skinned(cage)) find_triangles(rig);
  }

  Result<void> solve() {
    auto built = HarmonicCage::build(cage_.mesh, cage_.resolution, cage_.volume.size());
    if (built && built->nodes() == cage_.volume.size()) {
      field_ = *std::move(built);
      return {};
    }
    return bad_input("the cage '" + printable(cage_.name) + "' " +
                     (built ? std::string("has been changed since it was solved")
                            : "cannot be used: " + built.error().message) +
                     "; bind it again with `sinew cage bind`");
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    auto workspace = std::make_unique<CageWorkspace>();
    workspace->offsets.resize(cage_.mesh.vertex_count());
    workspace->short_offsets.resize(cage_.mesh.vertex_count());
    workspace->turns.resize(triangles_.size());
    workspace->normals = normals_.make_scratch();
    return workspace;
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    auto& frame = static_cast<CageWorkspace&>(workspace);
    move(input, input.cage_points, frame);
    parallel_for(out_positions.size(), kCageGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        float mask = 0;
        const Vec3f step = whole_step(i, input.positions[i], frame, mask);
        out_positions[i] = input.positions[i] + mask * step;
      }
    });
    if (!out_normals.empty())
      normals_.carry(input.positions, out_positions, input.normals, frame.normals, out_normals);
    return Status::kOk;
  }

  // Where the control points have gone in this frame.
  void move(const FrameInput& input, std::span<const Vec3> points, CageWorkspace& frame) const noexcept {
    const bool given = points.size() == cage_.mesh.vertex_count();
    place_controls(cage_, given ? points : std::span<const Vec3>(moved_), input.matrices, frame.offsets);
    for (std::size_t t = 0; t < triangles_.size(); ++t)
      frame.turns[t] =
          (axes_of(triangles_[t], frame.offsets) * rest_axes_[t] - Mat3::Identity()).cast<float>();
    for (std::size_t j = 0; j < frame.offsets.size(); ++j) {
      frame.offsets[j] -= cage_.mesh.positions[j];
      frame.short_offsets[j] = frame.offsets[j].cast<float>();
    }
  }

  // How far a vertex goes where the cage has it wholly, and how much of it the cage has.
  Vec3f whole_step(std::size_t i, const Vec3f& at, const CageWorkspace& frame, float& mask) const noexcept {
    Vec3f step = Vec3f::Zero(), place = at;
    if (field_) {
      double held = 0;
      const Vec3 p = at.cast<double>();
      step = field_->displacement(p, cage_.reach, cage_.volume, frame.offsets, &held).cast<float>();
      mask = static_cast<float>(held);
      if (!triangles_.empty() && held > 0)
        place = field_->displacement(p, cage_.reach, cage_.volume, cage_.mesh.positions, &held).cast<float>();
    } else {
      mask = cage_.masks[i];
      for (const ControlRows::Entry& entry : cage_.rows[i])
        step += entry.weight * frame.short_offsets[entry.control];
      if (!triangles_.empty()) place = places_[i];
    }
    // What the coordinates do not reach, the distance to a cage that the vertex lies outside of and what keys
    // have added, turns with the cage's nearest face, so that a cage that moves rigidly moves all rigidly.
    if (!triangles_.empty()) step += frame.turns[nearest_[i]] * (at - place);
    return step;
  }

 private:
  // Two edges and the normal, as long as an edge of the triangle is on the whole.
  Mat3 axes_of(const Triangle& triangle, std::span<const Vec3> points) const noexcept {
    Mat3 axes;
    axes.col(0) = points[triangle[1]] - points[triangle[0]];
    axes.col(1) = points[triangle[2]] - points[triangle[0]];
    const Vec3 normal = axes.col(0).cross(axes.col(1));
    const double area = normal.norm();
    axes.col(2) = area > 0 ? Vec3(normal / std::sqrt(area)) : Vec3(Vec3::Zero());
    return axes;
  }

  // The triangle that a vertex hangs on most: what is nearest in space may belong to another limb.
  std::uint32_t nearest_triangle(std::span<const ControlRows::Entry> row,
                                 std::span<const std::vector<std::uint32_t>> around) const {
    const auto most = std::max_element(row.begin(), row.end(),
                                       [](const auto& a, const auto& b) { return a.weight < b.weight; });
    std::uint32_t best = 0;
    double largest = -1;
    if (most == row.end()) return best;
    for (const std::uint32_t t : around[most->control]) {
      double sum = 0;
      for (const std::uint32_t corner : triangles_[t])
        for (const ControlRows::Entry& entry : row)
          if (entry.control == corner) sum += entry.weight;
      if (!(sum > largest)) continue;
      largest = sum;
      best = t;
    }
    return best;
  }

  void find_triangles(const Rig& rig) {
    triangles_ = triangulate(cage_.mesh).triangles;
    const std::vector<Vec3>& points = cage_.mesh.positions;
    std::erase_if(triangles_, [&](const Triangle& t) { return !(axes_of(t, points).determinant() > 0); });
    if (triangles_.empty()) return;
    for (const Triangle& t : triangles_) rest_axes_.push_back(axes_of(t, points).inverse());
    std::vector<std::vector<std::uint32_t>> around(points.size());  // triangles, per control point
    for (std::uint32_t t = 0; t < triangles_.size(); ++t)
      for (const std::uint32_t corner : triangles_[t]) around[corner].push_back(t);
    for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
      nearest_.push_back(nearest_triangle(cage_.rows[i], around));
      Vec3 place = Vec3::Zero();
      for (const ControlRows::Entry& entry : cage_.rows[i])
        place += static_cast<double>(entry.weight) * points[entry.control];
      places_.push_back(place.cast<float>());
    }
  }

  Cage cage_;
  std::vector<Vec3> moved_;
  NormalCarrier normals_;
  std::optional<HarmonicCage> field_;  // of a dynamic cage
  // Of a skinned cage: its triangles, the inverse of their axes at rest, and for each vertex of the mesh the
  // one that it hangs on and the place that its coordinates give.
  std::vector<Triangle> triangles_;
  std::vector<Mat3> rest_axes_;
  std::vector<std::uint32_t> nearest_;
  std::vector<Vec3f> places_;
};

Result<void> check_cage(const Rig& rig, const Cage& cage, std::span<const Vec3> moved) {
  if (cage.rows.size() != rig.mesh.vertex_count() || cage.masks.size() != rig.mesh.vertex_count())
    return bad_input("the cage '" + printable(cage.name) + "' was bound to a mesh of " +
                     std::to_string(cage.rows.size()) + " vertices, but this one has " +
                     std::to_string(rig.mesh.vertex_count()) + ": bind it again with `sinew cage bind`");
  if (!moved.empty() && moved.size() != cage.mesh.vertex_count())
    return usage_error("the moved cage has " + std::to_string(moved.size()) + " control points, but '" +
                       printable(cage.name) + "' has " + std::to_string(cage.mesh.vertex_count()));
  return {};
}

struct SkinnedCagesWorkspace : Workspace {
  std::vector<std::unique_ptr<Workspace>> cages;
  std::unique_ptr<Workspace> skeleton;
  std::vector<Vec3f> positions, normals;
  std::vector<float> shares;  // what the cages have of a vertex
  NormalCarrier::Scratch carrier;
};

// Cages that the skeleton moves, beside the skeleton itself: m cage(x) + (1 - m) skeleton(x).
class SkinnedCages : public Deformer {
 public:
  SkinnedCages(const Rig& rig, std::unique_ptr<Deformer> skeleton)
      : skeleton_(std::move(skeleton)), normals_(rig.mesh), vertices_(rig.mesh.vertex_count()) {}

  Result<void> add(const Rig& rig, std::size_t index) {
    const Cage& cage = rig.cages[index];
    SINEW_CHECK(check_cage(rig, cage, {}));
    auto one = std::make_unique<CageDeformer>(rig, cage, std::span<const Vec3>());
    if (cage.dynamic) SINEW_CHECK(one->solve());
    cages_.push_back(std::move(one));
    indices_.push_back(index);
    return {};
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    auto space = std::make_unique<SkinnedCagesWorkspace>();
    for (const auto& cage : cages_) space->cages.push_back(cage->make_workspace());
    space->skeleton = skeleton_->make_workspace();
    space->positions.resize(vertices_);
    space->normals.resize(vertices_);
    space->shares.resize(vertices_);
    space->carrier = normals_.make_scratch();
    return space;
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    auto& space = static_cast<SkinnedCagesWorkspace&>(workspace);
    const std::span<Vec3f> normals = out_normals.empty() ? std::span<Vec3f>() : std::span(space.normals);
    const Status status = skeleton_->deform(input, *space.skeleton, space.positions, normals);
    if (status != Status::kOk) return status;
    for (std::size_t c = 0; c < cages_.size(); ++c) {
      const bool moved = input.controls && indices_[c] < input.controls->cages.size();
      cages_[c]->move(
          input, moved ? std::span<const Vec3>(input.controls->cages[indices_[c]]) : std::span<const Vec3>(),
          static_cast<CageWorkspace&>(*space.cages[c]));
    }
    parallel_for(out_positions.size(), kCageGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Vec3f caged = Vec3f::Zero();
        float sum = 0;
        for (std::size_t c = 0; c < cages_.size(); ++c) {
          float mask = 0;
          const Vec3f step = cages_[c]->whole_step(i, input.positions[i],
                                                   static_cast<const CageWorkspace&>(*space.cages[c]), mask);
          caged += mask * (input.positions[i] + step);
          sum += mask;
        }
        // Cages that overlap share a vertex: together they have no more than all of it.
        const float all = std::max(sum, 1.0f);
        space.shares[i] = sum / all;
        out_positions[i] = caged / all + (1 - space.shares[i]) * space.positions[i];
      }
    });
    if (out_normals.empty()) return Status::kOk;
    normals_.carry(input.positions, out_positions, input.normals, space.carrier, out_normals);
    for (std::size_t i = 0; i < out_normals.size(); ++i) {
      const Vec3f blended = space.shares[i] * out_normals[i] + (1 - space.shares[i]) * space.normals[i];
      const float length = blended.norm();
      out_normals[i] = length > 0 ? Vec3f(blended / length) : space.normals[i];
    }
    return Status::kOk;
  }

  std::optional<double> energy(const Workspace& workspace) const override {
    return skeleton_->energy(*static_cast<const SkinnedCagesWorkspace&>(workspace).skeleton);
  }

 private:
  std::unique_ptr<Deformer> skeleton_;
  std::vector<std::unique_ptr<CageDeformer>> cages_;
  std::vector<std::size_t> indices_;  // of each among the rig's cages
  NormalCarrier normals_;
  std::size_t vertices_;
};

}  // namespace

void place_controls(const Cage& cage, std::span<const Vec3> moved, std::span<const Affine3> matrices,
                    std::span<Vec3> out) noexcept {
  for (std::size_t j = 0; j < out.size(); ++j) {
    const Vec3 at = moved.empty() ? cage.mesh.positions[j] : moved[j];
    out[j] = at;
    if (cage.weights.vertex_count() == 0 || cage.weights.row(j).empty()) continue;
    Vec3 sum = Vec3::Zero();
    for (const Influence& influence : cage.weights.row(j))
      sum += influence.weight * (matrices[influence.joint] * at);
    out[j] = sum;
  }
}

Result<std::unique_ptr<Deformer>> build_cage(const Rig& rig, const Cage& cage, std::span<const Vec3> moved) {
  SINEW_CHECK(check_cage(rig, cage, moved));
  auto deformer = std::make_unique<CageDeformer>(rig, cage, moved);
  if (cage.dynamic) SINEW_CHECK(deformer->solve());
  return std::unique_ptr<Deformer>(std::move(deformer));
}

bool is_skinned(const Cage& cage) {
  return cage.weights.vertex_count() > 0;
}

Result<std::unique_ptr<Deformer>> build_skinned_cages(const Rig& rig, std::unique_ptr<Deformer> skeleton) {
  auto deformer = std::make_unique<SkinnedCages>(rig, std::move(skeleton));
  for (std::size_t c = 0; c < rig.cages.size(); ++c)
    if (is_skinned(rig.cages[c])) SINEW_CHECK(deformer->add(rig, c));
  return std::unique_ptr<Deformer>(std::move(deformer));
}

}  // namespace sinew
