// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/limb_cage.h"

#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "sinew/core/disjoint_sets.h"
#include "sinew/solve/sparse_cholesky.h"
#include "sinew/volume/voxelize.h"
#include "volume/cage_body.h"

namespace sinew {
namespace {

// Voxels that tell limbs apart: as many for a plump body, and for one with narrow gaps.
constexpr std::size_t kVoxels = 60'000, kMostVoxels = 300'000;
constexpr std::size_t kMostUnknowns = 20'000;
constexpr Eigen::Index kControlsAtOnce = 64;

// Two voxels of the body that share a side: `high` follows `low` along the axis.
struct VoxelPair {
  std::uint32_t low, high;
  int axis;
};

std::vector<VoxelPair> side_pairs(const VoxelGrid& grid) {
  std::vector<VoxelPair> pairs;
  for (const LatticeSet::Run& run : grid.cells().runs()) {
    Vec3i c = grid.cells().run_start(run);
    for (std::uint32_t cell = run.first; c.x() < run.end; ++c.x(), ++cell)
      for (int axis = 0; axis < 3; ++axis) {
        const std::uint32_t next = grid.cells().find(c + Vec3i(Vec3i::Unit(axis)));
        if (next != kNoIndex) pairs.push_back({cell, next, axis});
      }
  }
  return pairs;
}

// Coarse cells, one for every piece that the body has in a block of voxels, joined where the body goes on.
struct Pieces {
  int size = 1;                            // voxels along a block
  Vec3i shift = Vec3i::Zero();             // the first block begins so many voxels before the lattice
  std::vector<std::uint32_t> of_voxel;     // the piece of each voxel
  std::vector<Vec3i> block;                // of each piece
  std::vector<VoxelPair> joined;           // pieces, each pair once
  std::vector<std::array<bool, 6>> outer;  // per piece: which of its sides -x, +x, -y ... nothing joins

  std::size_t count() const { return block.size(); }
};

Pieces cut_into_pieces(const VoxelGrid& grid, std::span<const VoxelPair> pairs, int size) {
  Pieces pieces;
  pieces.size = size;
  const Vec3i dims = grid.cells().dims();
  for (int axis = 0; axis < 3; ++axis) pieces.shift[axis] = (size - dims[axis] % size) % size / 2;
  std::vector<Vec3i> block_of(grid.cell_count());
  for (const LatticeSet::Run& run : grid.cells().runs()) {
    Vec3i c = grid.cells().run_start(run);
    for (std::uint32_t cell = run.first; c.x() < run.end; ++c.x(), ++cell)
      for (int axis = 0; axis < 3; ++axis) block_of[cell][axis] = (c[axis] + pieces.shift[axis]) / size;
  }
  DisjointSets sets(grid.cell_count());
  for (const VoxelPair& pair : pairs)
    if (block_of[pair.low] == block_of[pair.high]) sets.join(pair.low, pair.high);
  pieces.of_voxel.assign(grid.cell_count(), kNoIndex);
  for (std::uint32_t cell = 0; cell < grid.cell_count(); ++cell) {
    std::uint32_t& piece = pieces.of_voxel[sets.find(cell)];
    if (piece == kNoIndex) {
      piece = static_cast<std::uint32_t>(pieces.block.size());
      pieces.block.push_back(block_of[cell]);
    }
    pieces.of_voxel[cell] = piece;
  }
  for (const VoxelPair& pair : pairs)
    if (pieces.of_voxel[pair.low] != pieces.of_voxel[pair.high])
      pieces.joined.push_back({pieces.of_voxel[pair.low], pieces.of_voxel[pair.high], pair.axis});
  const auto key = [](const VoxelPair& p) { return std::tuple(p.low, p.high, p.axis); };
  std::sort(pieces.joined.begin(), pieces.joined.end(),
            [&](const VoxelPair& a, const VoxelPair& b) { return key(a) < key(b); });
  pieces.joined.erase(std::unique(pieces.joined.begin(), pieces.joined.end(),
                                  [&](const VoxelPair& a, const VoxelPair& b) { return key(a) == key(b); }),
                      pieces.joined.end());
  pieces.outer.assign(pieces.count(), {true, true, true, true, true, true});
  for (const VoxelPair& pair : pieces.joined) {
    pieces.outer[pair.low][static_cast<std::size_t>(2 * pair.axis + 1)] = false;
    pieces.outer[pair.high][static_cast<std::size_t>(2 * pair.axis)] = false;
  }
  return pieces;
}

// The lattice of `steps` steps along every piece; nodes on joined sides are one.
class PieceLattice {
 public:
  PieceLattice(const Pieces& pieces, int steps) : steps_(steps), side_(steps + 1) {
    DisjointSets sets(pieces.count() * static_cast<std::size_t>(side_ * side_ * side_));
    for (const VoxelPair& pair : pieces.joined)
      for_side(2 * pair.axis, [&](const Vec3i& at) {
        Vec3i last = at;
        last[pair.axis] = steps_;
        sets.join(local(pair.low, last), local(pair.high, at));
      });
    const auto locals =
        static_cast<std::uint32_t>(pieces.count() * static_cast<std::size_t>(side_ * side_ * side_));
    node_.assign(locals, kNoIndex);
    for (std::uint32_t k = 0; k < locals; ++k) {
      std::uint32_t& node = node_[sets.find(k)];
      if (node == kNoIndex) node = count_++;
      node_[k] = node;
    }
  }

