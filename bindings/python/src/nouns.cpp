// SPDX-License-Identifier: Apache-2.0
#include "nouns.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/mesh/topology.h"
#include "sinew/player/stack.h"

namespace sinew::python {

Doubles points_of(nb::handle value, const char* name, std::size_t count) {
  return nb::cast<Doubles>(nb::module_::import_("sinew._arrays").attr("points")(value, name, count));
}

std::vector<Vec3> to_points(const Doubles& array) {
  std::vector<Vec3> points(array.shape(0));
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = Vec3::Map(array.data() + 3 * i);
  return points;
}

Doubles matrices_of(nb::handle value, const char* name, std::size_t count) {
  return nb::cast<Doubles>(nb::module_::import_("sinew._arrays").attr("matrices")(value, name, count));
}

std::vector<Affine3> to_matrices(const Doubles& array) {
  std::vector<Affine3> matrices(array.shape(0), Affine3::Identity());
  for (std::size_t j = 0; j < matrices.size(); ++j)
    matrices[j].matrix() = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>::Map(array.data() + 16 * j);
  return matrices;
}

nb::object matrices(std::span<const Affine3> matrices) {
  std::vector<double> numbers(16 * matrices.size());
  for (std::size_t j = 0; j < matrices.size(); ++j)
    Eigen::Matrix<double, 4, 4, Eigen::RowMajor>::Map(numbers.data() + 16 * j) = matrices[j].matrix();
  return array(std::move(numbers), {matrices.size(), 4, 4});
}

namespace {

nb::object points_view(std::shared_ptr<const void> owner, std::span<const Vec3> points) {
  return view(std::move(owner), points.empty() ? nullptr : points[0].data(), {points.size(), 3});
}

nb::object points_view(std::shared_ptr<const void> owner, std::span<const Vec3f> points) {
  return view(std::move(owner), points.empty() ? nullptr : points[0].data(), {points.size(), 3});
}

// --- meshes ---

void make_mesh(MeshObject* self, nb::handle vertices, nb::handle faces) {
  PolyMesh mesh;
  mesh.positions = to_points(points_of(vertices, "vertices"));
  const auto lists = nb::borrow<nb::tuple>(
      nb::module_::import_("sinew._arrays").attr("faces")(faces, mesh.positions.size()));
  const auto offsets = nb::cast<Whole>(lists[0]), corners = nb::cast<Whole>(lists[1]);
  mesh.face_offsets.assign(offsets.data(), offsets.data() + offsets.size());
  mesh.face_vertices.assign(corners.data(), corners.data() + corners.size());
  new (self) MeshObject{std::make_shared<const PolyMesh>(std::move(mesh))};
}

// One number of corners for all faces; 0: they differ.
std::size_t corners_of(const PolyMesh& mesh) {
  if (mesh.face_count() == 0) return 3;
  const std::size_t first = mesh.face(0).size();
  for (std::size_t f = 1; f < mesh.face_count(); ++f)
    if (mesh.face(f).size() != first) return 0;
  return first;
}

nb::object faces_of(const MeshObject& self) {
  const PolyMesh& mesh = *self.mesh;
  if (const std::size_t corners = corners_of(mesh); corners > 0)
    return view(self.mesh, mesh.face_vertices.data(), {mesh.face_count(), corners});
  std::size_t most = 0;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) most = std::max(most, mesh.face(f).size());
  std::vector<std::int64_t> padded(mesh.face_count() * most, -1);
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    std::copy(face.begin(), face.end(), padded.begin() + static_cast<std::ptrdiff_t>(f * most));
  }
  return array(std::move(padded), {mesh.face_count(), most});
}

nb::object triangles_of(const MeshObject& self) {
  const TriangleView view_of = triangulate(*self.mesh);
  std::vector<std::uint32_t> corners;
  corners.reserve(3 * view_of.triangles.size());
  for (const Triangle& triangle : view_of.triangles)
    corners.insert(corners.end(), triangle.begin(), triangle.end());
  return array(std::move(corners), {view_of.triangles.size(), 3});
}

nb::object normals_array(const MeshObject& self) {
  const auto normals = std::make_shared<const std::vector<Vec3f>>(normals_of(*self.mesh));
  return points_view(normals, *normals);
}

