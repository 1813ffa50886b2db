// SPDX-License-Identifier: Apache-2.0
#include "autorig/half_edges.h"

namespace sinew::autorig {

HalfEdges::HalfEdges(const PolyMesh& mesh) : origin_(mesh.face_vertices) {
  const std::size_t corners = origin_.size();
  next_.resize(corners);
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    const std::uint32_t begin = mesh.face_offsets[f], end = mesh.face_offsets[f + 1];
    for (std::uint32_t h = begin; h + 1 < end; ++h) next_[h] = h + 1;
    next_[end - 1] = begin;
  }
  offsets_.assign(mesh.vertex_count() + 1, 0);
  for (const std::uint32_t v : origin_) ++offsets_[v];
  std::uint32_t end = 0;
  for (std::uint32_t& offset : offsets_) offset = end += offset;
  leaving_.resize(corners);
  targets_.resize(corners);
  for (std::size_t h = corners; h-- > 0;) {
    const std::uint32_t at = --offsets_[origin_[h]];
    leaving_[at] = static_cast<std::uint32_t>(h);
    targets_[at] = origin_[next_[h]];
  }
  valence_.assign(mesh.vertex_count(), 0);
  link();
  count_valences();
}

// Two half-edges are twins where they are the only ones along their edge, one each way.
void HalfEdges::link() {
  twin_.assign(origin_.size(), kNone);
  for (std::uint32_t v = 0; v < valence_.size(); ++v)
    for (std::uint32_t k = offsets_[v]; k < offsets_[v + 1]; ++k) {
      const std::uint32_t h = leaving_[k], to = targets_[k];
      if (to < v && twin_[h] != kNone) continue;
      std::uint32_t found = kNone;
      unsigned same = 0, opposite = 0;
      for (std::uint32_t g = offsets_[to]; g < offsets_[to + 1]; ++g)
        if (targets_[g] == v) found = leaving_[g], ++opposite;
      for (const std::uint32_t w : targets(v)) same += w == to;
      if (same == 1 && opposite == 1) {
        twin_[h] = found;
        twin_[found] = h;
      }
    }
}

void HalfEdges::count_valences() {
  for (std::uint32_t v = 0; v < valence_.size(); ++v) {
    const auto out = leaving(v);
    if (out.empty() || out.size() > 255) continue;
    // One turn about the vertex must meet all of its faces.
    std::uint32_t h = out[0];
    unsigned turns = 0;
    do {
      const std::uint32_t back = twin_[h];
      if (back == kNone) break;
      h = next_[back];
      ++turns;
    } while (h != out[0] && turns <= out.size());
    if (h == out[0] && turns == out.size()) valence_[v] = static_cast<std::uint8_t>(turns);
  }
}

std::uint32_t HalfEdges::along_border(std::uint32_t h) const {
  std::uint32_t g = next_[h];
  for (int turn = 0; turn < 256; ++turn) {
    if (twin_[g] == kNone) return g;
    g = next_[twin_[g]];
  }
  return kNone;
}

}  // namespace sinew::autorig
