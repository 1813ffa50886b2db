// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compare_piece.h"

#include <map>

#include "pipeline/compare_flesh.h"

namespace sinew {
namespace {

// The joints in their order, the carrier first; each with the tail that its bone has in the whole, for where
// its children stay behind.
Result<Skeleton> skeleton_of(const Surface& surface, const std::vector<Affine3>& bind,
                             const std::vector<std::size_t>& joints) {
  std::map<std::size_t, int> place;
  std::vector<Joint> made;
  for (const std::size_t j : joints) {
    Joint joint;
    joint.name = surface.names[j];
    const int above = surface.parents[j];
    const auto found = above < 0 ? place.end() : place.find(static_cast<std::size_t>(above));
    joint.parent = found == place.end() ? -1 : found->second;
    joint.rest_local = joint.parent < 0 ? bind[j] : bind[static_cast<std::size_t>(above)].inverse() * bind[j];
    joint.tail = bind[j].inverse() * surface.bones[j].tail;
    place[j] = static_cast<int>(made.size());
    made.push_back(std::move(joint));
  }
  return Skeleton::create(std::move(made));
}

}  // namespace

Result<RigPiece> cut_piece(const Rig& rig, const Surface& surface, const ShortBonePatch& piece) {
  RigPiece result;
  std::vector<std::uint8_t> inside(surface.bones.size(), 0);
  for (const std::size_t b : piece.of_whole) inside[b] = 1;
  for (const std::size_t b : bone_order(surface.parents))
    if (inside[b]) result.joints.push_back(b);
  const std::vector<Affine3> bind = bind_transforms(rig);
  SINEW_TRY(result.rig.skeleton, skeleton_of(surface, bind, result.joints));
  for (const std::size_t j : result.joints) result.rig.inverse_bind.push_back(bind[j].inverse());
  // Per joint of the whole the one of the piece that it moves with.
  std::vector<std::uint32_t> own(rig.skeleton.size(), 0);
  for (std::size_t k = 0; k < result.joints.size(); ++k)
    own[result.joints[k]] = static_cast<std::uint32_t>(k);
  for (const std::uint32_t j : rig.skeleton.order())
    if (const int above = rig.skeleton[j].parent; above >= 0 && (j >= inside.size() || !inside[j]))
      own[j] = own[static_cast<std::size_t>(above)];
  std::vector<Influence> row;
  for (std::size_t i = 0; i < piece.positions.size(); ++i) {
    result.rig.mesh.positions.push_back(piece.positions[i]);
    row.clear();
    if (rig.weights.vertex_count() == rig.mesh.vertex_count())
      for (const Influence& influence :
           rig.weights.row(surface.welded.weld.representative[piece.of_surface[i]]))
        row.push_back({own[influence.joint], influence.weight});
    result.rig.weights.add_row(row);
  }
  for (const Triangle& t : piece.triangles) result.rig.mesh.add_face(t);
  if (rig.weights.entries.empty()) result.rig.weights = {};
  std::vector<std::uint32_t> vertices;
  for (const std::uint32_t i : piece.of_surface) vertices.push_back(surface.welded.weld.representative[i]);
  result.rig.flesh =
      flesh_of_piece(rig.flesh, vertices, result.joints, surface.parents, bone_parents(result.rig.skeleton));
  return result;
}

ComparePose pose_of_piece(const ComparePose& pose, std::span<const std::size_t> joints) {
  ComparePose own;
  own.name = pose.name;
  own.arena = pose.arena;
  for (const std::size_t j : joints) {
    own.globals.push_back(pose.globals[j]);
    own.matrices.push_back(pose.matrices[j]);
  }
  return own;
}

}  // namespace sinew
