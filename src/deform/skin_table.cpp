// SPDX-License-Identifier: Apache-2.0
#include "deform/skin_table.h"

#include <cmath>
#include <limits>
#include <string>

namespace sinew {
namespace {

constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();

// 3 is padded to 4: a kernel of its own won nothing on rigs with mixed rows, where groups of eight mostly
// reach 4 anyway.
std::size_t padded(std::size_t influences) {
  if (influences <= 2) return std::max<std::size_t>(influences, 1);
  return (influences + 3) / 4 * 4;
}

double row_scale(std::span<const Influence> row, RowSums sums) {
  if (sums == RowSums::kAsGiven) return 1;
  double sum = 0;
  for (const Influence& influence : row) sum += influence.weight;
  return std::abs(sum) > 1e-12 ? 1 / sum : 0;
}

Result<std::vector<std::uint32_t>> number_used_joints(const SkinWeights& weights, std::size_t joint_count,
                                                      SkinTable& table) {
  std::vector<std::uint32_t> entry_of(joint_count, kUnused);
  for (const Influence& influence : weights.entries) {
    if (influence.joint >= joint_count)
      return bad_input("a skin weight names joint " + std::to_string(influence.joint) +
                       ", but the skeleton has " + std::to_string(joint_count));
    entry_of[influence.joint] = 0;
  }
  for (std::size_t j = 0; j < joint_count; ++j) {
    if (entry_of[j] == kUnused) continue;
    entry_of[j] = static_cast<std::uint32_t>(table.palette_joints.size());
    table.palette_joints.push_back(static_cast<std::uint32_t>(j));
  }
  if (table.palette_joints.size() > 65535)
    return impossible(
        std::to_string(table.palette_joints.size()) +
        " joints carry vertices; a skin can use at most 65535: remove weights or split the mesh");
  return entry_of;
}

// Appends one vertex, `influences` wide.
void append_row(std::span<const Influence> row, double scale, std::span<const std::uint32_t> entry_of,
                std::size_t influences, SkinTable& table) {
  const auto identity = static_cast<std::uint16_t>(table.palette_joints.size());
  const bool empty = row.empty() || scale == 0;
  const auto first = empty ? identity : static_cast<std::uint16_t>(entry_of[row[0].joint]);
  for (std::size_t k = 0; k < influences; ++k) {
    const bool given = !empty && k < row.size();
    table.joints.push_back(given ? static_cast<std::uint16_t>(entry_of[row[k].joint]) : first);
    table.weights.push_back(given               ? static_cast<float>(row[k].weight * scale)
                            : (empty && k == 0) ? 1.0f
                                                : 0.0f);
  }
}

void append_group(const SkinWeights& weights, RowSums sums, std::span<const std::uint32_t> entry_of,
                  std::size_t group, SkinTable& table) {
  const std::size_t begin = group * kGroupSize, end = std::min(table.vertices, begin + kGroupSize);
  std::size_t widest = 0;
  for (std::size_t i = begin; i < end; ++i) widest = std::max(widest, weights.row(i).size());
  const std::size_t influences = padded(widest);
  if (table.runs.empty() || table.runs.back().influences != influences)
    table.runs.push_back({group, group, influences, table.weights.size()});
  table.runs.back().group_end = group + 1;
  for (std::size_t i = begin; i < begin + kGroupSize; ++i) {
    const auto row = i < end ? weights.row(i) : std::span<const Influence>{};
    append_row(row, row_scale(row, sums), entry_of, influences, table);
  }
}

}  // namespace

Result<SkinTable> pack_skin(const SkinWeights& weights, std::size_t joint_count, RowSums sums) {
  SkinTable table;
  table.vertices = weights.vertex_count();
  SINEW_TRY(const auto entry_of, number_used_joints(weights, joint_count, table));
  for (std::size_t group = 0; group < table.group_count(); ++group)
    append_group(weights, sums, entry_of, group, table);
  table.weights.insert(table.weights.end(), 4, 0.0f);
  table.joints.insert(table.joints.end(), 4, 0);
  return table;
}

}  // namespace sinew
