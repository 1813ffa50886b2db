// SPDX-License-Identifier: Apache-2.0
// What an engine includes to run a rig. Eigen and the rig itself are only named here, so that a file that
// includes this compiles fast.
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

/// A pose as engines hold it: a matrix for each joint, three rows of four numbers, from the joint's space to
/// its parent's or to the model's; a weight for each shape key, or none: the keys' own.
struct PoseView {
  enum class Space { kParent, kModel };
  std::span<const float> joints;  ///< 12 for each joint, in the order of Rig::skeleton
  Space space = Space::kModel;
  std::span<const float> key_weights = {};
};

/// What one character on screen has of its own: memory that evaluation works in, what hands have moved, and
/// the job system it runs on. Used by one thread at a time.
class RigWorkspace {
 public:
  RigWorkspace(RigWorkspace&& other) noexcept;
  RigWorkspace& operator=(RigWorkspace&& other) noexcept;
  ~RigWorkspace();

  /// Cages and point handles that are moved in the next frames; has a list for each cage of the rig.
  LiveControls& controls();
  const LiveControls& controls() const;
  /// Null: the default one, oneTBB. serial_executor() for those who spread characters over their own threads.
  void run_on(const Executor* executor);

 private:
  friend class RigDeformer;
  struct Memory;
  explicit RigWorkspace(Memory* memory) : memory_(memory) {}
  Memory* memory_;
};

/// One of many characters that are evaluated at once.
struct RigInstance {
  const Pose* pose = nullptr;
  RigWorkspace* workspace = nullptr;
  VertexBuffer positions, normals = {};
  Status status = Status::kOk;  ///< of the last evaluation
};

/// A rig, ready to run: pose spaces, forward kinematics, then the steps of its stack, one on the result of the
/// other. Immutable once built, owns all that it needs, and may be used by any number of threads, each with a
/// workspace of its own. Evaluating allocates nothing (but for `elastic`, the reference) and throws nothing.
class RigDeformer {
 public:
  /// By the rig's own stack; with a deformer by name, "dqs", "curve+mush", in the place of the stack's; or by
  /// a stack of the caller's (player/stack.h). Fails as build_stack does; kImpossible where the rig lacks what
  /// a deformer needs: binding/prepare.h makes it.
  static Result<RigDeformer> build(const Rig& rig);
  static Result<RigDeformer> build(const Rig& rig, std::string_view deformer);
  static Result<RigDeformer> build(const Rig& rig, const std::vector<StackEntry>& stack);
  static Result<RigDeformer> build(const Rig& rig, const std::vector<StackEntry>& stack,
                                   const DeformerData& data);
  /// By steps that are built already, deformers of one's own among them.
  static Result<RigDeformer> build(const Rig& rig, std::vector<BuiltStep> steps);

  RigDeformer(RigDeformer&& other) noexcept;
  RigDeformer& operator=(RigDeformer&& other) noexcept;
  ~RigDeformer();

  std::size_t vertex_count() const;  ///< of the rig
  /// Of a frame: what buffers must hold. More than vertex_count() where the stack ends with subdivision, whose
  /// mesh() then has the faces and texture coordinates; null: those of the rig.
  std::size_t output_count() const;
  const Subdivision* subdivision() const;
  std::size_t joint_count() const;
  std::size_t key_count() const;
  /// What a user should know about the rig, a sentence each.
  std::span<const std::string> warnings() const;

  RigWorkspace make_workspace() const;

  /// The mesh in a pose, world space, output_count() vertices. Normals where a buffer is given for them.
  /// kBadPose, and nothing is written, where pose or buffers do not fit the rig.
  Status evaluate(const Pose& pose, RigWorkspace& workspace, VertexBuffer positions,
                  VertexBuffer normals = {}) const noexcept;
  Status evaluate(const PoseView& pose, RigWorkspace& workspace, VertexBuffer positions,
                  VertexBuffer normals = {}) const noexcept;
  /// The same from other rest positions, three floats for each vertex, bind space.
  Status evaluate_from(std::span<const float> rest, const Pose& pose, RigWorkspace& workspace,
                       VertexBuffer positions, VertexBuffer normals = {}) const noexcept;
  /// The same, counted from origin(): for the far away, whose shape floats of world space cannot hold.
  Status evaluate_near(const Pose& pose, RigWorkspace& workspace, VertexBuffer positions,
                       VertexBuffer normals = {}) const noexcept;
  /// A place near the mesh in the rig's own pose, world space; zero but for rigs that lie more than 16 of
  /// their sizes from the origin.
  std::array<double, 3> origin() const;
  /// Many characters, spread over the threads of `executor` (null: the default one), each on one of them.
  /// Returns the worst status.
  Status evaluate(std::span<RigInstance> instances, const Executor* executor = nullptr) const noexcept;

  /// The elastic energy of the frame that the workspace saw last, from deformers that minimise it.
  std::optional<double> energy(const RigWorkspace& workspace) const;

 private:
  struct Parts;
  static Result<RigDeformer> build_near(const Rig& rig, const std::vector<StackEntry>& stack,
                                        const DeformerData& data);
  explicit RigDeformer(Parts* parts) : parts_(parts) {}
  Parts* parts_;
};

}  // namespace sinew
