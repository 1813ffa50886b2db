// SPDX-License-Identifier: Apache-2.0
#include "deform/dqs_skin.h"

#include "deform/dqs_kernel.h"
#include "deform/lbs_kernel.h"
#include "deform/pack_rig.h"

namespace sinew {

Result<DqsSkin> make_dqs_skin(const Rig& rig) {
  DqsSkin skin;
  SINEW_TRY(skin.table, pack_rig(rig, RowSums::kNormalised));
  skin.signs = find_sign_pairs(skin.table);
  skin.heads = palette_heads(skin.table, bind_transforms(rig));
  return skin;
}

DqsWorkspace::DqsWorkspace(const DqsSkin& skin)
    : duals_(skin.table.palette_size()),
      stretch_rows_(skin.table.palette_size()),
      positions_(skin.table.vertices),
      normals_(skin.table.vertices) {}

void DqsWorkspace::begin(const DqsSkin& skin, const FrameInput& input) noexcept {
  stretched_ = fill_rigid(skin.table, input.matrices, skin.heads, duals_, stretch_rows_);
  aligned_ = align_signs(skin.signs, duals_);
}

void DqsWorkspace::run(const DqsSkin& skin, std::size_t begin, std::size_t end,
                       const VertexStreams& streams) noexcept {
  VertexStreams rigid = streams;
  if (stretched_) {
    VertexStreams stretch = streams;
    rigid.positions = stretch.out_positions = positions_.data()->data();
    if (streams.out_normals) rigid.normals = stretch.out_normals = normals_.data()->data();
    lbs_groups(skin.table, stretch_rows_, begin, end, stretch);
  }
  if (aligned_)
    aligned_dqs_groups(skin.table, duals_, begin, end, rigid);
  else
    dqs_groups(skin.table, duals_, begin, end, rigid);
}

}  // namespace sinew
