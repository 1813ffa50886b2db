// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/lbs.h"

#include <cassert>

#include "deform/lbs_kernel.h"
#include "deform/pack_rig.h"
#include "sinew/core/parallel.h"

namespace sinew {
namespace {

struct LbsWorkspace : Workspace {
  explicit LbsWorkspace(const SkinTable& table) : rows(table.palette_size()) {}
  Palette<MatrixEntry> rows;
};

class Lbs : public Deformer {
 public:
  explicit Lbs(SkinTable table) : table_(std::move(table)) {}

  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<LbsWorkspace>(table_);
  }

  bool is_bounded() const override { return true; }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    assert(input.positions.size() == table_.vertices);
    auto& frame = static_cast<LbsWorkspace&>(workspace);
    fill_rows(table_, input.matrices, frame.rows);
    const VertexStreams streams = streams_of(input, out_positions, out_normals);
    parallel_for(table_.group_count(), kGroupsPerPiece, [&](std::size_t begin, std::size_t end) {
      lbs_groups(table_, frame.rows, begin, end, streams);
    });
    return Status::kOk;
  }

 private:
  SkinTable table_;
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_lbs(const Rig& rig) {
  SINEW_TRY(SkinTable table, pack_rig(rig, RowSums::kAsGiven));
  return std::unique_ptr<Deformer>(std::make_unique<Lbs>(std::move(table)));
}

}  // namespace sinew
