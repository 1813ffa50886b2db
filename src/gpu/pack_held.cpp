// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "gpu/packer.h"

namespace sinew::gpu {
namespace {

// What a thread holds: vertices with the same joints.
struct Holding {
  std::vector<std::uint32_t> joints;
  std::vector<std::size_t> members;  // kHeldVertices, the last of them more than once where there are fewer
};

class HeldPacker {
 public:
  HeldPacker(const std::vector<SkinRow>& rows, bool first_counts, Program& program)
      : rows_(rows), first_counts_(first_counts), program_(program) {}

  void pack() {
    program_.held_first.push_back(0);
    for (std::size_t begin = 0; begin < rows_.size();) {
      const std::size_t end = end_of_tile(begin);
      pack_tile(begin, end);
      program_.held_first.push_back(narrow(end));
      begin = end;
    }
  }
  // The share of what threads hold that are vertices.
  double used() const {
    return static_cast<double>(rows_.size()) / static_cast<double>(kHeldVertices * holdings_);
  }

 private:
  std::vector<std::uint32_t> joints_of(std::size_t i) const {
    std::vector<std::uint32_t> joints = rows_[i].joint;
    std::sort(joints.begin() + (first_counts_ ? 1 : 0), joints.end());
    return joints;
  }
  // As many as the threads of a block hold; whole cache lines of positions, if not the last.
  std::size_t end_of_tile(std::size_t begin) const {
    std::map<std::vector<std::uint32_t>, std::size_t> found;
    const std::size_t most = std::min(begin + kHeldTile, rows_.size());
    std::size_t end = begin;
    for (std::size_t threads = 0; end < most; ++end)
      if (found[joints_of(end)]++ % kHeldVertices == 0 && ++threads > kHeldThreads) break;
    return end == rows_.size() ? end : end - (end - begin) % kLanes;
  }

  void pack_tile(std::size_t begin, std::size_t end) {
    std::map<std::pair<std::size_t, std::vector<std::uint32_t>>, std::vector<std::size_t>> sets;
    for (std::size_t i = begin; i < end; ++i) {
      std::vector<std::uint32_t> joints = joints_of(i);
      sets[{joints.size(), std::move(joints)}].push_back(i);
    }
    std::vector<Holding> threads;
    for (const auto& [key, members] : sets) {
      const std::size_t n = members.size(), holdings = (n + kHeldVertices - 1) / kHeldVertices;
      for (std::size_t j = 0; j < holdings; ++j) {
        Holding one{key.second, {}};
        for (std::size_t v = 0; v < kHeldVertices; ++v)
          one.members.push_back(members[std::min(j + v * holdings, n - 1)]);
        threads.push_back(std::move(one));
      }
    }
    const std::size_t own = threads.size();
    holdings_ += own;
    while (threads.size() < kHeldThreads) threads.push_back(Holding(threads[threads.size() % own]));

    for (std::size_t first = 0; first < kHeldThreads; first += kLanes) {
      std::size_t slots = 1;
      for (std::size_t t = first; t < first + kLanes; ++t) slots = std::max(slots, threads[t].joints.size());
      program_.held_slots.push_back(narrow(slots));
    }
    for (std::size_t k = 0; k < kHeldSlots; ++k) {
      for (const Holding& one : threads)
        program_.held_joints.push_back(one.joints[k < one.joints.size() ? k : 0]);
      for (std::size_t v = 0; v < kHeldVertices; ++v)
        for (const Holding& one : threads)
          program_.held_weights.push_back(k < one.joints.size() ? weight_of(one.members[v], one.joints[k])
                                                                : 0.0f);
    }
    std::vector<bool> placed(end - begin);
    for (std::size_t v = 0; v < kHeldVertices; ++v) {
      for (std::size_t c = 0; c < 3; ++c)
        for (const Holding& one : threads)
          program_.held_points.push_back(program_.positions[3 * one.members[v] + c]);
      for (const Holding& one : threads) {
        const std::size_t place = one.members[v] - begin;
        program_.held_places.push_back(placed[place] ? -1 : static_cast<std::int32_t>(place));
        placed[place] = true;
      }
    }
  }
  float weight_of(std::size_t vertex, std::uint32_t joint) const {
    const SkinRow& row = rows_[vertex];
    const auto at = std::find(row.joint.begin(), row.joint.end(), joint);
    return row.weight[static_cast<std::size_t>(at - row.joint.begin())];
  }

  const std::vector<SkinRow>& rows_;
  const bool first_counts_;
  Program& program_;
  std::size_t holdings_ = 0;
};

// One vertex after the other, with its joints as bytes.
void pack_spread(const std::vector<SkinRow>& rows, Program& program) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SpreadVertex v{};
    for (std::size_t k = 0; k < rows[i].joint.size(); ++k) {
      v.weight[k] = rows[i].weight[k];
      v.joints |= rows[i].joint[k] << 8 * k;
    }
    v.x = program.positions[3 * i], v.y = program.positions[3 * i + 1], v.z = program.positions[3 * i + 2];
    program.spread.push_back(v);
  }
}

}  // namespace

void pack_held(const std::vector<SkinRow>& rows, bool first_counts, Program& program) {
  const auto joints = static_cast<std::uint32_t>(program.shape.joints);
  for (const SkinRow& row : rows)
    if (row.joint.size() > kHeldSlots ||
        std::any_of(row.joint.begin(), row.joint.end(), [&](std::uint32_t j) { return j >= joints; }))
      return;
  if (rows.empty()) return;
  Program held;
  held.positions = program.positions;
  HeldPacker packer(rows, first_counts, held);
  packer.pack();
  // Below, threads would compute more of the same than neighbours save them.
  constexpr double kLeastUsed = 0.5;
  if (packer.used() < kLeastUsed) {
    if (program.motion == Motion::kLinear && program.shape.rigid && joints <= 256) pack_spread(rows, program);
    return;
  }
  program.shape.held_tiles = static_cast<std::int32_t>(held.held_first.size() - 1);
  program.held_first = std::move(held.held_first);
  program.held_slots = std::move(held.held_slots);
  program.held_joints = std::move(held.held_joints);
  program.held_weights = std::move(held.held_weights);
  program.held_points = std::move(held.held_points);
  program.held_places = std::move(held.held_places);
}

}  // namespace sinew::gpu
