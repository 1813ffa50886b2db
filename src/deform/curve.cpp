// SPDX-License-Identifier: Apache-2.0
// A rig of segments: each joint becomes as many as a bone has segments, each vertex is given to those nearest
// to its endpoint weight, and linear blending does the rest.
#include "sinew/deform/curve.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "deform/lbs_kernel.h"
#include "deform/pack_rig.h"
#include "deform/posed_bones.h"
#include "sinew/core/parallel.h"
#include "sinew/math/svd.h"
#include "sinew/math/swing_twist.h"

namespace sinew {
namespace {

struct Curve {
  Vec3 points[4];
  Vec3 at(double t) const {
    const double s = 1 - t;
    return s * s * s * points[0] + 3 * s * s * t * points[1] + 3 * s * t * t * points[2] +
           t * t * t * points[3];
  }
  Vec3 slope(double t) const {
    const double s = 1 - t;
    return 3 * s * s * (points[1] - points[0]) + 6 * s * t * (points[2] - points[1]) +
           3 * t * t * (points[3] - points[2]);
  }
};

Vec3 unit(const Vec3& v, const Vec3& other) {
  const double length = v.norm();
  return length > 0 && std::isfinite(length) ? Vec3(v / length) : other;
}

// The ends of a bone, and the directions of the bones before and behind it (zero: none).
struct BoneEndsAt {
  Vec3 head, tail, before, behind;
};

Curve curve_of(const BoneEndsAt& ends, double ease) {
  const Vec3 along = ends.tail - ends.head;
  const double handle = ease * along.norm() / 3;
  const Vec3 own = unit(along, Vec3::UnitZ());
  return {{ends.head, ends.head + handle * unit(own + ends.before, own),
           ends.tail - handle * unit(own + ends.behind, own), ends.tail}};
}

// Frames at the middles of the segments: `start` (z along the bone) turned onto the curve with the least
// turn, then from each to the next.
void frames_along(const Curve& curve, const Mat3& start, double roll_head, double roll_tail,
                  std::span<Affine3> out) {
  Mat3 axes = start;
  const double count = static_cast<double>(out.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double t = (static_cast<double>(k) + 0.5) / count;
    const Vec3 tangent = unit(curve.slope(t), axes.col(2));
    axes = shortest_arc(axes.col(2), tangent).toRotationMatrix() * axes;
    const double roll = (1 - t) * roll_head + t * roll_tail;
    out[k] = Eigen::Translation3d(curve.at(t)) *
             Affine3(Mat3(Eigen::AngleAxisd(roll, tangent).toRotationMatrix() * axes));
  }
}

// Where the segments of each joint stand among all segments: those of joint j from first[j] to first[j + 1].
std::vector<std::size_t> first_segments(const CurveOptions& options, std::size_t joints) {
  std::vector<std::size_t> first = {0};
  for (std::size_t j = 0; j < joints; ++j)
    first.push_back(first.back() + static_cast<std::size_t>(j < options.segments_of.size()
                                                                ? options.segments_of[j]
                                                                : options.segments));
  return first;
}

struct CurveWorkspace : Workspace {
  CurveWorkspace(const SkinTable& table, std::size_t all_segments)
      : rows(table.palette_size()), matrices(all_segments), frames(all_segments) {}
  Palette<MatrixEntry> rows;
  std::vector<Affine3> matrices, frames;
};

class CurveBones : public Deformer {
 public:
  CurveBones(const Rig& rig, SkinTable table, const CurveOptions& options)
      : rest_(rig),
        parents_(bone_parents(rig.skeleton)),
        joints_(rig.skeleton.size()),
        first_(first_segments(options, joints_)),
        ease_(joints_, options.ease),
        table_(std::move(table)) {
    if (!options.ease_of.empty()) ease_ = options.ease_of;
    const std::vector<Affine3> still(joints_, Affine3::Identity());
    for (std::size_t j = 0; j < rest_.bones.size(); ++j) {
      std::vector<Affine3> frames(first_[j + 1] - first_[j]);
      frames_along(curve_of(ends_at(j, {{}, {}, {}, still, {}}), ease_[j]), rest_.frames[j].axes, 0, 0,
                   frames);
      for (const Affine3& frame : frames) inverse_rest_.push_back(frame.inverse(Eigen::Isometry));
    }
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<CurveWorkspace>(table_, first_.back());
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    assert(input.positions.size() == table_.vertices);
    auto& state = static_cast<CurveWorkspace&>(workspace);
    for (std::size_t j = 0; j < joints_; ++j)
      fill(j, input, segments_of(j, state.matrices), segments_of(j, state.frames));
    fill_rows(table_, state.matrices, state.rows);
    const VertexStreams streams = streams_of(input, out_positions, out_normals);
    parallel_for(table_.group_count(), kGroupsPerPiece, [&](std::size_t begin, std::size_t end) {
      lbs_groups(table_, state.rows, begin, end, streams);
    });
    return Status::kOk;
  }

