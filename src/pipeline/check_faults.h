// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pipeline/check_energy.h"
#include "sinew/pipeline/check.h"

namespace sinew {

// A rig as its faults are looked for: welded, with what every joint carries.
struct CheckedRig {
  const Rig* rig = nullptr;
  Surface surface;
  std::vector<std::uint32_t> copies;     // of copies_of
  SkinWeights rows;                      // per welded vertex
  Eigen::MatrixXd shares;                // of carried_shares
  std::vector<std::uint8_t> on_control;  // per joint: as_chains hung it on another one
  double diagonal = 1;
  MotionRange range;
};
Result<CheckedRig> make_checked_rig(const Rig& rig, const MotionRange& range);

// One fault of a joint.
struct JointFault {
  std::size_t joint = 0;
  bool fatal = false;  // grade F
  std::string reason;
};

// Each adds the faults of one kind, and its figure to the report.
using Faults = std::vector<JointFault>;
void find_row_faults(const CheckedRig& checked, const CheckRequest& request, CheckReport& report,
                     Faults& faults);
void find_strays(const CheckedRig& checked, CheckReport& report, Faults& faults);
void find_open_seams(const CheckedRig& checked, CheckReport& report, Faults& faults);
void find_loose_islands(const CheckedRig& checked, CheckReport& report, Faults& faults);
void find_torn_edges(const CheckedRig& checked, CheckReport& report, Faults& faults);
void find_mirror_faults(const CheckedRig& checked, CheckReport& report, Faults& faults);
// energies: of joint_energies, or empty.
void find_candy_wraps(const CheckedRig& checked, std::span<const JointEnergy> energies, Faults& faults);
Result<void> find_intersections(const CheckedRig& checked, const Progress* progress, CheckReport& report,
                                Faults& faults);

}  // namespace sinew
