// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "pipeline/compare_convergence.h"
#include "pipeline/compare_piece.h"
#include "pipeline/compare_rotations.h"

namespace sinew {
namespace {

// Cells of a body of few triangles, for which elastic_cells means to bound the time of one solve: a comparison
// makes hundreds. Others get as many as weights have.
std::size_t compare_cells(const BindInput& input) {
  constexpr double kShare = 0.3;
  const std::size_t cells = elastic_cells(input);
  return cells < kBodyCells ? static_cast<std::size_t>(kShare * static_cast<double>(cells)) : cells;
}

// A piece of the mesh on a finer grid.
struct Piece {
  std::unique_ptr<Arena> arena;
  std::vector<std::size_t> joints;  // per joint of the piece: that of the whole
};

class Comparison {
 public:
  explicit Comparison(const CompareRequest& request) : request_(request) {}

  Result<CompareReport> run(const Rig& rig) {
    CompareReport report;
    SINEW_TRY(whole_, Arena::open(rig, request_.voxels, compare_cells, request_.progress));
    SINEW_CHECK(assign_arenas(report.warnings));
    SINEW_TRY(const std::vector<ComparePose> poses,
              compare_poses(whole_->rig(), whole_->surface(), arena_of_, request_));
    std::vector<MethodPair> pairs = usual_pairs();
    if (!rig.flesh.empty()) pairs.insert(pairs.begin(), {"elastic", "flesh"});
    for (const MethodPair& pair : request_.pairs)
      if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) pairs.push_back(pair);
    SINEW_CHECK(whole_->enlist(pairs, request_));
    for (const Piece& piece : pieces_) {
      SINEW_CHECK(piece.arena->enlist(pairs, request_));
      report.pieces.push_back(piece.arena->rig().mesh);
    }
    report.voxels = whole_->grid().vertex_count();
    SINEW_CHECK(judge(poses, report));
    if (request_.rotations > 0) {
      SINEW_TRY(report.rotations, rotations());
    }
    SINEW_TRY(report.convergence, compare_convergence(*whole_, request_.progress));
    return report;
  }

 private:
  // The whole body for every joint that its grid resolves, and for those asked for by name; a piece of it for
  // those that its grid resolves; none for the rest.
  Result<void> assign_arenas(std::vector<std::string>& warnings) {
    const Surface& surface = whole_->surface();
    const double cell = whole_->grid().cell_size();
    SINEW_TRY(std::vector<std::uint8_t> wanted, wanted_joints(whole_->rig(), surface, request_));
    for (std::size_t bone = 0; bone < wanted.size(); ++bone) {
      // A joint that moves everything deforms nothing.
      const auto below = bones_below(surface.parents, bone);
      if (std::find(below.begin(), below.end(), 0) == below.end()) wanted[bone] = 0;
    }
    arena_of_.assign(wanted.size(), kNoArena);
    for (std::size_t bone = 0; bone < wanted.size(); ++bone)
      if (wanted[bone] && resolves(cell, surface.bones[bone])) arena_of_[bone] = 0;
    for (const ShortBonePatch& around : short_bone_patches(surface.input(), cell)) {
      const auto asked_for = [&](std::size_t bone) { return wanted[bone] && arena_of_[bone] == kNoArena; };
      if (std::none_of(around.of_whole.begin(), around.of_whole.end() - 1, asked_for)) continue;
      SINEW_CHECK(open_piece(around, asked_for));
    }
    std::size_t left_out = 0;
    for (std::size_t bone = 0; bone < wanted.size(); ++bone) {
      if (!wanted[bone] || arena_of_[bone] != kNoArena) continue;
      if (request_.joints.empty())
        ++left_out;
      else
        arena_of_[bone] = 0;
    }
    if (left_out > 0)
      warnings.push_back(fmt::format(
          "{} joints were left out, whose bones are shorter than 4 cells: the reference does not resolve "
          "them; name them, or make the grid finer with more voxels",
          left_out));
    return {};
  }

  // A piece that cannot be made, is not finer, or comes apart when it is cut out, is left out.
  template <class AskedFor>
  Result<void> open_piece(const ShortBonePatch& around, const AskedFor& asked_for) {
    const Surface& surface = whole_->surface();
    if (!around.holds_what_hangs_on_it(surface.parents)) return {};
    auto cut = cut_piece(whole_->rig(), surface, around);
    if (!cut.ok()) return {};
    auto opened = Arena::open(
        std::move(cut->rig), 0,
        [&](const BindInput&) { return std::min(kPatchCells, compare_cells(surface.input())); },
        request_.progress);
    if (!opened.ok() && opened.error().code == ErrorCode::kCancelled) return opened.error();
    if (!opened.ok()) return {};
    const double cell = (*opened)->grid().cell_size();
    if (!around.gains_by(cell) || !(*opened)->hangs_together()) return {};
    for (std::size_t k = 0; k + 1 < around.of_whole.size(); ++k)
      if (const std::size_t bone = around.of_whole[k]; asked_for(bone) && resolves(cell, surface.bones[bone]))
        arena_of_[bone] = pieces_.size() + 1;
    pieces_.push_back({*std::move(opened), std::move(cut->joints)});
    return {};
  }

  Result<void> judge(std::span<const ComparePose> poses, CompareReport& report) {
    const std::size_t step =
        request_.pictures == 0 ? 0 : (poses.size() + request_.pictures - 1) / request_.pictures;
    for (std::size_t k = 0; k < poses.size(); ++k) {
      if (is_cancelled(request_.progress)) return cancelled();
      sinew::report(request_.progress, "comparing",
                    static_cast<double>(k) / static_cast<double>(poses.size()));
      const bool keep = step > 0 && k % step == 0;
      if (poses[k].arena == 0) {
        SINEW_TRY(PoseFigures figures, whole_->judge(poses[k], keep, *whole_, poses[k], request_.progress));
        report.poses.push_back(std::move(figures));
      } else {
        const Piece& piece = pieces_[poses[k].arena - 1];
        SINEW_TRY(PoseFigures figures, piece.arena->judge(pose_of_piece(poses[k], piece.joints), keep,
                                                          *whole_, poses[k], request_.progress));
        report.poses.push_back(std::move(figures));
      }
    }
    return {};
  }

  Result<std::vector<JointRotations>> rotations() const {
    std::vector<RotationTask> tasks;
    const auto add = [&](std::vector<std::size_t> bones) {
      const std::size_t arena = arena_of_[bones.front()];
      if (arena == 0)
        tasks.push_back({whole_.get(), {}, 0, std::move(bones)});
      else
        tasks.push_back({pieces_[arena - 1].arena.get(), pieces_[arena - 1].joints, arena, std::move(bones)});
    };
    for (std::size_t bone = 0; bone < arena_of_.size(); ++bone)
      if (arena_of_[bone] != kNoArena) add({bone});
    for (const auto& [bone, above] : neighbours(whole_->surface(), arena_of_)) add({above, bone});
    return compare_rotations(*whole_, tasks, request_.rotations, request_.progress);
  }

  const CompareRequest& request_;
  std::unique_ptr<Arena> whole_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> arena_of_;  // per bone
};

}  // namespace

std::vector<MethodPair> usual_pairs() {
  return {{"elastic", "swing-twist"}, {"elastic", "lbs"}, {"elastic", "dqs"}, {"bbw", "lbs"}, {"bbw", "dqs"},
          {"bbw", "swing-twist"}};
}

Result<CompareReport> compare(const Rig& rig, const CompareRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  SINEW_TRY(CompareReport report, Comparison(request).run(rig));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace sinew
