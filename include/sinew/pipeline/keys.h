// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/pipeline/unpose.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// The key of that name; kUsage naming those there are.
Result<std::size_t> find_key(const Rig& rig, const std::string& name);

/// Adds a key with the shape `positions` (bind space, one for every vertex), or gives an existing one of that
/// name this shape. Normal deltas come along where the mesh has normals. kBadInput: another number of
/// vertices.
Result<std::size_t> add_key(Rig& rig, const std::string& name, std::span<const Vec3> positions);

/// `what`: rotation or scale; sets the key's flag. kUsage: other words, no such key.
Result<void> remove_from_key(Rig& rig, const std::string& what, const std::string& name);

/// The pose in which a key was sculpted.
struct ExampleRequest {
  std::string key;
  std::string space;  ///< its name; empty: "pose"
  /// Joints that drive the space, with their influence. Empty: those that the pose turns from rest. An
  /// existing space keeps its own and gets those that are new, at rest in its older examples.
  std::vector<std::pair<std::string, double>> joints = {};
  /// Keys whose weights drive it too: name, value in this pose, influence.
  struct Channel {
    std::string key;
    double value = 0, influence = 1;
  };
  std::vector<Channel> channels = {};
  double radius = 0;  ///< degrees over which examples fade; 0: by their distances
};
/// Adds the example to its space, which is made where it is not there. Returns what was merged, a sentence
/// each. kUsage: names that are not there, a pose that turns nothing, influences not above 0.
Result<std::vector<std::string>> add_example(Rig& rig, const Pose& pose, const ExampleRequest& request);

/// Adds a key whose shape was sculpted in a pose (`sculpted`, world space, by the deformer of `choice`), and,
/// where there is an `example`, the example that switches it on there. The shape is taken back out of the pose
/// with the key weights that hold once the example is there: others that were partly on before may be off
/// then, and each example is hit exactly. Gives what was merged; the rig is unchanged on failure. Errors as of
/// unposed, add_key and add_example.
Result<std::vector<std::string>> add_sculpted_key(Rig& rig, const std::string& name, const Pose& pose,
                                                  const DeformChoice& choice, std::span<const Vec3> sculpted,
                                                  const std::optional<ExampleRequest>& example,
                                                  UnposeReport& report);

}  // namespace sinew
