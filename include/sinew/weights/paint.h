// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/mesh/index_lists.h"
#include "sinew/mesh/weld.h"
#include "sinew/rig/skin_weights.h"

namespace sinew {

/// How a brush weakens from its centre to its edge: (1 - x^2)^2, 1 - x, sqrt(1 - x^2) or 1, where x is the
/// distance over the radius.
enum class Falloff : std::uint8_t { kSmooth, kLinear, kSphere, kConstant };
double falloff_at(Falloff falloff, double distance_over_radius);

/// What a brush does to a value v where its amount is a: v + a value, v + a (value - v), or v + a (mean of the
/// neighbours - v).
enum class BrushMode : std::uint8_t { kAdd, kReplace, kSmooth };

struct Brush {
  BrushMode mode = BrushMode::kAdd;
  double value = 1;
};

/// A welded vertex under the brush, and how much it gets, 0 to 1.
struct Touch {
  std::uint32_t vertex = 0;
  double amount = 0;
};

/// The surface that is painted on: welded, so that seams stay closed, with its neighbours across edges.
class PaintSurface {
 public:
  /// O(n log n).
  explicit PaintSurface(MeshView rest);

  std::size_t size() const { return welded_.weld.positions.size(); }
  const Weld& weld() const { return welded_.weld; }
  std::span<const std::uint32_t> neighbours(std::size_t vertex) const { return neighbours_[vertex]; }
  std::span<const std::uint32_t> copies(std::size_t vertex) const { return copies_[vertex]; }

  /// The vertices that edges connect to `vertex` (of the mesh) within the ball about `centre`, ascending: a
  /// brush on one finger does not reach the next. amount = strength * falloff. `shown`: positions of the mesh's
  /// vertices as they are shown; those that are not finite are not touched. O(touched).
  std::vector<Touch> touched(std::span<const Vec3f> shown, std::uint32_t vertex, const Vec3& centre,
                             double radius, double strength, Falloff falloff) const;
  /// All vertices.
  std::vector<Touch> flooded(double strength) const;

  /// The touch of the brush's mirror image across the plane axis = centre of the rest mesh. The first call for
  /// a plane finds where each vertex has its image; vertices farther than 2 % of the diagonal from the surface
  /// have none. Vertices that both brushes touch are left out.
  std::vector<Touch> mirrored(std::span<const Touch> touched, int axis, double centre) const;

 private:
  struct Image {
    Triangle corners;
    Vec3 barycentric;  // all 0: no image
  };
  WeldedTriangles welded_;
  IndexLists neighbours_, copies_;
  mutable std::vector<Image> images_;  // per welded vertex, for the plane below
  mutable int axis_ = -1;
  mutable double centre_ = 0;
};

/// A row that replaces that of a vertex of the mesh.
struct RowEdit {
  std::uint32_t vertex = 0;
  std::vector<Influence> row;
};

/// Options of paint_weights().
struct PaintOptions {
  std::span<const std::uint8_t> locked = {};  ///< per joint: its weights stay; empty: none is locked
  int influences = 4;                         ///< joints a row keeps at most, the painted one among them
};

/// The rows that painting the weight of a joint gives, for all vertices at the touched places, by ascending
/// vertex. The joint's weight changes as the brush says, within 0 and what locked joints leave; the other joints
/// share the rest in their proportions, so that rows go on summing to 1. kSmooth averages all joints that are
/// not locked. A row without another joint to take the rest is not changed, nor is an empty one, nor any row
/// where `joint` itself is locked.
std::vector<RowEdit> paint_weights(const SkinWeights& weights, const PaintSurface& surface,
                                   std::span<const Touch> touched, std::uint32_t joint, const Brush& brush,
                                   const PaintOptions& options = {});

/// Puts the rows there; edits ascend by vertex. Returns the rows that were there, so that applying the result
/// undoes it. O(entries).
std::vector<RowEdit> apply_rows(SkinWeights& weights, std::span<const RowEdit> edits);

/// The same for one number a vertex of the mesh, kept within [least, most]. Values that are not finite count as
/// `missing`.
void paint_values(std::span<float> values, const PaintSurface& surface, std::span<const Touch> touched,
                  const Brush& brush, double least, double most, double missing);

}  // namespace sinew
