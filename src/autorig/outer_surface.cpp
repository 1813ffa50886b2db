// SPDX-License-Identifier: Apache-2.0
#include "autorig/outer_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>

#include "autorig/contact_loops.h"
#include "sinew/core/disjoint_sets.h"
#include "sinew/core/parallel.h"
#include "sinew/mesh/topology.h"
#include "sinew/volume/lattice_set.h"

namespace sinew::autorig {
namespace {

constexpr double kInside = 0.75;  // of a winding number: sheets come to a half
constexpr double kFlush = 0.2;    // of the reach: so near to each other pieces touch without a border
// Pieces that a point touches, the nearest of them: solid bodies hardly have three in one place, a soup has hundreds.
constexpr std::size_t kMostTouching = 8;
constexpr int kMostShortenings = 8;  // of a bridge between two pieces, end by end

using PointPair = std::pair<std::uint32_t, std::uint32_t>;

// Points by cubes of one side length.
class PointCubes {
 public:
  PointCubes(const std::vector<Vec3>& positions, double side) : side_(side) {
    for (std::uint32_t v = 0; v < positions.size(); ++v) cubes_[key(cube(positions[v]))].push_back(v);
  }
  // Calls see(w) for all points in the cubes around p.
  template <class See>
  void around(const Vec3& p, See&& see) const {
    const std::array<std::int64_t, 3> at = cube(p);
    for (std::int64_t dx = -1; dx <= 1; ++dx)
      for (std::int64_t dy = -1; dy <= 1; ++dy)
        for (std::int64_t dz = -1; dz <= 1; ++dz) {
          const auto found = cubes_.find(key({at[0] + dx, at[1] + dy, at[2] + dz}));
          if (found == cubes_.end()) continue;
          for (const std::uint32_t w : found->second) see(w);
        }
  }

 private:
  std::array<std::int64_t, 3> cube(const Vec3& p) const {
    return {static_cast<std::int64_t>(std::floor(p.x() / side_)),
            static_cast<std::int64_t>(std::floor(p.y() / side_)),
            static_cast<std::int64_t>(std::floor(p.z() / side_))};
  }
  static std::uint64_t key(const std::array<std::int64_t, 3>& at) {
    std::uint64_t made = 0;
    for (const std::int64_t x : at) made = made * 0x1fffff + static_cast<std::uint64_t>(x);
    return made;
  }

  double side_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cubes_;
};

}  // namespace

void drop_hidden_triangles(const WindingNumber& solid, double ahead, const std::vector<Vec3>& positions,
                           std::vector<Triangle>& triangles) {
  std::vector<std::uint8_t> hidden(triangles.size(), 0);
  parallel_for(triangles.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const Vec3 &a = positions[triangles[t][0]], &b = positions[triangles[t][1]],
                 &c = positions[triangles[t][2]];
      const Vec3 out = (b - a).cross(c - a).normalized();
      hidden[t] = out.allFinite() && solid((a + b + c) / 3 + ahead * out) > kInside;
    }
  });
  std::size_t t = 0;
  std::erase_if(triangles, [&](const Triangle&) { return hidden[t++] != 0; });
}

