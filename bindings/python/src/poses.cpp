// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "choices.h"
#include "nouns.h"

namespace sinew::python {

Stack stack_of(const Rig& rig, const nb::dict& settings) {
  Stack stack = sinew::stack_of(rig);
  const auto set = [&](std::string_view option, nb::handle value) {
    const StackOption* known = value_of(find_stack_option(option));
    const Setting setting = setting_of(known->descriptor, value);
    value_of(set_option(stack, option, setting));
    value_of(check_names(rig, option, setting));
  };
  // The deformer first: it may put a step into the stack that reads others.
  if (settings.contains("deformer") && !nb::object(settings["deformer"]).is_none())
    set("deformer", nb::object(settings["deformer"]));
  for (const auto& [name, value] : settings)
    if (const auto option = option_name(nb::cast<std::string>(name));
        option != "deformer" && !value.is_none())
      set(option, value);
  return stack;
}

namespace {

[[noreturn]] void wrong_pose(const char* what, nb::handle name, const char* wanted) {
  raise(parameter_error(what, fmt::format("of {}: give {}", nb::repr(name).c_str(), wanted)));
}

std::vector<double> numbers_of(const char* what, nb::handle name, nb::handle value, std::size_t count,
                               const char* wanted) {
  std::vector<double> numbers;
  double one = 0;
  if (count == 1 && nb::try_cast(value, one))
    numbers = {one};
  else if (!nb::try_cast(value, numbers) || numbers.size() != count)
    wrong_pose(what, name, wanted);
  for (const double number : numbers)
    if (!std::isfinite(number)) wrong_pose(what, name, "numbers that are finite");
  return numbers;
}

nb::dict dict_of(const nb::dict& options, const char* name, const char* wanted) {
  if (!options.contains(name)) return {};
  const nb::object given = options[name];
  if (given.is_none()) return {};
  if (!nb::isinstance<nb::dict>(given))
    raise(parameter_error(name, std::string("cannot be ") + nb::repr(given).c_str() + ": give " + wanted));
  return nb::borrow<nb::dict>(given);
}

PoseRequest::Turn turn_of(nb::handle name, nb::handle value) {
  constexpr const char* kWanted = "(x, y, z) degrees, or {'bend': degrees, 'twist': degrees}";
  PoseRequest::Turn turn{nb::cast<std::string>(name)};
  if (!nb::isinstance<nb::dict>(value)) {
    const auto degrees = numbers_of("set", name, value, 3, kWanted);
    turn.degrees = Vec3(degrees[0], degrees[1], degrees[2]);
    return turn;
  }
  for (const auto& [word, degrees] : nb::borrow<nb::dict>(value)) {
    const std::string said = nb::cast<std::string>(nb::str(word));
    if (said != "bend" && said != "twist") wrong_pose("set", name, kWanted);
    (said == "bend" ? turn.bend : turn.twist) = numbers_of("set", name, degrees, 1, kWanted)[0];
  }
  return turn;
}

// Arrays of several poses: (frames, joints, 4, 4); (frames, keys); (frames, joints, 3) or None.
nb::tuple pose_arrays(const Rig& rig, const std::vector<Pose>& poses) {
  const std::size_t joints = rig.skeleton.size(), keys = rig.keys.size();
  std::vector<double> locals(poses.size() * joints * 16), weights(poses.size() * keys), shapes;
  for (std::size_t k = 0; k < poses.size(); ++k) {
    for (std::size_t j = 0; j < joints; ++j)
      Eigen::Matrix<double, 4, 4, Eigen::RowMajor>::Map(locals.data() + 16 * (k * joints + j)) =
          poses[k].local[j].matrix();
    const std::vector<double> own = key_weights_of(rig, poses[k]);
    std::copy(own.begin(), own.end(), weights.begin() + static_cast<std::ptrdiff_t>(k * keys));
    if (poses[k].bones.empty()) continue;
    if (shapes.empty())
      for (std::size_t n = 0; n < poses.size() * joints; ++n) shapes.insert(shapes.end(), {1, 0, 0});
    for (std::size_t j = 0; j < joints; ++j) {
      double* shape = shapes.data() + 3 * (k * joints + j);
      const BoneShape& bone = poses[k].bones[j];
      shape[0] = bone.stretch, shape[1] = bone.twist_head, shape[2] = bone.twist_tail;
    }
  }
  return nb::make_tuple(array(std::move(locals), {poses.size(), joints, 4, 4}),
                        keys > 0 ? array(std::move(weights), {poses.size(), keys}) : nb::none(),
                        shapes.empty() ? nb::none() : array(std::move(shapes), {poses.size(), joints, 3}));
}

nb::tuple one_pose(const RigObject& self, const nb::dict& options) {
  return pose_arrays(self.rig(), {value_of(make_pose(self.rig(), pose_request(options)))});
}

// The frames that bake() deforms.
nb::tuple clip_poses(const RigObject& self, const std::string& name, double fps, double start, double end,
                     const nb::dict& options) {
  const Rig& rig = self.rig();
  if (rig.clips.empty()) raise(impossible("the rig holds no clip"));
  const Clip& clip = rig.clips[value_of(find_clip(rig, name))];
  if (!(fps > 0 && fps <= 1000))
    raise(parameter_error("fps", fmt::format("is {}: give a number above 0 and not above 1000", fps)));
  if (end < start) end = std::max(clip.duration(), start);
  const double count = std::floor((end - start) * fps + 1e-6) + 1;
  if (!(count <= 1e6))
    raise(impossible(fmt::format("{:.0f} frames are too many: take fewer a second", count)));
  const PoseRequest request = pose_request(options);
  std::vector<Pose> poses;
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
    poses.push_back(value_of(make_pose(rig, request, clip, start + static_cast<double>(k) / fps)));
  return pose_arrays(rig, poses);
}

}  // namespace

PoseRequest pose_request(const nb::dict& options) {
  PoseRequest request;
  for (const auto& [name, value] : dict_of(options, "set", "a dict of joint names and degrees"))
    request.turns.push_back(turn_of(name, value));
  for (const auto& [name, value] : dict_of(options, "stretch", "a dict of bone names and factors"))
    request.stretches.push_back(
        {nb::cast<std::string>(name), numbers_of("stretch", name, value, 1, "a factor above 0")[0]});
  for (const auto& [name, value] : dict_of(options, "twist", "a dict of bone names and degrees")) {
    const auto ends = numbers_of("twist", name, value, 2, "(degrees at the head, degrees at the tail)");
    request.twists.push_back({nb::cast<std::string>(name), ends[0], ends[1]});
  }
  for (const auto& [name, value] : dict_of(options, "keys", "a dict of key names and weights"))
    request.keys.push_back({nb::cast<std::string>(name), numbers_of("keys", name, value, 1, "a weight")[0]});
  std::string clip;
  if (take(options, "clip", clip)) request.clip = clip;
  take(options, "time", request.time);
  if (!std::isfinite(request.time)) raise(parameter_error("time", "is not finite: give seconds"));
  return request;
}

Pose pose_of(const Rig& rig, const nb::tuple& arrays) {
  const auto locals = nb::cast<Doubles>(arrays[0]);
  if (locals.ndim() != 4 || locals.shape(0) != 1 || locals.shape(1) != rig.skeleton.size())
    raise(parameter_error("pose", fmt::format("must be one pose of {} joints", rig.skeleton.size())));
  Pose pose = rest_pose(rig.skeleton);
  for (std::size_t j = 0; j < pose.local.size(); ++j)
    pose.local[j].matrix() = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>::Map(locals.data() + 16 * j);
  if (!arrays[1].is_none()) {
    const auto keys = nb::cast<Doubles>(arrays[1]);
    if (keys.size() != rig.keys.size())
      raise(parameter_error("pose", fmt::format("must have weights of {} keys", rig.keys.size())));
    pose.key_weights.assign(keys.data(), keys.data() + keys.size());
  }
  if (!arrays[2].is_none()) {
    const auto bones = nb::cast<Doubles>(arrays[2]);
    pose.bones.resize(rig.skeleton.size());
    for (std::size_t j = 0; j < pose.bones.size(); ++j)
      pose.bones[j] = {bones.data()[3 * j], bones.data()[3 * j + 1], bones.data()[3 * j + 2]};
  }
  return pose;
}

void add_poses(nb::module_& module) {
  module.def("pose", one_pose, nb::arg("rig"), nb::arg("options"));
  module.def("clip_poses", clip_poses, nb::arg("rig"), nb::arg("clip"), nb::arg("fps"), nb::arg("start"),
             nb::arg("end"), nb::arg("options"));
  module.def(
      "deformer_settings",
      [] {
        nb::list made;
        for (const StackOption& option : stack_options())
          for (const auto& [owner, usual] : option.owners)
            made.append(describe(option.descriptor, std::string(owner), usual));
        return made;
      },
      "Options of deformers and steps of the stack.");
  module.def("deformers", [] {
    nb::dict made;
    for (const DeformerMethod& method : deformer_methods())
      made[std::string(method.name).c_str()] = std::string(method.summary);
    return made;
  });
}

}  // namespace sinew::python
