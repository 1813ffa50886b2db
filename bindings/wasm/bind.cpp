// SPDX-License-Identifier: Apache-2.0
// What sinew.d.ts promises, over Session: arguments and results turned, errors thrown as JavaScript's.
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include "deform_settings.h"
#include "guarded.h"
#include "progress.h"
#include "session.h"
#include "sinew/core/parallel.h"
#include "sinew/core/version.h"
#include "sinew/mesh/topology.h"
#include "values.h"

namespace sinew {
namespace {

using emscripten::val;

val frame_value(const SessionFrame& frame) {
  val result = val::object();
  result.set("positions", view_of(frame.positions));
  result.set("normals", view_of(frame.normals));
  result.set("milliseconds", frame.milliseconds);
  return result;
}

// --- the module ---

Session* open(const val& bytes, const std::string& name) {
  return guarded([&]() -> Result<Session*> {
    SINEW_TRY(const std::string copy, bytes_of(bytes));
    SINEW_TRY(std::unique_ptr<Session> session, Session::open(copy, name));
    return session.release();
  });
}

val deformers() {
  val list = val::array();
  for (const DeformerMethod& method : deformer_methods()) {
    val one = val::object();
    one.set("name", std::string(method.name));
    one.set("summary", std::string(method.summary));
    list.call<void>("push", one);
  }
  return list;
}

std::string version_text() {
  return std::string(version());
}

// --- what a session has ---

val info(const Session& session) {
  return guarded([&]() -> Result<val> { return info_value(session); });
}

val triangles(const Session& session) {
  return guarded([&]() -> Result<val> {
    const auto& list = session.triangles();
    return copy_of(list.empty() ? nullptr : list[0].data(), 3 * list.size());
  });
}

val edges(const Session& session) {
  return guarded([&]() -> Result<val> {
    const EdgeTable table = edge_table(session.rig().mesh.vertex_count(), session.rig().mesh);
    return copy_of(table.ends.empty() ? nullptr : table.ends[0].data(), 2 * table.ends.size());
  });
}

val rest(const Session& session) {
  return guarded([&]() -> Result<val> {
    std::vector<float> numbers;
    for (const Vec3& p : session.rig().mesh.positions)
      for (int k = 0; k < 3; ++k) numbers.push_back(static_cast<float>(p[k]));
    return copy_of(numbers.data(), numbers.size());
  });
}

val stored_deformer(const Session& session) {
  return guarded([&]() -> Result<val> { return settings_value(stack_of(session.rig())); });
}

val set_deformer(Session& session, int slot, const val& settings) {
  return guarded([&]() -> Result<val> {
    SINEW_TRY(DeformWish wish, wish_of(settings, stack_of(session.rig())));
    SINEW_TRY(const std::vector<std::string> warnings,
              session.set_deformer(slot, wish.stack, std::move(wish.held), &page_progress()));
    return list_of(warnings);
  });
}

val evaluate(Session& session, int slot) {
  return guarded([&]() -> Result<val> {
    SINEW_TRY(const SessionFrame frame, session.evaluate(slot));
    return frame_value(frame);
  });
}

// --- the pose ---

val pose(const Session& session) {
  return guarded([&]() -> Result<val> { return pose_value(session); });
}

void set_pose(Session& session, const val& state) {
  guarded([&]() -> Result<void> {
    Pose pose;
    LiveControls controls;
    SINEW_CHECK(read_pose(state, session.rig(), pose, controls));
    return session.set_pose(std::move(pose), std::move(controls));
  });
}

void reset_pose(Session& session) {
  guarded([&]() -> Result<void> {
    session.reset_pose();
    return {};
  });
}

val globals(const Session& session) {
  return guarded([&]() -> Result<val> {
    std::vector<double> numbers;
    for (const Affine3& global : session.globals())
      numbers.insert(numbers.end(), global.matrix().data(), global.matrix().data() + 16);
    return copy_of(numbers.data(), numbers.size());
  });
}

val segments(const Session& session) {
  return guarded([&]() -> Result<val> {
    std::vector<double> numbers;
    for (const Bone& bone : session.segments()) {
      numbers.insert(numbers.end(), bone.head.data(), bone.head.data() + 3);
      numbers.insert(numbers.end(), bone.tail.data(), bone.tail.data() + 3);
    }
    return copy_of(numbers.data(), numbers.size());
  });
}

void rotate_joint_of(Session& session, int joint, double x, double y, double z, double w) {
  guarded([&] { return session.rotate_joint(joint, Quat(w, x, y, z)); });
}

val angles(const Session& session, int joint) {
  return guarded([&]() -> Result<val> {
    SINEW_TRY(const Vec3 degrees, session.angles(joint));
    return triple(degrees);
  });
}

void set_angles(Session& session, int joint, const val& degrees) {
  guarded([&]() -> Result<void> {
    SINEW_TRY(const Vec3 wanted, vector_of(degrees));
    return session.set_angles(joint, wanted);
  });
}

void translate_joint(Session& session, int joint, double x, double y, double z) {
  guarded([&] { return session.translate_joint(joint, Vec3(x, y, z)); });
}

void drag_joint(Session& session, int joint, double x, double y, double z) {
  guarded([&] { return session.drag_joint(joint, Vec3(x, y, z)); });
}

double reach(Session& session, int joint, double x, double y, double z, int chain) {
  return guarded([&] { return session.reach(joint, Vec3(x, y, z), chain); });
}

void set_shape(Session& session, int joint, double stretch, double head, double tail) {
  guarded([&] { return session.set_shape(joint, {stretch, head, tail}); });
}

void set_key(Session& session, int key, double weight) {
  guarded([&] { return session.set_key(key, weight); });
}

void set_clip(Session& session, int clip, double seconds) {
  guarded([&] { return session.set_clip(clip, seconds); });
}

// --- channels, cages, handles ---

val channel(Session& session, const std::string& kind, int joint) {
  return guarded([&]() -> Result<val> {
    SINEW_TRY(const Session::Channel wanted, channel_of(kind));
    SINEW_TRY(const std::vector<float> values, session.channel(wanted, joint));
    return copy_of(values.data(), values.size());
  });
}

val cage(const Session& session, int cage) {
  return guarded([&]() -> Result<val> {
    SINEW_TRY(const std::vector<Vec3> points, session.cage(cage));
    return points_value(points);
  });
}

void move_cage(Session& session, int cage, const val& points) {
  guarded([&]() -> Result<void> {
    SINEW_TRY(std::vector<Vec3> places, points_of(points));
    return session.move_cage(cage, std::move(places));
  });
}

val handle(const Session& session, int handle) {
  return guarded([&]() -> Result<val> {
    SINEW_TRY(const HandleTarget now, session.handle(handle));
    const double numbers[7] = {now.position.x(), now.position.y(), now.position.z(), now.rotation.x(),
                               now.rotation.y(), now.rotation.z(), now.rotation.w()};
    return copy_of(numbers, 7);
  });
}

void move_handle(Session& session, int handle, const val& place, const val& rotation) {
  guarded([&]() -> Result<void> {
    SINEW_TRY(const Vec3 to, vector_of(place));
    SINEW_TRY(const Quat turn, quaternion_of(rotation));
    return session.move_handle(handle, to, turn);
  });
}

void release_handle(Session& session, int handle) {
  guarded([&] { return session.release_handle(handle); });
}

void arap_begin(Session& session, const val& vertices, int slot) {
  guarded([&]() -> Result<void> {
    SINEW_TRY(const std::vector<std::uint32_t> held, numbers_of<std::uint32_t>(vertices));
    return session.arap_begin(held, slot);
  });
}

val arap_drag(Session& session, const val& targets, int steps) {
  return guarded([&]() -> Result<val> {
    SINEW_TRY(const std::vector<Vec3> places, points_of(targets));
    SINEW_TRY(const SessionFrame frame, session.arap_drag(places, steps));
    return frame_value(frame);
  });
}

// --- files ---

val save(Session& session) {
  return guarded([&]() -> Result<val> {
    SINEW_TRY(const std::string bytes, session.save());
    return copy_of(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  });
}

val save_mesh(Session& session, int slot, const std::string& format) {
  return guarded([&]() -> Result<val> {
    SINEW_TRY(const std::string bytes, session.save_mesh(slot, format));
    return copy_of(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  });
}

std::string skeleton_json(const Session& session) {
  return guarded([&]() -> Result<std::string> { return skeleton_text(session); });
}

}  // namespace

// In bind_paint.cpp.
void bind_paint(emscripten::class_<Session>& session);

EMSCRIPTEN_BINDINGS(sinew) {
  namespace em = emscripten;
  em::function("open", &open, em::allow_raw_pointers());
  em::function("deformers", &deformers);
  em::function("settings", &setting_table);
  em::function("version", &version_text);
  em::constant("threads", thread_count());
  em::class_<Session> session("Session");
  bind_paint(session);
  session.function("info", &info)
      .function("triangles", &triangles)
      .function("edges", &edges)
      .function("rest", &rest)
      .function("storedDeformer", &stored_deformer)
      .function("setDeformer", &set_deformer)
      .function("evaluate", &evaluate)
      .function("pose", &pose)
      .function("setPose", &set_pose)
      .function("resetPose", &reset_pose)
      .function("globals", &globals)
      .function("segments", &segments)
      .function("rotateJoint", &rotate_joint_of)
      .function("angles", &angles)
      .function("setAngles", &set_angles)
      .function("translateJoint", &translate_joint)
      .function("dragJoint", &drag_joint)
      .function("reach", &reach)
      .function("setShape", &set_shape)
      .function("setKey", &set_key)
      .function("setClip", &set_clip)
      .function("channel", &channel)
      .function("cage", &cage)
      .function("moveCage", &move_cage)
      .function("handle", &handle)
      .function("moveHandle", &move_handle)
      .function("releaseHandle", &release_handle)
      .function("arapBegin", &arap_begin)
      .function("arapDrag", &arap_drag)
      .function("arapEnd", &Session::arap_end)
      .function("save", &save)
      .function("saveMesh", &save_mesh)
      .function("skeletonJson", &skeleton_json);
}

}  // namespace sinew
