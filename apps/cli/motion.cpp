// SPDX-License-Identifier: Apache-2.0
#include "motion.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/text.h"
#include "words.h"

namespace sinew::cli {

Result<std::vector<RetargetedClip>> motion_clips(const Console& console, const std::string& file,
                                                 std::span<const std::string> names, const Rig& rig,
                                                 const std::string& rig_file,
                                                 const RetargetRequest& request) {
  SINEW_TRY(const Asset motion, console.read(file));
  console.warnings(file, motion.warnings);
  auto made = retarget_clips(motion.rig, names, rig, request);
  if (!made) {
    const Error problem = in_file(file, made.error());
    return problem.code == ErrorCode::kImpossible ? in_file(rig_file, problem) : problem;
  }
  const RetargetedClip& first = made->front();
  console.note(fmt::format("{}: {} of the rig follow the motion{}; {} of its joints have no counterpart{}",
                           file, counted(first.matched, "joint"),
                           first.humanoid ? ", matched as humanoids" : " by their names",
                           first.unmatched.size(), first_of(first.unmatched)));
  return made;
}

}  // namespace sinew::cli
