// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "io/gltf_document.h"

namespace sinew::gltf {

// Most bytes that reading may take for what the file stores: a fixed part for small files, the rest in
// proportion.
double memory_budget(const GltfDocument& document);

std::size_t component_size(Component component);

// bufferViews and accessors, every range checked against what lies in memory.
Result<void> parse_views(GltfDocument& document);
Result<void> parse_accessors(GltfDocument& document);

// All numbers of an accessor, count * width of them, element after element; normalised integers become [0, 1]
// or [-1, 1]. Fails only where sparse indices are out of range. Messages start with a blank or dot.
Result<void> read_floats(const GltfDocument& document, const Accessor& accessor, std::span<float> out);
// The same for whole numbers as they are stored; negative ones and floats become 0.
Result<void> read_integers(const GltfDocument& document, const Accessor& accessor,
                           std::span<std::uint32_t> out);

// A fresh vector with the numbers.
Result<std::vector<float>> read_floats(const GltfDocument& document, const Accessor& accessor);

}  // namespace sinew::gltf
