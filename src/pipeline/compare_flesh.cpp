// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compare_flesh.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sinew/volume/grid_laplacian.h"
#include "sinew/volume/multigrid.h"
#include "sinew/volume/subgrid.h"
#include "sinew/volume/trilinear.h"

namespace sinew {
namespace {

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

constexpr double kHold = 30;     // how strongly faces hold what is harmonic within, over a cell
constexpr double kStill = 2e-3;  // shares this near to 0 or 1 are that
constexpr int kMostSides = 12;   // samples along the side of a large triangle
constexpr double kAccuracy = 1e-5;

// Points of the faces, at most about half a cell apart.
struct Sample {
  std::array<std::uint32_t, 3> vertices;
  std::array<double, 3> shares;
  double area;  // over that of a side of a cell
};

std::vector<Sample> samples_of(const PolyMesh& mesh, double cell) {
  std::vector<Sample> samples;
  const TriangleView view = triangulate(mesh);
  for (const Triangle& t : view.triangles) {
    const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    const int sides = std::clamp(static_cast<int>(std::ceil(2 * longest / cell)), 1, kMostSides);
    const double area = 0.5 * (b - a).cross(c - a).norm() / (cell * cell * sides * sides);
    if (!(area > 0)) continue;
    for (int i = 0; i < sides; ++i)
      for (int j = 0; j < 2 * (sides - i) - 1; ++j) {
        // The middle of a small triangle, of which every other one is upside down.
        const double shift = j % 2 ? 2.0 / 3 : 1.0 / 3;
        const double u = (i + shift) / sides, v = (j / 2 + shift) / sides;
        samples.push_back({{t[0], t[1], t[2]}, {1 - u - v, u, v}, area});
      }
  }
  return samples;
}

// Finds what is harmonic in the body, is given at some vertices of its grid, and is nearly what faces have.
class Extension {
 public:
  Extension(const VoxelGrid& grid, const PolyMesh& mesh)
      : samples_(samples_of(mesh, grid.cell_size())), size_(static_cast<Eigen::Index>(grid.vertex_count())) {
    std::vector<Vec3> points;
    for (const Sample& sample : samples_) {
      Vec3 p = Vec3::Zero();
      for (std::size_t k = 0; k < 3; ++k) p += sample.shares[k] * mesh.positions[sample.vertices[k]];
      points.push_back(p);
    }
    transfer_ = trilinear_weights(grid, points);
    const double weight = kHold * grid.cell_size();
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t s = 0; s < samples_.size(); ++s)
      for (std::size_t a = 0; a < 8; ++a)
        for (std::size_t b = 0; b < 8; ++b)
          entries.emplace_back(transfer_.vertices[s][a], transfer_.vertices[s][b],
                               weight * samples_[s].area * transfer_.weights[s][a] * transfer_.weights[s][b]);
    RowMatrix held(size_, size_);
    held.setFromTriplets(entries.begin(), entries.end());
    matrix_ = grid_stiffness(grid) + held;
    weight_ = weight;
  }

  const RowMatrix& matrix() const { return matrix_; }
  // Rows and columns of a part of the grid.
  RowMatrix matrix_of(const SubGrid& part) const {
    std::vector<Eigen::Index> place(static_cast<std::size_t>(size_), -1);
    for (std::size_t k = 0; k < part.vertices.size(); ++k)
      place[part.vertices[k]] = static_cast<Eigen::Index>(k);
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t k = 0; k < part.vertices.size(); ++k)
      for (RowMatrix::InnerIterator it(matrix_, part.vertices[k]); it; ++it)
        if (const Eigen::Index to = place[static_cast<std::size_t>(it.col())]; to >= 0)
          entries.emplace_back(static_cast<Eigen::Index>(k), to, it.value());
    const auto size = static_cast<Eigen::Index>(part.vertices.size());
    RowMatrix matrix(size, size);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }

  // What faces ask for beyond what the grid has: `at` (vertex of the mesh, its share, sum) adds the former.
  template <class At>
  Eigen::MatrixXd pull(const Eigen::MatrixXd& within, const At& at) const {
    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(size_, within.cols());
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> has = within;
    Eigen::RowVectorXd value(within.cols());
    for (std::size_t s = 0; s < samples_.size(); ++s) {
      value.setZero();
      for (std::size_t k = 0; k < 3; ++k) at(samples_[s].vertices[k], samples_[s].shares[k], value);
      for (std::size_t a = 0; a < 8; ++a)
        value -= transfer_.weights[s][a] * has.row(transfer_.vertices[s][a]);
      if (value.isZero(0)) continue;
      for (std::size_t a = 0; a < 8; ++a)
        right.row(transfer_.vertices[s][a]) += weight_ * samples_[s].area * transfer_.weights[s][a] * value;
    }
    return right;
  }

 private:
  std::vector<Sample> samples_;
  TrilinearWeights transfer_;
  RowMatrix matrix_;
  Eigen::Index size_;
  double weight_ = 0;
};

