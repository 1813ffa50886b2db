// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/io/surface_looks.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/player/pose_request.h"
#include "sinew/render/render.h"

namespace sinew {

/// A picture of a rig as a user asks for it.
struct PictureRequest {
  PoseRequest pose;
  std::optional<Pose> at;  ///< in place of `pose`
  DeformChoice deform;
  bool skeleton = false;                ///< draw the bones
  bool edges = false;                   ///< draw the polygons' edges
  const SurfaceLooks* looks = nullptr;  ///< colours and textures; null or empty: clay
  /// A joint's name: its weights; prefixed by swing:, twist:, deformer: or endpoint:, that value, grey where
  /// the joint has no part in a vertex; or rings, stripes along the iso-curves of a quad mesh; or distance.
  std::optional<std::string> heat;
  const PolyMesh* other = nullptr;  ///< for heat distance: the mesh to measure to
  std::optional<double> heat_low, heat_high;
  std::string caption;
  RenderOptions render;
};

/// "front,side,three-quarter,back,top", in any order; kUsage.
Result<std::vector<View>> parse_views(std::string_view text);

/// The posed rig from the views asked for. kUsage for joints, clips, keys or channels that are not there,
/// kImpossible for weights that the rig does not have.
/// `made`: what the deformer needed and the rig lacked, a sentence each.
Result<Image> picture_of(const Rig& rig, const PictureRequest& request,
                         std::vector<std::string>* made = nullptr);

}  // namespace sinew