 private:
  std::span<Affine3> segments_of(std::size_t j, std::vector<Affine3>& all) const noexcept {
    return std::span(all).subspan(first_[j], first_[j + 1] - first_[j]);
  }

  BoneEndsAt ends_at(std::size_t j, const FrameInput& input) const noexcept {
    const Bone& bone = rest_.bones[j];
    const Affine3& own = input.matrices[j];
    BoneEndsAt ends{own * bone.head, own * bone.tail, Vec3::Zero(), Vec3::Zero()};
    const auto direction = [&](std::size_t k) {
      return unit(input.matrices[k].linear() * (rest_.bones[k].tail - rest_.bones[k].head), Vec3::Zero());
    };
    const auto& behind = rest_.end_joints[j];
    if (!behind.empty()) {
      ends.tail.setZero();
      for (const std::size_t k : behind)
        ends.tail += input.matrices[k] * rest_.bones[k].head / static_cast<double>(behind.size());
    } else if (j < input.bones.size()) {
      ends.tail = ends.head + input.bones[j].stretch * (ends.tail - ends.head);
    }
    // Where the skeleton branches there is no one bone to lean towards.
    if (behind.size() == 1) ends.behind = direction(behind[0]);
    if (parents_[j] >= 0 && rest_.end_joints[static_cast<std::size_t>(parents_[j])].size() == 1)
      ends.before = direction(static_cast<std::size_t>(parents_[j]));
    return ends;
  }

  // How far a bone is rolled about itself against the one before it; 0 where the skeleton branches.
  double roll_between(int before, std::size_t j, const FrameInput& input) const noexcept {
    const auto above = static_cast<std::size_t>(before);
    if (above >= rest_.bones.size() || j >= rest_.bones.size() || rest_.end_joints[above].size() != 1)
      return 0;
    const Quat turn = split_linear(input.matrices[above].linear()).rotation.conjugate() *
                      split_linear(input.matrices[j].linear()).rotation;
    const Vec3 axis = unit(rest_.bones[above].tail - rest_.bones[above].head, Vec3::UnitZ());
    return twist_angle(swing_twist(turn.normalized(), axis).twist, axis);
  }

