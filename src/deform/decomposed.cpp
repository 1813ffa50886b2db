// SPDX-License-Identifier: Apache-2.0
// [vanlommel2008, Sec. 4.1 and 6.2]: rotation, scale/shear and translation of the bones blended apart, the
// translation through a centre of rotation.
#include "sinew/deform/decomposed.h"

#include <cassert>
#include <numbers>
#include <unordered_map>

#include "deform/decomposed_kernel.h"
#include "deform/joint_centres.h"
#include "deform/pack_rig.h"
#include "deform/signs.h"
#include "sinew/core/parallel.h"
#include "sinew/math/quaternion.h"

namespace sinew {
namespace {

// Rotation vectors jump at 180 degrees; this far from it they are still well conditioned.
constexpr double kExpLogLimit = 170 * std::numbers::pi / 180;

struct JointPair {
  std::uint16_t first = 0, second = 0;  // palette entries: the row's largest weight, and another
};

// What the deformer keeps of a rig.
struct DecomposedSkin {
  SkinTable table;  // rows normalised
  SignPairs signs;
  std::vector<float> centres;  // as DecomposedFrame says
  std::vector<std::uint32_t> has_centre;
  std::vector<JointPair> pairs;  // kExpLog only
  std::vector<std::uint32_t> pair_of_entry;
};

struct DecomposedWorkspace : Workspace {
  explicit DecomposedWorkspace(const DecomposedSkin& skin)
      : rows(skin.table.palette_size()),
        quaternions(skin.table.palette_size()),
        stretches(skin.table.palette_size()),
        logs(skin.pairs.size() + 1) {}
  Palette<MatrixEntry> rows;
  Palette<DualEntry> quaternions;
  Palette<SymmetricEntry> stretches;
  Palette<RotationVectorEntry> logs;
};

// Rotation vectors from the first joint of every pair to the second.
void fill_logs(const DecomposedSkin& skin, const Palette<DualEntry>& quaternions,
               Palette<RotationVectorEntry>& logs) noexcept {
  for (std::size_t pair = 0; pair < skin.pairs.size(); ++pair) {
    const Eigen::Map<const Eigen::Quaternionf> first(quaternions[skin.pairs[pair].first].real);
    const Eigen::Map<const Eigen::Quaternionf> second(quaternions[skin.pairs[pair].second].real);
    const Vec3 log = log_rotation((first.cast<double>().conjugate() * second.cast<double>()).normalized());
    logs[pair] = {{static_cast<float>(log[0]), static_cast<float>(log[1]), static_cast<float>(log[2])},
                  log.norm() > kExpLogLimit ? 1.0f : 0.0f};
  }
}

class Decomposed : public Deformer {
 public:
  explicit Decomposed(DecomposedSkin skin) : skin_(std::move(skin)) {}

  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<DecomposedWorkspace>(skin_);
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    assert(input.positions.size() == skin_.table.vertices);
    const DecomposedFrame frame = begin(input, static_cast<DecomposedWorkspace&>(workspace));
    const VertexStreams streams = streams_of(input, out_positions, out_normals);
    parallel_for(skin_.table.group_count(), kGroupsPerPiece, [&](std::size_t first, std::size_t last) {
      decomposed_groups(skin_.table, frame, first, last, streams);
    });
    return Status::kOk;
  }

 private:
  DecomposedFrame begin(const FrameInput& input, DecomposedWorkspace& workspace) const noexcept {
    fill_rows(skin_.table, input.matrices, workspace.rows);
    const bool stretched =
        fill_decomposed(skin_.table, input.matrices, workspace.quaternions, workspace.stretches);
    const bool explog = !skin_.pair_of_entry.empty();
    if (explog) fill_logs(skin_, workspace.quaternions, workspace.logs);
    return {workspace.rows.data(),
            workspace.quaternions.data(),
            align_signs(skin_.signs, workspace.quaternions),
            stretched ? workspace.stretches.data() : nullptr,
            explog ? workspace.logs.data() : nullptr,
            skin_.pair_of_entry.data(),
            skin_.centres.data(),
            skin_.has_centre.data()};
  }

  DecomposedSkin skin_;
};

void find_centres(const Rig& rig, DecomposedSkin& skin) {
  std::vector<Vec3> heads;
  for (const Affine3& bind : bind_transforms(rig)) heads.push_back(bind.translation());
  const std::size_t padded = skin.table.group_count() * kGroupSize;
  skin.centres.resize(3 * padded);
  skin.has_centre.resize(padded);
  for (std::size_t i = 0; i < skin.table.vertices; ++i) {
    const auto centre = centre_of_row(rig.skeleton, heads, rig.weights.row(i));
    if (!centre) continue;
    skin.has_centre[i] = ~std::uint32_t{0};
    for (int c = 0; c < 3; ++c)
      skin.centres[3 * i + static_cast<std::size_t>(c)] = static_cast<float>((*centre)[c]);
  }
}

// Numbers the pairs of joints that occur, so that each frame takes the logarithm of every pair once.
void find_pairs(DecomposedSkin& skin) {
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  const std::vector<std::uint16_t>& joints = skin.table.joints;
  skin.pair_of_entry.resize(joints.size());
  for (const SkinRun& run : skin.table.runs) {
    const std::size_t entries = (run.group_end - run.group_begin) * kGroupSize * run.influences;
    for (std::size_t k = 0; k < entries; ++k) {
      const std::size_t entry = run.entry + k, first = entry - k % run.influences;
      const std::uint32_t key = (std::uint32_t{joints[first]} << 16) | joints[entry];
      const auto [found, added] = numbers.emplace(key, static_cast<std::uint32_t>(skin.pairs.size()));
      if (added) skin.pairs.push_back({joints[first], joints[entry]});
      skin.pair_of_entry[entry] = found->second;
    }
  }
}

}  // namespace

Result<std::unique_ptr<Deformer>> build_decomposed(const Rig& rig, const DecomposedOptions& options) {
  DecomposedSkin skin;
  SINEW_TRY(skin.table, pack_rig(rig, RowSums::kNormalised));
  skin.signs = find_sign_pairs(skin.table);
  find_centres(rig, skin);
  if (options.blend == RotationBlend::kExpLog) find_pairs(skin);
  return std::unique_ptr<Deformer>(std::make_unique<Decomposed>(std::move(skin)));
}

}  // namespace sinew
