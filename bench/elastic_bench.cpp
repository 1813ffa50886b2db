// SPDX-License-Identifier: Apache-2.0
// Elasticity: what joint weights and the elastic reference cost on a body of the size of the armadillo in
// [kavan2012], and swing/twist beside linear blending on a mesh whose neighbours share their joints.
#include <fmt/format.h>

#include <array>
#include <ctime>
#include <numbers>

#include "registry.h"
#include "sinew/binding/joint_weights.h"
#include "sinew/characters/characters.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/joint_based.h"
#include "sinew/deform/lbs.h"
#include "sinew/volume/elastic.h"
#include "sinew/volume/voxelize.h"
#include "sinew/weights/elastic.h"

namespace sinew {
namespace {

// The biped's mesh with 16 of its joints, those without fingers, toes and shoulders.
struct Body {
  std::size_t mesh_vertices = 0;
  Skeleton skeleton;
  std::vector<Bone> bones;
  std::vector<int> parents;
  VoxelGrid grid;
  HandleMap handles;
};

constexpr std::array kJoints = {
    "Hips",         "Spine",     "Spine2",    "Head",    "LeftArm",  "LeftForeArm", "LeftHand", "RightArm",
    "RightForeArm", "RightHand", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg",  "RightLeg", "RightFoot"};
constexpr std::array kParents = {-1, 0, 1, 2, 2, 4, 5, 2, 7, 8, 0, 10, 11, 0, 13, 14};

Result<Skeleton> plain_skeleton(const Rig& rig) {
  const std::vector<Affine3> globals = bind_transforms(rig);
  const std::vector<Bone> bones = bones_of(rig.skeleton, globals);
  std::vector<Joint> joints;
  std::vector<Vec3> heads;
  for (std::size_t k = 0; k < kJoints.size(); ++k) {
    const auto found = rig.skeleton.find(kJoints[k]);
    if (!found) return impossible("the biped has other joints");
    heads.push_back(bones[*found].head);
    Joint joint;
    joint.name = kJoints[k];
    joint.parent = kParents[k];
    const Vec3 above = joint.parent < 0 ? Vec3(0, 0, 0) : heads[static_cast<std::size_t>(joint.parent)];
    joint.rest_local = Affine3(Eigen::Translation3d(heads[k] - above));
    joint.tail = bones[*found].tail - bones[*found].head;
    joints.push_back(std::move(joint));
  }
  return Skeleton::create(std::move(joints));
}

// `resolution` is that of VoxelizeOptions; 0: as fine as `grid_vertices` asks.
Result<Body> make_body(std::size_t grid_vertices, int resolution = 0) {
  SINEW_TRY(const Rig rig, make_character("biped", {.resolution = 43'000}));
  Body body;
  body.mesh_vertices = rig.mesh.vertex_count();
  SINEW_TRY(body.skeleton, plain_skeleton(rig));
  body.bones = bones_of(body.skeleton, global_transforms(body.skeleton, rest_pose(body.skeleton).local));
  body.parents = bone_parents(body.skeleton);
  const TriangleView triangles = triangulate(rig.mesh);
  VoxelizeOptions options;
  options.resolution = resolution;
  options.target_cells = options.max_cells = grid_vertices * 33 / 40;  // a cell has that many vertices
  SINEW_TRY(VoxelBody voxels, voxelize({rig.mesh.positions, triangles.triangles}, options));
  body.grid = std::move(voxels.grid);
  body.handles = map_handles(body.grid, handles_of(body.bones));
  return body;
}

std::string describe(const Body& body) {
  return fmt::format("{} grid vertices, {} joints, {} threads", body.grid.vertex_count(), body.bones.size(),
                     thread_count());
}

// Swing and twist together, for a joint; the root has none to solve for.
BenchResult bench_joint() {
  const auto body = make_body(40'000);
  if (!body) return {"", body.error().message, 0, ""};
  set_thread_count(0);
  double best = 1e300;
  for (int k = 0; k < 3; ++k) {
    const auto start = Clock::now();
    (void)grid_joint_weights(body->grid, body->handles, body->bones, body->parents).ok();
    best = std::min(best, seconds_since(start));
  }
  return {"", describe(*body), best / static_cast<double>(body->bones.size() - 1), "s/joint"};
}

// Swing and twist of all joints as the deformer `flesh` has them; it needs no d. Processor time, which other programs
// on the machine hardly change, of all threads.
BenchResult bench_whole(std::size_t grid_vertices, int resolution) {
  const auto body = make_body(grid_vertices, resolution);
  if (!body) return {"", body.error().message, 0, ""};
  set_thread_count(0);
  const ElasticWeightOptions options{.twist = TwistFit::kSpherical};
  double least = 1e300, wall = 0;
  for (int k = 0; k < (body->grid.vertex_count() < 100'000 ? 3 : 1); ++k) {
    const auto start = Clock::now();
    const std::clock_t began = std::clock();
    const auto made = grid_joint_weights(body->grid, body->handles, body->bones, body->parents, options);
    const double used = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    if (!made) return {"", made.error().message, 0, ""};
    if (used < least) least = used, wall = seconds_since(start);
  }
  const double microseconds = 1e6 * least / static_cast<double>(body->grid.vertex_count());
  return {"",
          fmt::format("{}, {:.2f} s by the clock, {:.0f} us a vertex", describe(*body), wall, microseconds),
          least, "s of CPU"};
}

// One pose of the elastic reference, an elbow bent by 90 degrees, from linear blending with the bones' own
// weights as the deformer starts.
BenchResult bench_reference() {
  const auto body = make_body(40'000);
  if (!body) return {"", body.error().message, 0, ""};
  set_thread_count(0);
  std::vector<std::uint8_t> fixed(body->grid.vertex_count());
  for (std::size_t v = 0; v < fixed.size(); ++v) fixed[v] = body->handles.of_vertex[v] >= 0;
  const auto began = Clock::now();
  const auto elastic = ElasticBody::build(body->grid, fixed);
  if (!elastic) return {"", elastic.error().message, 0, ""};
  const double build = seconds_since(began);
  constexpr std::size_t elbow = 5;
  const JointFrame frame = joint_frame(body->bones, body->parents, elbow);
  const auto weights = grid_joint_weights(body->grid, body->handles, body->bones, body->parents);
  if (!weights) return {"", weights.error().message, 0, ""};
  const Mat3 turn = Eigen::AngleAxisd(std::numbers::pi / 2, frame.axes.col(0)).toRotationMatrix();
  GridPositions start = elastic->model().rest();
  for (Eigen::Index v = 0; v < start.rows(); ++v) {
    const Vec3 arm = start.row(v).transpose() - frame.origin;
    start.row(v) += weights->swing(v, static_cast<Eigen::Index>(elbow)) * (turn * arm - arm).transpose();
  }
  double best = 1e300;
  int iterations = 0;
  for (int k = 0; k < 3; ++k) {
    const auto begin = Clock::now();
    iterations = elastic->minimise(start).iterations;
    best = std::min(best, seconds_since(begin));
  }
  return {"", fmt::format("{}, {} iterations, built in {:.2f} s", describe(*body), iterations, build), best,
          "s/pose"};
}

// A fine biped in its clip, lbs and swing-twist in turns so that both meet the same neighbours.
BenchResult bench_coherent(int influences, TwistPower twist, bool ratio) {
  auto made = make_character("biped", {.resolution = 100'000});
  if (!made) return {"", made.error().message, 0, ""};
  Rig rig = *std::move(made);
  set_thread_count(0);
  const auto report = make_joint_weights(rig, {.method = "skin", .influences = influences});
  if (!report) return {"", report.error().message, 0, ""};
  const auto linear = build_lbs(rig), joints = build_joint_based(rig, {.twist = twist});
  if (!linear || !joints) return {"", "not built", 0, ""};
  Pose pose = rest_pose(rig.skeleton);
  sample_clip(rig.clips.front(), rig.skeleton, rig.clips.front().duration() / 3, pose);
  const std::vector<Affine3> globals = global_transforms(rig.skeleton, pose.local);
  std::vector<Affine3> matrices(globals.size());
  skinning_matrices(rig, globals, matrices);
  std::vector<Vec3f> rest, out(rig.mesh.vertex_count());
  for (const Vec3& p : rig.mesh.positions) rest.push_back(p.cast<float>());
  const FrameInput input{rest, {}, globals, matrices, {}};
  const auto first = (*linear)->make_workspace(), second = (*joints)->make_workspace();
  set_thread_count(1);
  double of_lbs = 0, of_joints = 0;
  const double n = static_cast<double>(rest.size());
  for (int turn = 0; turn < 6; ++turn) {
    of_lbs = std::max(of_lbs, n / best_seconds([&] { (*linear)->deform(input, *first, out, {}); }, 0.1));
    of_joints =
        std::max(of_joints, n / best_seconds([&] { (*joints)->deform(input, *second, out, {}); }, 0.1));
  }
  const double entries = static_cast<double>(rig.joint_weights.entries.size()) / n;
  const std::string size =
      fmt::format("biped of {} vertices, {:.2f} joints a vertex, lbs {:.0f} M/s, 1 thread", rest.size(),
                  entries, of_lbs / 1e6);
  return ratio ? BenchResult{"", size, of_joints / of_lbs, "of lbs"}
               : BenchResult{"", size, of_joints / 1e6, "M vertices/s"};
}

}  // namespace

void add_elastic_benches(std::vector<BenchCase>& cases) {
  cases.push_back({"elastic/joint", bench_joint});
  cases.push_back({"elastic/pose", bench_reference});
  cases.push_back({"elastic/swing and twist", [] { return bench_whole(40'000, 0); }});
  for (const std::size_t thousands : {10, 20, 40, 80, 160, 320})
    cases.push_back({fmt::format("scaling/elastic/{:03}k", thousands),
                     [thousands] { return bench_whole(thousands * 1000, 0); }});
  cases.push_back({"scaling/elastic/256 cells high", [] { return bench_whole(0, 256); }});
  for (const int influences : {4, 2})
    for (const bool fast : {false, true}) {
      const std::string name =
          fmt::format("coherent/swing-twist{}/{} influences", fast ? " fast" : "", influences);
      const TwistPower twist = fast ? TwistPower::kFast : TwistPower::kExact;
      cases.push_back({name, [=] { return bench_coherent(influences, twist, false); }});
      cases.push_back({name + "/of lbs", [=] { return bench_coherent(influences, twist, true); }});
    }
}

}  // namespace sinew
