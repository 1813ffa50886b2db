// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/result.h"
#include "sinew/math/types.h"
#include "sinew/rig/skin_weights.h"
#include "sinew/solve/simplex.h"

namespace sinew {

/// What is added to rest positions before skinning, in every frame as much as `weights` says.
struct SkinMorph {
  std::vector<Vec3f> deltas;    ///< per vertex, bind space
  std::vector<double> weights;  ///< per frame
};

/// Shapes that linear blend skinning is to follow, and the joints that it may use. Joint j, vertex i, frame k.
struct SkinSequence {
  std::size_t joints = 0, frames = 0;
  std::vector<Vec3> rest;             ///< per vertex, bind space
  std::vector<Affine3> moves;         ///< [j * frames + k]: what carries bind space into the pose; locked
  std::vector<Vec3f> shapes;          ///< [i * frames + k]
  std::vector<double> frame_weights;  ///< how much a frame counts; empty: 1 each
  std::vector<int> parents;           ///< per joint, -1: none; empty: none has one
  std::vector<SkinMorph> morphs;      ///< that are there already

  std::size_t vertices() const { return rest.size(); }
};

/// A joint that is added: its parent's move follows on its own, so that M = moves[parent] * moves[k].
struct SkinHelper {
  std::size_t parent = 0;
  std::vector<Affine3> moves;  ///< per frame, rigid, bind space
};

/// Options of SkinFit::build().
struct SkinFitOptions {
  std::size_t influences = 4;            ///< of a vertex, at most
  std::size_t candidates = 10;           ///< joints that are tried for a vertex
  std::vector<std::uint8_t> fixed = {};  ///< per vertex: 1 keeps its row; empty: none does
  /// A frame in which helpers are as in a player that does not drive them. If given, weights are bounded: with
  /// helpers idle in every frame, no vertex is farther off than by its first row (or than the best row without
  /// helpers, where that is farther).
  std::optional<std::size_t> idle_frame = {};
};

/// Smooth skinning decomposition [le2012] with joints that are locked and helpers that are free: weights by
/// active sets (not negative, sum 1, at most K), rigid moves in closed form, in turn. No step raises the error.
/// Joints that are tried for a vertex are those of its first row, their parents and children (all, where there
/// are few).
class SkinFit {
 public:
  /// kUsage: sizes that do not fit. `start`: a row a vertex; vertices with an empty row stay so.
  /// Rows may name helpers that are there already, behind the joints.
  static Result<SkinFit> build(SkinSequence sequence, const SkinWeights& start,
                               const SkinFitOptions& options = {}, std::vector<SkinHelper> helpers = {});

  const SkinSequence& sequence() const { return sequence_; }
  const std::vector<SkinHelper>& helpers() const { return helpers_; }
  /// Joints first, then helpers.
  SkinWeights weights() const;
  /// Sum over vertices and frames of frame weight * squared distance.
  double squared_error() const;
  double squared_error(std::size_t vertex) const { return cost_[vertex]; }
  /// The root of its mean.
  double rms() const;
  /// The weights of a vertex, largest first.
  std::span<const Influence> row(std::size_t i) const { return rows_[i]; }

  void fit_weights();
  void fit_weights(std::span<const std::uint32_t> vertices);
  /// The best rigid moves of a helper for the weights at hand.
  /// `hold` keeps them near to what they were: a share of the weight of all vertices it carries. `from`: the
  /// first frame that changes.
  void fit_moves(std::size_t helper, double hold = 0, std::size_t from = 0);
  /// Both for the helpers named and what they may carry, until `rounds` are over or little changes.
  void refine(std::span<const std::size_t> helpers, int rounds);

  /// Vertices that a joint or helper may carry.
  std::vector<std::uint32_t> reach(std::size_t joint) const;
  /// How much the squared error of these would fall with one more helper, its moves as they are.
  double gain(const SkinHelper& helper, std::span<const std::uint32_t> vertices) const;
  /// Adds it as a joint that these may hang on, and fits their weights. Its index is returned.
  std::size_t add_helper(SkinHelper helper, std::span<const std::uint32_t> vertices);
  /// Other moves for a helper. The error may rise; fit_weights follows.
  void set_moves(std::size_t helper, std::vector<Affine3> moves);
  /// Other morphs, of the sequence's vertices and frames. The error may rise.
  void set_morphs(std::vector<SkinMorph> morphs);
  /// A helper fitted to those near the worst vertices, and whom it may carry; empty vertices: nothing is left
  /// to gain.
  struct Seed {
    SkinHelper helper;
    std::vector<std::uint32_t> vertices;
    double gain = 0;
  };
  Seed find_seed() const;

  /// The move of a joint or helper in a frame.
  Affine3 move(std::size_t joint, std::size_t frame) const;
  /// The blend of the moves of a vertex.
  Affine3 blend(std::size_t vertex, std::size_t frame) const;
  /// The rest position with the morphs of the frame.
  Vec3 point(std::size_t vertex, std::size_t frame) const;
  Vec3 shape(std::size_t vertex, std::size_t frame) const {
    return sequence_.shapes[vertex * sequence_.frames + frame].cast<double>();
  }

 private:
  class Residuals;
  struct Costs;
  using Row = std::vector<Influence>;

  SkinFit() = default;
  std::span<const Affine3> moves_of(std::size_t joint) const;
  std::vector<double> planes_of(std::span<const Affine3> moves) const;
  SimplexVector best_row(const Costs& costs, double bound) const;
  void choose_candidates(const SkinWeights& start);
  void measure(std::span<const std::uint32_t> vertices);
  SkinHelper helper_of(std::span<const std::uint32_t> cluster, std::size_t parent) const;

  SkinSequence sequence_;
  SkinFitOptions options_;
  std::vector<SkinHelper> helpers_;
  std::vector<std::vector<Affine3>> helper_moves_;  ///< with the parent's: per helper and frame
  std::vector<std::vector<double>> planes_;         ///< per joint, then helper: its moves, number by number
  std::vector<std::vector<std::uint32_t>> candidates_;  ///< per vertex: joints, then helpers
  std::vector<Row> rows_;                               ///< per vertex
  std::vector<double> cost_;                            ///< per vertex
  std::vector<double> idle_bound_;                      ///< per vertex: of the cost with idle helpers
  std::vector<double> roots_;                           ///< per frame, filled up with 0: of its weight
  std::vector<std::vector<std::uint32_t>> morphs_of_;   ///< per vertex: those that move it
};

/// Options of decompose_skin().
struct DecomposeOptions {
  std::size_t influences = 4;
  std::size_t helpers = 0;
  int rounds = 6;  ///< of weights and moves after each helper
  const Progress* progress = nullptr;
};

/// As many helpers as asked for (fewer where nothing is left to gain), one after the other: `errors`, if
/// given, gets the rms with 0, 1, 2, … of them, which never rises. kCancelled; fails as SkinFit::build.
Result<SkinFit> decompose_skin(SkinSequence sequence, const SkinWeights& start,
                               const DecomposeOptions& options = {}, std::vector<double>* errors = nullptr);

}  // namespace sinew
