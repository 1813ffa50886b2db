// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_document.h"

namespace sinew::gltf {

// The document's SINEW_rig.edges: pairs of vertices of the rig. Those that are not there are left out, with a
// note.
void read_edges(GltfDocument& document, Rig& rig);
void put_edges(Json& root, const Rig& rig);

}  // namespace sinew::gltf
