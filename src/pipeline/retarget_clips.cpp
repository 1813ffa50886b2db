// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "sinew/pipeline/retarget.h"
#include "sinew/player/pose_request.h"

namespace sinew {

Result<std::vector<RetargetedClip>> retarget_clips(const Rig& source, std::span<const std::string> names,
                                                   const Rig& target, const RetargetRequest& request) {
  if (source.clips.empty()) return bad_input("holds no motion");
  std::vector<std::size_t> wanted;
  for (const std::string& name : names) {
    SINEW_TRY(const std::size_t clip, find_clip(source, name));
    wanted.push_back(clip);
  }
  if (names.empty())
    for (std::size_t c = 0; c < source.clips.size(); ++c) wanted.push_back(c);
  std::vector<RetargetedClip> made;
  for (const std::size_t c : wanted) {
    SINEW_TRY(RetargetedClip clip, retarget(source.clips[c], source, target, request));
    made.push_back(std::move(clip));
  }
  return made;
}

std::size_t add_clip(Rig& rig, Clip clip) {
  const std::string name = clip.name;
  const auto taken = [&] {
    return std::any_of(rig.clips.begin(), rig.clips.end(),
                       [&](const Clip& other) { return other.name == clip.name; });
  };
  for (int k = 2; taken(); ++k) clip.name = fmt::format("{} {}", name, k);
  rig.clips.push_back(std::move(clip));
  return rig.clips.size() - 1;
}

}  // namespace sinew
