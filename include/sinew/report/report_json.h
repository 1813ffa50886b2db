// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sinew/batch/run_batch.h"
#include "sinew/binding/bind.h"
#include "sinew/pipeline/auto_rig.h"
#include "sinew/pipeline/cage.h"
#include "sinew/pipeline/check.h"
#include "sinew/pipeline/compare.h"
#include "sinew/pipeline/export.h"
#include "sinew/pipeline/inspect.h"
#include "sinew/pipeline/retarget.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// Reports as the command line, the studio and Python give them; whoever includes this needs nlohmann-json.
nlohmann::ordered_json to_json(const BindReport& report);

/// {done, failed, skipped, waiting, seconds, busy, jobs[{line, verb, out, exit, seconds, cpu_seconds, peak_mb,
/// attempts, skipped, message}]}; the figures of a job that has not ended are null.
nlohmann::ordered_json to_json(const BatchReport& report);

/// {grade, joints[{name, grade, energy_ratio, reasons[]}], unweighted, max_row_error, influences, islands, torn,
/// strays, mirrored, intersections, faulty_vertices[], seconds}, and against another rig cd_j2j, cd_j2b, cd_b2b, the
/// same with _deforming, l1, precision, recall. Null: the grade of a joint that carries nothing, an energy that was not measured, weights of other
/// joints.
nlohmann::ordered_json to_json(const CheckReport& report);

/// {seconds, controls, cells, nodes, pieces, min, max_row_error, reproduction_error, dropped, entries, outside,
/// cycles}.
nlohmann::ordered_json to_json(const CageReport& report);

/// {name, motion, seconds, frames, matched, unmatched[], humanoid, contacts, foot_slide, worst_slide,
/// worst_joint, worst_degrees, mean_degrees}; slides are null without contacts, degrees without bones that
/// could be compared. `motion`: the file that it came from.
nlohmann::ordered_json to_json(const RetargetedClip& clip, const std::string& motion);

/// [{name, parent, position}], the deforming joints with their heads in bind space.
nlohmann::ordered_json joints_to_json(const Rig& rig);
/// The same for all joints of a skeleton at rest.
nlohmann::ordered_json joints_to_json(const Skeleton& skeleton);

/// joints, template, confidence, costs, curves, milliseconds.
nlohmann::ordered_json to_json(const FoundSkeleton& found);
/// What `sinew info` prints.
nlohmann::ordered_json to_json(const AssetReport& report);
/// What `sinew compare` prints and writes as report.json.
nlohmann::ordered_json to_json(const CompareReport& report);
/// What `sinew export` prints and stores in the file.
nlohmann::ordered_json to_json(const Certificate& certificate);

}  // namespace sinew
