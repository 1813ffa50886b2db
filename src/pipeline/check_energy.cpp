// SPDX-License-Identifier: Apache-2.0
// A rig's own weights have no volume form: the share of every vertex that goes along with a joint is interpolated
// to the solid voxel grid, and linear blending is done there. Interpolating displacements instead, as compare does for
// weights of the surface, makes noise of the size of a cell wherever flesh turns rigidly.
#include "pipeline/check_energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pipeline/compare_piece.h"
#include "sinew/mesh/bvh.h"
#include "sinew/volume/grid_laplacian.h"

namespace sinew {
namespace {

constexpr double kCheckTolerance = 1e-3;
constexpr int kCheckIterations = 60;
constexpr int kMostSteps = 24;          // samples along the edge of a triangle
constexpr double kSampleWeight = 1e-3;  // a grid vertex with less of them is inside
constexpr double kWhole = 0.01;         // shares this near to 0 or 1 count as that
constexpr double kAround = 2;           // of the limb's radius at the joint: flesh that is always free
constexpr double kLeastAround = 2;      // and of the cells
constexpr double kMostCoarse = 2;       // that a coarse mesh is forgiven
constexpr double kBends = 0.02;         // ends of an edge whose shares differ by more bend it

// The shares at the vertices of the grid: the mean of the surface in the cells that it passes through, harmonic
// between.
Eigen::MatrixXd shares_in_body(const Arena& arena, const Eigen::MatrixXd& shares) {
  const Surface& surface = arena.surface();
  const VoxelGrid& grid = arena.grid();
  std::vector<Vec3> points;
  std::vector<std::pair<std::uint32_t, Vec3>> places;  // triangle and barycentric coordinates
  for (std::uint32_t t = 0; t < surface.welded.triangles.size(); ++t) {
    Vec3 corners[3];
    for (std::size_t k = 0; k < 3; ++k)
      corners[k] = surface.welded.weld.positions[surface.welded.triangles[t][k]];
    const double longest = std::max({(corners[1] - corners[0]).norm(), (corners[2] - corners[1]).norm(),
                                     (corners[0] - corners[2]).norm()});
    const int n = std::clamp(static_cast<int>(std::ceil(longest / grid.cell_size())), 1, kMostSteps);
    for (int a = 0; a <= n; ++a)
      for (int b = 0; a + b <= n; ++b) {
        const Vec3 at(static_cast<double>(a) / n, static_cast<double>(b) / n,
                      static_cast<double>(n - a - b) / n);
        points.push_back(at[0] * corners[0] + at[1] * corners[1] + at[2] * corners[2]);
        places.emplace_back(t, at);
      }
  }
  const TrilinearWeights transfer = trilinear_weights(grid, points);
  const auto n = static_cast<Eigen::Index>(grid.vertex_count());
  Eigen::MatrixXd values = Eigen::MatrixXd::Zero(n, shares.cols());
  Eigen::VectorXd weight = Eigen::VectorXd::Zero(n);
  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto& [t, at] = places[p];
    const Triangle& corner = surface.welded.triangles[t];
    const Eigen::RowVectorXd share =
        at[0] * shares.row(corner[0]) + at[1] * shares.row(corner[1]) + at[2] * shares.row(corner[2]);
    for (std::size_t k = 0; k < 8; ++k) {
      const auto v = static_cast<Eigen::Index>(transfer.vertices[p][k]);
      values.row(v) += transfer.weights[p][k] * share;
      weight[v] += transfer.weights[p][k];
    }
  }
  std::vector<std::uint8_t> fixed(grid.vertex_count(), 0);
  for (Eigen::Index v = 0; v < n; ++v) {
    fixed[static_cast<std::size_t>(v)] = weight[v] > kSampleWeight;
    if (weight[v] > 0) values.row(v) /= weight[v];
  }
  const auto inside = Multigrid::build_laplacian(grid, fixed);
  return inside.ok() ? inside->solve(Eigen::MatrixXd(), values, 1e-4, 50).x : values;
}

// Whether a turn of the joint bends a face.
bool bends_a_face(const Arena& arena, const Eigen::MatrixXd& shares, Eigen::Index bone) {
  for (const Triangle& t : arena.surface().welded.triangles) {
    const double a = shares(t[0], bone), b = shares(t[1], bone), c = shares(t[2], bone);
    if (std::max({a, b, c}) - std::min({a, b, c}) > kBends) return true;
  }
  return false;
}

GridPositions blended(const GridPositions& rest, const Eigen::VectorXd& share, const Affine3& moved) {
  GridPositions v = rest;
  for (Eigen::Index i = 0; i < v.rows(); ++i) {
    const Vec3 p = rest.row(i).transpose();
    v.row(i) += share[i] * (moved * p - p).transpose();
  }
  return v;
}

class EnergyJudge {
 public:
  EnergyJudge(const Arena& arena, const Arena& whole, std::span<const std::size_t> joints)
      : arena_(&arena), whole_(&whole), joints_(joints) {}

