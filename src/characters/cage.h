// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/math/types.h"
#include "sinew/mesh/poly_mesh.h"

namespace sinew::characters {

// A cross-section of a limb: an ellipse, or a rounded square, about a centre. Radii are those of the
// finished, subdivided surface; the cage's own are larger. u and v lie in the plane of the section: v is
// carried along the limb from its root, u = v x along.
struct Ring {
  Vec3 centre;
  double u_radius, v_radius;
  double bone;        // weights: 1.25 is three parts of the chain's joint 1 and one part of its joint 2
  double square = 2;  // exponent of the super-ellipse: 2 round, 4 nearly square
  Vec3 along = Vec3::Zero();  // direction of the limb here; zero: from the neighbouring centres
};

// A section of the trunk, its centre in the plane of symmetry.
inline Ring section(double y, double z, double u, double v, double bone, Vec3 along = Vec3::Zero(),
                    double square = 2) {
  return {{0, y, z}, u, v, bone, square, along};
}

// A section given by its two ends in the side view, each (z, y), and its half width in x: `front` is where v
// points. `along` is made to point to the side of `towards`.
Ring profile(double x, const Vec2& front, const Vec2& back, double half_width, double bone,
             const Vec3& towards, double square = 2);

// A rectangular grid of the cage's quads seen from outside, u to the right and v up: what limbs grow from.
struct Patch {
  int nu = 0, nv = 0;
  std::vector<std::uint32_t> vertices;  // (nu + 1) * (nv + 1), u fastest
  std::vector<std::uint32_t> faces;     // nu * nv, u fastest

  std::uint32_t vertex(int i, int j) const { return vertices[static_cast<std::size_t>(j * (nu + 1) + i)]; }
  std::uint32_t face(int i, int j) const { return faces[static_cast<std::size_t>(j * nu + i)]; }
  Patch part(int u, int v, int width, int height) const;
  std::vector<std::uint32_t> loop() const;  // its border, counter-clockwise from the corner (nu, 0)
};

// The sides of a stack of rings. Rows run along the limb, columns around it: column k lies between loop
// vertices k, k + 1.
struct Tube {
  std::vector<std::vector<std::uint32_t>> loops;  // rows + 1
  std::vector<std::vector<std::uint32_t>> quads;  // rows
  Patch end;                                      // the cap

  // Quads of `rows` rows and `columns` columns as a patch; column numbers wrap around.
  Patch side(int row, int rows, int column, int columns) const;
};

// Joints along a limb, by name; the first is usually the parent that the limb grows out of.
using Chain = std::vector<std::string>;

// The coarse mesh of quads that subdivision turns into a character, with weights of the joints at its
// vertices.
class Cage {
 public:
  explicit Cage(std::vector<std::string> joint_names) : joint_names_(std::move(joint_names)) {}

  // Begins the body: a stack of rings closed at both ends; `v` says where v points. `start` is the cap at the
  // first ring, seen from outside (its u runs the other way).
  Tube body(int nu, int nv, const Vec3& v, std::span<const Ring> rings, const Chain& chain,
            Patch* start = nullptr);
  // Grows a limb out of a patch. The first row of quads leads from the patch's border to the first ring.
  Tube limb(const Patch& patch, const Vec3& v, std::span<const Ring> rings, const Chain& chain);
  // Moves the inner vertices of a cap outward, the middle by `height`.
  void dome(const Patch& cap, double height);

  // Moves all vertices within `radius` of `centre`, those near it most.
  void pull(const Vec3& centre, double radius, const Vec3& offset);
  // Gives `joint` up to `amount` of the vertices [begin, end) around the segment: all of it within `inner`,
  // none beyond `outer`.
  void paint(std::string_view joint, const Vec3& a, const Vec3& b, double inner, double outer, double amount,
             std::size_t begin, std::size_t end);

  // Keeps the half with x >= 0 and puts its mirror image in place of the other; joints "Left..." become
  // "Right...".
  void mirror();

  std::size_t vertex_count() const { return positions_.size(); }
  std::size_t face_count() const { return faces_.size(); }
  Vec3& position(std::uint32_t vertex) { return positions_[vertex]; }
  std::size_t joint(std::string_view name) const;
  PolyMesh mesh() const;
  const std::vector<std::vector<double>>& weights() const {
    return weights_;
  }  // per vertex, one number a joint
  const std::vector<std::uint32_t>& mirror_map() const {
    return mirror_;
  }  // per vertex, or empty: not mirrored

 private:
  using Row = std::vector<double>;
  std::uint32_t add_vertex(const Vec3& position, const Row& row);
  Row mirrored_row(const Row& row) const;
  Row chain_row(const Chain& chain, double bone) const;
  std::vector<std::uint32_t> extrude(Patch& patch, Tube& tube);
  void place(const Patch& patch, const Ring& ring, const Vec3& along, Vec3& v, const Row& row);
  void relax(const Patch& patch);
  void stack(Patch& patch, Tube& tube, const Vec3& v, std::span<const Ring> rings, const Chain& chain,
             std::size_t first);

  std::vector<std::string> joint_names_;
  std::vector<Vec3> positions_;
  std::vector<Row> weights_;
  std::vector<std::array<std::uint32_t, 4>> faces_;
  std::vector<std::uint32_t> mirror_;
};

// "LeftArm" -> "RightArm" and back; other names stay.
std::string mirrored_name(std::string_view name);

}  // namespace sinew::characters
