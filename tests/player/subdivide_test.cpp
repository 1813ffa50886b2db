// SPDX-License-Identifier: Apache-2.0
// A stack that ends with subdivision, as engines and the command line run it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "sinew/characters/characters.h"
#include "sinew/core/parallel.h"
#include "sinew/io/asset.h"
#include "sinew/mesh/catmull_clark.h"
#include "sinew/mesh/subdivision.h"
#include "sinew/mesh/weld.h"
#include "sinew/pipeline/bake.h"
#include "sinew/player/stack.h"
#include "support/data.h"

namespace {
std::atomic<int> player_allocations{0};
}

// The whole program's allocations are counted; only differences are looked at.
__attribute__((noinline)) void* operator new(std::size_t size) {
  ++player_allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
__attribute__((noinline)) void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++player_allocations;
  return std::malloc(size);
}
__attribute__((noinline)) void operator delete(void* memory) noexcept {
  std::free(memory);
}
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace sinew {
namespace {

Rig walking_biped(const char* deformer, double levels) {
  auto rig = make_character("biped", {.resolution = 1500});
  EXPECT_TRUE(rig.ok());
  ShapeKey key{"up", std::vector<Vec3f>(rig->mesh.vertex_count(), Vec3f(0, 0.01f, 0)), {}, 1};
  rig->keys.push_back(key);
  rig->stack = *reorder({}, "keys,skeleton,keys");
  EXPECT_TRUE(set_option(rig->stack, "deformer", std::string(deformer)).ok());
  EXPECT_TRUE(set_option(rig->stack, "subdivide", levels).ok());
  return *std::move(rig);
}

Pose step_of(const Rig& rig) {
  Pose pose = rest_pose(rig.skeleton);
  sample_clip(rig.clips[0], rig.skeleton, 0.3, pose);
  return pose;
}

PolyMesh refined_twice(PolyMesh mesh) {
  for (int k = 0; k < 2; ++k) mesh = refine_catmull_clark(mesh)->mesh;
  return mesh;
}

TEST(Subdivide, AFrameIsTheSubdividedFrameOfTheRig) {
  for (const char* name : {"lbs", "dqs+mush"}) {
    const Rig rig = walking_biped(name, 2);
    Rig plain = rig;
    plain.stack = without_subdivision(rig.stack);
    const Pose pose = step_of(rig);
    const auto fine = posed_mesh(rig, pose), coarse = posed_mesh(plain, pose);
    ASSERT_TRUE(fine.ok() && coarse.ok()) << (fine.ok() ? "" : fine.error().message);
    const PolyMesh expected = refined_twice(*coarse);
    ASSERT_EQ(fine->vertex_count(), expected.vertex_count());
    EXPECT_EQ(fine->face_vertices, expected.face_vertices);
    for (std::size_t i = 0; i < expected.vertex_count(); ++i)
      EXPECT_LT((fine->positions[i] - expected.positions[i]).norm(), 1e-6) << name;
    const std::vector<Vec3> normals = vertex_normals({expected.positions, triangulate(expected).triangles});
    std::size_t near = 0;  // in folds the two diagonals of a quad differ
    for (std::size_t i = 0; i < normals.size(); ++i)
      near += normals[i].dot(fine->normals[i].cast<double>()) > 0.98;
    EXPECT_GT(static_cast<double>(near), 0.99 * static_cast<double>(normals.size())) << name;
  }
}

TEST(Subdivide, BuffersThatHoldTheRigAloneAreRefused) {
  const Rig rig = walking_biped("lbs", 1);
  const auto deformer = RigDeformer::build(rig);
  ASSERT_TRUE(deformer.ok());
  ASSERT_NE(deformer->subdivision(), nullptr);
  EXPECT_EQ(deformer->vertex_count(), rig.mesh.vertex_count());
  const std::size_t n = deformer->output_count();
  EXPECT_EQ(n, deformer->subdivision()->vertex_count());
  EXPECT_GT(n, 3 * deformer->vertex_count());
  RigWorkspace workspace = deformer->make_workspace();
  const Pose pose = step_of(rig);
  std::vector<Vec3f> out(n, Vec3f::Constant(9));
  EXPECT_EQ(deformer->evaluate(pose, workspace, {out[0].data(), rig.mesh.vertex_count()}), Status::kBadPose);
  EXPECT_EQ(deformer->evaluate(pose, workspace, {out[0].data(), n - 1}), Status::kBadPose);
  std::vector<Vec3f> all(n);
  EXPECT_EQ(deformer->evaluate(pose, workspace, all, {out[0].data(), n - 1}), Status::kBadPose);
  for (const Vec3f& p : out) EXPECT_EQ(p, Vec3f::Constant(9));

  // With a stride, and from other rest positions, the same numbers.
  std::vector<Vec3f> normals(n);
  ASSERT_EQ(deformer->evaluate(pose, workspace, all, normals), Status::kOk);
  std::vector<float> wide(8 * n, 7);
  ASSERT_EQ(deformer->evaluate(pose, workspace, {wide.data(), n, 32}, {wide.data() + 4, n, 32}), Status::kOk);
  std::vector<float> rest;
  for (const Vec3& p : rig.mesh.positions)
    for (int k = 0; k < 3; ++k) rest.push_back(static_cast<float>(p[k]));
  ASSERT_EQ(deformer->evaluate_from(rest, pose, workspace, out), Status::kOk);
  EXPECT_EQ(out, all);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(Vec3f(&wide[8 * i]), all[i]);
    EXPECT_EQ(Vec3f(&wide[8 * i + 4]), normals[i]);
    EXPECT_EQ(wide[8 * i + 3], 7);
  }
}

TEST(Subdivide, FramesAllocateNothingAndAreTheSameForAnyNumberOfThreads) {
  const Rig rig = walking_biped("dqs+mush", 2);
  const auto deformer = RigDeformer::build(rig);
  ASSERT_TRUE(deformer.ok());
  const Pose pose = step_of(rig);
  const std::size_t n = deformer->output_count();
  std::vector<Vec3f> one(n), several(n), one_normals(n), several_normals(n);
  RigWorkspace workspace = deformer->make_workspace();
  set_thread_count(1);
  const int before = player_allocations;
  const Status status = deformer->evaluate(pose, workspace, one, one_normals);
  EXPECT_EQ(player_allocations - before, 0);
  EXPECT_EQ(status, Status::kOk);
  set_thread_count(3);
  EXPECT_EQ(deformer->evaluate(pose, workspace, several, several_normals), Status::kOk);
  set_thread_count(0);
  EXPECT_EQ(one, several);
  EXPECT_EQ(one_normals, several_normals);
}

TEST(Subdivide, BakedFramesAreSubdividedToo) {
  const Rig rig = walking_biped("lbs", 1);
  BakeRequest request;
  request.fps = 5;
  std::optional<PolyMesh> refined;
  const auto frames = bake(rig, request, nullptr, &refined);
  ASSERT_TRUE(frames.ok() && refined);
  ASSERT_GT(frames->positions.size(), 1u);
  const auto mesh = posed_mesh(rig, *make_pose(rig, {}, rig.clips[0], 0.2));
  ASSERT_TRUE(mesh.ok());
  EXPECT_EQ(refined->face_vertices, mesh->face_vertices);
  ASSERT_EQ(frames->positions[1].size(), mesh->vertex_count());
  for (std::size_t i = 0; i < mesh->vertex_count(); ++i)
    EXPECT_EQ(frames->positions[1][i].cast<double>(), mesh->positions[i]);
}

TEST(Subdivide, RigsFromElsewhereStayClosedAcrossTheirSeams) {
  SINEW_REQUIRE_DATA(data);
  for (const char* name : {"male_base_mesh.glb", "CesiumMan.glb", "mh_neutral.glb"}) {
    auto asset = read_asset(data / "rigged_gltf" / name);
    ASSERT_TRUE(asset.ok()) << name;
    Rig& rig = asset->rig;
    rig.stack = stack_of(rig);
    ASSERT_TRUE(set_option(rig.stack, "subdivide", 1.0).ok());
    Pose pose = rest_pose(rig.skeleton);
    if (!rig.clips.empty()) sample_clip(rig.clips[0], rig.skeleton, 0.4, pose);
    const auto fine = posed_mesh(rig, pose);
    ASSERT_TRUE(fine.ok()) << name << ": " << fine.error().message;
    // The same as the textbook's surface of the welded mesh: corner by corner, at the same places.
    Rig plain = rig;
    plain.stack = without_subdivision(rig.stack);
    const auto coarse = posed_mesh(plain, pose);
    const Weld weld = weld_vertices(rig.mesh.positions);
    PolyMesh whole;
    whole.face_offsets = coarse->face_offsets;
    for (const std::uint32_t v : coarse->face_vertices) whole.face_vertices.push_back(weld.to_welded[v]);
    for (const std::uint32_t v : weld.representative) whole.positions.push_back(coarse->positions[v]);
    const auto expected = refine_catmull_clark(whole);
    ASSERT_TRUE(expected.ok()) << name;
    ASSERT_EQ(fine->face_vertices.size(), expected->mesh.face_vertices.size());
    const double size = bounding_box(rig.mesh.positions).diagonal().norm();
    double worst = 0;
    for (std::size_t c = 0; c < fine->face_vertices.size(); ++c)
      worst = std::max(worst, (fine->positions[fine->face_vertices[c]] -
                               expected->mesh.positions[expected->mesh.face_vertices[c]])
                                  .norm());
    EXPECT_LT(worst, 2e-6 * size) << name;
    EXPECT_EQ(fine->texcoords.empty(), rig.mesh.texcoords.empty()) << name;
  }
}

}  // namespace
}  // namespace sinew
