// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compare_arenas.h"

#include <algorithm>
#include <cmath>

#include "pipeline/compare_piece.h"

namespace sinew {

std::vector<std::uint8_t> deforming_joints(const Surface& surface, std::span<const std::uint8_t> wanted) {
  std::vector<std::uint8_t> left(wanted.begin(), wanted.end());
  for (std::size_t bone = 0; bone < left.size(); ++bone) {
    const auto below = bones_below(surface.parents, bone);
    if (std::find(below.begin(), below.end(), 0) == below.end()) left[bone] = 0;
  }
  return left;
}

Result<Arenas> Arenas::open(const Rig& rig, const Arena::MakeBody& make_body, const Progress* progress) {
  Arenas arenas;
  SINEW_TRY(arenas.whole_, Arena::open(rig, make_body, progress));
  arenas.arena_of_.assign(arenas.whole_->surface().bones.size(), kNoArena);
  return arenas;
}

Result<void> Arenas::assign(std::span<const std::uint8_t> wanted, const MakePiece& make_piece,
                            const Progress* progress) {
  const Surface& surface = whole_->surface();
  const double cell = whole_->grid().cell_size();
  const std::vector<std::uint8_t> judged = deforming_joints(surface, wanted);
  for (std::size_t bone = 0; bone < judged.size(); ++bone)
    if (judged[bone] && resolves(cell, surface.bones[bone])) arena_of_[bone] = 0;
  const std::vector<ShortBonePatch> patches = short_bone_patches(surface.input(), cell);
  const auto make_body = [&](const BindInput& piece) {
    return make_piece(piece, surface.input(), patches.size());
  };
  for (const ShortBonePatch& around : patches) {
    const auto asked_for = [&](std::size_t bone) { return judged[bone] && arena_of_[bone] == kNoArena; };
    if (std::none_of(around.of_whole.begin(), around.of_whole.end() - 1, asked_for)) continue;
    SINEW_CHECK(open_piece(around, judged, make_body, progress));
  }
  return {};
}

// A piece that cannot be made, is not finer, or comes apart when it is cut out, is left out.
Result<void> Arenas::open_piece(const ShortBonePatch& around, std::span<const std::uint8_t> wanted,
                                const Arena::MakeBody& make_body, const Progress* progress) {
  const Surface& surface = whole_->surface();
  if (!around.holds_what_hangs_on_it(surface.parents)) return {};
  auto cut = cut_piece(whole_->rig(), surface, around);
  if (!cut.ok()) return {};
  std::vector<double> decided;
  for (const Vec3& p : cut->rig.mesh.positions) decided.push_back(std::floor(around.amount_at(p)));
  auto opened = Arena::open(std::move(cut->rig), make_body, progress, std::move(decided));
  if (!opened.ok() && opened.error().code == ErrorCode::kCancelled) return opened.error();
  if (!opened.ok()) return {};
  const double cell = (*opened)->grid().cell_size();
  if (!around.gains_by(cell) || !(*opened)->hangs_together()) return {};
  for (std::size_t k = 0; k + 1 < around.of_whole.size(); ++k)
    if (const std::size_t bone = around.of_whole[k];
        wanted[bone] && arena_of_[bone] == kNoArena && resolves(cell, surface.bones[bone]))
      arena_of_[bone] = pieces_.size() + 1;
  pieces_.push_back({*std::move(opened), std::move(cut->joints)});
  return {};
}

}  // namespace sinew
