// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/rig/flesh.h"

namespace sinew::gltf {

// Vertices, twists and values of all fields as bytes. What a vertex has is told from up to four others that
// were coded before it, by weights that are coded once for all fields, and only the rest is stored
// (docs/rig_file.md). Decoding needs no mesh. The bytes are the same for any number of threads.
std::string encode_fields(std::span<const Vec3> positions, std::span<const FleshField> fields);

// The reverse: fields come with their modes (steps and mixes) and get the rest. `most_bytes`: for all values.
Result<void> decode_fields(std::span<const std::uint8_t> bytes, std::size_t vertices, double most_bytes,
                           std::span<FleshField> fields);

}  // namespace sinew::gltf
