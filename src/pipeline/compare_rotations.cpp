// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compare_rotations.h"

#include <algorithm>

#include "pipeline/compare_piece.h"
#include "pipeline/held_surface.h"
#include "sinew/core/parallel.h"
#include "sinew/core/piece_progress.h"
#include "sinew/rig/composed_joints.h"
#include "sinew/weights/held_out_turns.h"

namespace sinew {
namespace {

constexpr double kRotationTolerance = 3e-5;  // of the reference
constexpr int kRotationIterations = 150;
constexpr std::size_t kProbes = 3;  // poses that tell which cells bend

// The turns of one joint: others for every joint, the same whatever turns beside it.
std::vector<Mat3> rotations_of(const Arena& whole, std::size_t bone, std::size_t count) {
  const Surface& surface = whole.surface();
  const JointFrame frame = joint_frame(surface.bones, surface.parents, bone);
  const MotionRange range = whole.rig().flesh.empty() ? MotionRange{} : whole.rig().flesh.range;
  std::vector<Mat3> turns;
  for (const Vec3& turn : held_out_turns(range, count, static_cast<std::uint32_t>(bone + 1)))
    turns.push_back(rotation_of(frame, turn));
  return turns;
}

// The cells in which some contestant bends: elsewhere all move with one joint and cost nothing. Found in a few
// of the poses.
SubGrid bent_cells(const Arena& arena, std::span<const Contestant* const> judged,
                   std::span<Runner::Memory> memories, const CompareReference::Band& band,
                   std::span<const ComparePose> poses) {
  constexpr double kStill = 1e-5;  // of a cell
  const VoxelGrid& grid = arena.grid();
  const GridPositions& rest = arena.reference().model().rest();
  std::vector<std::uint8_t> bent(grid.vertex_count(), 0);
  for (const ComparePose& pose : poses)
    for (std::size_t m = 0; m < judged.size(); ++m) {
      const GridPositions v = arena.posed_grid(*judged[m], pose, memories[m]);
      for (std::size_t i = 0; i < bent.size(); ++i) {
        const int carrier = band.carrier[i];
        const auto row = static_cast<Eigen::Index>(i);
        const Vec3 p = rest.row(row).transpose();
        const Vec3 moved = carrier >= 0 ? pose.matrices[static_cast<std::size_t>(carrier)] * p : p;
        if (carrier == CompareReference::kFree ||
            (v.row(row).transpose() - moved).norm() > kStill * grid.cell_size())
          bent[i] = 1;
      }
    }
  std::vector<std::uint8_t> keep(grid.cell_count(), 0);
  const auto corners = grid.all_cell_vertices();
  for (std::size_t c = 0; c < keep.size(); ++c)
    keep[c] = std::any_of(corners[c].begin(), corners[c].end(), [&](std::uint32_t v) {
      return bent[v] || band.carrier[v] != band.carrier[corners[c][0]];
    });
  return select_cells(grid, keep);
}

// What tells the energy of flesh as a file stores it: only its surface is known.
struct Stored {
  HeldSurface surface;
  ElasticBody body;

