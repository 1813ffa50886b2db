// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/mesh/poly_mesh.h"

namespace sinew {

/// Catmull-Clark subdivision of one topology, ready to run on any positions of it: one sparse matrix from the
/// control mesh to the last level. Vertices at one place are one vertex to the surface, so that texture seams
/// neither open nor crease; each keeps its own texture coordinates.
class Subdivision {
 public:
  static constexpr int kMostLevels = 6;

  /// levels: 0 ... kMostLevels. Faces of any size; those without area because corners fall together are left
  /// out. Boundaries become curves. kUsage: levels out of range.
  /// kBadInput: an edge with more than two faces, or with two that disagree on what is outside. kLimit: more
  /// than 2^22 faces. Where only welding makes such edges, vertices stay as they are.
  static Result<Subdivision> build(const PolyMesh& control, int levels);

  int levels() const { return levels_; }
  std::size_t control_count() const { return control_count_; }
  std::size_t vertex_count() const { return mesh_.vertex_count(); }
  /// The control mesh, subdivided: quads, in the order of the faces they lie in, and texture coordinates where
  /// there are some, linear within each face of the control mesh. Its first control_count() vertices belong to
  /// those of the control mesh. No normals.
  const PolyMesh& mesh() const { return mesh_; }

  /// control: control_count() points; out: vertex_count(), not the same memory. Allocates nothing; the same
  /// bits for any thread count.
  void apply(std::span<const Vec3f> control, std::span<Vec3f> out) const noexcept;
  /// Unit normals of subdivided points, faces weighted by their corners' areas; up (y) where there is no area.
  void normals(std::span<const Vec3f> points, std::span<Vec3f> out) const noexcept;

 private:
  struct Entry {
    std::uint32_t source;
    float weight;
  };
  struct Corner {
    std::uint32_t next, before;  ///< around a face
  };
  int levels_ = 0;
  std::size_t control_count_ = 0;
  PolyMesh mesh_;
  std::vector<std::uint32_t> offsets_, corner_offsets_;  ///< vertices + 1
  std::vector<Entry> entries_;
  std::vector<Corner> corners_;
};

}  // namespace sinew
