// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "gpu/packer.h"
#include "sinew/deform/joint_based.h"

namespace sinew::gpu {
namespace {

class JointWeightsPacker : public Packer {
 public:
  using Packer::Packer;

  Result<void> pack() {
    if (rig_.joint_weights.empty()) return impossible("the rig has no joint weights: `sinew rig` makes them");
    if (rig_.joint_weights.vertex_count() != rig_.mesh.vertex_count() ||
        rig_.weights.vertex_count() != rig_.mesh.vertex_count())
      return bad_input("the weights do not fit the mesh: their numbers of vertices differ");
    program_.row.push_back(0);
    for (std::size_t i = 0; i < rig_.mesh.vertex_count(); ++i) {
      const std::size_t before = program_.weights.size();
      if (joint_weights_fit(rig_, parents_, i))
        for (const JointInfluence& influence : rig_.joint_weights.row(i)) {
          if (!(influence.deformer_weight > 0)) continue;
          if (influence.joint >= rig_.skeleton.deforming_count())
            return bad_input("a joint weight refers to a joint that deforms no vertices");
          const JointBlend blend = rig_.joint_weights.blend(influence.joint);
          if (blend != JointBlend::kSwingTwist && blend != JointBlend::kLinear)
            return impossible("joint '" + rig_.skeleton[influence.joint].name +
                              "' blends spherically, which the GPU does not play");
          const EntryBlend how = blend == JointBlend::kLinear ? EntryBlend::kLinear : EntryBlend::kSwingTwist;
          program_.weights.push_back({influence.deformer_weight, influence.swing, influence.twist,
                                      joint_entry_of(static_cast<int>(influence.joint), how)});
        }
      if (program_.weights.size() == before)
        for (const Influence& influence : rig_.weights.row(i))
          program_.weights.push_back({static_cast<float>(influence.weight), 0, 0,
                                      joint_entry_of(static_cast<int>(influence.joint), EntryBlend::kPlain)});
      if (program_.weights.size() == before)
        program_.weights.push_back({1, 0, 0, joint_entry_of(-1, EntryBlend::kPlain)});
      program_.row.push_back(narrow(program_.weights.size()));
    }
    return {};
  }

 private:
  std::uint32_t joint_entry_of(int joint, EntryBlend blend) {
    const auto [at, is_new] = known_joints_.try_emplace({joint, blend}, narrow(program_.entry.size()));
    if (is_new) {
      EntryRest entry = entry_of(joint);
      entry.blend = blend;
      add_entry(entry);
    }
    return at->second;
  }

  std::map<std::pair<int, EntryBlend>, std::uint32_t> known_joints_;
};

}  // namespace

Result<void> pack_joint_weights(const Rig& rig, Program& program) {
  return JointWeightsPacker(rig, program).pack();
}

}  // namespace sinew::gpu
