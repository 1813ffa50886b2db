// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/topology.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sinew/mesh/weld.h"
#include "support/data.h"
#include "support/mesh_file.h"
#include "support/shapes.h"

namespace sinew {
namespace {

using Pair = std::array<std::uint32_t, 2>;

// The independent way: a set of faces for every pair of vertices.
std::map<Pair, std::set<std::uint32_t>> edges_by_map(const PolyMesh& mesh) {
  std::map<Pair, std::set<std::uint32_t>> edges;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    for (std::size_t k = 0; k < face.size(); ++k) {
      const std::uint32_t a = face[k], b = face[(k + 1) % face.size()];
      if (a != b) edges[{std::min(a, b), std::max(a, b)}].insert(static_cast<std::uint32_t>(f));
    }
  }
  return edges;
}

TEST(Topology, EdgesAgreeWithASetOfFacesForEveryPair) {
  for (const auto& shape : test::all_shapes()) {
    const auto expected = edges_by_map(shape.mesh);
    const EdgeTable edges = edge_table(shape.mesh.vertex_count(), shape.mesh);
    ASSERT_EQ(edges.size(), expected.size()) << shape.name;
    std::size_t e = 0;
    for (const auto& [ends, faces] : expected) {
      EXPECT_EQ(edges.ends[e], ends) << shape.name;
      EXPECT_EQ(std::set<std::uint32_t>(edges.faces[e].begin(), edges.faces[e].end()), faces);
      EXPECT_EQ(edges.faces[e].size(), faces.size());
      ++e;
    }
  }
}

TEST(Topology, VertexListsHoldEachFaceAndNeighbourOnceAscending) {
  for (const auto& shape : test::all_shapes()) {
    const std::size_t n = shape.mesh.vertex_count();
    std::vector<std::set<std::uint32_t>> faces(n), neighbours(n);
    for (std::size_t f = 0; f < shape.mesh.face_count(); ++f)
      for (const std::uint32_t v : shape.mesh.face(f)) faces[v].insert(static_cast<std::uint32_t>(f));
    for (const auto& [ends, unused] : edges_by_map(shape.mesh)) {
      neighbours[ends[0]].insert(ends[1]);
      neighbours[ends[1]].insert(ends[0]);
    }
    const IndexLists of_faces = vertex_faces(n, shape.mesh);
    const IndexLists of_vertices = vertex_neighbours(n, edge_table(n, shape.mesh));
    ASSERT_EQ(of_faces.size(), n);
    ASSERT_EQ(of_vertices.size(), n);
    for (std::size_t v = 0; v < n; ++v) {
      EXPECT_TRUE(std::equal(of_faces[v].begin(), of_faces[v].end(), faces[v].begin(), faces[v].end()))
          << shape.name;
      EXPECT_TRUE(std::equal(of_vertices[v].begin(), of_vertices[v].end(), neighbours[v].begin(),
                             neighbours[v].end()))
          << shape.name;
    }
  }
}

TEST(Topology, ComponentsAreNumberedByTheirLowestVertexAndLeaveUnreferencedOnesOut) {
  PolyMesh mesh = test::joined({test::one_triangle(), test::box({0, 0, 0}, {1, 1, 1}), test::bow_tie()});
  mesh.positions.emplace_back(9, 9, 9);
  const Components components = connected_components(mesh.vertex_count(), mesh);
  EXPECT_EQ(components.count, 3u);
  EXPECT_EQ(components.of_vertex[2], 0u);
  EXPECT_EQ(components.of_vertex[3], 1u);
  EXPECT_EQ(components.of_vertex[11], 2u);
  EXPECT_EQ(components.of_vertex.back(), kNoComponent);
  EXPECT_EQ(components.of_face.front(), 0u);
  EXPECT_EQ(components.of_face.back(), 2u);
}

TEST(Topology, ReportsOfHardShapesAreAsDrawn) {
  const auto expect = [](const PolyMesh& mesh, std::size_t components, std::size_t boundary,
                         std::size_t nonmanifold) {
    const MeshReport report = mesh_report(mesh);
    EXPECT_EQ(report.components, components);
    EXPECT_EQ(report.boundary_edges, boundary);
    EXPECT_EQ(report.nonmanifold_edges, nonmanifold);
  };
  expect(test::bow_tie(), 1, 6, 0);
  expect(test::t_junction(), 1, 6, 1);
  expect(test::two_touching_cubes(), 1, 0, 1);
  expect(test::cube_with_island(), 2, 3, 0);
  expect(test::moebius_strip(24), 1, 48, 0);
  expect(test::soup(test::box({0, 0, 0}, {1, 1, 1})), 1, 0, 0);
  expect(test::open_cup(1, 1, 24), 1, 24, 0);
  expect(test::torus(2, 0.5), 1, 0, 0);
  expect(test::hand_near_thigh(0.1), 2, 0, 0);
  expect(PolyMesh{}, 0, 0, 0);
  const MeshReport cube = mesh_report(test::box({0, 0, 0}, {1, 1, 1}, 2));
  EXPECT_EQ(cube.vertices, 26u);
  EXPECT_EQ(cube.faces, 24u);
  EXPECT_EQ(cube.quads, 24u);
}

std::size_t number(const std::string& cell) {
  return std::stoul(cell);
}

// The table counts on vertices as stored, so that is what is compared; `mesh_report` welds first.
void expect_as_in_readme(const PolyMesh& mesh, std::map<std::string, std::string> row) {
  EXPECT_EQ(mesh.vertex_count(), number(row["vertices"]));
  EXPECT_EQ(mesh.face_count(), number(row["faces"]));
  EXPECT_EQ(connected_components(mesh.vertex_count(), mesh).count, number(row["components"]));
  const EdgeTable edges = edge_table(mesh.vertex_count(), mesh);
  std::size_t boundary = 0, nonmanifold = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    boundary += edges.is_boundary(e);
    nonmanifold += edges.is_nonmanifold(e);
  }
  EXPECT_EQ(boundary, number(row["boundary edges"]));
  EXPECT_EQ(nonmanifold, number(row["non-manifold edges"]));
}

TEST(Topology, CountsOfEveryMeshOfTheDataAreThoseOfItsReadme) {
  SINEW_REQUIRE_DATA(data);
  std::size_t compared = 0;
  for (const std::string group : {"static_tri", "quad", "dirty_mesh", "pose_pairs"}) {
    const auto table = test::readme_table(data, group);
    for (const auto& path : test::test_meshes(data / group)) {
      SCOPED_TRACE(path.filename().string());
      const auto row = table.find(path.filename().string());
      ASSERT_NE(row, table.end());
      const PolyMesh mesh = test::read_test_mesh(path);
      expect_as_in_readme(mesh, row->second);
      // Where no two positions are equal the report is the table's row; elsewhere (texture seams, soups)
      // welding may only join components and close edges.
      const MeshReport report = mesh_report(mesh);
      const std::size_t quads = row->second.at("tri / quad / other").find('/');
      EXPECT_EQ(report.quads, number(row->second.at("tri / quad / other").substr(quads + 1)));
      if (weld_vertices(mesh.positions).positions.size() == mesh.vertex_count()) {
        EXPECT_EQ(report.components, number(row->second.at("components")));
        EXPECT_EQ(report.boundary_edges, number(row->second.at("boundary edges")));
        EXPECT_EQ(report.nonmanifold_edges, number(row->second.at("non-manifold edges")));
      } else {
        EXPECT_LE(report.components, number(row->second.at("components")));
      }
      ++compared;
    }
  }
  EXPECT_GE(compared, 60u);
}

}  // namespace
}  // namespace sinew
