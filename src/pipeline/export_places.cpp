// SPDX-License-Identifier: Apache-2.0
#include "pipeline/export_places.h"

#include <algorithm>

#include "sinew/mesh/weld.h"

namespace sinew {
namespace {

class MotionComparison {
 public:
  MotionComparison(const SkinSequence& sequence, const SkinWeights& rows, std::span<const std::uint8_t> fixed)
      : sequence_(sequence), rows_(rows), fixed_(fixed) {}

  bool alike(std::uint32_t a, std::uint32_t b) const {
    if (!fixed_.empty() && fixed_[a] != fixed_[b]) return false;
    const auto row_a = rows_.row(a), row_b = rows_.row(b);
    if (!std::equal(row_a.begin(), row_a.end(), row_b.begin(), row_b.end(),
                    [](const Influence& x, const Influence& y) {
                      return x.joint == y.joint && x.weight == y.weight;
                    }))
      return false;
    for (const SkinMorph& morph : sequence_.morphs)
      if (morph.deltas[a] != morph.deltas[b]) return false;
    const std::size_t frames = sequence_.frames;
    const auto shape = [&](std::uint32_t i) {
      return sequence_.shapes.begin() + static_cast<std::ptrdiff_t>(i * frames);
    };
    return std::equal(shape(a), shape(a) + static_cast<std::ptrdiff_t>(frames), shape(b));
  }

 private:
  const SkinSequence& sequence_;
  const SkinWeights& rows_;
  std::span<const std::uint8_t> fixed_;
};

}  // namespace

ExportPlaces export_places(const SkinSequence& sequence, const SkinWeights& rows,
                           std::span<const std::uint8_t> fixed) {
  const MotionComparison motion(sequence, rows, fixed);
  const Weld weld = weld_vertices(sequence.rest);
  // At one point in space there may be several that move apart.
  std::vector<std::vector<std::uint32_t>> places(weld.representative.size());
  ExportPlaces found;
  found.to_place.resize(sequence.vertices());
  for (std::uint32_t i = 0; i < found.to_place.size(); ++i) {
    std::vector<std::uint32_t>& here = places[weld.to_welded[i]];
    const auto same = std::find_if(here.begin(), here.end(), [&](std::uint32_t place) {
      return motion.alike(found.representative[place], i);
    });
    if (same != here.end()) {
      found.to_place[i] = *same;
      continue;
    }
    here.push_back(static_cast<std::uint32_t>(found.representative.size()));
    found.to_place[i] = here.back();
    found.representative.push_back(i);
  }
  return found;
}

SkinSequence ExportPlaces::one_each(SkinSequence sequence) const {
  // Representatives ascend, so each moves towards the front, and there is one copy of the shapes at any time.
  const auto frames = static_cast<std::ptrdiff_t>(sequence.frames);
  for (std::size_t place = 0; place < representative.size(); ++place) {
    const std::uint32_t i = representative[place];
    if (i == place) continue;
    sequence.rest[place] = sequence.rest[i];
    const auto from = sequence.shapes.begin() + static_cast<std::ptrdiff_t>(i) * frames;
    std::copy(from, from + frames, sequence.shapes.begin() + static_cast<std::ptrdiff_t>(place) * frames);
    for (SkinMorph& morph : sequence.morphs) morph.deltas[place] = morph.deltas[i];
  }
  sequence.rest.resize(representative.size());
  sequence.shapes.resize(representative.size() * sequence.frames);
  for (SkinMorph& morph : sequence.morphs) morph.deltas.resize(representative.size());
  return sequence;
}

SkinWeights ExportPlaces::one_each(const SkinWeights& rows) const {
  SkinWeights chosen;
  for (const std::uint32_t i : representative) chosen.add_row(rows.row(i));
  return chosen;
}

std::vector<std::uint8_t> ExportPlaces::one_each(std::span<const std::uint8_t> flags) const {
  std::vector<std::uint8_t> chosen;
  if (flags.empty()) return chosen;
  for (const std::uint32_t i : representative) chosen.push_back(flags[i]);
  return chosen;
}

SkinWeights ExportPlaces::all(const SkinWeights& rows) const {
  SkinWeights spread;
  for (const std::uint32_t place : to_place) spread.add_row(rows.row(place));
  return spread;
}

std::vector<Vec3f> ExportPlaces::all(std::span<const Vec3f> deltas) const {
  std::vector<Vec3f> spread;
  for (const std::uint32_t place : to_place) spread.push_back(deltas[place]);
  return spread;
}

}  // namespace sinew
