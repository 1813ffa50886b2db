// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include "sinew/mesh/topology.h"

namespace sinew {
namespace {

using emscripten::val;

void push(val& list, const val& value) {
  list.call<void>("push", value);
}

val joints_value(const Skeleton& skeleton) {
  val list = val::array();
  for (const Joint& joint : skeleton.joints()) {
    val one = val::object();
    one.set("name", joint.name);
    one.set("parent", joint.parent);
    one.set("deforms", joint.deforms);
    push(list, one);
  }
  return list;
}

val bones_value(const Skeleton& skeleton) {
  val list = val::array();
  for (std::size_t j = 0; j < skeleton.deforming_count(); ++j) {
    val one = val::object();
    one.set("joint", static_cast<double>(j));
    push(list, one);
  }
  return list;
}

val clips_value(const Rig& rig) {
  val list = val::array();
  for (const Clip& clip : rig.clips) {
    val one = val::object();
    one.set("name", clip.name);
    one.set("duration", clip.duration());
    push(list, one);
  }
  return list;
}

val keys_value(const Rig& rig) {
  val list = val::array();
  for (const ShapeKey& key : rig.keys) {
    val one = val::object();
    one.set("name", key.name);
    one.set("weight", key.default_weight);
    push(list, one);
  }
  return list;
}

val cages_value(const Rig& rig) {
  val list = val::array();
  for (const Cage& cage : rig.cages) {
    val one = val::object(), pairs = val::array();
    for (const auto& ends : edge_table(cage.mesh.vertex_count(), cage.mesh).ends) {
      push(pairs, val(ends[0]));
      push(pairs, val(ends[1]));
    }
    one.set("name", cage.name);
    one.set("controls", static_cast<double>(cage.mesh.vertex_count()));
    one.set("edges", pairs);
    one.set("skinned", cage.weights.vertex_count() > 0);
    push(list, one);
  }
  return list;
}

val handles_value(const Rig& rig) {
  val list = val::array();
  for (const PointHandle& point : rig.points.points) {
    val one = val::object();
    one.set("name", point.name);
    one.set("joint", point.joint);
    push(list, one);
  }
  return list;
}

val channels_value(const Session& session) {
  const Rig& rig = session.rig();
  val one = val::object();
  const bool joints = session.has_joint_weights();
  one.set("weight", !rig.weights.entries.empty());
  one.set("deformer", joints);
  one.set("swing", joints);
  one.set("twist", joints);
  one.set("endpoint", !rig.endpoint.empty());
  return one;
}

// An array of `width` numbers for each of `count` things.
Result<std::vector<double>> table_of(const val& state, const char* name, std::size_t count,
                                     std::size_t width) {
  SINEW_TRY(std::vector<double> numbers, numbers_of<double>(state[name]));
  if (numbers.size() == count * width) return numbers;
  return usage_error(std::string("the pose does not fit this rig: ") + name + " has " +
                     std::to_string(numbers.size()) + " numbers, not " + std::to_string(count * width));
}

}  // namespace

val view_of(std::span<const Vec3f> points) {
  return val(emscripten::typed_memory_view(3 * points.size(), points.empty() ? nullptr : points[0].data()));
}

val list_of(const std::vector<std::string>& texts) {
  val list = val::array();
  for (const std::string& text : texts) push(list, val(text));
  return list;
}

val triple(const Vec3& v) {
  val list = val::array();
  for (int k = 0; k < 3; ++k) push(list, val(v[k]));
  return list;
}

val points_value(std::span<const Vec3> points) {
  return copy_of(points.empty() ? nullptr : points[0].data(), 3 * points.size());
}

Result<double> number_of(const val& value) {
  if (!value.isNumber()) return usage_error("give a number");
  return value.as<double>();
}

Result<std::string> text_of(const val& value) {
  if (!value.isString()) return usage_error("give a string");
  return value.as<std::string>();
}

int element_size(const val& array) {
  if (array.isUndefined() || array.isNull()) return 0;
  const val size = array["BYTES_PER_ELEMENT"];
  return size.isNumber() ? size.as<int>() : 0;
}

Result<std::string> bytes_of(const val& array) {
  if (element_size(array) != 1) return usage_error("give the file's bytes as a Uint8Array");
  std::string bytes(array["length"].as<std::size_t>(), '\0');
  val(emscripten::typed_memory_view(bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data())))
      .call<void>("set", array);
  return bytes;
}

Result<Vec3> vector_of(const val& array) {
  SINEW_TRY(const std::vector<double> numbers, numbers_of<double>(array));
  if (numbers.size() != 3) return usage_error("give three numbers");
  return Vec3(numbers[0], numbers[1], numbers[2]);
}

Result<Quat> quaternion_of(const val& array) {
  SINEW_TRY(const std::vector<double> numbers, numbers_of<double>(array));
  if (numbers.size() != 4) return usage_error("give a quaternion as x, y, z, w");
  return Quat(numbers[3], numbers[0], numbers[1], numbers[2]);
}

Result<std::vector<Vec3>> points_of(const val& array) {
  SINEW_TRY(const std::vector<double> numbers, numbers_of<double>(array));
  if (numbers.size() % 3 != 0) return usage_error("give three numbers a point");
  std::vector<Vec3> points(numbers.size() / 3);
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = Vec3(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]);
  return points;
}

