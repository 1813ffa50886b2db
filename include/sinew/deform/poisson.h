// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/mesh/index_lists.h"
#include "sinew/rig/rig.h"
#include "sinew/solve/sparse_cholesky.h"

namespace sinew {

/// Where the components of a mesh go, which gradients do not say.
enum class Placement {
  kOwn,   ///< each to the centre that the caller gives it
  kBody,  ///< small ones near the largest one follow the place on it that they sit on: eyes, buttons, rings
  kAuto,  ///< kBody for those that the largest one surrounds, an eye in its socket; kOwn for the others
};

/// Options of PoissonSurface::build().
struct PoissonOptions {
  /// Edges that are no face's, as vertex pairs: springs through the inside that hold the volume.
  std::vector<std::array<std::uint32_t, 2>> edges = {};
  double edge_weight = 1;  ///< of such an edge, where a cotangent is about 1
  Placement placement = Placement::kOwn;
  /// Vertices at one place are one, unless a key parts them (lips that open).
  std::span<const ShapeKey> keys = {};
  std::vector<std::uint32_t> copies = {};  ///< of rig/copies.h; vertices of different ones are not welded
};

/// Shapes from the transforms of their triangles [sumner2004, botsch2006; vanlommel2008, Sec. 5.5]: the
/// positions whose edges are nearest to the transformed rest edges, weighted by cotangents. Elements are the
/// mesh's triangles, in the order of triangulate() without those that welding or lack of area took out, then
/// single edges: the options' own and those of triangles without area. Faces inside the body and edges shared
/// by many faces count like any other. One matrix for all components, factored once; a component's place is
/// given apart. Reading is safe from several threads, each with its own scratch.
class PoissonSurface {
 public:
  /// kBadInput: an edge of the options names a vertex that is not there. kUsage: a weight that is not
  /// positive. kImpossible: memory runs out. A mesh without faces is fine: it has no elements.
  static Result<PoissonSurface> build(const PolyMesh& mesh, const PoissonOptions& options = {});

  /// How many components would go with the body. Fails as build().
  static Result<std::size_t> count_seats(const PolyMesh& mesh, const PoissonOptions& options = {});

  std::size_t element_count() const { return corners_.size(); }
  std::size_t triangle_count() const { return triangles_; }  // the first so many elements
  bool is_triangle(std::size_t e) const { return e < triangles_; }
  /// The vertices of an element as the mesh has them: three, or two of an edge.
  std::span<const std::uint32_t> corners(std::size_t e) const {
    return {corners_[e].data(), is_triangle(e) ? 3u : 2u};
  }
  std::size_t component_count() const { return component_sizes_.size(); }
  /// Per vertex of the mesh; kNoComponent (mesh/topology.h) where no element has it.
  std::span<const std::uint32_t> component_of() const { return component_of_; }
  /// Of an element, by its first corner.
  std::uint32_t component_of_element(std::size_t e) const { return component_of_[corners_[e][0]]; }
  std::size_t seat_count() const { return seats_.size(); }  // components that go with the body
  double area(std::size_t e) const { return is_triangle(e) ? double(areas_[e]) : 0.0; }
  std::size_t factor_entries() const { return static_cast<std::size_t>(factor_.factor_entries()); }
  /// Triangles that share an edge with each triangle.
  IndexLists triangle_neighbours() const;

  /// The linear map of an element from the rest shape to x (per vertex): edges to edges and, of triangles, the
  /// unit normal to the unit normal. Without a direction in x (collapsed) it keeps the rest normal, turned
  /// with the longest side. An edge is turned the least way and stretched evenly.
  Mat3 gradient(std::size_t e, std::span<const Vec3> x) const;
  /// The same without the normals, for all elements: all that reconstruct() reads of a transform. Never
  /// allocates.
  void flat_gradients(std::span<const Vec3f> x, std::span<Eigen::Matrix3f> out) const noexcept;

  /// The same with the normals, in float. Never allocates.
  void full_gradients(std::span<const Vec3f> x, std::span<Eigen::Matrix3f> out) const noexcept;

  /// The mean of every component's vertices, those at one place counted once. Never allocates.
  void centres(std::span<const Vec3f> x, std::span<Vec3> out) const noexcept;

  struct Scratch {
    std::vector<SparseCholesky::Row> rows, buffer;
    std::vector<Vec3> shifts;
  };
  Scratch make_scratch() const;

  /// transforms: per element. centres: per component. Writes the vertices that elements have and leaves the
  /// others alone. Never allocates; the same bits for any thread count.
  void reconstruct(std::span<const Eigen::Matrix3f> transforms, std::span<const Vec3> centres,
                   Scratch& scratch, std::span<Vec3f> out) const noexcept;

  /// Normals of the rest shape carried along to `x`: per vertex, weighted by area. Vertices without a triangle
  /// get the rest normal. scratch: element_count() matrices. Never allocates.
  void carry_normals(std::span<const Vec3f> x, std::span<const Vec3f> rest_normals,
                     std::span<Eigen::Matrix3f> scratch, std::span<Vec3f> out) const noexcept;

 private:
  /// A component that follows the body: a point of an element of another component, and the way from there.
  struct Seat {
    std::uint32_t component, element;
    Vec3 barycentric, offset;
  };
  struct Share {
    std::uint32_t element;
    Eigen::Vector3d edge;  ///< what the element's transform is applied to for this vertex
  };
  struct Maker;

  PoissonSurface(SparseCholesky factor) : factor_(std::move(factor)) {}
  static Result<PoissonSurface> start(Maker& maker);
  Mat3 triangle_map(std::size_t e, const std::array<Vec3, 3>& x) const;
  void place(std::span<const Vec3> centres, Scratch& scratch) const noexcept;

  std::vector<std::array<std::uint32_t, 3>> corners_, welded_;  ///< per element; of an edge the third repeats
  std::size_t triangles_ = 0;
  std::vector<Vec3> rest_;                  ///< per welded vertex
  std::vector<std::array<Vec3f, 3>> hats_;  ///< per element: gradients of the corners' hat functions
  std::vector<float> areas_;                ///< per triangle
  std::vector<std::uint32_t> to_welded_, representative_, component_of_;
  std::vector<std::uint32_t> component_of_welded_, component_sizes_;
  std::vector<std::uint32_t> share_offsets_;  ///< per welded vertex
  std::vector<Share> shares_;
  std::vector<std::uint32_t> pinned_;
  std::vector<Seat> seats_;
  SparseCholesky factor_;
};

/// Edges from every `stride`-th vertex straight through the body to the other side: what holds a thin shell's
/// volume when its triangles alone do not [vanlommel2008, Sec. 8.1]. Empty for meshes without an inside.
std::vector<std::array<std::uint32_t, 2>> inner_edges(const PolyMesh& mesh, std::size_t stride = 1);

}  // namespace sinew