  int steps() const { return steps_; }
  std::uint32_t count() const { return count_; }
  std::uint32_t node(std::uint32_t piece, const Vec3i& at) const { return node_[local(piece, at)]; }

  // Calls visit(at) for the nodes of a side of a piece: 0 is -x, 1 is +x, 2 is -y ...
  template <class Visit>
  void for_side(int side, const Visit& visit) const {
    const int axis = side / 2, b = (axis + 1) % 3, c = (axis + 2) % 3;
    Vec3i at;
    at[axis] = side % 2 == 0 ? 0 : steps_;
    for (at[b] = 0; at[b] < side_; ++at[b])
      for (at[c] = 0; at[c] < side_; ++at[c]) visit(at);
  }

 private:
  std::uint32_t local(std::uint32_t piece, const Vec3i& at) const {
    return piece * static_cast<std::uint32_t>(side_ * side_ * side_) +
           static_cast<std::uint32_t>(at.x() + side_ * (at.y() + side_ * at.z()));
  }
  int steps_, side_;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> node_;  // of a node of a piece
};

// The corners of a side as the cage's quad, in order around it and facing outwards.
std::array<Vec3i, 4> side_corners(int side, int steps) {
  const int axis = side / 2, b = (axis + 1) % 3, c = (axis + 2) % 3;
  Vec3i base = Vec3i::Zero();
  base[axis] = side % 2 == 0 ? 0 : steps;
  Vec3i along = base, across = base, both = base;
  along[b] = both[b] = across[c] = both[c] = steps;
  if (side % 2 == 1) return {base, along, both, across};
  return {base, across, both, along};
}

// The control point of every node that is one; kNoIndex elsewhere.
struct Controls {
  std::vector<std::uint32_t> of_node;
  std::uint32_t count = 0;
};

Controls find_controls(const Pieces& pieces, const PieceLattice& lattice) {
  Controls controls;
  controls.of_node.assign(lattice.count(), kNoIndex);
  for (std::uint32_t p = 0; p < pieces.count(); ++p)
    for (int side = 0; side < 6; ++side) {
      if (!pieces.outer[p][static_cast<std::size_t>(side)]) continue;
      for (const Vec3i& corner : side_corners(side, lattice.steps())) {
        std::uint32_t& control = controls.of_node[lattice.node(p, corner)];
        if (control == kNoIndex) control = controls.count++;
      }
    }
  return controls;
}

// The finest pieces whose cage has no more control points than asked for; the coarsest always count.
Pieces finest_pieces(const VoxelGrid& grid, int most) {
  const std::vector<VoxelPair> pairs = side_pairs(grid);
  const int longest = grid.cells().dims().maxCoeff();
  Pieces best;
  int last = 0;
  for (int blocks = 1; blocks <= longest / 2 || blocks == 1; ++blocks) {
    const int size = (longest + blocks - 1) / blocks;
    if (size == last) continue;
    last = size;
    Pieces pieces = cut_into_pieces(grid, pairs, size);
    if (blocks > 1 && find_controls(pieces, PieceLattice(pieces, 1)).count > static_cast<std::uint32_t>(most))
      break;
    best = std::move(pieces);
  }
  return best;
}

// Values at the nodes of a lattice: on the cage linear between its corners, harmonic within.
class Harmonic {
 public:
  static Result<Harmonic> build(const Pieces& pieces, const PieceLattice& lattice, const Controls& controls) {
    Harmonic made;
    made.bound_.resize(lattice.count());
    made.unknown_.assign(lattice.count(), kNoIndex);
    made.bind_sides(pieces, lattice, controls);
    for (std::uint32_t n = 0; n < lattice.count(); ++n)
      if (made.bound_[n][0].weight == 0) made.unknown_[n] = made.unknowns_++;
    SINEW_CHECK(made.factor(pieces, lattice));
    return made;
  }

