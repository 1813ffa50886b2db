// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/surface.h"

#include <algorithm>

#include "sinew/binding/weight_methods.h"
#include "sinew/skeleton/bone_tree.h"
#include "sinew/weights/elastic.h"

namespace sinew {
namespace {

constexpr double kWeldTolerance = 1e-7;  // of the mesh's diagonal
constexpr double kUsableArea = 1e-14;    // of the diagonal squared

bool has_usable_triangle(const Surface& surface, double diagonal) {
  const auto& positions = surface.welded.weld.positions;
  return std::any_of(
      surface.welded.triangles.begin(), surface.welded.triangles.end(), [&](const Triangle& t) {
        return (positions[t[1]] - positions[t[0]]).cross(positions[t[2]] - positions[t[0]]).norm() >
               kUsableArea * diagonal * diagonal;
      });
}

}  // namespace

Result<Surface> make_surface(const Rig& rig, std::span<const std::uint8_t> carrying) {
  Surface surface;
  surface.bones = bones_of(rig.skeleton, bind_transforms(rig));
  surface.parents = bone_parents(rig.skeleton);
  if (!carrying.empty()) keep_bones(carrying, surface.bones, surface.parents);
  for (const Bone& bone : surface.bones) surface.names.push_back(rig.skeleton[bone.joint].name);
  if (surface.bones.empty())
    return impossible(
        "there are no joints to bind to: give a skeleton (.glb, .bvh, .tgf, .json), or a template to find "
        "one by");
  const double diagonal = rig.mesh.positions.empty() ? 0 : bounding_box(rig.mesh.positions).diagonal().norm();
  const TriangleView view = triangulate(rig.mesh);
  surface.welded = weld_triangles({rig.mesh.positions, view.triangles}, kWeldTolerance * diagonal);
  if (!has_usable_triangle(surface, diagonal))
    return bad_input("the mesh has no triangle with an area: there is nothing to bind");
  return surface;
}

Result<BindingContext> BindingContext::make(const Rig& rig, int voxels, const Progress* progress,
                                            std::span<const std::uint8_t> carrying) {
  BindingContext context;
  SINEW_TRY(context.surface_, make_surface(rig, carrying));
  context.voxels_ = voxels;
  context.progress_ = progress;
  return context;
}

Result<const BoneBody*> BindingContext::body() {
  if (!body_) {
    report(progress_, "voxel grid", 0);
    SINEW_TRY(body_, make_bone_body(surface_.input(), voxels_, progress_));
  }
  return &*body_;
}

// The body of so many cells, unless that is body().
Result<const BoneBody*> BindingContext::body_of(std::size_t cells, std::optional<BoneBody>& kept) {
  if (voxels_ > 0 || cells == body_cells(input())) return body();
  if (!kept) {
    report(progress_, "voxel grid", 0);
    SINEW_TRY(kept, make_bone_body(surface_.input(), 0, progress_, cells));
  }
  return &*kept;
}

Result<const BoneBody*> BindingContext::elastic_body() {
  return body_of(elastic_cells(input()), elastic_body_);
}

Result<const BoneBody*> BindingContext::weight_body() {
  return body_of(elastic_weight_cells(input()), weight_body_);
}

Result<const GridJointWeights*> BindingContext::joint_weights(const std::string& method,
                                                              const Settings& settings) {
  if (joint_weights_ && joint_method_ == std::pair(method, settings)) return joint_weights_.get();
  SINEW_TRY(ElasticWeightOptions options, elastic_options(method, settings));
  options.descent.progress = progress_;
  SINEW_TRY(const BoneBody* body, weight_body());
  SINEW_TRY(GridJointWeights solved,
            grid_joint_weights(body->body.grid, body->handles, surface_.bones, surface_.parents, options));
  joint_weights_ = std::make_shared<const GridJointWeights>(std::move(solved));
  joint_method_ = {method, settings};
  return joint_weights_.get();
}

}  // namespace sinew
