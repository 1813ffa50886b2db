// SPDX-License-Identifier: Apache-2.0
#include "support/shapes.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "sinew/math/svd.h"
#include "sinew/mesh/weld.h"

namespace sinew::test {
namespace {

constexpr double kPi = 3.14159265358979323846;

std::uint32_t index(int value) {
  return static_cast<std::uint32_t>(value);
}

// Quads between consecutive rings of `around` vertices, outside where rings run along the axis that the ring
// turns about.
void add_ring_quads(PolyMesh& mesh, int first, int around, int rings) {
  for (int r = 0; r + 1 < rings; ++r)
    for (int k = 0; k < around; ++k) {
      const int next = (k + 1) % around, low = first + r * around, high = low + around;
      mesh.add_face({index(low + k), index(low + next), index(high + next), index(high + k)});
    }
}

void add_cap(PolyMesh& mesh, int ring, int around, bool upwards) {
  std::vector<std::uint32_t> corners;
  for (int k = 0; k < around; ++k) corners.push_back(index(ring + (upwards ? k : around - 1 - k)));
  mesh.add_face(corners);
}

// Rings about z between two poles; at(u, v) with u around in [0, 1) and v from the lower pole 0 to the
// upper 1.
PolyMesh between_poles(int around, int rings, const std::function<Vec3(double, double)>& at) {
  PolyMesh mesh;
  for (int r = 1; r < rings; ++r)
    for (int k = 0; k < around; ++k) mesh.positions.push_back(at(double(k) / around, double(r) / rings));
  add_ring_quads(mesh, 0, around, rings - 1);
  const int south = int(mesh.positions.size()), north = south + 1, last = (rings - 2) * around;
  mesh.positions.push_back(at(0, 0));
  mesh.positions.push_back(at(0, 1));
  for (int k = 0; k < around; ++k) {
    const int next = (k + 1) % around;
    mesh.add_face({index(south), index(next), index(k)});
    mesh.add_face({index(north), index(last + k), index(last + next)});
  }
  return mesh;
}

Vec3 on_sphere(double u, double v) {
  const double turn = 2 * kPi * u, rise = kPi * (v - 0.5);
  return {std::cos(rise) * std::cos(turn), std::cos(rise) * std::sin(turn), std::sin(rise)};
}

}  // namespace

PolyMesh grid(int columns, int rows, double width, double height) {
  PolyMesh mesh;
  for (int y = 0; y <= rows; ++y)
    for (int x = 0; x <= columns; ++x) mesh.positions.emplace_back(width * x / columns, height * y / rows, 0);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const int corner = y * (columns + 1) + x;
      mesh.add_face(
          {index(corner), index(corner + 1), index(corner + columns + 2), index(corner + columns + 1)});
    }
  return mesh;
}

PolyMesh box(const Vec3& low, const Vec3& high, int cells) {
  PolyMesh sides;
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      PolyMesh face = grid(cells, cells);
      for (Vec3& p : face.positions) {
        const Vec3 flat = p;
        // Equal weights on both faces of an edge, so that welding by equal positions closes the box.
        p[axis] = side ? high[axis] : low[axis];
        p[u] = (1 - flat.x()) * low[u] + flat.x() * high[u];
        p[v] = (1 - flat.y()) * low[v] + flat.y() * high[v];
      }
      sides = joined({sides, side ? face : flipped(face)});
    }
  return weld_faces(sides).mesh;
}

PolyMesh uv_sphere(const Vec3& centre, double radius, int around, int rings) {
  return between_poles(around, rings,
                       [&](double u, double v) -> Vec3 { return centre + radius * on_sphere(u, v); });
}

PolyMesh random_blob(std::uint32_t seed, int around, int rings) {
  std::mt19937 random(seed);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  const double a = uniform(), b = uniform(), c = uniform(), phase = 2 * kPi * uniform();
  return between_poles(around, rings, [&](double u, double v) -> Vec3 {
    const Vec3 p = on_sphere(u, v);
    return p * (1 + 0.2 * a * std::sin(3 * p.x() + phase) + 0.2 * b * std::cos(4 * p.y()) +
                0.2 * c * std::sin(5 * p.z()));
  });
}

PolyMesh cylinder(double radius, double length, int around, int rings) {
  PolyMesh mesh;
  for (int r = 0; r < rings; ++r)
    for (int k = 0; k < around; ++k) {
      const double turn = 2 * kPi * k / around;
      mesh.positions.emplace_back(length * r / (rings - 1), radius * std::cos(turn), radius * std::sin(turn));
    }
  add_ring_quads(mesh, 0, around, rings);
  return mesh;
}