nb::object texcoords_of(const MeshObject& self) {
  if (self.mesh->texcoords.empty()) return nb::none();
  return view(self.mesh, self.mesh->texcoords[0].data(), {self.mesh->texcoords.size(), 2});
}

std::string mesh_text(const MeshObject& self) {
  return fmt::format("<sinew.Mesh: {} vertices, {} faces>", self.mesh->vertex_count(),
                     self.mesh->face_count());
}

void add_mesh(nb::module_& module) {
  nb::class_<MeshObject>(module, "Mesh",
                         "A polygon mesh. It never changes: its arrays are read-only views of its memory.\n\n"
                         "vertices: (n, 3) numbers. faces: (m, corners) indices, rows of fewer corners "
                         "filled up with -1, or\na list of lists. Anything array-like goes in: numpy, torch "
                         "and other DLPack tensors on the CPU, lists.")
      .def("__init__", make_mesh, nb::arg("vertices").none(), nb::arg("faces").none())
      .def_prop_ro(
          "vertices", [](const MeshObject& self) { return points_view(self.mesh, self.mesh->positions); },
          "(n, 3) float64, read-only, no copy.")
      .def_prop_ro("faces", faces_of,
                   "(m, corners) indices: uint32 without a copy where all faces have as many corners, else "
                   "int64, filled up with -1.")
      .def_prop_ro("triangles", triangles_of, "(t, 3) uint32: every face cut into triangles.")
      .def_prop_ro("normals", normals_array, "(n, 3) float32: those of the file, else of the faces.")
      .def_prop_ro("texcoords", texcoords_of,
                   "(n, 2) float32, v from the top down; None where there are none.")
      .def("__repr__", mesh_text);
}

// --- skeletons ---

std::vector<Affine3> globals_of(const Skeleton& skeleton) {
  return global_transforms(skeleton, rest_pose(skeleton).local);
}

void check_joints(std::size_t joints, std::size_t parents) {
  if (joints == 0) raise(parameter_error("names", "is empty: a skeleton has one joint at least"));
  if (joints != parents)
    raise(parameter_error("parents", fmt::format("has {} entries for {} names", parents, joints)));
}

void make_skeleton(SkeletonObject* self, const std::vector<std::string>& names,
                   const std::vector<int>& parents, nb::handle heads, nb::handle tails, nb::handle rest) {
  check_joints(names.size(), parents.size());
  if (heads.is_none() == rest.is_none())
    raise(
        usage_error("give heads (places in space) or rest (matrices relative to the parents), one of them"));
  std::vector<Joint> joints(names.size());
  std::vector<Vec3> places, ends;
  if (!heads.is_none()) places = to_points(points_of(heads, "heads", names.size()));
  if (!tails.is_none()) ends = to_points(points_of(tails, "tails", names.size()));
  std::vector<Affine3> locals;
  if (!rest.is_none()) locals = to_matrices(matrices_of(rest, "rest", names.size()));
  for (std::size_t j = 0; j < names.size(); ++j) {
    joints[j].name = names[j];
    joints[j].parent = parents[j];
    if (!locals.empty()) {
      joints[j].rest_local = locals[j];
    } else {
      const bool below = parents[j] >= 0 && static_cast<std::size_t>(parents[j]) < names.size();
      joints[j].rest_local.translation() =
          places[j] - (below ? places[static_cast<std::size_t>(parents[j])] : Vec3::Zero());
    }
  }
  Skeleton made = value_of(Skeleton::create(joints));
  if (!ends.empty()) {
    const std::vector<Affine3> globals = globals_of(made);
    for (std::size_t j = 0; j < joints.size(); ++j) joints[j].tail = globals[j].inverse() * ends[j];
    made = value_of(Skeleton::create(std::move(joints)));
  }
  new (self) SkeletonObject{std::make_shared<const Skeleton>(std::move(made))};
}

template <class Value, class Get>
std::vector<Value> per_joint(const Skeleton& skeleton, Get&& get) {
  std::vector<Value> values;
  for (const Joint& joint : skeleton.joints()) values.push_back(get(joint));
  return values;
}

