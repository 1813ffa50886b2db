// SPDX-License-Identifier: Apache-2.0
#include "autorig/props.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "autorig/symmetry.h"
#include "sinew/mesh/topology.h"
#include "sinew/mesh/weld.h"

namespace sinew::autorig {
namespace {

constexpr double kSameImage = 0.01;   // of the size, on average: how far an image may be from the mesh
constexpr double kNearImage = 0.15;   // of the size: from the image of a piece to its partner in another pose
constexpr double kSameArea = 0.05;    // relative
constexpr double kHasSides = 0.5;     // of the surface: so much must have an image
constexpr std::size_t kGuesses = 4;   // pieces through whose middles the plane may go
constexpr std::size_t kPairs = 4;     // pieces as large as each other between which it may lie
constexpr std::size_t kSamples = 40;  // points of a piece
constexpr double kBladeFlat = 0.5;    // of its width: so thin is a blade
constexpr double kBladeNarrow = 0.33;  // of its length: so wide
constexpr std::size_t kMostProps = 300;

struct Piece {
  std::vector<Vec3> corners;
  std::vector<Vec3> samples;
  Vec3 centre = Vec3::Zero();  // of the area
  double area = 0;
  Box3 box;
};

std::vector<Piece> pieces_of(const WeldedTriangles& welded, const Components& parts) {
  std::vector<Piece> pieces(parts.count);
  for (std::size_t t = 0; t < welded.triangles.size(); ++t) {
    Piece& own = pieces[parts.of_face[t]];
    const auto& p = welded.weld.positions;
    const Triangle& at = welded.triangles[t];
    const Vec3 middle = (p[at[0]] + p[at[1]] + p[at[2]]) / 3;
    const double area = (p[at[1]] - p[at[0]]).cross(p[at[2]] - p[at[0]]).norm() / 2;
    own.samples.push_back(middle);
    own.centre += area * middle;
    own.area += area;
    for (const std::uint32_t v : at) own.box.extend(p[v]), own.corners.push_back(p[v]);
  }
  for (Piece& own : pieces) {
    if (own.area > 0) own.centre /= own.area;
    const std::size_t step = (own.samples.size() + kSamples - 1) / kSamples;
    for (std::size_t k = 0; k * step < own.samples.size(); ++k) own.samples[k] = own.samples[k * step];
    own.samples.resize((own.samples.size() + step - 1) / step);
  }
  return pieces;
}

// Whether a piece is long, narrow and flat.
bool is_blade(const Piece& own) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : own.corners) mean += p / static_cast<double>(own.corners.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& p : own.corners) spread += (p - mean) * (p - mean).transpose();
  const Mat3 axes = Eigen::SelfAdjointEigenSolver<Mat3>(spread).eigenvectors();
  Box3 box;
  for (const Vec3& p : own.corners) box.extend(axes.transpose() * (p - mean));
  Vec3 sides = box.sizes();
  std::sort(sides.begin(), sides.end());
  return sides[0] < kBladeFlat * sides[1] && sides[1] < kBladeNarrow * sides[2];
}

// Planes across the axes through the largest pieces, and those between two large pieces of the same area, as arms are
// whichever way a body faces.
std::vector<Mirror> guesses_of(const std::vector<Piece>& pieces) {
  std::vector<std::size_t> largest(pieces.size());
  std::iota(largest.begin(), largest.end(), 0u);
  std::stable_sort(largest.begin(), largest.end(),
                   [&](std::size_t a, std::size_t b) { return pieces[a].area > pieces[b].area; });
  std::vector<Mirror> guesses;
  for (const Vec3& normal : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitZ())})
    for (std::size_t k = 0; k < std::min(largest.size(), kGuesses); ++k)
      guesses.push_back({normal, pieces[largest[k]].box.center()});
  std::size_t pairs = 0;
  for (std::size_t k = 1; k < largest.size() && pairs < kPairs; ++k) {
    const Piece &one = pieces[largest[k - 1]], &other = pieces[largest[k]];
    const Vec3 across = one.centre - other.centre;
    if (one.area - other.area > kSameArea * one.area || !(across.norm() > 0)) continue;
    guesses.push_back({across.normalized(), (one.centre + other.centre) / 2});
    ++pairs;
  }
  return guesses;
}

// Per piece: whether its image is on the mesh.
std::vector<std::uint8_t> mirrored(const std::vector<Piece>& pieces, const Bvh& surface, double size,
                                   const Mirror& mirror) {
  std::vector<std::uint8_t> has_image;
  for (const Piece& own : pieces) {
    double off = 0;
    for (const Vec3& p : own.samples) off += std::sqrt(surface.nearest(mirror(p)).squared_distance);
    has_image.push_back(off <= kSameImage * size * static_cast<double>(own.samples.size()));
  }
  return has_image;
}

bool has_partner(const std::vector<Piece>& pieces, std::size_t piece, double size, const Mirror& mirror) {
  const Piece& own = pieces[piece];
  for (std::size_t k = 0; k < pieces.size(); ++k)
    if (k != piece && std::abs(pieces[k].area - own.area) < kSameArea * own.area &&
        (mirror(own.centre) - pieces[k].centre).norm() < kNearImage * size)
      return true;
  return false;
}

}  // namespace

std::vector<Triangle> without_props(MeshView mesh, double least_area) {
  std::vector<Triangle> all(mesh.triangles.begin(), mesh.triangles.end());
  const WeldedTriangles welded = weld_triangles(mesh);
  const Components parts = connected_components(welded.weld.positions.size(), FaceList(welded.triangles));
  if (parts.count < 2 || parts.count > kMostProps) return all;
  const std::vector<Piece> pieces = pieces_of(welded, parts);
  const double size = bounding_box(welded.weld.positions).sizes().maxCoeff();
  const double whole = std::accumulate(pieces.begin(), pieces.end(), 0.0,
                                       [](double sum, const Piece& one) { return sum + one.area; });
  const Bvh surface(welded.view());
  Mirror best;
  std::vector<std::uint8_t> kept;
  double most = kHasSides * whole;
  for (const Mirror& mirror : guesses_of(pieces)) {
    std::vector<std::uint8_t> now = mirrored(pieces, surface, size, mirror);
    double share = 0;
    for (std::size_t k = 0; k < pieces.size(); ++k) share += now[k] ? pieces[k].area : 0;
    if (share > most) most = share, best = mirror, kept = std::move(now);
  }
  if (kept.empty()) kept.assign(pieces.size(), 1);  // posed, or turned: what is a prop only its shape tells
  double left = 0;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    kept[k] = (kept[k] || has_partner(pieces, k, size, best)) && !is_blade(pieces[k]);
    if (kept[k]) left += pieces[k].area;
  }
  std::vector<Triangle> body;
  for (std::size_t k = 0; k < pieces.size(); ++k) kept[k] &= pieces[k].area >= least_area * left;
  for (std::size_t t = 0; t < welded.triangles.size(); ++t)
    if (kept[parts.of_face[t]]) body.push_back(mesh.triangles[welded.source[t]]);
  return body.size() == welded.triangles.size() ? all : body;
}

}  // namespace sinew::autorig