double put(double share) {
  return share < kStill ? 0 : share > 1 - kStill ? 1 : share;
}

// Every function's field at the vertices of the grid, three columns each; 0 where there is none.
Eigen::MatrixXd on_grid(const GridField* field, Eigen::Index vertices) {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(vertices, 3 * static_cast<Eigen::Index>(kTurnFunctions));
  if (!field || field->mixes.rows() == 0) return all;
  for (Eigen::Index m = 0; m < field->mixes.rows(); ++m)
    for (Eigen::Index f = 0; f < field->mixes.cols(); ++f)
      for (Eigen::Index c = 0; c < 3; ++c)
        all(field->vertices, 3 * f + c) += (field->mixes(m, f) * field->values.col(3 * m + c)).cast<double>();
  return all;
}

// The same that a rig stores, of one of its vertices.
void add_stored(const FleshField& field, std::size_t row, double share, Eigen::RowVectorXd& to) {
  for (std::size_t m = 0; m < field.modes(); ++m)
    for (std::size_t c = 0; c < 3; ++c) {
      const double value =
          share * static_cast<double>(field.steps[m]) * field.values[3 * (row * field.modes() + m) + c];
      if (value == 0) continue;
      for (std::size_t f = 0; f < kTurnFunctions; ++f)
        to[static_cast<Eigen::Index>(3 * f + c)] +=
            value * static_cast<double>(field.mixes[m * kTurnFunctions + f]);
    }
}

const GridField* same_of(const GridFlesh& within, const FleshField& field) {
  if (!field.partner) return &within.fields[field.joint];
  for (const GridPair& pair : within.pairs)
    if (pair.joint == field.joint && pair.partner == field.partner->joint) return &pair.field;
  return nullptr;
}

}  // namespace

CarriedShares shares_of(const ComposedWeights& weights, std::size_t vertex, std::span<const int> parents) {
  CarriedShares shares{std::vector<double>(parents.size(), 0.0), {}};
  for (int j = weights.base[vertex]; j >= 0; j = parents[static_cast<std::size_t>(j)])
    shares.swing[static_cast<std::size_t>(j)] = 1;
  shares.twist = shares.swing;
  for (const ComposedInfluence& entry : weights.row(vertex)) {
    shares.swing[entry.joint] = static_cast<double>(entry.swing);
    shares.twist[entry.joint] = static_cast<double>(entry.twist);
  }
  return shares;
}

