// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "file_store.h"
#include "jobs.h"
#include "sinew/pipeline/rig_mesh.h"

namespace sinew::studio {

// A mesh that is to become a rig, as `sinew rig` does it.
struct RigJob {
  StoredFile file;
  std::string skeleton_template;   // a built-in one, or empty: the file's own skeleton, else the best fit
  std::vector<JointPlace> joints;  // where the user has put them; empty: found
  std::string weights = "bbw", names = "mixamo";
  std::string quality = "fast";  // flesh: also the data of the flesh deformer
};

// A .glb with skeleton, weights and what every deformer needs; its report is that of `sinew rig --json`.
Result<JobOutput> run_rig_job(const RigJob& job, const Progress& progress);

// The vertices of a rig in the file's own pose by the elastic deformer: float32 x, y, z, world space.
Result<JobOutput> run_reference_job(const StoredFile& file, const Progress& progress);

// What `sinew check --json` says of a rig, as bytes and report; its text has the grade and the joints that
// stand out, worst first.
Result<JobOutput> run_check_job(const StoredFile& file, const Progress& progress);

}  // namespace sinew::studio