PolyMesh capped_cylinder(double radius, double length, int around, int rings) {
  PolyMesh mesh = cylinder(radius, length, around, rings);
  add_cap(mesh, 0, around, false);
  add_cap(mesh, (rings - 1) * around, around, true);
  return mesh;
}

PolyMesh capsule(const Vec3& from, const Vec3& to, double radius, int around) {
  const Vec3 axis = to - from;
  const double length = axis.norm();
  const int half = around / 4, rings = std::max(2, int(std::lround(length / radius * around / (2 * kPi))));
  const int total = 2 * half + rings;
  PolyMesh mesh = between_poles(around, total, [&](double u, double v) -> Vec3 {
    const double row = v * total;
    if (row <= half) return radius * on_sphere(u, 0.5 * row / half);
    if (row >= half + rings)
      return radius * on_sphere(u, 0.5 + 0.5 * (row - half - rings) / half) + length * Vec3::UnitZ();
    return radius * on_sphere(u, 0.5) + length * (row - half) / rings * Vec3::UnitZ();
  });
  const Quat turn = shortest_arc(Vec3::UnitZ(), axis);
  for (Vec3& p : mesh.positions) p = from + turn * p;
  return mesh;
}

PolyMesh torus(double ring_radius, double tube_radius, int around, int across) {
  PolyMesh mesh;
  for (int r = 0; r < around; ++r)
    for (int k = 0; k < across; ++k) {
      const double turn = 2 * kPi * r / around, tilt = 2 * kPi * k / across;
      const double reach = ring_radius + tube_radius * std::cos(tilt);
      mesh.positions.emplace_back(reach * std::cos(turn), reach * std::sin(turn),
                                  tube_radius * std::sin(tilt));
    }
  for (int r = 0; r < around; ++r)
    for (int k = 0; k < across; ++k) {
      const int low = r * across, high = (r + 1) % around * across, next = (k + 1) % across;
      mesh.add_face({index(low + k), index(high + k), index(high + next), index(low + next)});
    }
  return mesh;
}

PolyMesh bow_tie() {
  PolyMesh mesh;
  mesh.positions = {{0, 0, 0}, {-1, -1, 0}, {-1, 1, 0}, {1, -1, 0}, {1, 1, 0}};
  mesh.add_face({0, 2, 1});
  mesh.add_face({0, 3, 4});
  return mesh;
}

PolyMesh t_junction() {
  PolyMesh mesh;
  mesh.positions = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}};
  mesh.add_face({0, 2, 1});
  mesh.add_face({0, 1, 3});
  mesh.add_face({0, 1, 4});
  return mesh;
}

PolyMesh two_touching_cubes() {
  return weld_faces(joined({box({0, 0, 0}, {1, 1, 1}), box({1, 1, 0}, {2, 2, 1})})).mesh;
}

PolyMesh one_triangle() {
  PolyMesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.add_face({0, 1, 2});
  return mesh;
}

PolyMesh cube_with_island() {
  return joined(
      {box({0, 0, 0}, {1, 1, 1}), transformed(one_triangle(), Affine3(Eigen::Translation3d(5, 0, 0)))});
}

PolyMesh moebius_strip(int around) {
  PolyMesh mesh;
  for (int k = 0; k < around; ++k) {
    const double turn = 2 * kPi * k / around;
    for (int side = -1; side <= 1; side += 2) {
      const double reach = 1 + 0.3 * side * std::cos(turn / 2);
      mesh.positions.emplace_back(reach * std::cos(turn), reach * std::sin(turn),
                                  0.3 * side * std::sin(turn / 2));
    }
  }
  for (int k = 0; k < around; ++k) {
    const int a = 2 * k, b = a + 1, next = 2 * ((k + 1) % around), twist = k + 1 == around;
    mesh.add_face({index(a), index(b), index(next + 1 - twist), index(next + twist)});
  }
  return mesh;
}

PolyMesh flipped(PolyMesh mesh) {
  for (std::size_t f = 0; f < mesh.face_count(); ++f)
    std::reverse(mesh.face_vertices.begin() + mesh.face_offsets[f],
                 mesh.face_vertices.begin() + mesh.face_offsets[f + 1]);
  return mesh;
}

PolyMesh soup(const PolyMesh& mesh) {
  PolyMesh out;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    std::vector<std::uint32_t> corners;
    for (const std::uint32_t v : mesh.face(f)) {
      corners.push_back(static_cast<std::uint32_t>(out.positions.size()));
      out.positions.push_back(mesh.positions[v]);
    }
    out.add_face(corners);
  }
  return out;
}

