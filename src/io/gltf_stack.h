// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_document.h"

namespace sinew::gltf {

// The document's SINEW_rig.stack. Entries that are none are left out, with a note.
Stack read_stack(GltfDocument& document);
// Puts it there, or takes it out where the stack is empty.
void put_stack(Json& root, const Stack& stack);

}  // namespace sinew::gltf
