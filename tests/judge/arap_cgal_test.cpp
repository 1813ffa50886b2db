// SPDX-License-Identifier: Apache-2.0
// Our energy at CGAL's shape and at ours, from the same start after as many steps. CGAL is GPL: this program
// is a judge and never shipped.
#include <CGAL/Simple_cartesian.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/Surface_mesh_deformation.h>
#include <gtest/gtest.h>

#include "sinew/characters/characters.h"
#include "sinew/deform/arap.h"
#include "support/data.h"
#include "support/mesh_file.h"

namespace sinew {
namespace {

using Kernel = CGAL::Simple_cartesian<double>;
using Surface = CGAL::Surface_mesh<Kernel::Point_3>;
using Judge = CGAL::Surface_mesh_deformation<Surface, CGAL::Default, CGAL::Default, CGAL::SPOKES_AND_RIMS>;

// The lowest tenth of the mesh along its longest axis stays; the highest is turned by 70 degrees.
struct Pull {
  std::vector<std::uint32_t> vertices;
  std::vector<Vec3> targets;
};
Pull bend(const PolyMesh& mesh) {
  const Box3 box = bounding_box(mesh.positions);
  int axis = 0;
  box.sizes().maxCoeff(&axis);
  Vec3 about = Vec3::Zero();
  about[(axis + 1) % 3] = 1;
  const Affine3 turn = Eigen::Translation3d(box.center()) * Eigen::AngleAxisd(1.2, about) *
                       Eigen::Translation3d(-box.center());
  Pull pull;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    const double along = (mesh.positions[v][axis] - box.min()[axis]) / box.sizes()[axis];
    if (along > 0.1 && along < 0.9) continue;
    pull.vertices.push_back(v);
    pull.targets.push_back(along < 0.5 ? mesh.positions[v] : Vec3(turn * mesh.positions[v]));
  }
  return pull;
}

std::vector<Vec3> judged(const PolyMesh& mesh, std::span<const Triangle> triangles, const Pull& pull,
                         int steps) {
  Surface surface;
  std::vector<Surface::Vertex_index> vertices;
  for (const Vec3& p : mesh.positions) vertices.push_back(surface.add_vertex({p.x(), p.y(), p.z()}));
  for (const Triangle& t : triangles) surface.add_face(vertices[t[0]], vertices[t[1]], vertices[t[2]]);
  Judge judge(surface);
  judge.insert_roi_vertices(vertices.begin(), vertices.end());
  for (const std::uint32_t v : pull.vertices) judge.insert_control_vertex(vertices[v]);
  EXPECT_TRUE(judge.preprocess());
  for (std::size_t c = 0; c < pull.targets.size(); ++c)
    judge.set_target_position(vertices[pull.vertices[c]],
                              {pull.targets[c].x(), pull.targets[c].y(), pull.targets[c].z()});
  judge.deform(static_cast<unsigned>(steps), 0);
  std::vector<Vec3> out;
  for (const auto v : vertices)
    out.emplace_back(surface.point(v).x(), surface.point(v).y(), surface.point(v).z());
  return out;
}

void compare(const PolyMesh& mesh) {
  const TriangleView view = triangulate(mesh);
  const Pull pull = bend(mesh);
  const auto arap = ArapSolver::build({mesh.positions, view.triangles}, pull.vertices);
  ASSERT_TRUE(arap.ok());
  for (const int steps : {5, 30}) {
    ArapState state = arap->make_state();
    for (int step = 0; step < steps; ++step) arap->step(pull.targets, state);
    const double ours = arap->energy(state);
    arap->start_from(judged(mesh, view.triangles, pull, steps), state);
    const double theirs = arap->energy(state);
    std::printf("%zu vertices, %d steps: energy %.9g, CGAL's shape %.9g\n", mesh.vertex_count(), steps, ours,
                theirs);
    EXPECT_NEAR(ours, theirs, 0.01 * theirs);
  }
}

TEST(ArapAndCgal, AgreeOnABuiltInArm) {
  const auto arm = make_character("arm");
  ASSERT_TRUE(arm.ok());
  compare(arm->mesh);
}

TEST(ArapAndCgal, AgreeOnRealMeshes) {
  SINEW_REQUIRE_DATA(data);
  for (const char* name : {"arm.obj", "camel.off", "man.off"}) {
    SCOPED_TRACE(name);
    compare(test::read_test_mesh(data / "static_tri" / name));
  }
}

}  // namespace
}  // namespace sinew
