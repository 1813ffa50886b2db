// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/mesh/topology.h"
#include "sinew/mesh/weld.h"
#include "volume/cage_body.h"

namespace sinew {
namespace {

// Turns triangles so that neighbours agree on a side; false where that cannot be.
bool orient(std::vector<Triangle>& triangles, std::vector<std::array<std::uint32_t, 3>>& controls,
            std::size_t vertices) {
  const EdgeTable edges = edge_table(vertices, triangles);
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (edges.faces[e].size() != 2) return false;
  std::map<std::array<std::uint32_t, 2>, std::size_t> edge_at;
  for (std::size_t e = 0; e < edges.size(); ++e) edge_at[edges.ends[e]] = e;
  std::vector<std::uint8_t> seen(triangles.size(), 0);
  std::vector<std::uint32_t> queue{0};
  seen[0] = 1;
  const auto runs = [&](std::uint32_t t, std::uint32_t a, std::uint32_t b) {
    const Triangle& k = triangles[t];
    return (k[0] == a && k[1] == b) || (k[1] == a && k[2] == b) || (k[2] == a && k[0] == b);
  };
  while (!queue.empty()) {
    const std::uint32_t t = queue.back();
    queue.pop_back();
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t a = triangles[t][c], b = triangles[t][(c + 1) % 3];
      for (const std::uint32_t other : edges.faces[edge_at[{std::min(a, b), std::max(a, b)}]]) {
        if (other == t) continue;
        if (!runs(other, b, a)) {
          if (seen[other]) return false;
          std::swap(triangles[other][1], triangles[other][2]);
          std::swap(controls[other][1], controls[other][2]);
        }
        if (seen[other]) continue;
        seen[other] = 1;
        queue.push_back(other);
      }
    }
  }
  return true;
}

double signed_volume(const CagePiece& piece) {
  double volume = 0;
  const Vec3 origin = piece.positions.front();
  for (const Triangle& t : piece.triangles)
    volume += (piece.positions[t[0]] - origin)
                  .dot((piece.positions[t[1]] - origin).cross(piece.positions[t[2]] - origin)) /
              6;
  return volume;
}

// Positions and control points of one component.
std::unique_ptr<CagePiece> collect(const WeldedTriangles& welded, std::span<const std::uint32_t> faces) {
  auto piece = std::make_unique<CagePiece>();
  std::map<std::uint32_t, std::uint32_t> local;
  for (const std::uint32_t f : faces) {
    Triangle triangle;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto [at, fresh] =
          local.emplace(welded.triangles[f][c], static_cast<std::uint32_t>(piece->positions.size()));
      if (fresh) {
        piece->positions.push_back(welded.weld.positions[at->first]);
        piece->used.push_back(welded.weld.representative[at->first]);
      }
      triangle[c] = at->second;
    }
    piece->triangles.push_back(triangle);
    piece->controls.push_back({triangle[0], triangle[1], triangle[2]});
  }
  return piece;
}

}  // namespace

Result<std::vector<std::unique_ptr<CagePiece>>> cage_pieces(const PolyMesh& cage) {
  const TriangleView view = triangulate(cage);
  for (const Vec3& p : cage.positions)
    if (!p.allFinite() || p.cwiseAbs().maxCoeff() > 1e30)
      return bad_input("the cage has coordinates that are not finite");
  const WeldedTriangles welded = weld_triangles({cage.positions, view.triangles});
  if (welded.triangles.empty()) return bad_input("the cage has no faces");
  const EdgeTable edges = edge_table(welded.weld.positions.size(), welded.triangles);
  std::size_t open = 0;
  std::array<std::uint32_t, 2> where{};
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (edges.faces[e].size() % 2 != 0 && open++ == 0)
      where = {welded.weld.representative[edges.ends[e][0]], welded.weld.representative[edges.ends[e][1]]};
  if (open > 0)
    return bad_input("the cage is not closed: " + std::to_string(open) +
                     " of its edges have an odd number of faces, the first between vertices " +
                     std::to_string(where[0]) + " and " + std::to_string(where[1]) +
                     "; fill its holes, or generate a cage from the mesh");
  const Components components = connected_components(welded.weld.positions.size(), welded.triangles);
  const IndexLists faces = group_by_key(components.count, components.of_face);
  std::vector<std::unique_ptr<CagePiece>> pieces;
  for (std::uint32_t c = 0; c < components.count; ++c) {
    auto piece = collect(welded, faces[c]);
    piece->oriented = orient(piece->triangles, piece->controls, piece->positions.size());
    const Box3 box = bounding_box(piece->positions);
    piece->diagonal = box.diagonal().norm();
    if (!(box.sizes().minCoeff() > 1e-9 * box.sizes().maxCoeff()) ||
        (piece->oriented && !(std::abs(signed_volume(*piece)) > 1e-12 * std::pow(piece->diagonal, 3))))
      return bad_input("a piece of the cage encloses nothing: that of vertex " +
                       std::to_string(piece->used.front()));
    piece->tree = Bvh(piece->surface());
    piece->winding = WindingNumber(piece->surface());
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

void find_in_cage(std::span<const std::unique_ptr<CagePiece>> pieces, const Vec3& point, double reach,
                  CagePlace& out) noexcept {
  out.count = 0;
  out.mask = 1;
  double total = 0;
  for (const auto& piece : pieces) {
    if (out.count == static_cast<int>(out.parts.size())) break;
    CagePlace::Part& part = out.parts[static_cast<std::size_t>(out.count)];
    if (!piece->lookup->find(point, part.stencil)) continue;
    part.piece = piece.get();
    part.share = pieces.size() > 1 ? piece->tree.nearest(point).squared_distance : 1;
    total += part.share;
    ++out.count;
  }
  out.inside = out.count > 0;
  for (int k = 0; k < out.count; ++k) {
    double& share = out.parts[static_cast<std::size_t>(k)].share;
    share = total > 0 ? share / total : 1.0 / out.count;
  }
  if (out.inside) return;
  // Outside, or so near to the surface that rounding decides: the nearest point of the cage.
  NearestPoint nearest;
  CagePlace::Part& part = out.parts[0];
  for (const auto& piece : pieces) {
    const NearestPoint found = piece->tree.nearest(point);
    if (found.squared_distance < nearest.squared_distance) nearest = found, part.piece = piece.get();
  }
  if (!nearest.found()) {  // a point that is not finite
    out.mask = 0;
    return;
  }
  out.count = 1;
  part.share = 1;
  part.stencil.node_count = 0;
  part.stencil.surface_count = 1;
  part.stencil.surface[0] = {nearest.triangle, nearest.barycentric, 1};
  const double distance = std::sqrt(nearest.squared_distance);
  out.inside = distance <= 1e-9 * part.piece->diagonal;
  const double t = std::min(distance / std::max(reach * part.piece->diagonal, 1e-300), 1.0);
  out.mask = out.inside ? 1.0f : static_cast<float>((1 - t) * (1 - t) * (1 + 2 * t));
}

}  // namespace sinew