  void fill(std::size_t j, const FrameInput& input, std::span<Affine3> matrices,
            std::span<Affine3> frames) const noexcept {
    const bool curved = matrices.size() > 1 && j < rest_.bones.size() &&
                        (rest_.bones[j].tail - rest_.bones[j].head).norm() > 0;
    if (!curved) {
      for (Affine3& matrix : matrices) matrix = input.matrices[j];
      return;
    }
    const BoneShape shape = j < input.bones.size() ? input.bones[j] : BoneShape{};
    const LinearSplit own = split_linear(input.matrices[j].linear());
    const Mat3 axes = own.rotation.toRotationMatrix() * rest_.frames[j].axes;
    // Two bones that follow each other meet half-way between their rolls, so that a twist is spread over
    // both.
    const double roll_head = parents_[j] < 0 ? 0 : -0.5 * roll_between(parents_[j], j, input);
    const auto& behind = rest_.end_joints[j];
    const double roll_tail =
        behind.size() == 1 ? 0.5 * roll_between(static_cast<int>(j), behind[0], input) : 0;
    frames_along(curve_of(ends_at(j, input), ease_[j]), axes, shape.twist_head + roll_head,
                 shape.twist_tail + roll_tail, frames);
    // The joint's scale, in the axes of each segment.
    const Mat3 scale = rest_.frames[j].axes.transpose() * own.stretch * rest_.frames[j].axes;
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      if (own.stretched) frames[k].linear() = frames[k].linear() * scale;
      matrices[k] = frames[k] * inverse_rest_[first_[j] + k];
    }
  }

  RestBones rest_;
  std::vector<int> parents_;
  std::size_t joints_;
  std::vector<std::size_t> first_;
  std::vector<double> ease_;  // per joint
  SkinTable table_;
  std::vector<Affine3> inverse_rest_;  // per bone and segment
};

// Every influence given to the two segments whose middles its endpoint weight lies between.
SkinWeights spread_over_segments(const Rig& rig, std::span<const std::size_t> starts) {
  SkinWeights spread;
  spread.offsets.push_back(0);
  std::vector<Influence> row;
  for (std::size_t i = 0; i < rig.weights.vertex_count(); ++i) {
    row.clear();
    for (std::size_t e = rig.weights.offsets[i]; e < rig.weights.offsets[i + 1]; ++e) {
      const Influence& influence = rig.weights.entries[e];
      const std::size_t segments = starts[influence.joint + 1] - starts[influence.joint];
      const double place =
          std::clamp(static_cast<double>(rig.endpoint.values[e]) * static_cast<double>(segments) - 0.5, 0.0,
                     static_cast<double>(segments - 1));
      const auto first = std::min(static_cast<std::size_t>(place), segments - 1);
      const double share = place - static_cast<double>(first);
      const auto at = [&](std::size_t k) { return static_cast<std::uint32_t>(starts[influence.joint] + k); };
      row.push_back({at(first), influence.weight * (1 - share)});
      if (share > 0) row.push_back({at(first + 1), influence.weight * share});
    }
    spread.add_row(row);
  }
  return spread;
}

}  // namespace

Result<std::unique_ptr<Deformer>> build_curve(const Rig& rig, const CurveOptions& options) {
  for (const std::vector<int>& all : {options.segments_of, std::vector<int>{options.segments}})
    for (const int segments : all)
      if (segments < 1 || segments > 64)
        return parameter_error("segments", "of a curve bone must lie between 1 and 64");
  for (const std::vector<double>& all : {options.ease_of, std::vector<double>{options.ease}})
    for (const double ease : all)
      if (!(ease >= 0 && ease <= 3))
        return parameter_error("ease", "of a curve bone must lie between 0 and 3");
  const std::size_t joints = rig.skeleton.size();
  if ((!options.segments_of.empty() && options.segments_of.size() != joints) ||
      (!options.ease_of.empty() && options.ease_of.size() != joints))
    return usage_error("curve bones need one number of segments and one ease for each joint, or none");
  if (rig.weights.vertex_count() != rig.mesh.vertex_count())
    return bad_input("the weights do not fit the mesh: their numbers of vertices differ");
  if (rig.endpoint.values.size() != rig.weights.entries.size())
    return impossible("the rig has no endpoint weights: `sinew rig` or `sinew weights` makes them");
  const std::vector<std::size_t> starts = first_segments(options, joints);
  SINEW_TRY(SkinTable table, pack_skin(spread_over_segments(rig, starts), starts.back(), RowSums::kAsGiven));
  return std::unique_ptr<Deformer>(std::make_unique<CurveBones>(rig, std::move(table), options));
}

}  // namespace sinew
