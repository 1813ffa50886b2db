// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sinew/pipeline/rig_mesh.h"
#include "sinew/report/report_json.h"
#include "verbs.h"

namespace sinew::cli {

// The options that say how a skeleton is found; shared by `skeleton` and `rig`.
struct SkeletonOptions {
  std::string curves;  // where the curve skeleton is saved
  std::string names;   // a convention; empty: the template's or the file's own
  SkeletonRequest request;

  void add_to(const Verb& verb);

  // kImpossible with a sentence where no template fits; the curves are saved before, where asked for.
  Result<FoundSkeleton> find(const Console& console, const std::string& file,
                             std::span<const PolyMesh* const> poses) const;
  // The same for the mesh of a rig, which gets the skeleton; a named template that does not fit is stretched.
  Result<SkeletonFor> give(const Console& console, const std::string& file, Rig& rig) const;

 private:
  Result<void> keep_curves(const Console& console, const FoundSkeleton& found) const;
};

// Clips that move joints, and the warnings of how many of them a new skeleton took over and how many went.
std::size_t count_joint_clips(const Rig& rig);
void note_clips(const Console& console, const std::string& file, std::size_t before, std::size_t after);

std::string to_text(const FoundSkeleton& found);

}  // namespace sinew::cli
