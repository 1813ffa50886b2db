// SPDX-License-Identifier: Apache-2.0
// Kavan, Collins, Zara, O'Sullivan: Geometric skinning with approximate dual quaternion blending (2008), with
// its two phases for scale: first the stretches, linearly, in bind space, then the rigid motions.
#include "sinew/deform/dqs.h"

#include <cassert>

#include "deform/dqs_skin.h"
#include "sinew/core/parallel.h"

namespace sinew {
namespace {

class Dqs : public Deformer {
 public:
  explicit Dqs(DqsSkin skin) : skin_(std::move(skin)) {}

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<DqsWorkspace>(skin_); }

  bool is_bounded() const override { return true; }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    assert(input.positions.size() == skin_.table.vertices);
    auto& frame = static_cast<DqsWorkspace&>(workspace);
    frame.begin(skin_, input);
    const VertexStreams streams = streams_of(input, out_positions, out_normals);
    parallel_for(skin_.table.group_count(), kGroupsPerPiece,
                 [&](std::size_t begin, std::size_t end) { frame.run(skin_, begin, end, streams); });
    return Status::kOk;
  }

 private:
  DqsSkin skin_;
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_dqs(const Rig& rig) {
  SINEW_TRY(DqsSkin skin, make_dqs_skin(rig));
  return std::unique_ptr<Deformer>(std::make_unique<Dqs>(std::move(skin)));
}

}  // namespace sinew