  // Nothing where the flesh has no surface that the arena decides.
  static Result<std::optional<Stored>> build(const Arena& arena, const CompareReference::Band& band) {
    HeldSurface surface(arena.rig().mesh, arena.decided(), band.part->grid, band.fixed);
    if (surface.empty()) return std::optional<Stored>();
    SINEW_TRY(ElasticBody body, arena.reference().sprung_body(band, surface.springs()));
    return std::optional<Stored>(Stored{std::move(surface), std::move(body)});
  }
};

Result<JointRotations> judge_rotations(const Arena& whole, const RotationTask& task, std::size_t count,
                                       const Progress* progress) {
  const Arena& arena = *task.arena;
  const Surface& surface = whole.surface();
  JointRotations result;
  result.joint = surface.names[task.bones.back()];
  if (task.bones.size() > 1) result.with = surface.names[task.bones.front()];
  result.piece = task.piece;
  std::vector<std::vector<Mat3>> turns;
  for (const std::size_t bone : task.bones) turns.push_back(rotations_of(whole, bone, count));
  std::vector<const Contestant*> judged;
  std::vector<Runner::Memory> memories;
  const Contestant* stored = nullptr;
  for (const Contestant& one : arena.contestants())
    if (one.grid && one.pair.weights == "elastic") {
      judged.push_back(&one);
      memories.push_back(one.grid->memory());
      result.methods.push_back({one.pair, 1, 0});
    } else if (one.pair.weights == WeightSets::kStored) {
      stored = &one;
    }
  std::vector<std::size_t> turned;
  for (const std::size_t bone : task.bones)
    turned.push_back(task.joints.empty()
                         ? bone
                         : static_cast<std::size_t>(std::find(task.joints.begin(), task.joints.end(), bone) -
                                                    task.joints.begin()));
  std::sort(turned.begin(), turned.end());
  SINEW_TRY(const CompareReference::Band band, arena.reference().band(turned));
  result.free = static_cast<std::size_t>(std::count(band.fixed.begin(), band.fixed.end(), 0));
  std::vector<ComparePose> poses;
  for (std::size_t k = 0; k < turns.front().size(); ++k) {
    std::vector<JointTurn> joint_turns;
    for (std::size_t b = 0; b < task.bones.size(); ++b) joint_turns.push_back({task.bones[b], turns[b][k]});
    poses.push_back(turned_pose(whole.rig(), surface, joint_turns, {}));
    if (!task.joints.empty()) poses.back() = pose_of_piece(poses.back(), task.joints);
  }
  const SubGrid part =
      bent_cells(arena, judged, memories, band, std::span(poses).first(std::min(kProbes, poses.size())));
  if (part.vertices.empty()) return result;
  const Corotational model(part.grid);
  std::optional<Stored> held;
  if (stored && band.body) {
    SINEW_TRY(held, Stored::build(arena, band));
    if (held) result.methods.push_back({stored->pair, 1, 0});
  }
  Runner::Memory memory = stored ? stored->mesh.memory() : Runner::Memory();
  for (const ComparePose& pose : poses) {
    if (is_cancelled(progress)) return cancelled();
    std::vector<double> energies;
    GridPositions start;
    for (std::size_t m = 0; m < judged.size(); ++m) {
      GridPositions v = arena.posed_grid(*judged[m], pose, memories[m]);
      energies.push_back(model.energy(v(part.vertices, Eigen::all)));
      if (m == 0 || energies.back() < *std::min_element(energies.begin(), energies.end() - 1))
        start = std::move(v);
    }
    ElasticOptions options{
        .tolerance = kRotationTolerance, .max_iterations = kRotationIterations, .progress = progress};
    const ElasticBody::Solution reference = arena.reference().solve(band, pose, start, options);
    const double least = reference.energy;
    if (held) {
      stored->mesh.run(pose, memory);
      const GridPositions places = held->surface.places(memory.out);
      options.places = &places;
      energies.push_back(
          arena.reference().solve(band, pose, reference.positions, options, &held->body).energy);
    }
    for (std::size_t m = 0; m < energies.size(); ++m) {
      const double ratio = least > 0 ? energies[m] / least : 1;
      RotationFigures& figures = result.methods[m];
      figures.worst = std::max(figures.worst, ratio);
      figures.mean += ratio / static_cast<double>(poses.size());
    }
  }
  return result;
}

}  // namespace

Result<std::vector<JointRotations>> compare_rotations(const Arena& whole, std::span<const RotationTask> tasks,
                                                      int count, const Progress* progress) {
  std::vector<JointRotations> results(tasks.size());
  std::vector<std::optional<Error>> errors(tasks.size());
  PieceProgress done(progress, "rotations", tasks.size());
  // A piece of this loop is one joint or two, for any number of threads.
  parallel_for(tasks.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      auto judged = is_cancelled(progress)
                        ? Result<JointRotations>(cancelled())
                        : judge_rotations(whole, tasks[k], static_cast<std::size_t>(count), progress);
      if (judged.ok())
        results[k] = *std::move(judged);
      else
        errors[k] = judged.error();
      done.add();
    }
  });
  for (const auto& error : errors)
    if (error) return *error;
  return results;
}

}  // namespace sinew