Result<Session::Channel> channel_of(const std::string& name) {
  using Channel = Session::Channel;
  if (name == "weight") return Channel::kWeight;
  if (name == "deformer") return Channel::kDeformer;
  if (name == "swing") return Channel::kSwing;
  if (name == "twist") return Channel::kTwist;
  if (name == "endpoint") return Channel::kEndpoint;
  if (name == "stiffness") return Channel::kStiffness;
  return usage_error("there is no channel '" + name +
                     "': choose weight, deformer, swing, twist, endpoint or stiffness");
}

val info_value(const Session& session) {
  const Rig& rig = session.rig();
  val info = val::object(), steps = val::array(), box = val::array();
  info.set("vertices", static_cast<double>(rig.mesh.vertex_count()));
  info.set("triangles", static_cast<double>(session.triangles().size()));
  info.set("faces", static_cast<double>(rig.mesh.face_count()));
  info.set("joints", joints_value(rig.skeleton));
  info.set("bones", bones_value(rig.skeleton));
  info.set("clips", clips_value(rig));
  info.set("keys", keys_value(rig));
  info.set("cages", cages_value(rig));
  info.set("handles", handles_value(rig));
  info.set("channels", channels_value(session));
  info.set("skinned", rig.skeleton.deforming_count() > 0 && !rig.weights.entries.empty());
  info.set("warnings", list_of(session.warnings()));
  for (const StackEntry& entry : stack_of(rig)) push(steps, val(entry.step));
  info.set("stack", steps);
  Box3 bounds = bounding_box(rig.mesh.positions);
  if (bounds.isEmpty()) bounds = Box3(Vec3::Zero(), Vec3::Zero());
  for (const Vec3& corner : {Vec3(bounds.min()), Vec3(bounds.max())})
    for (int k = 0; k < 3; ++k) push(box, val(corner[k]));
  info.set("box", box);
  return info;
}

val pose_value(const Session& session) {
  const Pose& pose = session.pose();
  std::vector<double> locals, shapes, handles(8 * session.rig().points.points.size(), 0.0);
  for (const Affine3& local : pose.local)
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 4; ++column) locals.push_back(local.matrix()(row, column));
  for (const BoneShape& shape : pose.bones)
    shapes.insert(shapes.end(), {shape.stretch, shape.twist_head, shape.twist_tail});
  for (const HandleTarget& target : session.controls().handles) {
    double* row = handles.data() + 8 * target.handle;
    row[0] = 1;
    for (int k = 0; k < 3; ++k) row[1 + k] = target.position[k];
    for (int k = 0; k < 4; ++k) row[4 + k] = target.rotation.coeffs()[k];
  }
  val state = val::object(), cages = val::array();
  state.set("locals", copy_of(locals.data(), locals.size()));
  state.set("shapes", copy_of(shapes.data(), shapes.size()));
  state.set("keys", copy_of(pose.key_weights.data(), pose.key_weights.size()));
  for (const std::vector<Vec3>& points : session.controls().cages) push(cages, points_value(points));
  state.set("cages", cages);
  state.set("handles", copy_of(handles.data(), handles.size()));
  return state;
}

Result<void> read_pose(const val& state, const Rig& rig, Pose& pose, LiveControls& controls) {
  const std::size_t joints = rig.skeleton.size();
  SINEW_TRY(const std::vector<double> locals, table_of(state, "locals", joints, 12));
  SINEW_TRY(const std::vector<double> shapes, table_of(state, "shapes", joints, 3));
  SINEW_TRY(pose.key_weights, table_of(state, "keys", rig.keys.size(), 1));
  SINEW_TRY(const std::vector<double> handles, table_of(state, "handles", rig.points.points.size(), 8));
  pose.local.assign(joints, Affine3::Identity());
  pose.bones.resize(joints);
  for (std::size_t j = 0; j < joints; ++j) {
    for (int k = 0; k < 12; ++k)
      pose.local[j].matrix()(k / 4, k % 4) = locals[12 * j + static_cast<std::size_t>(k)];
    pose.bones[j] = {shapes[3 * j], shapes[3 * j + 1], shapes[3 * j + 2]};
  }
  for (std::uint32_t h = 0; h < rig.points.points.size(); ++h) {
    const double* row = handles.data() + 8 * h;
    if (row[0] == 0) continue;
    const Quat rotation(row[7], row[4], row[5], row[6]);
    if (!(rotation.norm() > 0)) return usage_error("a handle's rotation must not be zero");
    controls.handles.push_back({h, Vec3(row[1], row[2], row[3]), rotation.normalized()});
  }
  const val cages = state["cages"];
  if (!cages.isArray() || cages["length"].as<std::size_t>() != rig.cages.size())
    return usage_error("the pose does not fit this rig: cages has a list for every cage");
  for (std::size_t c = 0; c < rig.cages.size(); ++c) {
    SINEW_TRY(controls.cages.emplace_back(), points_of(cages[c]));
  }
  return {};
}

std::string skeleton_text(const Session& session) {
  const Skeleton& skeleton = session.rig().skeleton;
  val joints = val::array(), document = val::object();
  for (const Bone& bone : session.segments()) {
    int parent = skeleton[bone.joint].parent;
    while (parent >= 0 && !skeleton[static_cast<std::size_t>(parent)].deforms)
      parent = skeleton[static_cast<std::size_t>(parent)].parent;
    val one = val::object();
    one.set("name", skeleton[bone.joint].name);
    one.set("parent", parent);
    one.set("position", triple(bone.head));
    one.set("head", triple(bone.head));
    one.set("tail", triple(bone.tail));
    push(joints, one);
  }
  document.set("joints", joints);
  return val::global("JSON").call<std::string>("stringify", document);
}

}  // namespace sinew
