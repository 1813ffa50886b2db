// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pipeline/compare_arena.h"

namespace sinew {

// The bodies that the joints of a rig are judged on: the whole one, and pieces of it on finer grids around
// bones that its grid does not resolve (the hand around its fingers).
class Arenas {
 public:
  struct Piece {
    std::unique_ptr<Arena> arena;
    std::vector<std::size_t> joints;  // per joint of the piece: that of the whole
  };

  // The body of a piece of the whole, one of `pieces`.
  using MakePiece =
      std::function<Result<BoneBody>(const BindInput& piece, const BindInput& whole, std::size_t pieces)>;

  static Result<Arenas> open(const Rig& rig, const Arena::MakeBody& make_body, const Progress* progress);
  // The whole body for every wanted joint that its grid resolves, a piece of it for those that the piece's grid
  // resolves, kNoArena for the rest and for joints that move everything. wanted: per bone.
  Result<void> assign(std::span<const std::uint8_t> wanted, const MakePiece& make_piece,
                      const Progress* progress);

  Arena& whole() const { return *whole_; }
  std::span<const Piece> pieces() const { return pieces_; }
  std::vector<std::size_t>& arena_of() { return arena_of_; }  // per bone
  const std::vector<std::size_t>& arena_of() const { return arena_of_; }

 private:
  Result<void> open_piece(const ShortBonePatch& around, std::span<const std::uint8_t> wanted,
                          const Arena::MakeBody& make_body, const Progress* progress);

  std::unique_ptr<Arena> whole_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> arena_of_;
};

// Wanted joints that do not move everything: a joint that does deforms nothing.
std::vector<std::uint8_t> deforming_joints(const Surface& surface, std::span<const std::uint8_t> wanted);

}  // namespace sinew