nb::object ends_of(const Skeleton& skeleton, bool tails) {
  const std::vector<Affine3> globals = globals_of(skeleton);
  std::vector<double> numbers;
  std::vector<Vec3> points;
  for (const Affine3& global : globals) points.push_back(global.translation());
  if (tails)
    for (const Bone& bone : bones_of(skeleton, globals)) points[bone.joint] = bone.tail;
  for (const Vec3& p : points) numbers.insert(numbers.end(), {p.x(), p.y(), p.z()});
  return array(std::move(numbers), {points.size(), 3});
}

nb::object rest_of(const Skeleton& skeleton) {
  return matrices(rest_pose(skeleton).local);
}

std::size_t find_joint(const SkeletonObject& self, const std::string& name) {
  const auto joint = self.skeleton->find(name);
  if (!joint) raise(usage_error(fmt::format("there is no joint '{}', or several of that name", name)));
  return *joint;
}

void add_skeleton(nb::module_& module) {
  nb::class_<SkeletonObject>(
      module, "Skeleton",
      "Joints and their hierarchy; never changes.\n\nnames and parents (indices, -1 at a root) with either "
      "heads, (joints, 3) places in space with axes\nparallel to the world's, or rest, (joints, 4, 4) "
      "matrices relative to the parents. tails: (joints, 3),\nwhere bones end that no child ends.")
      .def("__init__", make_skeleton, nb::arg("names"), nb::arg("parents"), nb::arg("heads") = nb::none(),
           nb::arg("tails") = nb::none(), nb::arg("rest") = nb::none())
      .def_prop_ro(
          "names",
          [](const SkeletonObject& self) {
            return per_joint<std::string>(*self.skeleton, [](const Joint& j) { return j.name; });
          },
          "The name of each joint.")
      .def_prop_ro(
          "parents",
          [](const SkeletonObject& self) {
            return per_joint<int>(*self.skeleton, [](const Joint& j) { return j.parent; });
          },
          "The index of each joint's parent, -1 at a root.")
      .def_prop_ro(
          "deforms",
          [](const SkeletonObject& self) {
            return per_joint<bool>(*self.skeleton, [](const Joint& j) { return j.deforms; });
          },
          "Whether a joint moves flesh, or only carries others.")
      .def_prop_ro(
          "rest", [](const SkeletonObject& self) { return rest_of(*self.skeleton); },
          "(joints, 4, 4) float64: the rest pose, relative to the parents.")
      .def_prop_ro(
          "heads", [](const SkeletonObject& self) { return ends_of(*self.skeleton, false); },
          "(joints, 3) float64: where the joints are at rest, in space.")
      .def_prop_ro(
          "tails", [](const SkeletonObject& self) { return ends_of(*self.skeleton, true); },
          "(joints, 3) float64: where their bones end at rest, in space.")
      .def_prop_ro(
          "report", [](const SkeletonObject& self) { return to_python(self.report); },
          "What find_skeleton says of it, as `sinew skeleton --json` does; None where it was not found.")
      .def("find", find_joint, nb::arg("name"),
           "The index of a joint: by its exact name, then ignoring case and a prefix up to ':'.")
      .def("__len__", [](const SkeletonObject& self) { return self.skeleton->size(); })
      .def("__repr__", [](const SkeletonObject& self) {
        return fmt::format("<sinew.Skeleton: {} joints>", self.skeleton->size());
      });
}

// --- rigs ---

nb::object dense_weights(const RigObject& self) {
  const SkinWeights& weights = self.rig().weights;
  const std::size_t vertices = self.rig().mesh.vertex_count(), joints = self.rig().skeleton.size();
  std::vector<double> dense(vertices * joints, 0.0);
  for (std::size_t i = 0; i < weights.vertex_count(); ++i)
    for (const Influence& one : weights.row(i)) dense[i * joints + one.joint] = one.weight;
  return array(std::move(dense), {vertices, joints});
}

nb::tuple sparse_weights(const RigObject& self) {
  const SkinWeights& weights = self.rig().weights;
  static_assert(sizeof(Influence) == 16);
  const Influence* first = weights.entries.data();
  return nb::make_tuple(view(self.asset, weights.offsets.data(), {weights.offsets.size()}),
                        view(self.asset, first ? &first->joint : nullptr, {weights.entries.size()}, {4}),
                        view(self.asset, first ? &first->weight : nullptr, {weights.entries.size()}, {2}));
}

