// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

// Small meshes for tests, each with a known answer or one hard case. Closed ones are counter-clockwise from
// outside.
namespace sinew::test {

// Clean shapes.
PolyMesh grid(int columns, int rows, double width = 1,
              double height = 1);  // quads in z = 0, from the origin, normals +z
PolyMesh box(const Vec3& low, const Vec3& high, int cells = 1);  // quads, cells a side on every face, welded
PolyMesh uv_sphere(const Vec3& centre, double radius, int around = 32,
                   int rings = 16);                                      // quads, triangles at the poles
PolyMesh cylinder(double radius, double length, int around, int rings);  // along x from 0, quads, open ends
PolyMesh capped_cylinder(double radius, double length, int around, int rings);  // the same, closed by n-gons
PolyMesh capsule(const Vec3& from, const Vec3& to, double radius, int around = 24);
PolyMesh torus(double ring_radius, double tube_radius, int around = 32, int across = 16);  // about z
PolyMesh random_blob(std::uint32_t seed, int around = 24,
                     int rings = 12);  // a closed, star-shaped, bumpy sphere

// Hard cases.
PolyMesh bow_tie();                       // two triangles that share one vertex
PolyMesh t_junction();                    // three triangles on one edge
PolyMesh two_touching_cubes();            // two cubes that share one edge: 4 faces on it
PolyMesh one_triangle();                  // nothing else
PolyMesh cube_with_island();              // a cube and one triangle far off
PolyMesh moebius_strip(int around = 24);  // not orientable, one boundary loop
PolyMesh flipped(PolyMesh mesh);          // inside out
PolyMesh soup(const PolyMesh& mesh);      // every face with vertices of its own
PolyMesh open_cup(double radius, double height, int around = 24,
                  int rings = 8);  // axis z from 0: floor and wall, no lid
PolyMesh concave_polygon();        // one L-shaped face of 6 corners, area 3
PolyMesh
degenerate_faces();  // a square, a needle of no area, a point-like triangle, and a face that repeats a vertex
PolyMesh joined(const std::vector<PolyMesh>& parts);  // one after the other, nothing welded
PolyMesh hand_near_thigh(
    double gap);  // two upright capsules of radius 0.5 and 0.1, their surfaces `gap` apart along x
PolyMesh body_with_eyeballs();  // a sphere with two small closed spheres sunk halfway into it
PolyMesh transformed(PolyMesh mesh, const Affine3& transform);

// All of the above by name, for properties that must hold for any mesh.
struct NamedShape {
  std::string name;
  PolyMesh mesh;
  bool closed = false;  // encloses a volume, outside out
};
std::vector<NamedShape> all_shapes();

// The volume that a closed mesh encloses, and the area of any mesh, by its triangles.
double enclosed_volume(const PolyMesh& mesh);
double surface_area(const PolyMesh& mesh);

}  // namespace sinew::test
