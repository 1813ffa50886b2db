// SPDX-License-Identifier: Apache-2.0
#include "characters/cage.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace sinew::characters {
namespace {

// A cubic B-spline through n points of a circle runs inside it by this factor.
double limit_shrink(std::size_t points) {
  return (2 + std::cos(2 * std::numbers::pi / static_cast<double>(points))) / 3;
}

Vec2 super_ellipse(double angle, double exponent) {
  const double c = std::cos(angle), s = std::sin(angle);
  const double norm =
      std::pow(std::pow(std::abs(c), exponent) + std::pow(std::abs(s), exponent), 1 / exponent);
  return {c / norm, s / norm};
}

Vec3 direction_at(std::span<const Ring> rings, std::size_t k, const Vec3& root) {
  if (!rings[k].along.isZero()) return rings[k].along.normalized();
  const Vec3& before = k > 0 ? rings[k - 1].centre : root;
  const Vec3& after = k + 1 < rings.size() ? rings[k + 1].centre : rings[k].centre;
  const Vec3 in = (rings[k].centre - before), out = (after - rings[k].centre);
  if (out.isZero()) return in.normalized();
  if (in.isZero()) return out.normalized();
  return (in.normalized() + out.normalized()).normalized();
}

}  // namespace

std::string mirrored_name(std::string_view name) {
  if (name.substr(0, 4) == "Left") return "Right" + std::string(name.substr(4));
  if (name.substr(0, 5) == "Right") return "Left" + std::string(name.substr(5));
  return std::string(name);
}

Ring profile(double x, const Vec2& front, const Vec2& back, double half_width, double bone,
             const Vec3& towards, double square) {
  const Vec2 middle = (front + back) / 2, reach = (front - back) / 2;
  const Vec3 along = Vec3::UnitX().cross(Vec3(0, reach.y(), reach.x()));
  return {Vec3(x, middle.y(), middle.x()),
          half_width,
          reach.norm(),
          bone,
          square,
          along.dot(towards) < 0 ? Vec3(-along) : along};
}

Patch Patch::part(int u, int v, int width, int height) const {
  assert(u >= 0 && v >= 0 && u + width <= nu && v + height <= nv);
  Patch part{width, height, {}, {}};
  for (int j = 0; j <= height; ++j)
    for (int i = 0; i <= width; ++i) part.vertices.push_back(vertex(u + i, v + j));
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) part.faces.push_back(face(u + i, v + j));
  return part;
}

std::vector<std::uint32_t> Patch::loop() const {
  std::vector<std::uint32_t> loop;
  for (int j = 0; j < nv; ++j) loop.push_back(vertex(nu, j));
  for (int i = nu; i > 0; --i) loop.push_back(vertex(i, nv));
  for (int j = nv; j > 0; --j) loop.push_back(vertex(0, j));
  for (int i = 0; i < nu; ++i) loop.push_back(vertex(i, 0));
  return loop;
}

Patch Tube::side(int row, int rows, int column, int columns) const {
  Patch patch{columns, rows, {}, {}};
  const auto around = static_cast<int>(loops.front().size());
  const auto wrap = [&](int k) { return static_cast<std::size_t>(((k % around) + around) % around); };
  for (int j = 0; j <= rows; ++j)
    for (int i = 0; i <= columns; ++i)
      patch.vertices.push_back(loops[static_cast<std::size_t>(row + j)][wrap(column + i)]);
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i)
      patch.faces.push_back(quads[static_cast<std::size_t>(row + j)][wrap(column + i)]);
  return patch;
}

std::size_t Cage::joint(std::string_view name) const {
  const auto found = std::find(joint_names_.begin(), joint_names_.end(), name);
  assert(found != joint_names_.end());
  return static_cast<std::size_t>(found - joint_names_.begin());
}

std::uint32_t Cage::add_vertex(const Vec3& position, const Row& row) {
  positions_.push_back(position);
  weights_.push_back(row);
  return static_cast<std::uint32_t>(positions_.size() - 1);
}

Cage::Row Cage::chain_row(const Chain& chain, double bone) const {
  Row row(joint_names_.size(), 0.0);
  const double last = static_cast<double>(chain.size() - 1), at = std::clamp(bone, 0.0, last);
  const auto lower = static_cast<std::size_t>(std::min(std::floor(at), std::max(last - 1, 0.0)));
  const double part = at - static_cast<double>(lower);
  row[joint(chain[lower])] += 1 - part;
  if (part > 0) row[joint(chain[lower + 1])] += part;
  return row;
}

