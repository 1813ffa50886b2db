// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/core/status.h"
#include "sinew/rig/live_controls.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// What a deformer reads every frame: made once per frame from a Pose, shared by all deformers of a rig.
struct FrameInput {
  std::span<const Vec3f> positions;   ///< what the step before left: at first the rest vertices, bind space
  std::span<const Vec3f> normals;     ///< theirs, or empty
  std::span<const Affine3> globals;   ///< per joint, global transforms of the pose
  std::span<const Affine3> matrices;  ///< per joint, globals * inverse_bind
  std::span<const BoneShape> bones;   ///< per joint, or empty
  std::span<const double> key_weights = {};  ///< per shape key, or empty
  const LiveControls* controls = nullptr;    ///< what hands have moved, or null: nothing
  std::span<const Vec3> cage_points = {};    ///< for one cage: where its control points are; empty: at rest
};

/// Scratch memory of one evaluation, sized by the deformer that hands it out; one per thread of control.
class Workspace {
 public:
  virtual ~Workspace() = default;
};

/// A built deformer. Building may fail and allocate; running does neither.
class Deformer {
 public:
  static constexpr double kBounded = 1e12;
  virtual ~Deformer() = default;
  virtual std::unique_ptr<Workspace> make_workspace() const = 0;
  /// Writes every vertex; normals where out_normals is not empty (then input.normals must be given). Outputs
  /// may not alias inputs. Runs on the threads of parallel_for, with the same bits for any number of them.
  /// Anything but kOk only from deformers that solve and may run out of memory or steps; what the outputs hold
  /// then counts for nothing.
  virtual Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                        std::span<Vec3f> out_normals) const noexcept = 0;
  /// Whether positions are finite where no entry of the matrices and of the rest positions exceeds kBounded, and
  /// no weight 2.
  virtual bool is_bounded() const { return false; }
  /// The elastic energy of the frame that the workspace saw last, from deformers that minimise it.
  virtual std::optional<double> energy(const Workspace&) const { return std::nullopt; }
};

}  // namespace sinew