  // bone: of the whole.
  Result<JointEnergy> judge(std::size_t bone, const MotionRange& range, const Progress* progress) {
    JointEnergy result;
    if (shares_.size() == 0) {
      shares_ = carried_shares(arena_->rig(), arena_->surface());
      inside_ = shares_in_body(*arena_, shares_);
      first_ = start_shares();
      const WeldedTriangles& welded = arena_->surface().welded;
      seen_ = shares_in_body(*arena_,
                             interpolate(trilinear_weights(arena_->grid(), welded.weld.positions), first_));
      tree_ = Bvh(welded.view());
    }
    const auto own = static_cast<Eigen::Index>(
        joints_.empty()
            ? bone
            : static_cast<std::size_t>(std::find(joints_.begin(), joints_.end(), bone) - joints_.begin()));
    if (!bends_a_face(*arena_, shares_, own)) return result;
    const CompareReference& reference = arena_->reference();
    SINEW_TRY(const CompareReference::Band band, band_of(static_cast<std::size_t>(own)));
    const JointFrame frame = joint_frame(whole_->surface().bones, whole_->surface().parents, bone);
    const std::vector<RangePose> poses = poses_of_range(range);
    double sum = 0;
    int count = 0;
    for (std::size_t k = 0; k < poses.size(); ++k) {
      if (is_cancelled(progress)) return cancelled();
      const JointTurn turn{
          bone, Eigen::AngleAxisd(poses[k].angle, frame.axes.col(poses[k].axis)).toRotationMatrix()};
      ComparePose pose = turned_pose(whole_->rig(), whole_->surface(), {&turn, 1}, poses[k].name);
      if (!joints_.empty()) pose = pose_of_piece(pose, joints_);
      const Affine3& moved = pose.matrices[static_cast<std::size_t>(own)];
      const GridPositions& rest = reference.model().rest();
      const double spent = reference.model().energy(blended(rest, inside_.col(own), moved));
      const GridPositions start = blended(rest, first_.col(own), moved);
      const auto solved = reference.solve(
          band, pose, start,
          {.tolerance = kCheckTolerance, .max_iterations = kCheckIterations, .progress = progress});
      result.finite = result.finite && std::isfinite(spent);
      if (!(solved.energy > 0) || !std::isfinite(spent)) continue;
      // The same weights cost more on a mesh of few vertices, which is no fault of theirs.
      const double coarse =
          reference.model().energy(blended(rest, seen_.col(own), moved)) / reference.model().energy(start);
      const double ratio = spent / (solved.energy * std::clamp(coarse, 1.0, kMostCoarse));
      sum += ratio;
      ++count;
      result.twist = k + 1 == poses.size() ? ratio : 0;
      if (ratio > result.worst) {
        result.worst = ratio;
        result.pose = k;
      }
    }
    if (count > 0) result.ratio = sum / count;
    return result;
  }

 private:
  // What bends around the joint: elsewhere flesh that the weights carry whole, or not at all, is rigid, as a
  // skull is, where the bones say the same.
  Result<CompareReference::Band> band_of(std::size_t own) const {
    const CompareReference& reference = arena_->reference();
    const Surface& surface = arena_->surface();
    const std::vector<std::uint8_t> below = bones_below(surface.parents, own);
    const Vec3 head = surface.bones[own].head;
    const double around = std::max(kAround * std::sqrt(tree_.nearest(head).squared_distance),
                                   kLeastAround * arena_->grid().cell_size());
    const GridPositions& rest = reference.model().rest();
    const std::span<const int> joint_of_vertex = reference.joint_of_vertex();
    std::vector<int> carrier(joint_of_vertex.size(), CompareReference::kFree);
    for (std::size_t v = 0; v < carrier.size(); ++v) {
      const auto row = static_cast<Eigen::Index>(v), column = static_cast<Eigen::Index>(own);
      const double share = inside_(row, column), bones = first_(row, column);
      const bool moves = joint_of_vertex[v] >= 0 && below[static_cast<std::size_t>(joint_of_vertex[v])];
      const bool far = (rest.row(row).transpose() - head).norm() > around;
      if (joint_of_vertex[v] >= 0)
        carrier[v] = moves ? static_cast<int>(own) : CompareReference::kUnmoved;
      else if (far && share >= 1 - kWhole && bones >= 0.5)
        carrier[v] = static_cast<int>(own);
      else if (far && share <= kWhole && bones <= 0.5)
        carrier[v] = CompareReference::kUnmoved;
    }
    return reference.band({own}, std::move(carrier));
  }

