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

struct CompareRequest {
  std::vector<MethodPair> pairs = {};  ///< beside the usual ones
  /// Poses of these alone; empty: of all that do not move everything and that the grid resolves.
  std::vector<std::string> joints = {};
  struct NamedPose {
    std::string name;
    PoseRequest pose;
  };
  std::vector<NamedPose> poses = {};  ///< beside these
  int clip_samples = 3;               ///< poses taken from the first clip
  int voxels = 0;                     ///< cells along the longest side; 0: chosen by the mesh
  std::size_t pictures = 8;           ///< poses whose shapes are kept for pictures
  const Progress* progress = nullptr;
};

/// How one pair did in one pose. Distances are over the diagonal of the mesh's box, E_RMS in its units.
struct MethodFigures {
  MethodPair pair;
  double energy_ratio = 0;  ///< elastic energy over that of the reference
  double rms = 0, max = 0;  ///< distance to the reference
  double volume_change = 0;
  std::size_t self_intersections = 0;
  double e_rms = 0, e_rms_printed = 0;
  double ms_per_frame = 0;
  bool extended = false;        ///< evaluated on the mesh and carried into the body, not in the body itself
  std::vector<Vec3> positions;  ///< of the mesh, where the pose is one for pictures
};

struct PoseFigures {
  std::string name;   ///< "ForeArm bend 90 x", "ForeArm twist 90", "ForeArm bend+twist 90", "clip walk 0.50"
  double energy = 0;  ///< of the reference
  int iterations = 0;
  std::size_t self_intersections = 0;  ///< of the reference
  std::vector<Vec3> reference;         ///< the mesh, where the pose is one for pictures
  std::vector<MethodFigures> methods;
};

/// How fast the two energies of [kavan2012, Fig. 12] fall: the full one over positions and the reduced one
/// over weights, as relative distances to their last value.
struct Convergence {
  std::string joint;
  std::vector<double> full, reduced;
};

struct CompareReport {
  std::vector<PoseFigures> poses;
  Convergence convergence;
  std::size_t voxels = 0;  ///< grid vertices
  double seconds = 0;
  std::vector<std::string> warnings;
};

/// Every pair in every pose against the elastic reference. Joints turn in bind
/// space about the axes of their frames. kImpossible: no joint deforms, or all move everything. kUsage: names
/// that are not there.
Result<CompareReport> compare(const Rig& rig, const CompareRequest& request);

}  // namespace sinew
