// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_mesh.h"
#include "io/gltf_polygons.h"

namespace sinew::gltf {

// Appends the faces of a primitive to the mesh and sets part.face_count: polygons where SINEW_rig remembers
// them, else triangles; points and lines have none. `flipped` turns every face round. Refuses indices out of
// range.
Result<void> read_faces(GltfDocument& document, const PartPlan& plan, bool flipped, MeshPart& part,
                        PolyMesh& mesh);

}  // namespace sinew::gltf
