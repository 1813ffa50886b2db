// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "gpu/packer.h"

namespace sinew::gpu {
namespace {

class SkinPacker : public Packer {
 public:
  using Packer::Packer;

  Result<void> pack() {
    if (rig_.weights.vertex_count() != rig_.mesh.vertex_count())
      return bad_input("the weights do not fit the mesh: their numbers of vertices differ");
    const bool bones = program_.motion == Motion::kLinearBones || program_.motion == Motion::kDualBones;
    if (bones && rig_.endpoint.values.size() != rig_.weights.entries.size())
      return impossible("the rig has no endpoint weights: `sinew rig` or `sinew weights` makes them");
    for (const Influence& influence : rig_.weights.entries)
      if (influence.joint >= rig_.skeleton.size())
        return bad_input("a weight refers to a joint that does not exist");
    const std::vector<std::vector<std::size_t>> tails = tail_bones(bones_, parents_);
    for (std::size_t j = 0; j <= rig_.skeleton.size(); ++j) {
      EntryRest entry = entry_of(j < rig_.skeleton.size() ? static_cast<int>(j) : -1);
      entry.first_end = static_cast<std::int32_t>(program_.end_joints.size());
      if (bones && j < tails.size())
        for (const std::size_t end : tails[j]) {
          program_.end_joints.push_back(static_cast<std::int32_t>(end));
          for (Eigen::Index k = 0; k < 3; ++k) program_.end_heads.push_back(bones_[end].head[k]);
        }
      entry.ends = static_cast<std::int32_t>(program_.end_joints.size()) - entry.first_end;
      add_entry(entry);
    }
    program_.tile.push_back(0);
    for (std::size_t first = 0; first < rig_.mesh.vertex_count(); first += kTileVertices)
      pack_tile(first, std::min(first + kTileVertices, rig_.mesh.vertex_count()));
    program_.skin.emplace_back();  // which loops load and do not use
    if (!bones && rig_.keys.empty()) {
      std::vector<SkinRow> rows;
      for (std::size_t i = 0; i < rig_.mesh.vertex_count(); ++i) {
        Influences row = row_of(i);
        rows.push_back({std::move(row.joint), std::move(row.weight)});
      }
      pack_held(rows, program_.motion == Motion::kDual, program_);
    }
    return {};
  }

 private:
  struct Influences {
    std::vector<std::uint32_t> joint;
    std::vector<float> weight, stretch, twist;
  };
  Influences row_of(std::size_t i) const {
    const bool bones = program_.motion == Motion::kLinearBones || program_.motion == Motion::kDualBones;
    const bool normalised = program_.motion == Motion::kDual || program_.motion == Motion::kDualBones;
    const std::span<const Influence> row = rig_.weights.row(i);
    double sum = 0;
    for (const Influence& influence : row) sum += influence.weight;
    const double scale = !normalised ? 1 : std::abs(sum) > 1e-12 ? 1 / sum : 0;
    Influences out;
    for (std::size_t k = 0; k < row.size() && scale != 0; ++k) {
      if (row[k].weight == 0) continue;
      const std::size_t e = rig_.weights.offsets[i] + k;
      out.joint.push_back(row[k].joint);
      out.weight.push_back(static_cast<float>(scale * row[k].weight));
      out.stretch.push_back(bones ? rig_.endpoint.values[e] : 0.0f);
      out.twist.push_back(bones ? rig_.endpoint.for_twist(e) : 0.0f);
    }
    if (out.joint.empty())
      out = {{narrow(rig_.skeleton.size())}, {1.0f}, {0.0f}, {0.0f}};
    else if (program_.motion == Motion::kDualBones)  // signs go by the largest weight
      put_first(out, static_cast<std::size_t>(std::max_element(out.weight.begin(), out.weight.end()) -
                                              out.weight.begin()));
    return out;
  }
  static void put_first(Influences& row, std::size_t k) {
    std::swap(row.joint[0], row.joint[k]);
    std::swap(row.weight[0], row.weight[k]);
    std::swap(row.stretch[0], row.stretch[k]);
    std::swap(row.twist[0], row.twist[k]);
  }

