// SPDX-License-Identifier: Apache-2.0
#include "volume/voxel_size.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/skeleton/bone_tree.h"
#include "volume/line_scan.h"

namespace sinew {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Lines along the longest side by which thickness and gaps are sampled.
constexpr double kProbes = 80;
// Shares of the surface that may be thinner, or nearer to something else, than the body is made for.
constexpr double kThinShare = 0.05, kNearShare = 0.01;
// Cells across a thin part, a gap, a short bone. Below 2 cells a gap closes.
constexpr double kCellsAcross = 2.5, kCellsInGap = 3, kCellsAlongBone = 2;
// No finer than this many cells along the longest side.
constexpr double kFinest = 512;
constexpr double kSheet = 0.1;  // of a cell inside for each one of the surface
constexpr double kSheetCells = 1500;

struct Sample {
  double length, area;
};

struct Samples {
  std::vector<Sample> thickness, gap;
};

// The length that all but `share` of the area reaches; infinity where no such area was sampled.
double low_quantile(std::vector<Sample>& samples, double area, double share) {
  std::sort(samples.begin(), samples.end(),
            [](const Sample& a, const Sample& b) { return a.length < b.length; });
  double below = 0;
  for (const Sample& sample : samples)
    if ((below += sample.area) > share * area) return sample.length;
  return kInfinity;
}

// Walks along one line from boundary to boundary of the union of all parts. A stretch between two of them
// counts for both ends, foreshortened by the angle there, for the area that the line stands for.
void sample_line(std::span<const Crossing> line, Samples& samples) {
  constexpr float kSteep = 0.8f;
  int winding = 0;
  const Crossing* last = nullptr;
  for (const Crossing& crossing : line) {
    const int before = winding;
    winding -= crossing.sign;
    const bool enters = before <= 0 && winding > 0, leaves = before > 0 && winding <= 0;
    if (!enters && !leaves) continue;
    // Only between sides that face each other, not in the crease where they meet.
    if (last && std::min(last->cosine, crossing.cosine) >= kSteep) {
      auto& to = leaves ? samples.thickness : samples.gap;
      const double length = crossing.at - last->at;
      for (const double cosine : {last->cosine, crossing.cosine}) to.push_back({length * cosine, 1 / cosine});
    }
    last = &crossing;
  }
}

void measure(const OrientedSoup& soup, const Box3& box, VoxelSize& size) {
  const LatticeFrame frame = LatticeFrame::around(box, box.sizes().maxCoeff() / kProbes);
  const std::vector<Vec3> positions = frame.to_lattice(soup.positions);
  Samples samples;
  for (int axis = 0; axis < 3; ++axis) {
    const RowItems<Crossing> lines = scan_lines(positions, soup.triangles, frame.dims, axis);
    for (std::size_t line = 0; line + 1 < lines.offsets.size(); ++line) sample_line(lines.row(line), samples);
  }
  const double area = soup.area / (frame.size * frame.size);
  size.thickness = frame.size * low_quantile(samples.thickness, area, kThinShare);
  size.gap = frame.size * low_quantile(samples.gap, area, kNearShare);
}

// The size at which volume and surface fill about `cells` cells.
double size_for_cells(const OrientedSoup& soup, double longest, double cells) {
  const auto count = [&](double h) {
    return std::abs(soup.volume) / (h * h * h) + soup.area / (h * h) + longest / h;
  };
  double fine = longest * 1e-5, coarse = longest;
  for (int k = 0; k < 60; ++k) {
    const double middle = std::sqrt(fine * coarse);
    (count(middle) > cells ? fine : coarse) = middle;
  }
  return coarse;
}

double shortest_bone(std::span<const Bone> bones, double longest) {
  double shortest = kInfinity;
  for (const Bone& bone : bones) {
    const double length = reach_of(bone);
    // A joint that stands for none has a bone of no length to speak of.
    if (length > 1e-3 * longest) shortest = std::min(shortest, length);
  }
  return shortest;
}

}  // namespace

VoxelSize choose_voxel_size(const OrientedSoup& soup, const Box3& box, const VoxelizeOptions& options) {
  const double longest = box.sizes().maxCoeff();
  VoxelSize size;
  if (options.cell_size > 0 || options.resolution > 0) {
    size.cell_size = options.cell_size > 0 ? options.cell_size : longest / options.resolution;
    return size;
  }
  measure(soup, box, size);
  size.shortest_bone = shortest_bone(options.bones, longest);
  auto target_cells = static_cast<double>(options.target_cells);
  size.cell_size = size_for_cells(soup, longest, target_cells);
  // A sheet is its surface cells alone, as many along a side as a body of the target has, not the square of
  // it.
  const bool sheet = std::abs(soup.volume) < kSheet * soup.area * size.cell_size;
  if (sheet) {
    target_cells = std::min(target_cells, kSheetCells);
    size.cell_size = size_for_cells(soup, longest, target_cells);
  }
  size.reason = VoxelSize::Reason::kTarget;
  const auto at_most = [&](double limit, VoxelSize::Reason reason) {
    if (!(limit < size.cell_size)) return;
    size.cell_size = limit;
    size.reason = reason;
  };
  at_most(size.thickness / kCellsAcross, VoxelSize::Reason::kThickness);
  at_most(size.gap / kCellsInGap, VoxelSize::Reason::kGap);
  at_most(size.shortest_bone / kCellsAlongBone, VoxelSize::Reason::kBone);
  const double most_cells =
      sheet ? target_cells : std::max(static_cast<double>(options.max_cells), target_cells);
  const double finest = std::max(longest / kFinest, size_for_cells(soup, longest, most_cells));
  if (size.cell_size < finest) {
    size.cell_size = finest;
    size.reason = VoxelSize::Reason::kMaxCells;
  }
  return size;
}

}  // namespace sinew