// Lifts the patch off the mesh: its border gets new vertices and a row of quads down to the old ones.
std::vector<std::uint32_t> Cage::extrude(Patch& patch, Tube& tube) {
  const std::vector<std::uint32_t> old_loop = patch.loop();
  for (int j = 0; j <= patch.nv; ++j)
    for (int i = 0; i <= patch.nu; ++i) {
      if (i > 0 && i < patch.nu && j > 0 && j < patch.nv) continue;
      std::uint32_t& v = patch.vertices[static_cast<std::size_t>(j * (patch.nu + 1) + i)];
      v = add_vertex(positions_[v], weights_[v]);
    }
  for (int j = 0; j < patch.nv; ++j)
    for (int i = 0; i < patch.nu; ++i)
      faces_[patch.face(i, j)] = {patch.vertex(i, j), patch.vertex(i + 1, j), patch.vertex(i + 1, j + 1),
                                  patch.vertex(i, j + 1)};
  const std::vector<std::uint32_t> loop = patch.loop();
  std::vector<std::uint32_t> quads;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const std::size_t next = (k + 1) % loop.size();
    quads.push_back(static_cast<std::uint32_t>(faces_.size()));
    faces_.push_back({old_loop[k], old_loop[next], loop[next], loop[k]});
  }
  tube.quads.push_back(quads);
  tube.loops.push_back(loop);
  return loop;
}

void Cage::place(const Patch& patch, const Ring& ring, const Vec3& along, Vec3& v, const Row& row) {
  v = (v - v.dot(along) * along).normalized();
  const Vec3 u = v.cross(along);
  const std::vector<std::uint32_t> loop = patch.loop();
  const double grow = 1 / limit_shrink(loop.size());
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const double step = 2 * std::numbers::pi / static_cast<double>(loop.size());
    const Vec2 p = super_ellipse((static_cast<double>(k) - patch.nv / 2.0) * step, ring.square) * grow;
    positions_[loop[k]] = ring.centre + p.x() * ring.u_radius * u + p.y() * ring.v_radius * v;
  }
  for (const std::uint32_t vertex : patch.vertices) weights_[vertex] = row;
  relax(patch);
}

// Inner vertices of a patch as the mean of their neighbours.
void Cage::relax(const Patch& patch) {
  for (int round = 0; round < 40; ++round) {
    for (int j = 1; j < patch.nv; ++j)
      for (int i = 1; i < patch.nu; ++i)
        positions_[patch.vertex(i, j)] =
            (positions_[patch.vertex(i - 1, j)] + positions_[patch.vertex(i + 1, j)] +
             positions_[patch.vertex(i, j - 1)] + positions_[patch.vertex(i, j + 1)]) /
            4;
  }
}

void Cage::stack(Patch& patch, Tube& tube, const Vec3& v, std::span<const Ring> rings, const Chain& chain,
                 std::size_t first) {
  Vec3 root = Vec3::Zero(), carried = v;
  for (const std::uint32_t vertex : patch.loop())
    root += positions_[vertex] / static_cast<double>(patch.loop().size());
  for (std::size_t k = first; k < rings.size(); ++k) {
    extrude(patch, tube);
    place(patch, rings[k], direction_at(rings, k, root), carried, chain_row(chain, rings[k].bone));
  }
  tube.end = patch;
}

Tube Cage::body(int nu, int nv, const Vec3& v, std::span<const Ring> rings, const Chain& chain,
                Patch* start) {
  Patch top{nu, nv, {}, {}}, bottom{nu, nv, {}, {}};
  const Row row = chain_row(chain, rings[0].bone);
  for (int k = 0; k < (nu + 1) * (nv + 1); ++k) top.vertices.push_back(add_vertex(Vec3::Zero(), row));
  for (int j = 0; j <= nv; ++j)
    for (int i = 0; i <= nu; ++i) {
      const bool inside = i > 0 && i < nu && j > 0 && j < nv;
      bottom.vertices.push_back(inside ? add_vertex(Vec3::Zero(), row) : top.vertex(nu - i, j));
    }
  for (Patch* patch : {&top, &bottom})
    for (int j = 0; j < nv; ++j)
      for (int i = 0; i < nu; ++i) {
        patch->faces.push_back(static_cast<std::uint32_t>(faces_.size()));
        faces_.push_back({patch->vertex(i, j), patch->vertex(i + 1, j), patch->vertex(i + 1, j + 1),
                          patch->vertex(i, j + 1)});
      }
  Vec3 carried = v;
  place(top, rings[0], direction_at(rings, 0, rings[0].centre), carried, row);
  relax(bottom);
  if (start) *start = bottom;
  Tube tube;
  tube.loops.push_back(top.loop());
  stack(top, tube, carried, rings, chain, 1);
  return tube;
}