  std::size_t unknowns() const { return unknowns_; }

  // Columns are the controls from `first` on; rows are the unknowns.
  Eigen::MatrixXd solve(std::uint32_t first, Eigen::Index columns) const {
    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(unknowns_), columns);
    for (const Pull& pull : pulls_)
      for (const Share& share : bound_[pull.node]) {
        if (share.weight == 0 || share.control < first) continue;
        const auto column = static_cast<Eigen::Index>(share.control - first);
        if (column < columns) right(pull.unknown, column) += pull.weight * share.weight;
      }
    if (unknowns_ == 0) return right;
    return factor_->solve(right);
  }

  // Adds weight times the node's values to `row`, for the columns of `solved`.
  void add(std::uint32_t node, double weight, const Eigen::MatrixXd& solved, std::uint32_t first,
           Eigen::Ref<Eigen::RowVectorXd> row) const {
    if (unknown_[node] != kNoIndex) {
      row += weight * solved.row(unknown_[node]);
      return;
    }
    for (const Share& share : bound_[node])
      if (share.weight != 0 && share.control >= first &&
          share.control - first < static_cast<std::uint32_t>(row.size()))
        row[share.control - first] += weight * share.weight;
  }

 private:
  struct Share {
    std::uint32_t control = 0;
    double weight = 0;
  };
  struct Pull {
    Eigen::Index unknown;
    std::uint32_t node;
    double weight;
  };

  void bind_sides(const Pieces& pieces, const PieceLattice& lattice, const Controls& controls) {
    const double steps = lattice.steps();
    for (std::uint32_t p = 0; p < pieces.count(); ++p)
      for (int side = 0; side < 6; ++side) {
        if (!pieces.outer[p][static_cast<std::size_t>(side)]) continue;
        const auto corners = side_corners(side, lattice.steps());
        lattice.for_side(side, [&](const Vec3i& at) {
          auto& shares = bound_[lattice.node(p, at)];
          if (std::any_of(shares.begin(), shares.end(), [](const Share& s) { return s.weight != 0; })) return;
          std::size_t used = 0;
          for (const Vec3i& corner : corners) {
            double weight = 1;
            for (int axis = 0; axis < 3; ++axis) weight *= 1 - std::abs(corner[axis] - at[axis]) / steps;
            if (weight > 0) shares[used++] = {controls.of_node[lattice.node(p, corner)], weight};
          }
        });
      }
  }

  // Seven points a node; an edge counts by a quarter for every little cell around it.
  Result<void> factor(const Pieces& pieces, const PieceLattice& lattice) {
    std::vector<Eigen::Triplet<double>> entries;
    const auto around = [&](int at) { return at > 0 && at < lattice.steps() ? 2 : 1; };
    Vec3i at;
    for (std::uint32_t p = 0; p < pieces.count(); ++p)
      for (int axis = 0; axis < 3; ++axis) {
        const int b = (axis + 1) % 3, c = (axis + 2) % 3;
        for (at[axis] = 0; at[axis] < lattice.steps(); ++at[axis])
          for (at[b] = 0; at[b] <= lattice.steps(); ++at[b])
            for (at[c] = 0; at[c] <= lattice.steps(); ++at[c])
              join(lattice.node(p, at), lattice.node(p, at + Vec3i(Vec3i::Unit(axis))),
                   0.25 * around(at[b]) * around(at[c]), entries);
      }
    if (unknowns_ == 0) return {};
    const auto n = static_cast<Eigen::Index>(unknowns_);
    Eigen::SparseMatrix<double> matrix(n, n);
    matrix.setFromTriplets(entries.begin(), entries.end());
    SINEW_TRY(factor_, SparseCholesky::factor(matrix));
    return {};
  }