nb::dict keys_of(const RigObject& self) {
  nb::dict keys;
  for (const ShapeKey& key : self.rig().keys) keys[key.name.c_str()] = points_view(self.asset, key.deltas);
  return keys;
}

nb::dict clips_of(const RigObject& self) {
  nb::dict clips;
  for (const Clip& clip : self.rig().clips) clips[clip.name.c_str()] = clip.duration();
  return clips;
}

nb::list stack_list(const RigObject& self) {
  nb::list steps;
  for (const StackEntry& entry : stack_of(self.rig())) {
    nb::dict settings;
    for (const auto& [name, value] : entry.settings) settings[name.c_str()] = to_python(value);
    nb::dict step;
    step["step"] = entry.step;
    step["mask"] = entry.mask;
    step["settings"] = settings;
    steps.append(step);
  }
  return steps;
}

nb::dict cages_of(const RigObject& self) {
  nb::dict cages;
  for (const Cage& cage : self.rig().cages)
    cages[cage.name.c_str()] = MeshObject{std::shared_ptr<const PolyMesh>(self.asset, &cage.mesh)};
  return cages;
}

std::string rig_text(const RigObject& self) {
  const Rig& rig = self.rig();
  return fmt::format("<sinew.Rig: {} vertices, {} faces, {} joints, {} keys, {} clips, deformer {}>",
                     rig.mesh.vertex_count(), rig.mesh.face_count(), rig.skeleton.deforming_count(),
                     rig.keys.size(), rig.clips.size(), deformer_of(stack_of(rig)));
}

void add_rig(nb::module_& module) {
  nb::class_<RigObject>(
      module, "Rig",
      "A character: mesh, skeleton and what ties them together, with all that its file held "
      "besides.\nIt never changes: functions give new rigs.")
      .def_prop_ro(
          "mesh",
          [](const RigObject& self) {
            return MeshObject{std::shared_ptr<const PolyMesh>(self.asset, &self.asset->rig.mesh)};
          },
          "The mesh, in the bind pose.")
      .def_prop_ro(
          "skeleton",
          [](const RigObject& self) {
            return SkeletonObject{std::shared_ptr<const Skeleton>(self.asset, &self.asset->rig.skeleton)};
          },
          "The joints; their rest pose is the file's own pose.")
      .def_prop_ro("weights", dense_weights, "(vertices, joints) float64: skin weights, one row a vertex.")
      .def_prop_ro("sparse_weights", sparse_weights,
                   "offsets, joints, weights of compressed rows: read-only views for "
                   "scipy.sparse.csr_array((weights, joints, offsets)).")
      .def_prop_ro(
          "bind", [](const RigObject& self) { return matrices(bind_transforms(self.rig())); },
          "(joints, 4, 4) float64: where the joints lie in the mesh at rest, in its space.")
      .def_prop_ro("keys", keys_of, "Shape keys: name to (vertices, 3) float32 deltas, read-only views.")
      .def_prop_ro("clips", clips_of, "Clips: name to duration in seconds.")
      .def_prop_ro("cages", cages_of, "Cages: name to mesh.")
      .def_prop_ro("stack", stack_list, "The steps of the deformation stack, in order.")
      .def_prop_ro(
          "deformer", [](const RigObject& self) { return deformer_of(stack_of(self.rig())); },
          "The deformer of the rig's own stack.")
      .def_prop_ro(
          "report", [](const RigObject& self) { return to_python(self.report); },
          "What the function that made the rig says, as the command line does with --json; or None.")
      .def_prop_ro(
          "warnings",
          [](const RigObject& self) {
            nb::list made;
            for (const std::string& text : self.warnings)
              made.append(nb::steal(
                  PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace")));
            return made;
          },
          "What was repaired or left out on the way, a sentence each.")
      .def("__repr__", rig_text);
}

}  // namespace

void add_nouns(nb::module_& module) {
  add_mesh(module);
  add_skeleton(module);
  add_rig(module);
}

}  // namespace sinew::python
