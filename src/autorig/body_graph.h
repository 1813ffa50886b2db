// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/result.h"
#include "sinew/mesh/index_lists.h"
#include "sinew/mesh/poly_mesh.h"
#include "sinew/volume/geodesic.h"

namespace sinew::autorig {

// A body as points that know their neighbours: the vertices of its surface, the cells of its solid voxel grid, or
// the centres of its rings (ring_graph.h). Everything above is the same for all of them.
struct BodyGraph {
  std::vector<Vec3> positions;
  std::vector<double> weights;  // per point: its share of surface or volume
  IndexLists neighbours;
  double spacing = 0;        // typical distance between neighbours
  double radius_factor = 1;  // from the mean distance to a section's centre to its radius
  double size = 0;           // longest side of the bounding box
  bool volume = false;
  bool bridged = false;               // its pieces do not touch: neighbours across gaps were added
  bool rings = false;                 // points are ring centres, and form a tree
  std::vector<double> radii;          // of a body of rings: of each ring
  std::vector<std::uint8_t> is_seam;  // of a body of rings: a limb's last ring, before the fork

  // Shortest ways from one point to all others, along the surface or through the body; infinity where none
  // leads.
  std::vector<double> distances(std::uint32_t source) const;

  std::vector<Triangle> triangles;  // of a surface
  IndexLists opposite;              // of a surface: the other two corners of each triangle about a point
  IndexLists across;                // of a surface in pieces: neighbours on others; else empty
  std::shared_ptr<const VoxelGrid> grid;  // of a solid voxel grid
  std::shared_ptr<const GeodesicSolver> solver;
};

// The surface of the mesh, cut or thinned to an even number of points: of its largest piece where that is the whole
// body, else what is seen of all pieces, joined where they touch or come nearest. kImpossible where it is too torn
// or too thin to follow.
Result<BodyGraph> surface_graph(MeshView mesh);
// The solid voxel grid of all pieces together. Pieces that do not touch are joined where they come nearest.
// kImpossible: a sheet without an inside, or more than 500 pieces.
Result<BodyGraph> voxel_graph(MeshView mesh, const Progress* progress);

}  // namespace sinew::autorig