  void join(std::uint32_t a, std::uint32_t b, double weight, std::vector<Eigen::Triplet<double>>& entries) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      if (unknown_[from] == kNoIndex) continue;
      const auto row = static_cast<int>(unknown_[from]);
      entries.emplace_back(row, row, weight);
      if (unknown_[to] == kNoIndex)
        pulls_.push_back({row, to, weight});
      else
        entries.emplace_back(row, static_cast<int>(unknown_[to]), -weight);
    }
  }

  std::vector<std::array<Share, 4>> bound_;  // per node of the cage's sides; else all 0
  std::vector<std::uint32_t> unknown_;       // per node
  std::uint32_t unknowns_ = 0;
  std::vector<Pull> pulls_;
  std::optional<SparseCholesky> factor_;
};

// Where a point lies: its piece, and the weights of eight nodes of the lattice.
struct Place {
  std::uint32_t piece = kNoIndex;
  bool inside = false;  // else it takes the weights of the nearest point of its cell
  std::array<std::uint32_t, 8> nodes;
  std::array<double, 8> weights;
};

Place find_place(const Vec3& point, const VoxelGrid& grid, const Pieces& pieces,
                 const PieceLattice& lattice) {
  Place place;
  const std::uint32_t voxel = grid.nearest_cell(point);
  if (voxel == kNoIndex) return place;
  place.piece = pieces.of_voxel[voxel];
  const Vec3i begin = pieces.block[place.piece] * pieces.size - pieces.shift;
  const Vec3 within = ((point - grid.origin()) / grid.cell_size() - begin.cast<double>()) *
                      (lattice.steps() / double(pieces.size));
  Vec3i cell;
  Vec3 part;
  place.inside = (within.array() > -1e-6).all() && (within.array() < lattice.steps() + 1e-6).all();
  for (int axis = 0; axis < 3; ++axis) {
    const double at = std::clamp(within[axis], 0.0, static_cast<double>(lattice.steps()));
    cell[axis] = std::min(static_cast<int>(at), lattice.steps() - 1);
    part[axis] = at - cell[axis];
  }
  for (int k = 0; k < 8; ++k) {
    const Vec3i corner(k & 1, k >> 1 & 1, k >> 2);
    double weight = 1;
    for (int axis = 0; axis < 3; ++axis) weight *= corner[axis] ? part[axis] : 1 - part[axis];
    place.nodes[static_cast<std::size_t>(k)] = lattice.node(place.piece, cell + corner);
    place.weights[static_cast<std::size_t>(k)] = weight;
  }
  return place;
}

PolyMesh cage_mesh(const VoxelGrid& grid, const Pieces& pieces, const PieceLattice& lattice,
                   const Controls& controls) {
  PolyMesh mesh;
  mesh.positions.resize(controls.count);
  const double step = grid.cell_size() * pieces.size / lattice.steps();
  for (std::uint32_t p = 0; p < pieces.count(); ++p) {
    const Vec3 begin =
        grid.origin() + grid.cell_size() * (pieces.block[p] * pieces.size - pieces.shift).cast<double>();
    for (int side = 0; side < 6; ++side) {
      if (!pieces.outer[p][static_cast<std::size_t>(side)]) continue;
      std::vector<std::uint32_t> quad;
      for (const Vec3i& corner : side_corners(side, lattice.steps())) {
        quad.push_back(controls.of_node[lattice.node(p, corner)]);
        // As a file holds them.
        mesh.positions[quad.back()] = (begin + step * corner.cast<double>()).cast<float>().cast<double>();
      }
      mesh.add_face(quad);
    }
  }
  return mesh;
}

