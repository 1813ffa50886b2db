// SPDX-License-Identifier: Apache-2.0
#include "motion.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/text.h"
#include "sinew/player/pose_request.h"
#include "words.h"

namespace sinew::cli {

Result<std::vector<RetargetedClip>> motion_clips(const Console& console, const std::string& file,
                                                 std::span<const std::string> names, const Rig& rig,
                                                 const std::string& rig_file,
                                                 const RetargetRequest& request) {
  SINEW_TRY(const Asset motion, console.read(file));
  console.warnings(file, motion.warnings);
  if (motion.rig.clips.empty()) return bad_input(fmt::format("{}: holds no motion", file));
  std::vector<std::size_t> wanted;
  for (const std::string& name : names) {
    auto clip = find_clip(motion.rig, name);
    if (!clip) return Error{clip.error().code, fmt::format("{}: {}", file, clip.error().message)};
    wanted.push_back(*clip);
  }
  if (names.empty())
    for (std::size_t c = 0; c < motion.rig.clips.size(); ++c) wanted.push_back(c);
  std::vector<RetargetedClip> made;
  for (const std::size_t c : wanted) {
    auto clip = retarget(motion.rig.clips[c], motion.rig, rig, request);
    if (!clip) {
      if (clip.error().code != ErrorCode::kImpossible) return clip.error();
      return Error{clip.error().code, fmt::format("{}: {}: {}", rig_file, file, clip.error().message)};
    }
    made.push_back(*std::move(clip));
  }
  const RetargetedClip& first = made.front();
  std::string list;
  for (std::size_t k = 0; k < std::min<std::size_t>(first.unmatched.size(), 12); ++k)
    list += (k == 0 ? ": " : ", ") + printable(first.unmatched[k], 40);
  if (first.unmatched.size() > 12) list += ", …";
  console.note(fmt::format("{}: {} of the rig follow the motion{}; {} of its joints have no counterpart{}",
                           file, counted(first.matched, "joint"),
                           first.humanoid ? ", matched as humanoids" : " by their names",
                           first.unmatched.size(), list));
  return made;
}

std::string fresh_clip_name(const Rig& rig, const std::string& name) {
  std::string fresh = name;
  const auto taken = [&] {
    return std::any_of(rig.clips.begin(), rig.clips.end(),
                       [&](const Clip& clip) { return clip.name == fresh; });
  };
  for (int k = 2; taken(); ++k) fresh = fmt::format("{} {}", name, k);
  return fresh;
}

}  // namespace sinew::cli