Tube Cage::limb(const Patch& patch, const Vec3& v, std::span<const Ring> rings, const Chain& chain) {
  Patch moving = patch;
  Tube tube;
  tube.loops.push_back(patch.loop());
  stack(moving, tube, v, rings, chain, 0);
  return tube;
}

void Cage::dome(const Patch& cap, double height) {
  const Vec3 across = positions_[cap.vertex(cap.nu, 0)] - positions_[cap.vertex(0, cap.nv)];
  const Vec3 up = positions_[cap.vertex(cap.nu, cap.nv)] - positions_[cap.vertex(0, 0)];
  const Vec3 normal = across.cross(up).normalized();
  for (int j = 1; j < cap.nv; ++j)
    for (int i = 1; i < cap.nu; ++i) {
      const double x = 2.0 * i / cap.nu - 1, y = 2.0 * j / cap.nv - 1;
      positions_[cap.vertex(i, j)] += height * (1 - x * x) * (1 - y * y) * normal;
    }
}

void Cage::pull(const Vec3& centre, double radius, const Vec3& offset) {
  for (Vec3& p : positions_) {
    const double d = (p - centre).squaredNorm() / (radius * radius);
    if (d < 1) p += (1 - d) * (1 - d) * offset;
  }
}

void Cage::paint(std::string_view name, const Vec3& a, const Vec3& b, double inner, double outer,
                 double amount, std::size_t begin, std::size_t end) {
  const Vec3 axis = b - a;
  for (std::size_t i = begin; i < end; ++i) {
    const double t =
        std::clamp((positions_[i] - a).dot(axis) / std::max(axis.squaredNorm(), 1e-12), 0.0, 1.0);
    const double x = std::clamp((outer - (positions_[i] - a - t * axis).norm()) / (outer - inner), 0.0, 1.0);
    const double part = amount * x * x * (3 - 2 * x);
    for (double& w : weights_[i]) w *= 1 - part;
    weights_[i][joint(name)] += part;
  }
}

Cage::Row Cage::mirrored_row(const Row& row) const {
  Row flipped(row.size(), 0.0);
  for (std::size_t j = 0; j < row.size(); ++j)
    if (row[j] > 0) flipped[joint(mirrored_name(joint_names_[j]))] += row[j];
  return flipped;
}

void Cage::mirror() {
  constexpr std::uint32_t kUnused = 0xffffffffu;
  std::vector<std::array<std::uint32_t, 4>> kept;
  for (const auto& face : faces_) {
    double x = 0;
    for (const std::uint32_t v : face) x += positions_[v].x();
    if (x > 0) kept.push_back(face);
  }
  Cage half(joint_names_);
  std::vector<std::uint32_t> here(positions_.size(), kUnused);
  const auto take = [&](std::uint32_t v) {
    const Vec3& p = positions_[v];
    Row flipped = mirrored_row(weights_[v]);
    if (std::abs(p.x()) < 1e-9) {  // on the plane: its own image
      for (std::size_t j = 0; j < flipped.size(); ++j) flipped[j] = (flipped[j] + weights_[v][j]) / 2;
      here[v] = half.add_vertex(Vec3(0, p.y(), p.z()), flipped);
      half.mirror_.push_back(here[v]);
    } else {
      here[v] = half.add_vertex(p, weights_[v]);
      half.mirror_.insert(half.mirror_.end(),
                          {half.add_vertex(Vec3(-p.x(), p.y(), p.z()), flipped), here[v]});
    }
  };
  for (auto& face : kept)
    for (std::uint32_t& v : face) {
      if (here[v] == kUnused) take(v);
      v = here[v];
    }
  half.faces_ = kept;
  const std::vector<std::uint32_t>& image = half.mirror_;
  for (const auto& face : kept)
    half.faces_.push_back({image[face[3]], image[face[2]], image[face[1]], image[face[0]]});
  *this = std::move(half);
}

PolyMesh Cage::mesh() const {
  PolyMesh mesh;
  mesh.positions = positions_;
  mesh.face_offsets.push_back(0);
  for (const auto& face : faces_) {
    mesh.face_vertices.insert(mesh.face_vertices.end(), face.begin(), face.end());
    mesh.face_offsets.push_back(static_cast<std::uint32_t>(mesh.face_vertices.size()));
  }
  return mesh;
}

}  // namespace sinew::characters
