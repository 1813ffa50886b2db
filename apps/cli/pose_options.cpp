// SPDX-License-Identifier: Apache-2.0
#include "pose_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/file.h"
#include "sinew/core/text.h"
#include "sinew/io/handle_files.h"
#include "sinew/player/stack.h"
#include "words.h"

namespace sinew::cli {

void PoseOptions::add_set_to(const Verb& verb) {
  verb.repeatable("--set", set,
                  "JOINT=X,Y,Z: rotate a joint by degrees about the world axes of the rest pose, in the "
                  "order x, y, z; or JOINT=bend:D,twist:D, relative to its bone: twist rotates about it, "
                  "then bend moves its end forward (+z); repeatable");
}

void PoseOptions::add_changes_to(const Verb& verb) {
  add_set_to(verb);
  verb.repeatable("--stretch", stretch,
                  "BONE=F: scale its length by F and move all joints below it along; repeatable");
  verb.repeatable("--twist", twist,
                  "BONE=A,B: twist in degrees at its head and tail, for deformers that twist bones: "
                  "stretch-lbs, stretch-dqs, curve, flesh and the joint-based; repeatable");
  verb.repeatable("--key", keys, "NAME=W: weight of a shape key; repeatable");
}

void PoseOptions::add_pose_to(const Verb& verb) {
  add_changes_to(verb);
  verb.option("--clip", clip, "the pose from this clip (name or index)");
  verb.option("--time", time, "seconds into the clip, clamped").needs("--clip");
}

void PoseOptions::add_deformer_to(const Verb& verb) {
  for (const StackOption& option : stack_options()) {
    Descriptor descriptor = option.descriptor;
    auto [owners, usual] = owners_and_usual(option.owners);
    std::string help;
    if (descriptor.option == "deformer") {
      std::vector<std::pair<std::string_view, std::string_view>> rows;
      for (const DeformerMethod& method : deformer_methods()) rows.emplace_back(method.name, method.summary);
      help = "how the mesh is deformed (append +mush for delta mush):" + name_table(rows);
      descriptor.help = help;
      usual = "the rig's own, else lbs";
    }
    if (descriptor.option == "subdivide") {
      owners.clear();
      usual = "the rig's own, else 0";
    }
    if (option.owners.front().first == "skeleton") owners.clear();
    settings.add(verb, descriptor, owners, usual, descriptor.option == "deformer" ? "" : kDeformerSettings);
  }
  verb.repeatable("--handle", handles,
                  "VERTEX=X,Y,Z: target position of a vertex in world space, for arap; repeatable");
  verb.option("--handles", handle_file,
              "a .json file of targets: [{\"vertex\":I,\"position\":[x,y,z]}], for points "
              "[{\"handle\":H,\"position\":[x,y,z],\"rotation\":[x,y,z,w]}]");
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

Result<std::pair<std::string, std::string>> split_name(const char* option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return usage_error(fmt::format("{} '{}': give NAME=VALUE", option, printable(text)));
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

namespace {

// "LeftArm=10,0,20" or "LeftArm=bend:30,twist:10", either of them alone, too.
Result<PoseRequest::Turn> parse_turn(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const std::string_view said = std::string_view(text).substr(equals + 1);
  if (equals == std::string::npos || said.find(':') == std::string_view::npos) {
    const auto turn = parse_assignment("--set", text, 3);
    if (!turn)
      return usage_error(
          fmt::format("--set '{}': give JOINT=X,Y,Z or JOINT=bend:D,twist:D, degrees", printable(text)));
    return PoseRequest::Turn{turn->first, Vec3(turn->second[0], turn->second[1], turn->second[2])};
  }
  PoseRequest::Turn turn{text.substr(0, equals)};
  for (std::string_view rest = said; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::string_view name = part.substr(0, part.find(':'));
    const auto degrees = parse_double(part.substr(std::min(part.size(), name.size() + 1)));
    if (!degrees || (name != "bend" && name != "twist") || equals == 0)
      return usage_error(
          fmt::format("--set '{}': give JOINT=bend:D,twist:D, degrees about the bone, or "
                      "JOINT=X,Y,Z about the world's axes",
                      printable(text)));
    (name == "bend" ? turn.bend : turn.twist) = *degrees;
  }
  return turn;
}

}  // namespace

Result<PoseRequest> PoseOptions::request() const {
  PoseRequest request;
  for (const std::string& text : set) {
    SINEW_TRY(request.turns.emplace_back(), parse_turn(text));
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
Result<void> read_handles(const PoseOptions& options, DeformChoice& choice) {
  for (const std::string& text : options.handles) {
    SINEW_TRY(const auto handle, parse_assignment("--handle", text, 3));
    const auto vertex = parse_int(handle.first);
    if (!vertex || *vertex < 0 || *vertex > 0xfffffffe)
      return usage_error(fmt::format("--handle '{}': give VERTEX=X,Y,Z with the index of the vertex, from 0",
                                     printable(text)));
    choice.held.push_back(
        {static_cast<std::uint32_t>(*vertex), Vec3(handle.second[0], handle.second[1], handle.second[2])});
  }
  if (options.handle_file.empty()) return {};
  SINEW_TRY(const std::string bytes, read_file(options.handle_file));
  SINEW_TRY(HandleFile file, read_handle_json(bytes, options.handle_file));
  choice.held.insert(choice.held.end(), file.vertices.begin(), file.vertices.end());
  choice.controls.handles = std::move(file.points);
  return {};
}

}  // namespace

Result<DeformChoice> PoseOptions::choice(const Console& console, const Rig& rig) const {
  DeformChoice choice;
  choice.stack = stack_of(rig);
  SINEW_TRY(const Settings given, settings.given());
  // The deformer first: it may put a step into the stack that reads others.
  if (const auto deformer = given.find("deformer"); deformer != given.end())
    SINEW_CHECK(set_option(choice.stack, "deformer", deformer->second));
  for (const auto& [name, value] : given)
    if (name != "deformer") {
      SINEW_CHECK(set_option(choice.stack, name, value));
      SINEW_CHECK(check_names(rig, name, value));
    }
  SINEW_CHECK(read_handles(*this, choice));
  const std::string deformer = deformer_of(choice.stack);
  const bool held = deformer.starts_with("arap") || drive_joints ||
                    std::any_of(choice.stack.begin(), choice.stack.end(),
                                [](const StackEntry& entry) { return entry.step == "arap"; });
  if (!choice.held.empty() && !held)
    return usage_error("vertex handles need --deformer arap, a stack with the step arap, or --drive-joints");
  if (!choice.controls.handles.empty() && !deformer.starts_with("points"))
    return usage_error("point handles need --deformer points");
  choice.progress = console.progress();
  return choice;
}

}  // namespace sinew::cli
