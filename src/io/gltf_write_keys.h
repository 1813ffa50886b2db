// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_write_clips.h"
#include "io/gltf_write_parts.h"

namespace sinew::gltf {

// Keys that move any vertex of the parts; those that move none at all are given to the first mesh
// (`with_still`).
std::vector<std::size_t> keys_of(const Rig& rig, std::span<const MeshPart> parts, bool with_still);

// Replaces the targets of a primitive by the keys listed.
void put_targets(Builder& builder, const Rig& rig, std::span<const std::size_t> keys, const MeshPart& part,
                 const ToStored& to_stored, Json& primitive, bool sparse = false);
// Names and weights of a mesh's targets; erases both where there are none.
void name_targets(const std::vector<std::string>& names, const std::vector<double>& weights, Json& mesh);

// A baked animation: one target a frame, relative to the first, and one clip that blends from each to the
// next.
void put_baked_targets(Builder& builder, const BakedFrames& frames, const MeshPart& part, Json& primitive);
void name_baked_targets(const BakedFrames& frames, Json& mesh);
void put_baked_clip(Builder& builder, const Rig& rig, const BakedFrames& frames, std::span<const int> nodes);

// The mesh that a file without a skin holds: frame 0 where there are frames, else the rig's own.
PolyMesh plain_mesh(const Rig& rig, const BakedFrames* frames);

}  // namespace sinew::gltf
