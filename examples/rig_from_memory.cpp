// SPDX-License-Identifier: Apache-2.0
// A rig from arrays in memory, without any file: a square tube of two bones, bent by a right angle.
#include <sinew/player/rig_deformer.h>
#include <sinew/rig/rig.h>

#include <cmath>
#include <cstdio>

namespace {

constexpr std::uint32_t kRings = 9;

sinew::Result<sinew::Rig> make_tube() {
  sinew::Rig rig;
  for (std::uint32_t r = 0; r < kRings; ++r)
    for (const auto& corner : {sinew::Vec3(0, 1, 1), {0, -1, 1}, {0, -1, -1}, {0, 1, -1}})
      rig.mesh.positions.push_back(corner * 0.5 + sinew::Vec3(r, 0, 0));
  for (std::uint32_t r = 0; r + 1 < kRings; ++r)
    for (std::uint32_t k = 0; k < 4; ++k)
      rig.mesh.add_face({4 * r + k, 4 * r + (k + 1) % 4, 4 * r + 4 + (k + 1) % 4, 4 * r + 4 + k});
  rig.parts.push_back({"tube", 0, rig.mesh.vertex_count(), 0, rig.mesh.face_count(), true});

  std::vector<sinew::Joint> joints(2);
  joints[0].name = "root";
  joints[1].name = "elbow";
  joints[1].parent = 0;
  joints[1].rest_local.translate(sinew::Vec3(4, 0, 0));
  SINEW_TRY(rig.skeleton, sinew::Skeleton::create(std::move(joints)));
  const sinew::Pose rest = sinew::rest_pose(rig.skeleton);
  for (const sinew::Affine3& global : sinew::global_transforms(rig.skeleton, rest.local))
    rig.inverse_bind.push_back(global.inverse());

  for (const sinew::Vec3& p : rig.mesh.positions) {
    const double bent = std::clamp((p.x() - 3) / 2, 0.0, 1.0);
    const sinew::Influence row[] = {{0, 1 - bent}, {1, bent}};
    rig.weights.add_row(row);
  }
  SINEW_CHECK(sinew::validate(rig));
  return rig;
}

sinew::Result<double> bent_height() {
  SINEW_TRY(const sinew::Rig rig, make_tube());
  SINEW_TRY(const sinew::RigDeformer deformer, sinew::RigDeformer::build(rig, "dqs"));
  sinew::RigWorkspace workspace = deformer.make_workspace();
  sinew::Pose pose = sinew::rest_pose(rig.skeleton);
  pose.local[1].rotate(Eigen::AngleAxisd(std::acos(0.0), sinew::Vec3::UnitZ()));
  std::vector<sinew::Vec3f> positions(deformer.vertex_count());
  if (deformer.evaluate(pose, workspace, positions) != sinew::Status::kOk)
    return sinew::impossible("the pose does not fit the rig");
  return positions.back().y();
}

}  // namespace

int main() {
  const auto height = bent_height();
  if (!height) return std::fprintf(stderr, "%s\n", height.error().message.c_str()), 1;
  // The last ring lay at x = 8, four beyond the elbow, and half a unit above it in y.
  std::printf("the end of the tube is at height %.3f\n", *height);
  return std::abs(*height - 4) < 1e-4 ? 0 : 1;
}
