// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/result.h"
#include "sinew/player/pose_request.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// Weights and a deformer that uses them, by their names; weights "own": those of the rig.
struct MethodPair {
  std::string weights, deformer;
  bool operator==(const MethodPair&) const = default;
};
/// elastic x swing-twist, elastic x lbs, elastic x dqs, bbw x lbs, bbw x dqs, bbw x swing-twist: always there.
std::vector<MethodPair> usual_pairs();

/// What to do: the parameters of compare().
struct CompareRequest {
  std::vector<MethodPair> pairs = {};  ///< beside the usual ones
  /// Poses of these alone; empty: of all that do not move everything and that a grid resolves, that of the body
  /// or that of a piece of it (the hand around its fingers).
  std::vector<std::string> joints = {};
  struct NamedPose {
    std::string name;
    PoseRequest pose;
  };
  std::vector<NamedPose> poses = {};  ///< beside these
  int clip_samples = 3;               ///< poses taken from the first clip
  int voxels = 0;                     ///< cells along the longest side; 0: chosen by the mesh
  std::size_t pictures = 4;           ///< poses whose shapes are kept for pictures
  /// Seeded rotations of every joint, and of every two neighbours together, that the fit of flesh did not
  /// sample (weights/held_out_turns.h); 0: none.
  int rotations = 0;
  const Progress* progress = nullptr;
};

/// How one pair did in one pose. Distances are over the diagonal of the mesh's box.
struct MethodFigures {
  MethodPair pair;
  double energy_ratio = 0;  ///< elastic energy over that of the reference
  double rms = 0, max = 0;  ///< distance to the reference
  double volume_change = 0;
  std::size_t self_intersections = 0;
  /// ShapeError's e_rms and e_rms_printed against the elastic reference, in the mesh's units. [luo2015] measures
  /// the same against frames of an animation: the numbers are not to be compared.
  double elastic_rms = 0, elastic_rms_printed = 0;
  /// Positions of the whole mesh without normals, on all threads, by a deformer that has seen no other frame:
  /// the best of three runs, or of as many as fit into a tenth of a second.
  double ms_per_frame = 0;
  bool extended = false;        ///< evaluated on the mesh and carried into the body, not in the body itself
  std::vector<Vec3> positions;  ///< of the mesh, where the pose is one for pictures
};

struct PoseFigures {
  /// "ForeArm bend 90 x", "ForeArm twist 90", "ForeArm bend+twist 90", "UpperArm and ForeArm bend 60 x", "clip
  /// walk 0.50"
  std::string name;
  std::size_t piece = 0;  ///< 0: judged on the whole mesh; k: on CompareReport::pieces[k - 1]
  double energy = 0;      ///< of the reference
  int iterations = 0;
  std::size_t self_intersections = 0;  ///< of the reference
  std::vector<Vec3> reference;         ///< the mesh, where the pose is one for pictures
  std::vector<MethodFigures> methods;
};

/// How fast the two energies of [kavan2012, Fig. 12] fall, summed over the same rotations of one joint in the
/// same part of the body: the full one over positions and the reduced one over weights, as relative distances
/// to their last value.
struct Convergence {
  std::string joint;
  std::size_t samples = 0;  ///< rotations
  std::vector<double> full, reduced;
  double full_seconds = 0, reduced_seconds = 0;  ///< that all their iterations took
};

/// Energies over that of the elastic reference, over rotations that were not sampled. elastic x flesh is fitted to the
/// grid of the comparison; stored x flesh is the least energy of an elastic body whose surface lies where the rig's own
/// flesh puts it, left out where no surface is judged.
struct RotationFigures {
  MethodPair pair;
  double worst = 1, mean = 1;
};
struct JointRotations {
  std::string joint, with;  ///< with: a neighbour that turns at the same time, or empty
  std::size_t piece = 0;    ///< as of PoseFigures
  std::size_t free = 0;     ///< grid vertices that the reference moves
  std::vector<RotationFigures> methods;
};

/// What compare() did.
struct CompareReport {
  std::vector<PoseFigures> poses;
  std::vector<PolyMesh> pieces;  ///< parts of the mesh that were judged on finer grids of their own
  Convergence convergence;
  std::vector<JointRotations> rotations;
  std::size_t voxels = 0;  ///< grid vertices
  double seconds = 0;
  std::vector<std::string> warnings;
};

/// Every pair in every pose against the elastic reference. Joints turn in bind
/// space about the axes of their frames. kImpossible: no joint deforms, or all move everything. kUsage: names
/// that are not there.
Result<CompareReport> compare(const Rig& rig, const CompareRequest& request);

}  // namespace sinew