PolyMesh open_cup(double radius, double height, int around, int rings) {
  PolyMesh mesh;
  for (int r = 0; r < rings; ++r)
    for (int k = 0; k < around; ++k) {
      const double turn = 2 * kPi * k / around;
      mesh.positions.emplace_back(radius * std::cos(turn), radius * std::sin(turn), height * r / (rings - 1));
    }
  add_ring_quads(mesh, 0, around, rings);
  add_cap(mesh, 0, around, false);
  return mesh;
}

PolyMesh concave_polygon() {
  PolyMesh mesh;
  mesh.positions = {{1, 1, 0}, {1, 2, 0}, {0, 2, 0}, {0, 0, 0}, {2, 0, 0}, {2, 1, 0}};
  mesh.add_face({0, 1, 2, 3, 4, 5});
  return mesh;
}

PolyMesh degenerate_faces() {
  PolyMesh mesh = grid(1, 1);
  mesh.positions.insert(mesh.positions.end(), {{0.5, 0, 0}, {2, 2, 2}, {2, 2, 2}, {2, 2, 2}});
  mesh.add_face({0, 4, 1});
  mesh.add_face({5, 6, 7});
  mesh.add_face({0, 0, 1});
  return mesh;
}

PolyMesh joined(const std::vector<PolyMesh>& parts) {
  PolyMesh out;
  for (const PolyMesh& part : parts) {
    const auto offset = static_cast<std::uint32_t>(out.positions.size());
    out.positions.insert(out.positions.end(), part.positions.begin(), part.positions.end());
    for (std::size_t f = 0; f < part.face_count(); ++f) {
      std::vector<std::uint32_t> corners(part.face(f).begin(), part.face(f).end());
      for (std::uint32_t& v : corners) v += offset;
      out.add_face(corners);
    }
  }
  return out;
}

PolyMesh hand_near_thigh(double gap) {
  const double x = 0.5 + gap + 0.1;
  return joined({capsule({0, 0, 0}, {0, 0, 3}, 0.5), capsule({x, 0, 1}, {x, 0, 2}, 0.1)});
}

PolyMesh body_with_eyeballs() {
  return joined({uv_sphere({0, 0, 0}, 1), uv_sphere(0.95 * Vec3(0.3, 0.9, 0.3).normalized(), 0.15, 12, 8),
                 uv_sphere(0.95 * Vec3(-0.3, 0.9, 0.3).normalized(), 0.15, 12, 8)});
}

PolyMesh transformed(PolyMesh mesh, const Affine3& transform) {
  for (Vec3& p : mesh.positions) p = transform * p;
  return mesh;
}

std::vector<NamedShape> all_shapes() {
  return {{"grid", grid(8, 6), false},
          {"box", box({-1, -2, -3}, {1, 2, 3}, 4), true},
          {"uv_sphere", uv_sphere({1, 2, 3}, 2), true},
          {"cylinder", cylinder(1, 8, 16, 17), false},
          {"capped_cylinder", capped_cylinder(1, 8, 16, 17), true},
          {"capsule", capsule({0, 0, 0}, {1, 2, 3}, 0.4), true},
          {"torus", torus(2, 0.5), true},
          {"random_blob", random_blob(7), true},
          {"bow_tie", bow_tie(), false},
          {"t_junction", t_junction(), false},
          {"two_touching_cubes", two_touching_cubes(), true},
          {"one_triangle", one_triangle(), false},
          {"cube_with_island", cube_with_island(), false},
          {"moebius_strip", moebius_strip(), false},
          {"soup", soup(box({0, 0, 0}, {1, 1, 1}, 3)), true},
          {"open_cup", open_cup(1, 2), false},
          {"concave_polygon", concave_polygon(), false},
          {"degenerate_faces", degenerate_faces(), false},
          {"hand_near_thigh", hand_near_thigh(0.2), true},
          {"body_with_eyeballs", body_with_eyeballs(), true}};
}

double enclosed_volume(const PolyMesh& mesh) {
  double sum = 0;
  for (const Triangle& t : triangulate(mesh).triangles)
    sum += mesh.positions[t[0]].dot(mesh.positions[t[1]].cross(mesh.positions[t[2]]));
  return sum / 6;
}

double surface_area(const PolyMesh& mesh) {
  double sum = 0;
  for (const Triangle& t : triangulate(mesh).triangles)
    sum += (mesh.positions[t[1]] - mesh.positions[t[0]])
               .cross(mesh.positions[t[2]] - mesh.positions[t[0]])
               .norm();
  return sum / 2;
}

}  // namespace sinew::test
