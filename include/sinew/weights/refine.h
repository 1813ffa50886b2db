// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "sinew/math/types.h"
#include "sinew/weights/bone_weights.h"

namespace sinew {

/// Weights of a voxel method know nothing finer than a cell: fingers that lie side by side melt together on
/// the grid of a whole body. Here every group of bones shorter than four cells (the fingers of a hand) is
/// solved again on the piece of surface around it alone, with a grid as fine as that piece affords, together
/// with the bone that carries the group. What the coarse weights gave to these bones is shared anew by the
/// finer ones, fading out towards the rim of the piece; weights of all other bones stay. Rows keep their sums.

/// What refine_short_bones() did.
struct RefineReport {
  std::size_t patches = 0;
  std::vector<std::uint8_t> refined;  ///< per bone
};
/// The piece of surface around a group of short bones, with vertices and bones of its own.
struct ShortBonePatch {
  std::vector<std::size_t>
      of_whole;  ///< per bone of the piece: the short ones, then the one that carries them
  std::size_t short_count = 0;
  std::vector<Bone> bones;
  std::vector<int> parents;
  std::vector<Vec3> positions;
  std::vector<std::uint32_t> of_surface;  ///< per vertex
  std::vector<Triangle> triangles;
  Box3 box;         ///< of the short bones
  double cell = 0;  ///< of the coarse grid

  BindInput input() const { return {{positions, triangles}, bones, parents}; }
  /// 1 at the short bones, 0 at the rim of the piece.
  double amount_at(const Vec3& p) const;
  /// Whether it holds all that hangs on its short bones: fingers of a hand do, a spine from which arms go out
  /// does not. `whole`: the parents of all bones.
  bool holds_what_hangs_on_it(std::span<const int> whole) const;
  /// Whether a grid of such cells resolves the bones much better than the coarse one.
  bool gains_by(double fine_cell) const;
};
std::vector<ShortBonePatch> short_bone_patches(const BindInput& input, double cell);

/// How much each surface vertex lies among bones too short for a grid of such cells: 1 at them, 0 far from
/// them or where refine_short_bones would leave the coarse weights. Sizes: surface vertices.
std::vector<float> short_bone_amounts(const BindInput& input, double cell);

/// Weights of a piece, its bones in the order given; none where its grid gains nothing by gains_by().
using SolvePatch = std::function<Result<std::optional<BoneWeights>>(const ShortBonePatch& piece)>;

/// `cell`: side of the coarse grid's cells. A piece that cannot be solved, or not finer, is left as it was.
/// Fails only where it was cancelled.
Result<RefineReport> refine_short_bones(const BindInput& input, double cell, const SolvePatch& solve,
                                        BoneWeights& weights);

}  // namespace sinew
