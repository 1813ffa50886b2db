// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/weights/skin_fit.h"

namespace sinew {

// Vertices of one place, weights and motion, as seams and flat shading have many: a fit finds the same for
// all of them, so it is done once.
struct ExportPlaces {
  std::vector<std::uint32_t> to_place;        // per vertex
  std::vector<std::uint32_t> representative;  // per place: its first vertex

  SkinSequence one_each(SkinSequence sequence) const;
  SkinWeights one_each(const SkinWeights& rows) const;
  std::vector<std::uint8_t> one_each(std::span<const std::uint8_t> flags) const;
  SkinWeights all(const SkinWeights& rows) const;
  std::vector<Vec3f> all(std::span<const Vec3f> deltas) const;
};

// By equal bits. `fixed`: per vertex, or empty. O(vertices * frames).
ExportPlaces export_places(const SkinSequence& sequence, const SkinWeights& rows,
                           std::span<const std::uint8_t> fixed);

}  // namespace sinew
