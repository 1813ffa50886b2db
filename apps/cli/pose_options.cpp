// SPDX-License-Identifier: Apache-2.0
#include "pose_options.h"

#include <fmt/format.h>

#include "sinew/core/file.h"
#include "sinew/core/text.h"
#include "sinew/io/handle_files.h"
#include "sinew/pipeline/stack.h"

namespace sinew::cli {

void PoseOptions::add_changes_to(const Verb& verb) {
  verb.repeatable("--set", set,
                  "JOINT=X,Y,Z: turn a joint, degrees about the world axes of the rest pose; repeatable");
  verb.repeatable("--stretch", stretch,
                  "BONE=F: its length times F, all beyond it carried along; repeatable");
  verb.repeatable("--twist", twist,
                  "BONE=A,B: degrees of twist at its two ends, for stbs-lbs and stbs-dqs; repeatable");
  verb.repeatable("--key", keys, "NAME=W: weight of a shape key; repeatable");
}

void PoseOptions::add_pose_to(const Verb& verb) {
  add_changes_to(verb);
  verb.option("--clip", clip, "the pose of this clip (a name or a number)");
  verb.option("--time", time, "seconds into the clip, clamped").needs("--clip");
}

void PoseOptions::add_deformer_to(const Verb& verb) {
  std::string help = "how the mesh follows (+mush behind a name adds delta mush):";
  for (const DeformerMethod& method : deformer_methods())
    help += fmt::format("\n  {:<12}{}", method.name, method.summary);
  // Options that a rig can store: what the user gives wins, so each remembers whether it was given.
  const auto stored = [&](auto member, const char* name, const std::string& text) {
    const Option option = verb.option(name, deform.*member, text);
    given.push_back([this, option, member](DeformRequest& request) {
      if (option.given()) request.*member = deform.*member;
    });
    return option;
  };
  stored(&DeformRequest::deformer, "--deformer", help).show_default("the rig's own, else lbs");
  stored(&DeformRequest::mix, "--mix", "for mix: 0 is lbs, 1 is dqs").show_default();
  stored(&DeformRequest::blend, "--blend", "for decomposed: polar or explog").show_default();
  verb.repeatable(
      "--joint", joint_blends,
      fmt::format("JOINT=BLEND: how a joint blends in swing-twist, {}; repeatable", blend_names()));
  stored(&DeformRequest::segments, "--segments", "for curve: segments of a bone").show_default();
  stored(&DeformRequest::ease, "--ease", "for curve: length of the handles, in thirds of the bone")
      .show_default();
  stored(&DeformRequest::amount, "--amount", "for volume: how much of it is kept, 0 to 1").show_default();
  stored(&DeformRequest::mush_passes, "--mush-passes", "for +mush: rounds of smoothing").show_default();
  stored(&DeformRequest::mush_step, "--mush-step", "for +mush: how far a round goes, 0 to 1").show_default();
  stored(&DeformRequest::iterations, "--iterations", "for arap and points: steps towards the least energy");
  verb.repeatable("--handle", handles,
                  "VERTEX=X,Y,Z: for arap, where a vertex goes, world space; repeatable");
  verb.option("--handles", handle_file,
              "a .json of such places: [{\"vertex\":I,\"position\":[x,y,z]}], for points "
              "[{\"handle\":H,\"position\":[x,y,z],\"rotation\":[x,y,z,w]}]");
  stored(&DeformRequest::key_space, "--key-space", "how keys are blended: object, tangent or differential")
      .show_default();
  stored(&DeformRequest::place, "--place",
         "for differential: components go to their own centre (own), or small ones with the body (body)")
      .show_default();
  stored(&DeformRequest::springs, "--springs",
         "for differential: weight of springs through the body that hold its volume")
      .show_default();
  stored(&DeformRequest::remove, "--remove", "rotation or scale: taken out of what the deformer makes");
  const Option fast =
      verb.flag("--fast-twist", deform.fast_twist, "for swing-twist: no trigonometry, 0.001 radians off");
  given.push_back([this, fast](DeformRequest& request) {
    if (fast.given()) request.fast_twist = deform.fast_twist;
  });
  verb.option("--voxels", deform.voxels,
              "cells along the longest side of the voxel body, where one has to be made")
      .range(0, 1024);
  verb.repeatable(
      "--stiffness", stiffness,
      "JOINT=K: for elastic, how stiff the flesh of a bone is (1: as the rest); or the name of a vertex "
      "attribute that holds it; repeatable");
}

Result<std::pair<std::string, std::vector<double>>> parse_assignment(const std::string& option,
                                                                     const std::string& text,
                                                                     std::size_t count) {
  const std::size_t equals = text.rfind('=');
  const Error problem = usage_error(fmt::format("{} '{}': give NAME={}", option, printable(text),
                                                count == 3   ? "X,Y,Z"
                                                : count == 2 ? "A,B"
                                                             : "NUMBER"));
  if (equals == std::string::npos || equals == 0) return problem;
  std::vector<double> numbers;
  std::string_view rest = std::string_view(text).substr(equals + 1);
  for (;;) {
    const std::size_t comma = rest.find(',');
    const auto number = parse_double(rest.substr(0, comma));
    if (!number) return problem;
    numbers.push_back(*number);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (numbers.size() != count) return problem;
  return std::pair(text.substr(0, equals), numbers);
}

Result<PoseRequest> PoseOptions::request() const {
  PoseRequest request;
  for (const std::string& text : set) {
    SINEW_TRY(const auto turn, parse_assignment("--set", text, 3));
    request.turns.push_back({turn.first, Vec3(turn.second[0], turn.second[1], turn.second[2])});
  }
  for (const std::string& text : stretch) {
    SINEW_TRY(const auto bone, parse_assignment("--stretch", text, 1));
    request.stretches.push_back({bone.first, bone.second[0]});
  }
  for (const std::string& text : twist) {
    SINEW_TRY(const auto bone, parse_assignment("--twist", text, 2));
    request.twists.push_back({bone.first, bone.second[0], bone.second[1]});
  }
  for (const std::string& text : keys) {
    SINEW_TRY(const auto key, parse_assignment("--key", text, 1));
    request.keys.push_back({key.first, key.second[0]});
  }
  if (!clip.empty()) request.clip = clip;
  request.time = time;
  return request;
}

namespace {

// What --handle and --handles say.
Result<void> read_handles(const PoseOptions& options, DeformRequest& request) {
  for (const std::string& text : options.handles) {
    SINEW_TRY(const auto handle, parse_assignment("--handle", text, 3));
    const auto vertex = parse_int(handle.first);
    if (!vertex || *vertex < 0 || *vertex > 0xfffffffe)
      return usage_error(
          fmt::format("--handle '{}': give VERTEX=X,Y,Z, the vertex by its number from 0", printable(text)));
    request.handles.push_back(
        {static_cast<std::uint32_t>(*vertex), Vec3(handle.second[0], handle.second[1], handle.second[2])});
  }
  if (options.handle_file.empty()) return {};
  SINEW_TRY(const std::string bytes, read_file(options.handle_file));
  SINEW_TRY(HandleFile file, read_handle_json(bytes, options.handle_file));
  request.handles.insert(request.handles.end(), file.vertices.begin(), file.vertices.end());
  request.point_targets = std::move(file.points);
  return {};
}

}  // namespace

Result<DeformRequest> PoseOptions::deform_request(const Console& console, const Rig& rig) const {
  DeformRequest request = stored_request(rig);
  request.voxels = deform.voxels;
  for (const auto& copy : given) copy(request);
  for (const std::string& text : joint_blends) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0)
      return usage_error(fmt::format("--joint '{}': give JOINT=BLEND, {}", printable(text), blend_names()));
    request.joint_blends.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  for (const std::string& text : stiffness) {
    if (text.find('=') == std::string::npos) {
      request.stiffness_attribute = text;
      continue;
    }
    SINEW_TRY(const auto value, parse_assignment("--stiffness", text, 1));
    request.stiffness.emplace_back(value.first, value.second[0]);
  }
  SINEW_CHECK(read_handles(*this, request));
  if (!request.handles.empty() && !request.deformer.starts_with("arap"))
    return usage_error("handles of vertices belong to --deformer arap");
  if (!request.point_targets.empty() && !request.deformer.starts_with("points"))
    return usage_error("point handles belong to --deformer points");
  made.clear();
  request.notes = &made;
  request.progress = console.progress();
  return request;
}

}  // namespace sinew::cli
