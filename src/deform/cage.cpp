// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/cage.h"

#include <optional>

#include "deform/normal_carrier.h"
#include "sinew/core/parallel.h"
#include "sinew/core/text.h"
#include "sinew/volume/harmonic_cage.h"

namespace sinew {
namespace {

constexpr std::size_t kCageGrain = 512;

struct CageWorkspace : Workspace {
  std::vector<Vec3> offsets;  // C' - C
  std::vector<Vec3f> short_offsets;
  NormalCarrier::Scratch normals;
};

class CageDeformer : public Deformer {
 public:
  CageDeformer(const Rig& rig, const Cage& cage, std::span<const Vec3> moved)
      : cage_(cage), moved_(moved.begin(), moved.end()), normals_(rig.mesh) {}

  Result<void> solve() {
    SINEW_TRY(field_, HarmonicCage::build(cage_.mesh, cage_.resolution));
    if (field_->nodes() != cage_.volume.size())
      return bad_input("the cage '" + printable(cage_.name) +
                       "' has been changed since it was solved: bind it again with `sinew cage bind`");
    return {};
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    auto workspace = std::make_unique<CageWorkspace>();
    workspace->offsets.resize(cage_.mesh.vertex_count());
    workspace->short_offsets.resize(cage_.mesh.vertex_count());
    workspace->normals = normals_.make_scratch();
    return workspace;
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    auto& frame = static_cast<CageWorkspace&>(workspace);
    const bool given = input.cage_points.size() == cage_.mesh.vertex_count();
    place_controls(cage_, given ? input.cage_points : std::span<const Vec3>(moved_), input.matrices,
                   frame.offsets);
    for (std::size_t j = 0; j < frame.offsets.size(); ++j) {
      frame.offsets[j] -= cage_.mesh.positions[j];
      frame.short_offsets[j] = frame.offsets[j].cast<float>();
    }
    parallel_for(out_positions.size(), kCageGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        out_positions[i] =
            input.positions[i] + (field_ ? Vec3f(field_
                                                     ->displacement(input.positions[i].cast<double>(),
                                                                    cage_.reach, cage_.volume, frame.offsets)
                                                     .cast<float>())
                                         : stored(i, frame.short_offsets));
    });
    if (!out_normals.empty())
      normals_.carry(input.positions, out_positions, input.normals, frame.normals, out_normals);
    return Status::kOk;
  }

 private:
  Vec3f stored(std::size_t i, std::span<const Vec3f> offsets) const noexcept {
    Vec3f sum = Vec3f::Zero();
    for (const ControlRows::Entry& entry : cage_.rows[i]) sum += entry.weight * offsets[entry.control];
    return cage_.masks[i] * sum;
  }

  Cage cage_;
  std::vector<Vec3> moved_;
  NormalCarrier normals_;
  std::optional<HarmonicCage> field_;  // of a dynamic cage
};

}  // namespace

void place_controls(const Cage& cage, std::span<const Vec3> moved, std::span<const Affine3> matrices,
                    std::span<Vec3> out) noexcept {
  for (std::size_t j = 0; j < out.size(); ++j) {
    const Vec3 at = moved.empty() ? cage.mesh.positions[j] : moved[j];
    out[j] = at;
    if (cage.weights.vertex_count() == 0 || cage.weights.row(j).empty()) continue;
    Vec3 sum = Vec3::Zero();
    for (const Influence& influence : cage.weights.row(j))
      sum += influence.weight * (matrices[influence.joint] * at);
    out[j] = sum;
  }
}

Result<std::unique_ptr<Deformer>> build_cage(const Rig& rig, const Cage& cage, std::span<const Vec3> moved) {
  if (cage.rows.size() != rig.mesh.vertex_count() || cage.masks.size() != rig.mesh.vertex_count())
    return bad_input("the cage '" + printable(cage.name) + "' was bound to a mesh of " +
                     std::to_string(cage.rows.size()) + " vertices, but this one has " +
                     std::to_string(rig.mesh.vertex_count()) + ": bind it again with `sinew cage bind`");
  if (!moved.empty() && moved.size() != cage.mesh.vertex_count())
    return usage_error("the moved cage has " + std::to_string(moved.size()) + " control points, but '" +
                       printable(cage.name) + "' has " + std::to_string(cage.mesh.vertex_count()));
  auto deformer = std::make_unique<CageDeformer>(rig, cage, moved);
  if (cage.dynamic) SINEW_CHECK(deformer->solve());
  return std::unique_ptr<Deformer>(std::move(deformer));
}

}  // namespace sinew
