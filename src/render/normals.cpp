// SPDX-License-Identifier: Apache-2.0
#include "render/normals.h"

#include "sinew/mesh/weld.h"

namespace sinew::render_detail {

std::vector<Vec3f> smooth_normals(std::span<const Vec3> positions, std::span<const Triangle> triangles) {
  const WeldedTriangles welded = weld_triangles({positions, triangles});
  const std::vector<Vec3> at_places = vertex_normals(welded.view());
  std::vector<Vec3f> normals(positions.size());
  for (std::size_t i = 0; i < normals.size(); ++i)
    normals[i] = at_places[welded.weld.to_welded[i]].cast<float>();
  return normals;
}

}  // namespace sinew::render_detail
