// SPDX-License-Identifier: Apache-2.0
// Everything runs on rows of cells along x, so that time and memory follow the surface and the rows, not the
// box.
#include "sinew/volume/voxelize.h"

#include <cmath>

#include "volume/fill.h"
#include "volume/surface_spans.h"
#include "volume/voxel_size.h"

namespace sinew {
namespace {

constexpr double kMaxSide = 4096;

std::size_t cell_count(const RowIntervals& rows) {
  std::size_t count = 0;
  for (const LatticeSet::Interval& interval : rows.items)
    count += static_cast<std::size_t>(interval.end - interval.begin);
  return count;
}

Box3 box_of_triangles(const OrientedSoup& soup) {
  Box3 box;
  for (const Triangle& t : soup.surface())
    for (const std::uint32_t v : t) box.extend(soup.positions[v]);
  return box;
}

std::vector<std::uint8_t> mark_surface(const LatticeSet& cells, const RowIntervals& surface) {
  std::vector<std::uint8_t> marks(cells.size(), 0);
  for (int z = 0; z < cells.dims().z(); ++z)
    for (int y = 0; y < cells.dims().y(); ++y)
      for (const LatticeSet::Interval& interval :
           surface.row(static_cast<std::size_t>(y + cells.dims().y() * z)))
        std::fill_n(marks.begin() + cells.find(interval.begin, y, z), interval.end - interval.begin,
                    std::uint8_t{1});
  return marks;
}

RowIntervals fill(const OrientedSoup& soup, const std::vector<Vec3>& positions, const LatticeFrame& frame,
                  const RowIntervals& surface) {
  if (!soup.needs_winding_number())
    return fill_by_crossings(scan_lines(positions, soup.triangles, frame.dims, 0), frame.dims.x());
  return fill_by_winding(surface, frame, WindingNumber({soup.positions, soup.triangles}));
}

}  // namespace

Result<VoxelBody> voxelize(MeshView mesh, const VoxelizeOptions& options) {
  const OrientedSoup soup = orient_soup(mesh);
  if (soup.triangles.empty())
    return bad_input("the mesh has no triangle with three different, finite corners to build a body from");
  if (is_cancelled(options.progress)) return cancelled();
  const Box3 box = box_of_triangles(soup);
  VoxelBody body;
  body.size = choose_voxel_size(soup, box, options);
  const double h = body.size.cell_size;
  if (!(h > 0) || !std::isfinite(h))
    return bad_input("the mesh is too large or too small to fill with voxels: scale it to a size of about 1");
  if (box.sizes().maxCoeff() / h > kMaxSide)
    return limit_error("the voxels are too small for this mesh: use at most 4096 along its longest side");
  const LatticeFrame frame = LatticeFrame::around(box, h);
  const std::vector<Vec3> positions = frame.to_lattice(soup.positions);
  const RowIntervals surface = surface_spans(positions, soup.surface(), frame.dims);
  if (is_cancelled(options.progress)) return cancelled();
  RowIntervals solid = unite(surface, fill(soup, positions, frame, surface));
  if (is_cancelled(options.progress)) return cancelled();
  if (soup.needs_winding_number()) solid = attached_to_surface(solid, surface, frame.dims);
  const RowIntervals cavities = enclosed(solid, frame.dims);
  body.enclosed_cells = cell_count(cavities);
  if (body.enclosed_cells > 0) solid = unite(solid, cavities);

  body.grid = VoxelGrid(frame.origin, h, LatticeSet(frame.dims, solid.offsets, solid.items));
  body.surface = mark_surface(body.grid.cells(), surface);
  body.inside_cells = body.grid.cell_count() - cell_count(surface);
  body.flipped = soup.flipped;
  body.closed = soup.closed;
  body.by_winding_number = soup.needs_winding_number();
  return body;
}

}  // namespace sinew