std::vector<PointPair> piece_contacts(const std::vector<Vec3>& positions,
                                      const std::vector<Triangle>& triangles, double reach, double loop) {
  const Components pieces = connected_components(positions.size(), FaceList(triangles));
  std::vector<std::uint32_t> piece(positions.size(), 0);
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (const std::uint32_t v : triangles[t]) piece[v] = pieces.of_face[t];
  std::vector<PointPair> made;
  if (pieces.count < 2) return made;
  std::vector<std::uint8_t> border(positions.size(), 0);
  const EdgeTable edges = edge_table(positions.size(), FaceList(triangles));
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (edges.is_boundary(e)) border[edges.ends[e][0]] = border[edges.ends[e][1]] = 1;
  const PointCubes cubes(positions, reach);
  DisjointSets together(pieces.count);
  struct Touch {
    double squared;  // distance
    std::uint32_t point, piece;
    auto key() const { return std::pair(squared, point); }
  };
  std::vector<std::uint32_t> place(pieces.count, kNoIndex);  // of a piece in the list
  std::vector<Touch> touching;                               // the nearest point of every piece about a point
  for (std::uint32_t v = 0; v < positions.size(); ++v) {
    touching.clear();
    cubes.around(positions[v], [&](std::uint32_t w) {
      if (piece[w] == piece[v]) return;
      const Touch one{(positions[v] - positions[w]).squaredNorm(), w, piece[w]};
      const double near = border[v] || border[w] ? reach : kFlush * reach;
      if (one.squared > near * near) return;
      std::uint32_t& at = place[piece[w]];
      if (at == kNoIndex) {
        at = static_cast<std::uint32_t>(touching.size());
        touching.push_back(one);
      } else if (one.key() < touching[at].key()) {
        touching[at] = one;
      }
    });
    for (const Touch& touch : touching) place[touch.piece] = kNoIndex;
    if (touching.size() > kMostTouching) {
      std::nth_element(touching.begin(), touching.begin() + kMostTouching, touching.end(),
                       [](const Touch& one, const Touch& other) { return one.key() < other.key(); });
      touching.resize(kMostTouching);
    }
    std::sort(touching.begin(), touching.end(),
              [](const Touch& one, const Touch& other) { return one.piece < other.piece; });
    for (const Touch& touch : touching) {
      made.push_back({v, touch.point});
      together.join(piece[v], touch.piece);
    }
  }
  made = without_contact_loops(positions, vertex_neighbours(positions.size(), edges), piece, made, loop);
  std::vector<std::uint32_t> number(pieces.count, kNoIndex);
  std::uint32_t left = 0;
  for (std::uint32_t v = 0; v < positions.size(); ++v) {
    std::uint32_t& own = number[together.find(piece[v])];
    if (own == kNoIndex) own = left++;
    piece[v] = own;
  }
  const std::vector<PointPair> more = bridges(positions, piece, left);
  made.insert(made.end(), more.begin(), more.end());
  return made;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> bridges(const std::vector<Vec3>& positions,
                                                             std::span<const std::uint32_t> piece,
                                                             std::size_t pieces) {
  constexpr std::size_t kLookAtCells = 64;  // of a piece
  std::vector<std::vector<std::uint32_t>> all(pieces);
  for (std::uint32_t c = 0; c < piece.size(); ++c) all[piece[c]].push_back(c);
  std::vector<std::vector<std::uint32_t>> cells = all;
  for (auto& list : cells) {
    const std::size_t step = (list.size() + kLookAtCells - 1) / kLookAtCells;
    for (std::size_t k = 0; k * step < list.size(); ++k) list[k] = list[k * step];
    list.resize((list.size() + step - 1) / step);
  }
  // Prim's tree: always the piece that is nearest to those that are joined already.
  struct Gap {
    double length = std::numeric_limits<double>::infinity();
    std::uint32_t from = 0, to = 0;
  };
  // From the nearest of some points to the nearest of all, in turns.
  const auto shortened = [&](PointPair ends) {
    const auto nearest = [&](std::uint32_t to, std::uint32_t of) {
      for (const std::uint32_t c : all[piece[of]])
        if ((positions[c] - positions[to]).squaredNorm() < (positions[of] - positions[to]).squaredNorm())
          of = c;
      return of;
    };
    for (int round = 0; round < kMostShortenings; ++round) {
      const PointPair before = ends;
      ends.second = nearest(ends.first, ends.second);
      ends.first = nearest(ends.second, ends.first);
      if (ends == before) break;
    }
    return ends;
  };
  std::vector<Gap> gap(pieces);
  std::vector<std::uint8_t> joined(pieces, 0);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> made;
  for (std::size_t last = 0, count = 1; count < pieces; ++count) {
    joined[last] = 1;
    std::size_t best = pieces;
    for (std::size_t k = 0; k < pieces; ++k) {
      if (joined[k]) continue;
      for (const std::uint32_t a : cells[last])
        for (const std::uint32_t b : cells[k])
          if (const double length = (positions[a] - positions[b]).squaredNorm(); length < gap[k].length)
            gap[k] = {length, a, b};
      if (best == pieces || gap[k].length < gap[best].length) best = k;
    }
    made.push_back(shortened({gap[best].from, gap[best].to}));
    last = best;
  }
  return made;
}

}  // namespace sinew::autorig