  // Of the weights that the reference starts from.
  Eigen::MatrixXd start_shares() const {
    const ElasticSetup& setup = arena_->setup();
    const std::vector<int>& parents = arena_->surface().parents;
    Eigen::MatrixXd shares = Eigen::MatrixXd::Zero(inside_.rows(), inside_.cols());
    for (std::size_t v = 0; v < setup.start.vertex_count(); ++v)
      for (const Influence& influence : setup.start.row(v))
        for (int b = static_cast<int>(influence.joint); b >= 0; b = parents[static_cast<std::size_t>(b)])
          shares(static_cast<Eigen::Index>(v), b) += influence.weight;
    return shares;
  }

  const Arena* arena_;
  const Arena* whole_;
  std::span<const std::size_t> joints_;  // of a piece: per joint that of the whole
  // Shares at the welded vertices; in the body; by harmonic weights of the bones, in the body and as the mesh's
  // vertices would have them.
  Eigen::MatrixXd shares_, inside_, first_, seen_;
  Bvh tree_;
};

}  // namespace

Eigen::MatrixXd carried_shares(const Rig& rig, const Surface& surface) {
  const Weld& weld = surface.welded.weld;
  Eigen::MatrixXd shares = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(weld.positions.size()),
                                                 static_cast<Eigen::Index>(surface.bones.size()));
  for (std::size_t i = 0; i < weld.representative.size(); ++i)
    for (const Influence& influence : rig.weights.row(weld.representative[i])) {
      int joint = static_cast<int>(influence.joint);
      while (joint >= static_cast<int>(surface.bones.size()))
        joint = rig.skeleton[static_cast<std::size_t>(joint)].parent;
      for (; joint >= 0; joint = surface.parents[static_cast<std::size_t>(joint)])
        shares(static_cast<Eigen::Index>(i), joint) += influence.weight;
    }
  return shares;
}

std::vector<RangePose> poses_of_range(const MotionRange& range) {
  const auto degrees = [](double radians) { return std::lround(radians * 180 / std::numbers::pi); };
  return {{fmt::format("bend {} x", degrees(range.swing)), 0, range.swing},
          {fmt::format("bend {} y", degrees(range.swing)), 1, range.swing},
          {fmt::format("twist {}", degrees(range.twist)), 2, range.twist}};
}

Affine3 turn_of_joint(const Surface& surface, std::size_t bone, const RangePose& pose) {
  const JointFrame frame = joint_frame(surface.bones, surface.parents, bone);
  const Vec3 head = surface.bones[bone].head;
  return Eigen::Translation3d(head) * Eigen::AngleAxisd(pose.angle, frame.axes.col(pose.axis)) *
         Eigen::Translation3d(-head);
}

Result<std::vector<JointEnergy>> joint_energies(const Arenas& arenas, const MotionRange& range,
                                                const Progress* progress) {
  const Arena& whole = arenas.whole();
  std::vector<EnergyJudge> judges;
  judges.emplace_back(whole, whole, std::span<const std::size_t>());
  for (const Arenas::Piece& piece : arenas.pieces()) judges.emplace_back(*piece.arena, whole, piece.joints);
  std::vector<JointEnergy> energies(arenas.arena_of().size());
  for (std::size_t bone = 0; bone < energies.size(); ++bone) {
    if (is_cancelled(progress)) return cancelled();
    report(progress, "elastic energy", static_cast<double>(bone) / static_cast<double>(energies.size()));
    if (arenas.arena_of()[bone] == kNoArena) continue;
    SINEW_TRY(energies[bone], judges[arenas.arena_of()[bone]].judge(bone, range, progress));
  }
  return energies;
}

}  // namespace sinew
