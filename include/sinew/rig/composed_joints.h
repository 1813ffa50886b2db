// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/math/types.h"
#include "sinew/skeleton/bone_tree.h"

namespace sinew {

/// What one joint of a pose adds to the joint above it, in bind space: W(x) = c + u + A (x - c), so that the
/// skinning matrices are products of it, M_j = M_above W_j. A is split about the joint's bone: A = S T with T
/// the twist of its rotation.
struct JointMove {
  Vec3 centre = Vec3::Zero(), shift = Vec3::Zero();  ///< c, u
  Mat3 swing = Mat3::Identity();                     ///< S
  Vec3 axis = Vec3::UnitZ();                         ///< of the twist
  double twist = 0;                                  ///< its angle, radians in [-pi, pi]
  /// The rotation of A in the joint's frame: how far it swings about x and y, and its twist, in radians.
  Vec3 turn = Vec3::Zero();
  bool still = true;  ///< W is the identity

  /// F(x) = c + s u + ((1 - s) I + s S) T^t (x - c): nothing at s = t = 0, W at s = t = 1.
  Affine3 part(double s, double t) const;
  Affine3 whole() const { return part(1, 1); }
};

/// frames: joint_frame of every bone; parents: of bone_parents; matrices: of the joints (skinning_matrices).
/// A joint above which a singular matrix lies moves as that does.
std::vector<JointMove> joint_moves(std::span<const JointFrame> frames, std::span<const int> parents,
                                   std::span<const Affine3> matrices);
/// The same into `moves`, as many as frames. Never allocates.
void joint_moves(std::span<const JointFrame> frames, std::span<const int> parents,
                 std::span<const Affine3> matrices, std::span<JointMove> moves) noexcept;
std::vector<JointFrame> joint_frames(std::span<const Bone> bones, std::span<const int> parents);

/// The rotation that has these coordinates (JointMove::turn) in a joint's frame, in world axes.
Mat3 rotation_of(const JointFrame& frame, const Vec3& turn);
/// The other way.
Vec3 turn_of(const JointFrame& frame, const Mat3& rotation);

/// Composed joints: how far each joint carries a vertex, 0 to 1, when it swings and when it twists about its
/// bone. A vertex hangs on its `base`: that joint and all above it carry it whole, all others not at all;
/// `entries` say where it is otherwise. What every joint does is applied children first, in rest space:
///   Y_j(x) = F_j(x + sum_children (Y_c(x) - x))
/// and roots likewise, so that where joints overlap a child's bend goes along with its parent's.
struct ComposedInfluence {
  std::uint32_t joint = 0;
  float swing = 0, twist = 0;

  bool operator==(const ComposedInfluence&) const = default;
};
struct ComposedWeights {
  std::vector<std::int32_t> base;      ///< per vertex; -1: nothing carries it whole
  std::vector<std::uint32_t> offsets;  ///< vertices + 1, or empty: there are none
  std::vector<ComposedInfluence> entries;

  bool empty() const { return offsets.empty(); }
  std::size_t vertex_count() const { return base.size(); }
  std::span<const ComposedInfluence> row(std::size_t i) const {
    return {entries.data() + offsets[i], entries.data() + offsets[i + 1]};
  }
  /// Appends a vertex with these values of every joint. Values within 1/255 of 0 or 1 go there, smoothly.
  void add_row(std::span<const int> parents, std::span<const double> swing, std::span<const double> twist);

  bool operator==(const ComposedWeights&) const = default;
};

/// The formula in double precision, a vertex at a time.
class JointComposition {
 public:
  JointComposition(std::span<const int> parents, std::span<const JointMove> moves);
  /// `x` moved as vertex i of `weights` is; its linear part into `linear` where that is given.
  Vec3 move(const ComposedWeights& weights, std::size_t i, const Vec3& x, Mat3* linear = nullptr);

 private:
  std::span<const int> parents_;
  std::span<const JointMove> moves_;
  std::vector<std::size_t> order_;
  std::vector<double> swing_, twist_;  ///< of the vertex at hand
  std::vector<Vec3> shift_;            ///< sum over the children of a joint; the last: over the roots
  std::vector<Mat3> turned_;
};

}  // namespace sinew