// For every control point the nearest vertex in the pieces around it; where these hold none, in those beyond.
std::vector<std::uint32_t> find_guides(std::span<const Vec3> points, std::span<const Place> places,
                                       const Pieces& pieces, const PieceLattice& lattice,
                                       const Controls& controls, std::span<const Vec3> at) {
  std::vector<std::vector<std::uint32_t>> inside(pieces.count()), beside(pieces.count()), of(controls.count);
  for (std::uint32_t i = 0; i < places.size(); ++i)
    if (places[i].piece != kNoIndex) inside[places[i].piece].push_back(i);
  for (const VoxelPair& pair : pieces.joined) {
    beside[pair.low].push_back(pair.high);
    beside[pair.high].push_back(pair.low);
  }
  for (std::uint32_t p = 0; p < pieces.count(); ++p)
    for (int k = 0; k < 8; ++k) {
      const Vec3i corner = lattice.steps() * Vec3i(k & 1, k >> 1 & 1, k >> 2);
      const std::uint32_t control = controls.of_node[lattice.node(p, corner)];
      if (control != kNoIndex) of[control].push_back(p);
    }
  std::vector<std::uint32_t> guides(controls.count, 0);
  for (std::uint32_t j = 0; j < controls.count; ++j) {
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::uint32_t> front = of[j];
    std::vector<bool> seen(pieces.count(), false);
    for (const std::uint32_t p : front) seen[p] = true;
    while (!front.empty() && std::isinf(least)) {
      std::vector<std::uint32_t> next;
      for (const std::uint32_t p : front) {
        for (const std::uint32_t i : inside[p])
          if (const double distance = (points[i] - at[j]).squaredNorm(); distance < least) {
            least = distance;
            guides[j] = i;
          }
        for (const std::uint32_t q : beside[p])
          if (!seen[q]) {
            seen[q] = true;
            next.push_back(q);
          }
      }
      front = std::move(next);
    }
  }
  return guides;
}

int steps_for(const Pieces& pieces, const VoxelGrid& grid, int resolution) {
  const double blocks = grid.cells().dims().maxCoeff() / static_cast<double>(pieces.size);
  const int wanted = static_cast<int>(std::lround(std::exp2(resolution) / std::max(1.0, blocks)));
  const int most =
      static_cast<int>(std::cbrt(static_cast<double>(kMostUnknowns) / static_cast<double>(pieces.count())));
  return std::max(2, std::min(wanted, most));
}

}  // namespace

Result<LimbCage> limb_cage(MeshView mesh, const LimbCageOptions& options) {
  if (options.controls < 8 || options.controls > 100'000)
    return usage_error("a cage needs 8 control points or more, and 100000 are enough");
  if (options.resolution < 1 || options.resolution > 10)
    return parameter_error("resolution", "must lie between 1 and 10");
  VoxelizeOptions voxels;
  voxels.target_cells = kVoxels;
  voxels.max_cells = kMostVoxels;
  voxels.progress = options.progress;
  SINEW_TRY(const VoxelBody body, voxelize(mesh, voxels));
  const Pieces pieces = finest_pieces(body.grid, options.controls);
  const PieceLattice lattice(pieces, steps_for(pieces, body.grid, options.resolution));
  const Controls controls = find_controls(pieces, lattice);
  LimbCage made;
  made.cells = pieces.count();
  made.nodes = lattice.count();
  made.mesh = cage_mesh(body.grid, pieces, lattice, controls);
  SINEW_TRY(const Harmonic harmonic, Harmonic::build(pieces, lattice, controls));
  std::vector<Place> places;
  for (const Vec3& point : mesh.positions) places.push_back(find_place(point, body.grid, pieces, lattice));
  std::vector<std::vector<RowEntry>> rows(places.size());
  for (std::uint32_t first = 0; first < controls.count; first += kControlsAtOnce) {
    if (is_cancelled(options.progress)) return cancelled();
    const Eigen::Index columns = std::min<Eigen::Index>(kControlsAtOnce, controls.count - first);
    const Eigen::MatrixXd solved = harmonic.solve(first, columns);
    Eigen::RowVectorXd row(columns);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i].piece == kNoIndex) continue;
      row.setZero();
      for (std::size_t k = 0; k < 8; ++k)
        if (places[i].weights[k] > 0)
          harmonic.add(places[i].nodes[k], places[i].weights[k], solved, first, row);
      for (Eigen::Index c = 0; c < columns; ++c)
        if (row[c] > 0.01 * options.threshold)
          rows[i].push_back({first + static_cast<std::uint32_t>(c), row[c]});
    }
  }
  std::vector<std::uint8_t> exact(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    exact[i] = places[i].inside;
    made.binding.figures.outside += !places[i].inside;
  }
  const double diagonal = bounding_box(made.mesh.positions).diagonal().norm();
  made.binding.rows = finish_rows(rows, made.mesh.positions, mesh.positions, exact, diagonal,
                                  options.threshold, made.binding.figures);
  made.binding.masks.assign(places.size(), 1.0f);
  made.guides = find_guides(mesh.positions, places, pieces, lattice, controls, made.mesh.positions);
  return made;
}

}  // namespace sinew