Result<Flesh> stored_flesh_on_grid(const Rig& rig, const Surface& surface, const VoxelGrid& grid,
                                   std::span<const int> joint_of_vertex, const GridFlesh& within) {
  const std::span<const int> parents = surface.parents;
  const auto joints = static_cast<Eigen::Index>(parents.size()),
             n = static_cast<Eigen::Index>(grid.vertex_count());
  const Extension extension(grid, rig.mesh);
  std::vector<CarriedShares> of_vertex;
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    of_vertex.push_back(shares_of(rig.flesh.weights, i, parents));
  std::vector<std::uint8_t> fixed(static_cast<std::size_t>(n));
  for (std::size_t v = 0; v < fixed.size(); ++v) fixed[v] = joint_of_vertex[v] >= 0;
  Eigen::MatrixXd shares(n, 2 * joints);  // of all joints, first swing, then twist
  shares << within.swing, within.twist;
  SINEW_TRY(const Multigrid whole, Multigrid::build(grid, extension.matrix(), fixed));
  shares += whole
                .solve(extension.pull(shares,
                                      [&](std::uint32_t i, double share, Eigen::RowVectorXd& to) {
                                        const CarriedShares& of = of_vertex[i];
                                        for (Eigen::Index j = 0; j < joints; ++j) {
                                          to[j] += share * of.swing[static_cast<std::size_t>(j)];
                                          to[joints + j] += share * of.twist[static_cast<std::size_t>(j)];
                                        }
                                      }),
                       Eigen::MatrixXd::Zero(n, 2 * joints), kAccuracy)
                .x;
  shares = shares.unaryExpr(&put).eval();
  Flesh flesh;
  flesh.range = rig.flesh.range;
  flesh.tolerance = rig.flesh.tolerance;
  std::vector<double> swing(parents.size()), twist(parents.size());
  for (Eigen::Index v = 0; v < n; ++v) {
    for (Eigen::Index j = 0; j < joints; ++j) {
      swing[static_cast<std::size_t>(j)] = shares(v, j);
      twist[static_cast<std::size_t>(j)] = shares(v, joints + j);
    }
    flesh.weights.add_row(parents, swing, twist);
  }
  const auto corners = grid.all_cell_vertices();
  std::vector<std::int64_t> row_of(rig.mesh.vertex_count());
  for (const FleshField& field : rig.flesh.fields) {
    // Only where the joint moves flesh by parts.
    std::vector<std::uint8_t> moves(static_cast<std::size_t>(n), 0);
    for (Eigen::Index v = 0; v < n; ++v) {
      const auto between = [](double share) { return share > 0 && share < 1; };
      moves[static_cast<std::size_t>(v)] =
          !fixed[static_cast<std::size_t>(v)] &&
          (between(shares(v, field.joint)) || between(shares(v, joints + field.joint)));
    }
    std::vector<std::uint8_t> keep(grid.cell_count(), 0);
    for (std::size_t c = 0; c < keep.size(); ++c)
      keep[c] =
          std::any_of(corners[c].begin(), corners[c].end(), [&](std::uint32_t v) { return moves[v] != 0; });
    const SubGrid part = select_cells(grid, keep);
    if (part.vertices.empty()) continue;
    std::fill(row_of.begin(), row_of.end(), -1);
    for (std::size_t r = 0; r < field.vertices.size(); ++r)
      row_of[field.vertices[r]] = static_cast<std::int64_t>(r);
    const Eigen::MatrixXd known = on_grid(same_of(within, field), n);
    const Eigen::MatrixXd right =
        extension.pull(known, [&](std::uint32_t i, double share, Eigen::RowVectorXd& to) {
          if (row_of[i] >= 0) add_stored(field, static_cast<std::size_t>(row_of[i]), share, to);
        });
    std::vector<std::uint8_t> held;
    for (const std::uint32_t v : part.vertices) held.push_back(!moves[v]);
    const auto size = static_cast<Eigen::Index>(part.vertices.size());
    SINEW_TRY(const Multigrid solver, Multigrid::build(part.grid, extension.matrix_of(part), held));
    const Eigen::MatrixXd values =
        known(part.vertices, Eigen::all) +
        solver.solve(right(part.vertices, Eigen::all), Eigen::MatrixXd::Zero(size, known.cols()), kAccuracy)
            .x;
    std::vector<float> twists;
    for (const std::uint32_t v : part.vertices)
      twists.push_back(static_cast<float>(shares(v, joints + field.joint)));
    // A mode a function.
    const GridField::Mixes mixes = GridField::Mixes::Identity(kTurnFunctions, kTurnFunctions);
    const std::vector<std::uint8_t> fine(kTurnFunctions, 1);
    FleshField carried = quantise_field(field.joint, part.vertices, twists,
                                        {mixes.data(), static_cast<std::size_t>(mixes.size())}, fine, {},
                                        values.cast<float>());
    carried.range = field.range;
    carried.partner = field.partner;
    if (!carried.vertices.empty()) flesh.fields.push_back(std::move(carried));
  }
  return flesh;
}

Flesh flesh_of_piece(const Flesh& flesh, std::span<const std::uint32_t> vertices,
                     std::span<const std::size_t> joints, std::span<const int> whole_parents,
                     std::span<const int> parents) {
  Flesh piece;
  piece.range = flesh.range;
  piece.tolerance = flesh.tolerance;
  if (flesh.empty()) return piece;
  std::vector<double> swing(joints.size()), twist(joints.size());
  std::vector<std::vector<std::uint32_t>> copies(flesh.weights.vertex_count());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const CarriedShares shares = shares_of(flesh.weights, vertices[i], whole_parents);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      swing[j] = j == 0 ? 1 : shares.swing[joints[j]];
      twist[j] = j == 0 ? 1 : shares.twist[joints[j]];
    }
    piece.weights.add_row(parents, swing, twist);
    copies[vertices[i]].push_back(static_cast<std::uint32_t>(i));
  }
  const auto own = [&](std::uint32_t joint) -> std::optional<std::uint32_t> {
    const auto found = std::find(joints.begin() + 1, joints.end(), joint);
    if (found == joints.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - joints.begin());
  };
  for (const FleshField& field : flesh.fields) {
    const auto joint = own(field.joint);
    if (!joint) continue;
    FleshField kept = field;
    kept.joint = *joint;
    if (field.partner) {
      // A joint that the piece has not does not turn against it.
      const auto partner = own(field.partner->joint);
      if (!partner) continue;
      kept.partner->joint = *partner;
    }
    std::vector<std::array<std::size_t, 2>> places;  // vertex, row
    for (std::size_t r = 0; r < field.vertices.size(); ++r)
      for (const std::uint32_t i : copies[field.vertices[r]]) places.push_back({i, r});
    if (places.empty()) continue;
    std::sort(places.begin(), places.end());
    kept.vertices.clear();
    kept.twist.clear();
    kept.values.clear();
    const std::size_t width = 3 * field.modes();
    for (const auto& [vertex, r] : places) {
      kept.vertices.push_back(static_cast<std::uint32_t>(vertex));
      kept.twist.push_back(field.twist[r]);
      const auto at = field.values.begin() + static_cast<std::ptrdiff_t>(r * width);
      kept.values.insert(kept.values.end(), at, at + static_cast<std::ptrdiff_t>(width));
    }
    piece.fields.push_back(std::move(kept));
  }
  return piece;
}

}  // namespace sinew
