// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pipeline/export_poses.h"
#include "sinew/weights/morph_fit.h"

namespace sinew {

struct FittedHelper {
  std::size_t parent = 0;
  HelperDriver driver;
};

// What a plain player gets, before it is a rig.
struct FittedExport {
  SkinWeights weights;  // joints of the source, then helpers
  std::vector<FittedHelper> helpers;
  std::vector<DrivenMorph> morphs;
  std::vector<double> helper_errors;  // over the diagonal
  std::vector<MorphError> morph_errors;
};
Result<FittedExport> fit_export(ExportSource& source, const ExportRequest& request);

// Where a helper's frame lies in bind space: at its parent's axes (with a share of a turn: y along the
// bone, or those of the joint that it turns with), its origin where it turns about.
Affine3 helper_bind(const ExportSource& source, const FittedHelper& helper);
// Its local transform for what it does before its parent.
Affine3 helper_local(const ExportSource& source, const FittedHelper& helper, const Affine3& move);

// A clip of the source with keys for helpers and morphs, which are fitted frame by frame; the channels of its
// joints stay as they are. Joints of helpers and keys of morphs come behind those of the source.
Result<Clip> keyed_clip(ExportSource& source, const FittedExport& fitted, const Clip& clip, double fps,
                        const Progress* progress);

}  // namespace sinew
