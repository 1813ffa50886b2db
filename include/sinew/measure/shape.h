// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "sinew/mesh/poly_mesh.h"

namespace sinew {

/// The volume that a closed surface encloses, negative where it is inside out; of an open one, that of the
/// cone over it from the middle of its points.
double enclosed_volume(MeshView mesh);

/// The change of a closed mesh's volume from rest to `posed`, over that at rest; none where the surface does
/// not enclose a volume.
std::optional<double> volume_change(const PolyMesh& rest, std::span<const Vec3> posed);

/// How far the points of one shape lie from those of another, point by point.
struct ShapeError {
  double rms = 0, max = 0;   ///< of the distances
  double e_rms = 0;          ///< sqrt(sum d^2 / (3 N F)), F = 1 frame
  double e_rms_printed = 0;  ///< sum d^2 / sqrt(3 N F), as [luo2015] prints it: an area, not a length
};
ShapeError shape_error(std::span<const Vec3> shape, std::span<const Vec3> reference);

}  // namespace sinew
