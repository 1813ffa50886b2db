// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "pipeline/compare_arenas.h"
#include "pipeline/compare_convergence.h"
#include "pipeline/compare_piece.h"
#include "pipeline/compare_rotations.h"
#include "pipeline/compare_weights.h"
#include "sinew/binding/flesh.h"
#include "sinew/core/counted.h"

namespace sinew {
namespace {

// Cells of a body of few triangles, for which elastic_cells means to bound the time of one solve: a comparison
// makes hundreds. Others get as many as weights have.
std::size_t compare_cells(const BindInput& input) {
  constexpr double kShare = 0.3;
  const std::size_t cells = elastic_cells(input);
  return cells < kBodyCells ? static_cast<std::size_t>(kShare * static_cast<double>(cells)) : cells;
}

class Comparison {
 public:
  explicit Comparison(const CompareRequest& request) : request_(request) {}

  Result<CompareReport> run(const Rig& rig) {
    CompareReport report;
    on_grid_of_flesh_ = !rig.flesh.empty() && request_.rotations > 0;
    flesh_options_.progress = request_.progress;
    const auto make_body = [&](const BindInput& input) {
      if (on_grid_of_flesh_) return make_flesh_body(input, request_.voxels, flesh_options_);
      return make_bone_body(input, request_.voxels, request_.progress, compare_cells(input));
    };
    SINEW_TRY(arenas_, Arenas::open(rig, make_body, request_.progress));
    Arena& whole = arenas_.whole();
    SINEW_CHECK(assign_arenas(report.warnings));
    SINEW_TRY(const std::vector<ComparePose> poses,
              compare_poses(whole.rig(), whole.surface(), arenas_.arena_of(), request_));
    std::vector<MethodPair> pairs = usual_pairs();
    if (!rig.flesh.empty()) pairs.insert(pairs.begin(), {"elastic", "flesh"});
    for (const MethodPair& pair : request_.pairs)
      if (pair.weights == WeightSets::kStored)
        return usage_error("flesh as it is stored is judged by rotations alone: ask for some");
      else if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end())
        pairs.push_back(pair);
    // In rotations alone, and behind all others.
    if (!rig.flesh.empty() && request_.rotations > 0)
      pairs.push_back({std::string(WeightSets::kStored), "flesh"});
    SINEW_CHECK(whole.enlist(pairs, request_));
    for (const Arenas::Piece& piece : arenas_.pieces()) {
      SINEW_CHECK(piece.arena->enlist(pairs, request_));
      report.pieces.push_back(piece.arena->rig().mesh);
    }
    report.voxels = whole.grid().vertex_count();
    SINEW_CHECK(judge(poses, report));
    if (request_.rotations > 0) {
      SINEW_TRY(report.rotations, rotations());
    }
    SINEW_TRY(report.convergence, compare_convergence(whole, request_.progress));
    return report;
  }

 private:
  // Joints asked for by name that no grid resolves are judged on the whole body.
  Result<void> assign_arenas(std::vector<std::string>& warnings) {
    const Surface& surface = arenas_.whole().surface();
    SINEW_TRY(const std::vector<std::uint8_t> asked, wanted_joints(arenas_.whole().rig(), surface, request_));
    const auto make_piece = [&](const BindInput& piece, const BindInput& all, std::size_t pieces) {
      if (on_grid_of_flesh_) return make_flesh_body(piece, all, pieces, flesh_options_);
      return make_bone_body(piece, 0, request_.progress, std::min(kPatchCells, compare_cells(all)));
    };
    SINEW_CHECK(arenas_.assign(asked, make_piece, request_.progress));
    const std::vector<std::uint8_t> wanted = deforming_joints(surface, asked);
    std::size_t left_out = 0;
    for (std::size_t bone = 0; bone < wanted.size(); ++bone) {
      if (!wanted[bone] || arenas_.arena_of()[bone] != kNoArena) continue;
      if (request_.joints.empty())
        ++left_out;
      else
        arenas_.arena_of()[bone] = 0;
    }
    if (left_out > 0)
      warnings.push_back(
          fmt::format("{} left out: bones shorter than 4 cells, which the reference does not resolve; name "
                      "such joints, or make the grid finer with more voxels",
                      counted(left_out, "joint was", "joints were")));
    return {};
  }

  Result<void> judge(std::span<const ComparePose> poses, CompareReport& report) {
    Arena& whole = arenas_.whole();
    const std::size_t step =
        request_.pictures == 0 ? 0 : (poses.size() + request_.pictures - 1) / request_.pictures;
    for (std::size_t k = 0; k < poses.size(); ++k) {
      if (is_cancelled(request_.progress)) return cancelled();
      sinew::report(request_.progress, "comparing",
                    static_cast<double>(k) / static_cast<double>(poses.size()));
      const bool keep = step > 0 && k % step == 0;
      if (poses[k].arena == 0) {
        SINEW_TRY(PoseFigures figures, whole.judge(poses[k], keep, whole, poses[k], request_.progress));
        report.poses.push_back(std::move(figures));
      } else {
        const Arenas::Piece& piece = arenas_.pieces()[poses[k].arena - 1];
        SINEW_TRY(PoseFigures figures, piece.arena->judge(pose_of_piece(poses[k], piece.joints), keep, whole,
                                                          poses[k], request_.progress));
        report.poses.push_back(std::move(figures));
      }
    }
    return {};
  }

  Result<std::vector<JointRotations>> rotations() const {
    std::vector<RotationTask> tasks;
    const std::vector<std::size_t>& arena_of = arenas_.arena_of();
    const auto add = [&](std::vector<std::size_t> bones) {
      const std::size_t arena = arena_of[bones.front()];
      if (arena == 0) {
        tasks.push_back({&arenas_.whole(), {}, 0, std::move(bones)});
        return;
      }
      const Arenas::Piece& piece = arenas_.pieces()[arena - 1];
      tasks.push_back({piece.arena.get(), piece.joints, arena, std::move(bones)});
    };
    for (std::size_t bone = 0; bone < arena_of.size(); ++bone)
      if (arena_of[bone] != kNoArena) add({bone});
    for (const auto& [bone, above] : neighbours(arenas_.whole().surface(), arena_of)) add({above, bone});
    return compare_rotations(arenas_.whole(), tasks, request_.rotations, request_.progress);
  }

  const CompareRequest& request_;
  // Where flesh is judged as it is stored, on the grid that it was fitted to: on another the body is not quite the same.
  bool on_grid_of_flesh_ = false;
  FleshOptions flesh_options_;
  Arenas arenas_;
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
