// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/mix.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "deform/dqs_skin.h"
#include "deform/lbs_kernel.h"
#include "deform/mix_kernel.h"
#include "deform/pack_rig.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/dqs.h"
#include "sinew/deform/lbs.h"

namespace sinew {
namespace {

struct MixWorkspace : Workspace {
  MixWorkspace(const SkinTable& lbs, const DqsSkin& dqs)
      : rows(lbs.palette_size()), rigid(dqs), positions(lbs.vertices), normals(lbs.vertices) {}
  Palette<MatrixEntry> rows;
  DqsWorkspace rigid;
  std::vector<Vec3f> positions, normals;  // of DQS
};

class Mix : public Deformer {
 public:
  Mix(SkinTable lbs, DqsSkin dqs, std::vector<float> mix)
      : lbs_(std::move(lbs)), dqs_(std::move(dqs)), mix_(std::move(mix)) {}

  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<MixWorkspace>(lbs_, dqs_);
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    assert(input.positions.size() == lbs_.vertices);
    auto& frame = static_cast<MixWorkspace&>(workspace);
    fill_rows(lbs_, input.matrices, frame.rows);
    frame.rigid.begin(dqs_, input);
    const VertexStreams streams = streams_of(input, out_positions, out_normals);
    parallel_for(lbs_.group_count(), kGroupsPerPiece,
                 [&](std::size_t begin, std::size_t end) { run(frame, begin, end, streams); });
    return Status::kOk;
  }

 private:
  // LBS into the output and DQS beside it while the piece is in cache, then the mix.
  void run(MixWorkspace& frame, std::size_t begin, std::size_t end,
           const VertexStreams& streams) const noexcept {
    lbs_groups(lbs_, frame.rows, begin, end, streams);
    VertexStreams rigid = streams;
    rigid.out_positions = frame.positions.data()->data();
    if (streams.out_normals) rigid.out_normals = frame.normals.data()->data();
    frame.rigid.run(dqs_, begin, end, rigid);
    const std::size_t first = begin * kGroupSize, count = std::min(lbs_.vertices, end * kGroupSize) - first;
    mix_points(mix_.data() + first, count, streams.out_positions + 3 * first,
               rigid.out_positions + 3 * first);
    if (streams.out_normals)
      mix_normals(mix_.data() + first, count, streams.out_normals + 3 * first, rigid.out_normals + 3 * first);
  }

  SkinTable lbs_;
  DqsSkin dqs_;
  std::vector<float> mix_;  // per vertex
};

Result<void> check_list(std::span<const float> list, std::size_t expected, const std::string& what) {
  if (!list.empty() && list.size() != expected)
    return usage_error("the mix has " + std::to_string(list.size()) + " numbers for " +
                       std::to_string(expected) + " " + what);
  for (const float m : list)
    if (!(m >= 0 && m <= 1)) return usage_error("the mix of one of the " + what + " is outside 0 to 1");
  return {};
}

Result<void> check_options(const Rig& rig, const MixOptions& options) {
  if (!options.per_vertex.empty() && !options.per_joint.empty())
    return usage_error("the mix is given per vertex and per joint: give one of the two");
  if (!(options.mix >= 0 && options.mix <= 1))
    return usage_error("the mix is " + std::to_string(options.mix) +
                       ": give a number from 0 (lbs) to 1 (dqs)");
  if (auto checked = check_list(options.per_vertex, rig.mesh.vertex_count(), "vertices"); !checked)
    return checked;
  return check_list(options.per_joint, rig.skeleton.size(), "joints");
}

// Mean of the joints' mixes over a row, or 0 without influences (lbs and dqs agree there).
float mix_of_row(std::span<const Influence> row, std::span<const float> per_joint) {
  double sum = 0, weights = 0;
  for (const Influence& influence : row) {
    sum += influence.weight * static_cast<double>(per_joint[influence.joint]);
    weights += influence.weight;
  }
  if (weights == 0) return 0;
  return std::clamp(static_cast<float>(sum / weights), 0.0f, 1.0f);
}

std::vector<float> mix_per_vertex(const Rig& rig, const MixOptions& options) {
  if (!options.per_vertex.empty()) return options.per_vertex;
  std::vector<float> mix(rig.mesh.vertex_count(), static_cast<float>(options.mix));
  if (!options.per_joint.empty())
    for (std::size_t i = 0; i < mix.size(); ++i) mix[i] = mix_of_row(rig.weights.row(i), options.per_joint);
  return mix;
}

bool all_equal(std::span<const float> numbers, float value) {
  return std::all_of(numbers.begin(), numbers.end(), [value](float number) { return number == value; });
}

}  // namespace

Result<std::unique_ptr<Deformer>> build_mix(const Rig& rig, const MixOptions& options) {
  if (auto checked = check_options(rig, options); !checked) return checked.error();
  SINEW_TRY(SkinTable lbs, pack_rig(rig, RowSums::kAsGiven));
  std::vector<float> mix = mix_per_vertex(rig, options);
  if (all_equal(mix, 0)) return build_lbs(rig);
  if (all_equal(mix, 1)) return build_dqs(rig);
  SINEW_TRY(DqsSkin dqs, make_dqs_skin(rig));
  return std::unique_ptr<Deformer>(std::make_unique<Mix>(std::move(lbs), std::move(dqs), std::move(mix)));
}

}  // namespace sinew
