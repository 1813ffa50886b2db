// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/pipeline/rig_mesh.h"

// The long work of the studio, bytes in and bytes out: its server and its WebAssembly run the same.
namespace sinew {

/// A file in memory. The extension of the name picks the reader.
struct JobFile {
  std::string name;
  std::shared_ptr<const std::string> bytes;
};

/// What a job leaves: a file, and what is to be said about it.
struct JobOutput {
  std::string name, bytes;
  nlohmann::ordered_json report;
  std::vector<std::string> text;  ///< sentences
};

/// A mesh that is to become a rig, as `sinew rig` does it.
struct RigJob {
  JobFile file;
  std::string skeleton_template;   ///< a built-in one, or empty: the file's own skeleton, else the best fit
  std::vector<JointPlace> joints;  ///< where the user has put them; empty: found
  std::string weights = "bbw", names = "mixamo";
  std::string quality = "fast";  ///< flesh: also the data of the flesh deformer
};

/// A .glb with skeleton, weights and what every deformer needs; its report is that of `sinew rig --json`.
Result<JobOutput> run_rig_job(const RigJob& job, const Progress& progress);

/// The rig with what its body gives made anew, its skin weights kept: the data of the flesh deformer, or
/// (quality fast) the weights of joint-based deformers. `stiffness`: the vertex attribute that says how stiff
/// the flesh is; empty: the same everywhere. It acts on flesh alone: kUsage with quality fast.
struct SolveJob {
  JobFile file;
  std::string stiffness, quality = "flesh";
};
Result<JobOutput> run_solve_job(const SolveJob& job, const Progress& progress);

/// The rig as plain skinning, as `sinew export --for TARGET` writes it; its report is the certificate.
struct ExportJob {
  JobFile file;
  std::string target = "web";  ///< a name of find_export_target() that is not VRM
  int influences = 4;          ///< 4 or 8
  std::size_t helpers = 24, morphs = 16;
  bool keep = false;  ///< what sinew's own deformers need
};
Result<JobOutput> run_export_job(const ExportJob& job, const Progress& progress);

/// The rig with the clips of a motion behind its own, as `sinew retarget` makes them.
struct RetargetJob {
  JobFile file, motion;
  bool keep_feet = true;
};
Result<JobOutput> run_retarget_job(const RetargetJob& job, const Progress& progress);

/// The vertices of a rig in the file's own pose by the elastic deformer: float32 x, y, z, world space.
Result<JobOutput> run_reference_job(const JobFile& file, const Progress& progress);

/// What `sinew check --json` says of a rig, as bytes and report; its text has the grade and the joints that
/// stand out, worst first.
Result<JobOutput> run_check_job(const JobFile& file, const Progress& progress);

}  // namespace sinew