  // Vertices with the same joints (and the same one first, where signs go by it) one after the other, in the
  // order in which they find most of their joints loaded.
  void pack_tile(std::size_t begin, std::size_t end) {
    const bool first_counts = program_.motion == Motion::kDual || program_.motion == Motion::kDualBones;
    std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> sets;
    std::vector<Influences> rows;
    for (std::size_t i = begin; i < end; ++i) {
      rows.push_back(row_of(i));
      std::vector<std::uint32_t> key = rows.back().joint;
      std::sort(key.begin() + (first_counts ? 1 : 0), key.end());
      sets[key].push_back(i);
    }
    std::array<std::uint32_t, 4> held;
    held.fill(kKeep);
    while (!sets.empty()) {
      const auto missing = [&](const std::vector<std::uint32_t>& set) {
        return std::count_if(set.begin(), set.end(), [&](std::uint32_t j) {
          return std::find(held.begin(), held.end(), j) == held.end();
        });
      };
      const auto next = std::min_element(sets.begin(), sets.end(), [&](const auto& a, const auto& b) {
        return missing(a.first) < missing(b.first);
      });
      if (next->first.size() <= 4)
        pack_run(next->first, next->second, begin, rows, 0, first_counts, held);
      else
        for (const std::size_t vertex : next->second)
          for (std::size_t k = 0; k < next->first.size(); k += 4) {
            const std::vector<std::uint32_t>& all = rows[vertex - begin].joint;
            const auto from = all.begin() + static_cast<std::ptrdiff_t>(k);
            const std::vector<std::uint32_t> some(from, from + std::min<std::ptrdiff_t>(4, all.end() - from));
            pack_run(some, {vertex}, begin, rows, (k + 4 < all.size() ? 1u : 0u) | (k > 0 ? 2u : 0u),
                     first_counts && k == 0, held);
          }
      sets.erase(next);
    }
    program_.tile.push_back(narrow(program_.runs.size()));
  }

  void pack_run(const std::vector<std::uint32_t>& set, const std::vector<std::size_t>& members,
                std::size_t begin, const std::vector<Influences>& rows, std::uint32_t partial,
                bool first_counts, std::array<std::uint32_t, 4>& held) {
    SkinRun run{};
    run.slots = set.size() == 1 ? 1 : set.size() == 2 ? 2 : 4;
    run.first = narrow(program_.skin.size());
    run.count = narrow(members.size());
    run.partial = partial;
    std::array<std::uint32_t, 4> wanted;  // by slot
    wanted.fill(kKeep);
    std::vector<std::uint32_t> rest(set.begin(), set.end());
    if (first_counts) {
      wanted[0] = rest[0];
      rest.erase(rest.begin());
    }
    std::vector<std::uint32_t> homeless;
    for (const std::uint32_t joint : rest) {
      const auto at = static_cast<std::size_t>(std::find(held.begin(), held.end(), joint) - held.begin());
      if (at < run.slots && wanted[at] == kKeep)
        wanted[at] = joint;
      else
        homeless.push_back(joint);
    }
    for (const std::uint32_t joint : homeless) *std::find(wanted.begin(), wanted.end(), kKeep) = joint;
    for (std::size_t k = 0; k < 4; ++k) {
      run.load[k] = wanted[k] == kKeep || wanted[k] == held[k] ? kKeep : wanted[k];
      if (run.load[k] != kKeep) held[k] = wanted[k];
    }
    program_.runs.push_back(run);
    for (const std::size_t vertex : members)
      pack_vertex(vertex, vertex - begin, rows[vertex - begin], wanted);
  }

  void pack_vertex(std::size_t vertex, std::size_t place, const Influences& row,
                   const std::array<std::uint32_t, 4>& slots) {
    SkinVertex out{};
    SkinEnds ends{};
    for (std::size_t s = 0; s < 4; ++s) {
      const auto k = static_cast<std::size_t>(std::find(row.joint.begin(), row.joint.end(), slots[s]) -
                                              row.joint.begin());
      if (slots[s] == kKeep || k == row.joint.size()) continue;
      out.weight[s] = row.weight[k];
      ends.stretch[s] = row.stretch[k];
      ends.twist[s] = row.twist[k];
      ends.entry[s] = slots[s];
    }
    const std::size_t v = 3 * vertex;
    out.x = program_.positions[v], out.y = program_.positions[v + 1], out.z = program_.positions[v + 2];
    out.place = narrow(place);
    program_.skin.push_back(out);
    program_.skin_normals.push_back(
        {program_.normals[v], program_.normals[v + 1], program_.normals[v + 2], narrow(vertex)});
    if (program_.motion == Motion::kLinearBones || program_.motion == Motion::kDualBones)
      program_.ends.push_back(ends);
  }
};

}  // namespace

Result<void> pack_skin(const Rig& rig, Program& program) {
  return SkinPacker(rig, program).pack();
}

}  // namespace sinew::gpu
