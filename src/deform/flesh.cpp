// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/flesh.h"

#include <cassert>

#include "deform/flesh_table.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/reference.h"

namespace sinew {
namespace {

struct FleshWorkspace : Workspace {
  explicit FleshWorkspace(const FleshTable& table) : palette(table) {}
  FleshPalette palette;
};

class FleshDeformer : public Deformer {
 public:
  explicit FleshDeformer(FleshTable table) : table_(std::move(table)) {}

  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<FleshWorkspace>(table_);
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    assert(input.positions.size() == table_.joints.vertices);
    FleshPalette& palette = static_cast<FleshWorkspace&>(workspace).palette;
    fill_flesh(table_, input.matrices, palette);
    const VertexStreams streams = streams_of(input, out_positions, out_normals);
    parallel_for(table_.joints.group_count(), kJointGroupsPerPiece, [&](std::size_t begin, std::size_t end) {
      flesh_groups(table_, palette, begin, end, streams);
    });
    return Status::kOk;
  }

 private:
  FleshTable table_;
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_flesh(const Rig& rig) {
  SINEW_TRY(FleshTable table, pack_flesh(rig));
  return std::unique_ptr<Deformer>(std::make_unique<FleshDeformer>(std::move(table)));
}

void reference_flesh(const Rig& rig, const FrameInput& input, const ReferenceOutput& out) {
  const std::vector<int> parents = bone_parents(rig.skeleton);
  const std::vector<JointFrame> frames = joint_frames(bones_of(rig.skeleton, bind_transforms(rig)), parents);
  const std::vector<JointMove> moves = joint_moves(frames, parents, input.matrices);
  std::vector<Vec3> positions, normals;
  for (const Vec3f& p : input.positions) positions.push_back(p.cast<double>());
  for (const Vec3f& n : input.normals) normals.push_back(n.cast<double>());
  const bool tilted = !out.normals.empty();
  add_flesh_fields(rig.flesh, tilted ? flesh_tilts(rig.mesh, rig.flesh) : std::vector<FleshTilt>(), moves,
                   positions, tilted ? std::span<Vec3>(normals) : std::span<Vec3>());
  JointComposition joints(parents, moves);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    Mat3 linear;
    out.positions[i] = joints.move(rig.flesh.weights, i, positions[i], &linear);
    if (out.normals.empty()) continue;
    Mat3 cofactors;
    for (int k = 0; k < 3; ++k) cofactors.row(k) = linear.row((k + 1) % 3).cross(linear.row((k + 2) % 3));
    const Vec3 normal = (linear.determinant() < 0 ? -1.0 : 1.0) * (cofactors * normals[i]);
    out.normals[i] = normal.norm() > 1e-18 ? normal.normalized() : normals[i];
  }
}

}  // namespace sinew
