// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/joint_based.h"

#include <algorithm>
#include <cassert>

#include "deform/joint_kernel.h"
#include "sinew/core/parallel.h"

namespace sinew {
namespace {

struct JointWorkspace : Workspace {
  explicit JointWorkspace(const JointTable& table)
      : palette(table.entries.size()), shaped(table.entries.size()) {}
  Palette<JointPaletteEntry> palette;
  Palette<ShapedJointEntry> shaped;
};

class JointBased : public Deformer {
 public:
  JointBased(const Rig& rig, JointTable table, const JointBasedOptions& options)
      : rest_(rig), table_(std::move(table)), options_(options) {}

  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<JointWorkspace>(table_);
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    assert(input.positions.size() == table_.vertices);
    auto& frame = static_cast<JointWorkspace&>(workspace);
    const VertexStreams streams = streams_of(input, out_positions, out_normals);
    if (is_shaped(input.bones)) {
      fill_shaped_joints(table_, rest_, input, options_, frame.shaped);
      parallel_for(table_.group_count(), kJointGroupsPerPiece, [&](std::size_t begin, std::size_t end) {
        shaped_joint_groups(table_, frame.shaped, begin, end, streams);
      });
      return Status::kOk;
    }
    fill_joints(table_, input.matrices, options_, frame.palette);
    parallel_for(table_.group_count(), kJointGroupsPerPiece, [&](std::size_t begin, std::size_t end) {
      joint_groups(table_, frame.palette, begin, end, streams);
    });
    return Status::kOk;
  }

 private:
  RestBones rest_;
  JointTable table_;
  JointBasedOptions options_;
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_joint_based(const Rig& rig, const JointBasedOptions& options) {
  SINEW_TRY(JointTable table, pack_joints(rig, options));
  return std::unique_ptr<Deformer>(std::make_unique<JointBased>(rig, std::move(table), options));
}

}  // namespace sinew
