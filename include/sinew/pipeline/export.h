// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/io/gltf.h"
#include "sinew/pipeline/check.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/rig/rig.h"

namespace sinew {

struct ExportRequest {
  std::size_t influences = 4;             ///< joints of a vertex, at most
  std::size_t helpers = 24, morphs = 16;  ///< at most
  /// The fewest helpers, then morphs, whose 99.9 % error over the clips (without clips: over the range of
  /// motion) is below this share of the mesh's diagonal; 0: as many as there may be.
  double tolerance = 0;
  std::vector<std::size_t> clips = {};  ///< that are kept
  double fps = 30;                      ///< keys of helpers and morphs
  bool keep = false;                    ///< what sinew's own deformers need
  int reference_poses = 4;              ///< in which the elastic body is solved
  bool grade = true;                    ///< what check() says of the weights, before and after
  std::size_t pictures = 0;  ///< poses whose shapes are kept, of the clips and of the range of motion each
  DeformChoice deform = {};  ///< what is baked
  const Progress* progress = nullptr;
};

/// Distances over the diagonal of the mesh, over all vertices of some poses.
struct ErrorFigures {
  double rms = 0, p999 = 0, max = 0;
  std::size_t poses = 0;
};

/// The error of a fit with a number of morphs.
struct MorphError {
  std::size_t morphs = 0;
  double rms = 0;
};

/// What an exported rig shows, against what the source's deformer makes of the same poses.
struct Certificate {
  std::size_t influences = 0, joints = 0, helpers = 0, morphs = 0;
  ErrorFigures held_out;  ///< poses of the range of motion that nothing was fitted to; drivers alone
  ErrorFigures idle;      ///< the same where nobody runs the drivers: helpers and morphs as at rest
  ErrorFigures plain;     ///< the same by the source's own weights, without all of this
  ErrorFigures clips;     ///< the clips, between their keys
  ErrorFigures plain_clips;
  std::optional<double> elastic_rms, plain_elastic_rms;  ///< distance to the elastic body
  /// Of check(), as any player shows the rig: drivers idle; and of the source's own weights. None: not asked for,
  /// or nothing that check() takes.
  std::optional<Grade> grade, plain_grade;
  double diagonal = 0;
  /// The rms of the fit with 0, 1, 2, … helpers; never rises.
  std::vector<double> helper_errors;
  /// The same over some numbers of morphs, helpers driven.
  std::vector<MorphError> morph_errors;
};

/// One pose as the source's deformer has it, as the exported rig is played, and by the source's own weights
/// alone; all counted from the same origin.
struct ExportedPose {
  std::string name;
  double rms = 0;  ///< of the exported rig, over the diagonal
  std::vector<Vec3> source, exported, plain;
};

/// A rig that any player of linear blend skinning and morph targets shows nearly as its source. Its joints are
/// those of the source, helpers behind them.
struct ExportedRig {
  Rig rig;  ///< with drivers
  Certificate certificate;
  std::vector<ExportedPose> poses;          ///< those with the largest errors, clips first
  std::vector<std::string> made, warnings;  ///< a sentence each
};

/// Any stack of deformers as linear blend skinning with helper joints and corrective morph targets, fitted to
/// poses of the range of motion and of the clips, in which helpers and morphs are keyed. kImpossible: nothing
/// is skinned. Fails as ready_deformer and as frames do.
Result<ExportedRig> export_plain(const Rig& rig, const ExportRequest& request);

/// How write_gltf() writes it over the file that `source` came from: what it replaces, morph targets stored
/// sparse.
GltfWriteOptions export_write_options(const Rig& source, const ExportedRig& made,
                                      const ExportRequest& request);

}  // namespace sinew
