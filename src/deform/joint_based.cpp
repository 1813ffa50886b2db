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
      : palette(std::max<std::size_t>(table.entries.size(), 1), kJointStride) {}
  Palette palette;
};

class JointBased : public Deformer {
 public:
  JointBased(JointTable table, const JointBasedOptions& options)
      : table_(std::move(table)), options_(options) {}

  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<JointWorkspace>(table_);
  }

  void deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
              std::span<Vec3f> out_normals) const noexcept override {
    assert(input.positions.size() == table_.vertices);
    auto& frame = static_cast<JointWorkspace&>(workspace);
    fill_joints(table_, input.matrices, options_, frame.palette);
    const VertexStreams streams = streams_of(input, out_positions, out_normals);
    parallel_for(table_.group_count(), kGroupsPerPiece, [&](std::size_t begin, std::size_t end) {
      joint_groups(table_, frame.palette, begin, end, streams);
    });
  }

 private:
  JointTable table_;
  JointBasedOptions options_;
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_joint_based(const Rig& rig, const JointBasedOptions& options) {
  SINEW_TRY(JointTable table, pack_joints(rig, options));
  return std::unique_ptr<Deformer>(std::make_unique<JointBased>(std::move(table), options));
}

}  // namespace sinew
