// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gpu/program.h"
#include "sinew/rig/rig.h"
#include "sinew/skeleton/bone_tree.h"

namespace sinew::gpu {

// What the layouts of all deformers share.
class Packer {
 public:
  Packer(const Rig& rig, Program& program)
      : rig_(rig),
        program_(program),
        bones_(bones_of(rig.skeleton, bind_transforms(rig))),
        parents_(bone_parents(rig.skeleton)) {}

  // Joints, vertices and shape keys.
  Result<void> pack();

 protected:
  EntryRest entry_of(int joint) const;  // -1: none
  void add_entry(const EntryRest& entry);

  const Rig& rig_;
  Program& program_;
  std::vector<Bone> bones_;
  std::vector<int> parents_;

 private:
  Result<void> pack_joints();
  Result<void> pack_vertices();
  Result<void> pack_keys();
};

inline std::uint32_t narrow(std::size_t value) {
  return static_cast<std::uint32_t>(value);
}

// The joints of a vertex and their weights.
struct SkinRow {
  std::vector<std::uint32_t> joint;
  std::vector<float> weight;
};

// The rest, by kind of deformer.
Result<void> pack_skin(const Rig& rig, Program& program);
// For vertices without keys, where all have few joints: held by threads where neighbours share joints, else spread.
void pack_held(const std::vector<SkinRow>& rows, bool first_counts, Program& program);
Result<void> pack_joint_weights(const Rig& rig, Program& program);
Result<void> pack_flesh(const Rig& rig, Program& program);

}  // namespace sinew::gpu
