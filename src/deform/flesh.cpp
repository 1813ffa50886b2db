// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/flesh.h"

#include <cassert>

#include "deform/flesh_table.h"
#include "deform/shaped_flesh.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/reference.h"

namespace sinew {
namespace {

bool moves_by_skin(const Rig& rig, std::size_t i) {
  return rig.flesh.weights.base[i] < 0 && rig.flesh.weights.row(i).empty() &&
         i < rig.weights.vertex_count() && !rig.weights.row(i).empty();
}

Affine3 blend(std::span<const Influence> row, std::span<const Affine3> matrices) {
  Affine3 sum;
  sum.matrix().setZero();
  for (const Influence& influence : row)
    sum.matrix() += influence.weight * matrices[influence.joint].matrix();
  return sum;
}

Vec3 moved_normal(const Mat3& linear, const Vec3& rest) {
  Mat3 cofactors;
  for (int k = 0; k < 3; ++k) cofactors.row(k) = linear.row((k + 1) % 3).cross(linear.row((k + 2) % 3));
  const Vec3 normal = (linear.determinant() < 0 ? -1.0 : 1.0) * (cofactors * rest);
  return normal.norm() > 1e-18 ? Vec3(normal.normalized()) : rest;
}

struct FleshWorkspace : Workspace {
  explicit FleshWorkspace(const FleshTable& table)
      : palette(table), positions(table.joints.vertices), normals(table.joints.vertices) {}
  FleshPalette palette;
  std::vector<Vec3f> positions, normals;  // of frames whose bones are twisted or stretched
};

// Vertices that no joint of the flesh carries move by their skin weights: what hangs on a node that deforms
// nothing.
class FleshDeformer : public Deformer {
 public:
  FleshDeformer(FleshTable table, const Rig& rig) : table_(std::move(table)), shaped_(rig) {
    rows_.offsets.push_back(0);
    for (std::uint32_t i = 0; i < rig.mesh.vertex_count(); ++i) {
      if (!moves_by_skin(rig, i)) continue;
      plain_.push_back(i);
      rows_.add_row(rig.weights.row(i));
    }
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<FleshWorkspace>(table_);
  }

  Status deform(const FrameInput& frame, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    assert(frame.positions.size() == table_.joints.vertices);
    auto& own = static_cast<FleshWorkspace&>(workspace);
    FleshPalette& palette = own.palette;
    FrameInput input = frame;
    if (is_shaped(frame.bones)) {
      shape(frame, !out_normals.empty(), own);
      input.positions = own.positions;
      if (!out_normals.empty()) input.normals = own.normals;
    }
    fill_flesh(table_, input.matrices, palette);
    const VertexStreams streams = streams_of(input, out_positions, out_normals);
    parallel_for(table_.joints.group_count(), kJointGroupsPerPiece, [&](std::size_t begin, std::size_t end) {
      flesh_groups(table_, palette, begin, end, streams);
    });
    for (std::size_t k = 0; k < plain_.size(); ++k) {
      const std::uint32_t i = plain_[k];
      const Affine3 blended = blend(rows_.row(k), input.matrices);
      out_positions[i] = (blended * input.positions[i].cast<double>()).cast<float>();
      if (!out_normals.empty())
        out_normals[i] = moved_normal(blended.linear(), input.normals[i].cast<double>()).cast<float>();
    }
    return Status::kOk;
  }

 private:
  void shape(const FrameInput& frame, bool normals, FleshWorkspace& own) const noexcept {
    parallel_for(frame.positions.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Mat3 turn;
        own.positions[i] =
            shaped_.move(i, frame.positions[i].cast<double>(), frame.bones, &turn).cast<float>();
        if (normals) own.normals[i] = (turn * frame.normals[i].cast<double>()).cast<float>();
      }
    });
  }

  FleshTable table_;
  ShapedFlesh shaped_;
  std::vector<std::uint32_t> plain_;
  SkinWeights rows_;  // of these
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_flesh(const Rig& rig) {
  SINEW_TRY(FleshTable table, pack_flesh(rig));
  return std::unique_ptr<Deformer>(std::make_unique<FleshDeformer>(std::move(table), rig));
}

void reference_flesh(const Rig& rig, const FrameInput& input, const ReferenceOutput& out) {
  const std::vector<int> parents = bone_parents(rig.skeleton);
  const std::vector<JointFrame> frames = joint_frames(bones_of(rig.skeleton, bind_transforms(rig)), parents);
  const std::vector<JointMove> moves = joint_moves(frames, parents, input.matrices);
  std::vector<Vec3> positions, normals;
  for (const Vec3f& p : input.positions) positions.push_back(p.cast<double>());
  for (const Vec3f& n : input.normals) normals.push_back(n.cast<double>());
  const bool tilted = !out.normals.empty();
  if (is_shaped(input.bones)) {
    const ShapedFlesh shaped(rig);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      Mat3 turn;
      positions[i] = shaped.move(i, positions[i], input.bones, &turn);
      if (!normals.empty()) normals[i] = turn * normals[i];
    }
  }
  add_flesh_fields(rig.flesh, tilted ? flesh_tilts(rig.mesh, rig.flesh) : std::vector<FleshTilt>(), moves,
                   positions, tilted ? std::span<Vec3>(normals) : std::span<Vec3>());
  JointComposition joints(parents, moves);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    Mat3 linear;
    out.positions[i] = joints.move(rig.flesh.weights, i, positions[i], &linear);
    if (moves_by_skin(rig, i)) {
      const Affine3 blended = blend(rig.weights.row(i), input.matrices);
      out.positions[i] = blended * positions[i];
      linear = blended.linear();
    }
    if (!out.normals.empty()) out.normals[i] = moved_normal(linear, normals[i]);
  }
}

}  // namespace sinew
