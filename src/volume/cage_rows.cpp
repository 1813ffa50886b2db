// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "volume/cage_body.h"

namespace sinew {
namespace {

// h_j (1 + l . (1, C_j - p)): among the small changes that make sum and position right, the least one in
// relation to the weights themselves; so the small ones stay above 0.
void restore_reproduction(std::vector<RowEntry>& row, std::span<const Vec3> rest, const Vec3& point,
                          double scale) {
  const auto moment = [&](const RowEntry& entry) {
    Vec4 m;
    m << 1, (rest[entry.control] - point) / scale;
    return m;
  };
  for (int round = 0; round < 3; ++round) {
    Mat4 matrix = Mat4::Zero();
    Vec4 sum = Vec4::Zero();
    for (const RowEntry& entry : row) {
      const Vec4 m = moment(entry);
      matrix += entry.weight * m * m.transpose();
      sum += entry.weight * m;
    }
    const Vec4 missing = Vec4(1, 0, 0, 0) - sum;
    if (missing.cwiseAbs().maxCoeff() < 1e-12) return;
    // Control points in a plane or on a line leave directions that nothing can be done about.
    matrix.diagonal().array() += 1e-9 * matrix.trace();
    const Vec4 l = matrix.ldlt().solve(missing);
    double low = 0;
    for (const RowEntry& entry : row) low = std::min(low, l.dot(moment(entry)));
    const double step = low < -0.5 ? 0.5 / -low : 1;
    for (RowEntry& entry : row) entry.weight *= 1 + step * l.dot(moment(entry));
  }
}

void divide_by_sum(std::vector<RowEntry>& row) {
  double sum = 0;
  for (const RowEntry& entry : row) sum += entry.weight;
  for (RowEntry& entry : row) entry.weight /= sum;
}

}  // namespace

void finish_row(std::vector<RowEntry>& row, std::span<const Vec3> rest, const Vec3* point, double diagonal,
                double threshold, CageFigures& figures) {
  std::sort(row.begin(), row.end(),
            [](const RowEntry& a, const RowEntry& b) { return a.control < b.control; });
  std::size_t kept = 0;
  for (const RowEntry& entry : row) {  // pieces of a cage may share nothing, surface points do
    if (kept > 0 && row[kept - 1].control == entry.control)
      row[kept - 1].weight += entry.weight;
    else
      row[kept++] = entry;
  }
  row.resize(kept);
  double dropped = 0, largest = 0;
  for (const RowEntry& entry : row) {
    figures.smallest = std::min(figures.smallest, entry.weight);
    largest = std::max(largest, entry.weight);
  }
  const double least = std::min(std::max(threshold, 1e-9), 0.5 * largest);
  const auto small = [&](const RowEntry& entry) { return !(entry.weight > least); };
  for (const RowEntry& entry : row)
    if (small(entry)) dropped += std::abs(entry.weight);
  figures.dropped = std::max(figures.dropped, dropped);
  row.erase(std::remove_if(row.begin(), row.end(), small), row.end());
  if (row.empty()) return;
  divide_by_sum(row);
  if (!point) return;
  restore_reproduction(row, rest, *point, diagonal);
}

ControlRows finish_rows(std::vector<std::vector<RowEntry>>& rows, std::span<const Vec3> rest,
                        std::span<const Vec3> points, std::span<const std::uint8_t> exact, double diagonal,
                        double threshold, CageFigures& figures) {
  constexpr std::size_t kGrain = 1024;
  const CageFigures found = parallel_reduce(
      rows.size(), kGrain, CageFigures{},
      [&](std::size_t begin, std::size_t end) {
        CageFigures part;
        for (std::size_t i = begin; i < end; ++i) {
          finish_row(rows[i], rest, exact[i] ? &points[i] : nullptr, diagonal, threshold, part);
          double sum = 0;
          Vec3 at = Vec3::Zero();
          for (const RowEntry& entry : rows[i]) {
            const double weight = static_cast<float>(entry.weight);
            sum += weight;
            at += weight * rest[entry.control];
          }
          if (rows[i].empty()) continue;
          part.max_row_error = std::max(part.max_row_error, std::abs(sum - 1));
          if (exact[i])
            part.reproduction_error = std::max(part.reproduction_error, (at - points[i]).norm() / diagonal);
        }
        return part;
      },
      [](CageFigures a, const CageFigures& b) {
        a.smallest = std::min(a.smallest, b.smallest);
        a.dropped = std::max(a.dropped, b.dropped);
        a.max_row_error = std::max(a.max_row_error, b.max_row_error);
        a.reproduction_error = std::max(a.reproduction_error, b.reproduction_error);
        return a;
      });
  figures.smallest = std::min(figures.smallest, found.smallest);
  figures.dropped = std::max(figures.dropped, found.dropped);
  figures.max_row_error = std::max(figures.max_row_error, found.max_row_error);
  figures.reproduction_error = std::max(figures.reproduction_error, found.reproduction_error);
  ControlRows out;
  out.offsets.reserve(rows.size() + 1);
  out.offsets.push_back(0);
  for (const auto& row : rows) {
    for (const RowEntry& entry : row)
      out.entries.push_back({entry.control, static_cast<float>(entry.weight)});
    out.offsets.push_back(static_cast<std::uint32_t>(out.entries.size()));
  }
  return out;
}

}  // namespace sinew
