// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "painter.h"
#include "sinew/core/progress.h"
#include "sinew/deform/arap.h"
#include "sinew/io/asset.h"
#include "sinew/player/rig_deformer.h"
#include "sinew/player/stack.h"
#include "sinew/rig/live_controls.h"

namespace sinew {

// What one evaluation gave; valid until the next call.
struct SessionFrame {
  std::span<const Vec3f> positions, normals;  // world space
  double milliseconds = 0;
};

// A character in the hands of a user: its pose, two deformers, and what was pulled. Knows nothing of
// JavaScript: bind.cpp turns arguments and results. Numbers of joints, bones, keys, cages, handles and
// vertices that do not exist are kUsage, like numbers that are not finite; a call that fails changes nothing.
class Session {
 public:
  static constexpr int kSlots = 2;
  enum class Channel { kWeight, kDeformer, kSwing, kTwist, kEndpoint, kStiffness };

  static Result<std::unique_ptr<Session>> open(std::string_view bytes, const std::string& name);

  const Asset& asset() const { return asset_; }
  const Rig& rig() const { return asset_.rig; }
  const std::vector<std::string>& warnings() const { return asset_.warnings; }
  bool has_joint_weights() const { return with_joint_weights_; }  // from the file
  const std::vector<Triangle>& triangles() const { return triangles_; }

  // Builds a deformer; returns what had to be computed because the file lacks it.
  Result<std::vector<std::string>> set_deformer(int slot, const Stack& stack,
                                                std::vector<VertexTarget> held = {},
                                                const Progress* progress = nullptr);
  // Of a slot without a deformer: as the file says.
  Result<SessionFrame> evaluate(int slot);
  // The steps that evaluate() runs.
  Result<Stack> stack(int slot) const;

  const Pose& pose() const { return pose_; }
  const LiveControls& controls() const { return live_; }
  Result<void> set_pose(Pose pose, LiveControls controls);
  void reset_pose();
  std::vector<Affine3> globals() const { return global_transforms(rig().skeleton, pose_.local); }
  // The bones as posed: a bone without children keeps its rest length times its stretch.
  std::vector<Bone> segments() const;

  Result<void> rotate_joint(int joint, const Quat& turn);
  Result<Vec3> angles(int joint) const;
  Result<void> set_angles(int joint, const Vec3& degrees);
  Result<void> translate_joint(int joint, const Vec3& by);
  Result<void> drag_joint(int joint, const Vec3& place);
  Result<double> reach(int joint, const Vec3& place, int chain);
  Result<void> set_shape(int joint, const BoneShape& shape);
  Result<void> set_key(int key, double weight);
  Result<void> set_clip(int clip, double seconds);

  // Per vertex; NaN where the joint has no part.
  Result<std::vector<float>> channel(Channel kind, int joint);

  Result<std::vector<Vec3>> cage(int cage) const;
  Result<void> move_cage(int cage, std::vector<Vec3> points);
  // Place and rotation, world.
  Result<HandleTarget> handle(int handle) const;
  Result<void> move_handle(int handle, const Vec3& place, const Quat& rotation);
  Result<void> release_handle(int handle);

  Result<void> arap_begin(std::span<const std::uint32_t> vertices, int slot);
  Result<SessionFrame> arap_drag(std::span<const Vec3> targets, int steps);
  void arap_end() { drag_.reset(); }

  // Paints on the mesh as slot 0 shows it; deformers that blend by the weights follow. See Painter.
  Result<void> paint(const Stroke& stroke, std::span<const Dab> dabs, bool begin);
  Result<void> paint_to(int strokes);
  int strokes() const { return painter_ ? static_cast<int>(painter_->strokes()) : 0; }

  Result<std::string> save();
  // format: obj, ply or glb.
  Result<std::string> save_mesh(int slot, const std::string& format);

 private:
  // As rigid as possible, begun from a frame.
  struct ArapDrag {
    ArapSolver solver;
    ArapState state;
    std::vector<Vec3> shape;
    std::vector<Vec3f> normals_before, positions, normals;
  };

  explicit Session(Asset asset);
  Result<std::size_t> joint_index(int joint) const;
  // Makes what deformers and channels ask for and the file has not: kept, since it takes seconds.
  Result<void> make_ready(const DeformerNeeds& needs, DeformerData& data, std::vector<std::string>& warnings,
                          const Progress* progress = nullptr);
  // Deformers that read the skin weights, with those there are now.
  Result<void> refresh_weights();
  void write_painted(GltfWriteOptions& write) const;
  bool pulled() const;

  Asset asset_;
  bool with_joint_weights_;  // from the file
  std::vector<Triangle> triangles_;
  std::vector<Affine3> bind_;
  Pose pose_;  // key_weights has one for each key
  LiveControls live_;
  struct Slot {
    Stack stack;
    DeformerData data;
    bool by_weights = false;  // reads skin weights, not what was made of them
    RigDeformer deformer;
    RigWorkspace workspace;
    std::vector<Vec3f> positions, normals;
  };
  std::array<std::optional<Slot>, kSlots> slots_;
  std::optional<ArapDrag> drag_;
  std::optional<Painter> painter_;
};

}  // namespace sinew
