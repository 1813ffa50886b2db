// SPDX-License-Identifier: Apache-2.0
// The header that an engine includes to run a rig. Eigen and the rig itself are only forward-declared, so
// that files that include it compile fast.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/core/status.h"

namespace sinew {

class Executor;       ///< core/parallel.h
class Subdivision;    ///< mesh/subdivision.h
struct BuiltStep;     ///< player/stack.h
struct DeformerData;  ///< deform/needs.h
struct LiveControls;  ///< rig/live_controls.h
struct Pose;          ///< skeleton/pose.h
struct Rig;           ///< rig/rig.h
struct StackEntry;    ///< rig/stack.h

/// Vertices in the caller's memory: three floats each, `stride` bytes from one to the next.
struct VertexBuffer {
  VertexBuffer() = default;
  VertexBuffer(float* first, std::size_t vertices, std::size_t stride_bytes = 3 * sizeof(float))
      : data(first), count(vertices), stride(stride_bytes) {}
  /// A vector, span or array of three floats each.
  template <class Points>
  requires(sizeof(*std::declval<Points&>().data()) == 3 * sizeof(float)) VertexBuffer(Points&& points)
      : data(reinterpret_cast<float*>(points.data())), count(points.size()) {}

  float* data = nullptr;
  std::size_t count = 0;
  std::size_t stride = 3 * sizeof(float);
};

/// A pose in the caller's memory: per joint a matrix of three rows of four floats, from the joint's space to
/// its parent's or to model space; per shape key a weight, or none for the keys' default weights.
struct PoseView {
  enum class Space { kParent, kModel };
  std::span<const float> joints;  ///< 12 per joint, row-major, in the order of Rig::skeleton
  Space space = Space::kModel;
  std::span<const float> key_weights = {};
};

/// The state of one character on screen: scratch memory, moved controls, and the job system it runs on. Used
/// by one thread at a time.
class RigWorkspace {
 public:
  RigWorkspace(RigWorkspace&& other) noexcept;
  RigWorkspace& operator=(RigWorkspace&& other) noexcept;
  ~RigWorkspace();

  /// Cages and point handles that are moved in the next frames; one list per cage of the rig.
  LiveControls& controls();
  const LiveControls& controls() const;
  /// The job system of this character. Null: the default, oneTBB. Pass serial_executor() if you distribute
  /// characters over your own threads. The executor must outlive its use.
  void run_on(const Executor* executor);

 private:
  friend class RigDeformer;
  struct Memory;
  explicit RigWorkspace(Memory* memory) : memory_(memory) {}
  Memory* memory_;
};

/// One of several characters that are evaluated together.
struct RigInstance {
  const Pose* pose = nullptr;
  RigWorkspace* workspace = nullptr;
  VertexBuffer positions, normals = {};
  Status status = Status::kOk;  ///< of the last evaluation
};

/// A rig that is ready to run: pose spaces, forward kinematics, then the steps of its stack, each on the
/// result of the previous one. Immutable and self-contained (the rig may be destroyed); any number of threads
/// may use it, each with its own workspace. Evaluation does not allocate (except `elastic`, the reference) or
/// throw.
class RigDeformer {
 public:
  /// Builds the rig's own stack; or the same with another deformer, by name ("dqs", "curve+mush"); or a given
  /// stack (player/stack.h). Cost: milliseconds for blends of transforms; deformers that solve
  /// (`differential`, `arap`, `elastic`) factor a matrix. `data` is what prepare() of binding/prepare.h made.
  /// Fails as build_stack(); kImpossible if the rig lacks data that a deformer needs: prepare() computes it.
  static Result<RigDeformer> build(const Rig& rig);
  static Result<RigDeformer> build(const Rig& rig, std::string_view deformer);
  static Result<RigDeformer> build(const Rig& rig, const std::vector<StackEntry>& stack);
  static Result<RigDeformer> build(const Rig& rig, const std::vector<StackEntry>& stack,
                                   const DeformerData& data);
  /// From steps that are built already, which may be custom deformers.
  static Result<RigDeformer> build(const Rig& rig, std::vector<BuiltStep> steps);

  RigDeformer(RigDeformer&& other) noexcept;
  RigDeformer& operator=(RigDeformer&& other) noexcept;
  ~RigDeformer();

  std::size_t vertex_count() const;  ///< vertices of the rig
  /// Vertices of a frame: the size of output buffers. More than vertex_count() if the stack ends with
  /// subdivision, whose mesh() then has the faces and texture coordinates; null: those of the rig.
  std::size_t output_count() const;
  const Subdivision* subdivision() const;
  std::size_t joint_count() const;
  std::size_t key_count() const;
  /// Warnings for the user about the rig, one sentence each.
  std::span<const std::string> warnings() const;

  /// Allocates the memory of one character.
  RigWorkspace make_workspace() const;

  /// Deforms the mesh. Cost: see docs/results.md; linear in the vertices for blends of transforms.
  /// @param pose       local joint transforms and key weights
  /// @param workspace  made by this deformer; one thread at a time
  /// @param positions  output, world space, output_count() vertices, any stride
  /// @param normals    output, unit length, the same size; computed only if given
  /// @return kBadPose if pose or buffers do not fit the rig: nothing is written then.
  Status evaluate(const Pose& pose, RigWorkspace& workspace, VertexBuffer positions,
                  VertexBuffer normals = {}) const noexcept;
  Status evaluate(const PoseView& pose, RigWorkspace& workspace, VertexBuffer positions,
                  VertexBuffer normals = {}) const noexcept;
  /// The same from other rest positions, three floats per vertex, bind space.
  Status evaluate_from(std::span<const float> rest, const Pose& pose, RigWorkspace& workspace,
                       VertexBuffer positions, VertexBuffer normals = {}) const noexcept;
  /// The same relative to origin(): for rigs far away, where floats in world space lack precision.
  Status evaluate_near(const Pose& pose, RigWorkspace& workspace, VertexBuffer positions,
                       VertexBuffer normals = {}) const noexcept;
  /// A point near the mesh in the rig's own pose, world space; zero unless the rig is more than 16 times its
  /// size away from the origin.
  std::array<double, 3> origin() const;
  /// Evaluates several characters on the threads of `executor` (null: the default one), each on one thread.
  /// Returns the worst status.
  Status evaluate(std::span<RigInstance> instances, const Executor* executor = nullptr) const noexcept;

  /// Whether the workspace's last frame is finite for certain, as its matrices tell without a look at the
  /// vertices: in stacks of one blend of transforms (`lbs`, `dqs`), unless matrices are extreme. Costs as much
  /// as some dozen vertices.
  bool surely_finite(const RigWorkspace& workspace) const noexcept;
  /// The elastic energy of the workspace's last frame, for deformers that minimise it.
  std::optional<double> energy(const RigWorkspace& workspace) const;

 private:
  struct Parts;
  static Result<RigDeformer> build_near(const Rig& rig, const std::vector<StackEntry>& stack,
                                        const DeformerData& data);
  explicit RigDeformer(Parts* parts) : parts_(parts) {}
  Parts* parts_;
};

}  // namespace sinew
