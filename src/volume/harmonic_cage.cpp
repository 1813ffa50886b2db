// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/harmonic_cage.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "volume/cage_body.h"
#include "volume/cut_multigrid.h"

namespace sinew {
namespace {

// The cube of 2^k cells, a little larger than the piece and off its middle, so that no face of a box, and no
// plane of symmetry, lies in a plane of the grid.
CutFrame frame_of(const CagePiece& piece, int resolution) {
  const Box3 box = bounding_box(piece.positions);
  const int cells = 1 << resolution;
  const double side = box.sizes().maxCoeff() * (1 + 2e-3);
  CutFrame frame;
  frame.cell = side / cells;
  frame.origin = box.min() - side * Vec3(0.37e-3, 0.83e-3, 0.61e-3);
  for (int axis = 0; axis < 3; ++axis) {
    const double needed = (box.max()[axis] - frame.origin[axis]) / frame.cell;
    frame.dims[axis] = std::clamp(static_cast<int>(std::ceil(needed)) + 1, 2, cells + 1);
  }
  return frame;
}

// How many nodes the grid of a piece has at least: its volume in cells, less a layer along its surface. Even
// where parts of it overlap, which counts them several times, it is not off by as much as kMostLayers.
double least_nodes(const CagePiece& piece, double cell) {
  constexpr double kMostLayers = 16, kLayer = 3;
  if (!piece.oriented) return 0;
  double volume = 0, area = 0;
  const Vec3 centre = bounding_box(piece.positions).center();
  for (const Triangle& t : piece.triangles) {
    const Vec3 a = piece.positions[t[0]] - centre, b = piece.positions[t[1]] - centre,
               c = piece.positions[t[2]] - centre;
    volume += a.dot(b.cross(c)) / 6;
    area += (b - a).cross(c - a).norm() / 2;
  }
  return std::abs(volume) / (kMostLayers * cell * cell * cell) - kLayer * area / (cell * cell);
}

void add_stencil(const CagePlace::Part& part, std::span<const CutRow> values, std::size_t first,
                 std::size_t lanes, std::vector<RowEntry>& row) {
  std::array<double, kCutLanes> sum{};
  for (int k = 0; k < part.stencil.node_count; ++k) {
    const CutRow& value = values[part.stencil.nodes[static_cast<std::size_t>(k)]];
    const double weight = part.share * part.stencil.weights[static_cast<std::size_t>(k)];
    for (std::size_t lane = 0; lane < lanes; ++lane)
      sum[lane] += weight * static_cast<double>(value.lane[lane]);
  }
  for (std::size_t lane = 0; lane < lanes; ++lane)
    if (sum[lane] != 0) row.push_back({part.piece->used[first + lane], sum[lane]});
}

// The part of a stencil that needs no solution.
void add_surface(const CagePlace::Part& part, std::vector<RowEntry>& row) {
  for (int k = 0; k < part.stencil.surface_count; ++k) {
    const CutStencil::OnSurface& point = part.stencil.surface[static_cast<std::size_t>(k)];
    for (std::size_t c = 0; c < 3; ++c)
      row.push_back({part.piece->used[part.piece->controls[point.triangle][c]],
                     part.share * point.weight * point.barycentric[static_cast<Eigen::Index>(c)]});
  }
}

// Calls visit(first, lanes, values) for every block of control points of a piece.
template <class Visit>
Result<void> solve_blocks(const CagePiece& piece, const CageSolveOptions& options, double done, double part,
                          CageFigures& figures, Visit&& visit) {
  if (piece.grid.count == 0) return {};
  CutMultigrid multigrid(piece.surface(), piece.grid, piece.oriented);
  figures.memory_bytes = std::max(figures.memory_bytes, multigrid.memory_bytes());
  for (std::size_t first = 0; first < piece.used.size(); first += kCutLanes) {
    report(options.progress, "solving the cage",
           done + part * static_cast<double>(first) / static_cast<double>(piece.used.size()));
    const CutMultigrid::Figures solved =
        multigrid.solve(piece.controls, static_cast<std::uint32_t>(first), options.tolerance,
                        options.max_cycles, options.progress);
    if (is_cancelled(options.progress)) return cancelled();
    figures.cycles = std::max(figures.cycles, solved.cycles);
    figures.residual = std::max(figures.residual, solved.residual);
    visit(first, std::min(kCutLanes, piece.used.size() - first), multigrid.values());
  }
  return {};
}

// Controls that neither a cut nor a node of any grid knows.
std::vector<std::uint32_t> find_idle(const std::vector<std::unique_ptr<CagePiece>>& pieces) {
  std::vector<std::uint32_t> idle;
  for (const auto& piece : pieces) {
    std::vector<std::uint8_t> felt(piece->used.size(), 0);
    for (const CutGrid::Cut& cut : piece->grid.cuts)
      for (std::size_t c = 0; c < 3; ++c)
        if (cut.barycentric[c] > 1e-6f) felt[piece->controls[cut.triangle][c]] = 1;
    for (std::size_t k = 0; k < felt.size(); ++k)
      if (!felt[k]) idle.push_back(piece->used[k]);
  }
  std::sort(idle.begin(), idle.end());
  return idle;
}

// Every point's place; counts those outside and fills masks.
std::vector<CagePlace> find_all(std::span<const std::unique_ptr<CagePiece>> pieces,
                                std::span<const Vec3> points, double reach, CageBinding& binding) {
  std::vector<CagePlace> places(points.size());
  parallel_for(points.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) find_in_cage(pieces, points[i], reach, places[i]);
  });
  binding.masks.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    binding.masks[i] = places[i].mask;
    binding.figures.outside += !places[i].inside;
  }
  return places;
}

double diagonal_of(std::span<const Vec3> rest) {
  return bounding_box(rest).diagonal().norm();
}

CageBinding finish(std::vector<std::vector<RowEntry>>& rows, const std::vector<CagePlace>& places,
                   std::span<const Vec3> rest, std::span<const Vec3> points, double threshold,
                   CageBinding binding) {
  std::vector<std::uint8_t> exact(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) exact[i] = places[i].inside;
  binding.rows = finish_rows(rows, rest, points, exact, diagonal_of(rest), threshold, binding.figures);
  return binding;
}

}  // namespace

Result<HarmonicCage> HarmonicCage::build(const PolyMesh& cage, int resolution,
                                         std::optional<std::size_t> nodes) {
  if (resolution < 1 || resolution > 10)
    return usage_error("the resolution of a cage is " + std::to_string(resolution) +
                       ": give a number from 1 (2 cells a side) to 10 (1024)");
  auto body = std::make_shared<Body>();
  body->controls = cage.vertex_count();
  body->rest = cage.positions;
  SINEW_TRY(body->pieces, cage_pieces(cage));
  double least = 0;
  for (const auto& piece : body->pieces)
    least += std::max(0.0, least_nodes(*piece, frame_of(*piece, resolution).cell));
  if (nodes && least > static_cast<double>(*nodes))
    return bad_input("its grid has " + std::to_string(*nodes) + " nodes, far too few for a resolution of " +
                     std::to_string(resolution));
  for (const auto& piece : body->pieces) {
    const CutFrame frame = frame_of(*piece, resolution);
    piece->grid = cut_grid(piece->surface(), frame, piece->oriented);
    piece->lookup.emplace(piece->grid, piece->surface(), piece->tree, piece->winding, piece->oriented);
    piece->first_node = body->nodes;
    body->nodes += piece->grid.count;
    body->cells += std::size_t{1} << (3 * resolution);
  }
  body->idle = find_idle(body->pieces);
  return HarmonicCage(std::move(body));
}

std::size_t HarmonicCage::control_count() const {
  return body_->controls;
}
std::size_t HarmonicCage::cells() const {
  return body_->cells;
}
std::size_t HarmonicCage::nodes() const {
  return body_->nodes;
}
std::size_t HarmonicCage::pieces() const {
  return body_->pieces.size();
}
const std::vector<std::uint32_t>& HarmonicCage::idle_controls() const {
  return body_->idle;
}

Result<CageBinding> HarmonicCage::bind(std::span<const Vec3> points, double reach,
                                       const CageSolveOptions& options) const {
  CageBinding binding;
  const std::vector<CagePlace> places = find_all(body_->pieces, points, reach, binding);
  std::vector<std::vector<RowEntry>> rows(points.size());
  for (std::size_t p = 0; p < body_->pieces.size(); ++p) {
    const CagePiece& piece = *body_->pieces[p];
    const double part = 1.0 / static_cast<double>(body_->pieces.size());
    SINEW_CHECK(solve_blocks(piece, options, static_cast<double>(p) * part, part, binding.figures,
                             [&](std::size_t first, std::size_t lanes, std::span<const CutRow> values) {
                               parallel_for(points.size(), 512, [&](std::size_t begin, std::size_t end) {
                                 for (std::size_t i = begin; i < end; ++i)
                                   for (int k = 0; k < places[i].count; ++k)
                                     if (const auto& at = places[i].parts[static_cast<std::size_t>(k)];
                                         at.piece == &piece)
                                       add_stencil(at, values, first, lanes, rows[i]);
                               });
                             }));
  }
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int k = 0; k < places[i].count; ++k)
      add_surface(places[i].parts[static_cast<std::size_t>(k)], rows[i]);
  return finish(rows, places, body_->rest, points, options.threshold, std::move(binding));
}

Result<HarmonicCage::Volume> HarmonicCage::solve(const CageSolveOptions& options) const {
  Volume volume;
  std::vector<std::vector<RowEntry>> rows(body_->nodes);
  std::vector<Vec3> nodes(body_->nodes);
  std::vector<std::uint8_t> exact(body_->nodes, 1);
  for (std::size_t p = 0; p < body_->pieces.size(); ++p) {
    const CagePiece& piece = *body_->pieces[p];
    for (std::uint32_t n = 0; n < piece.grid.count; ++n)
      nodes[piece.first_node + n] =
          piece.grid.origin + piece.grid.cell * piece.grid.coordinates(piece.grid.place[n]).cast<double>();
    const double part = 1.0 / static_cast<double>(body_->pieces.size());
    // What will be dropped is not gathered, or the rows would be dense for a while.
    const auto least = static_cast<float>(std::min(0.1 * options.threshold, 1e-6));
    SINEW_CHECK(
        solve_blocks(piece, options, static_cast<double>(p) * part, part, volume.figures,
                     [&](std::size_t first, std::size_t lanes, std::span<const CutRow> values) {
                       parallel_for(values.size(), 4096, [&](std::size_t begin, std::size_t end) {
                         for (std::size_t n = begin; n < end; ++n)
                           for (std::size_t lane = 0; lane < lanes; ++lane)
                             if (std::abs(values[n].lane[lane]) > least)
                               rows[piece.first_node + n].push_back(
                                   {piece.used[first + lane], static_cast<double>(values[n].lane[lane])});
                       });
                     }));
  }
  volume.rows = finish_rows(rows, body_->rest, nodes, exact, diagonal_of(body_->rest), options.threshold,
                            volume.figures);
  return volume;
}

CageBinding HarmonicCage::bind(std::span<const Vec3> points, double reach, const ControlRows& volume,
                               double threshold) const {
  CageBinding binding;
  const std::vector<CagePlace> places = find_all(body_->pieces, points, reach, binding);
  std::vector<std::vector<RowEntry>> rows(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int k = 0; k < places[i].count; ++k) {
      const CagePlace::Part& part = places[i].parts[static_cast<std::size_t>(k)];
      for (int s = 0; s < part.stencil.node_count; ++s)
        for (const ControlRows::Entry& entry :
             volume[part.piece->first_node + part.stencil.nodes[static_cast<std::size_t>(s)]])
          rows[i].push_back({entry.control, part.share * part.stencil.weights[static_cast<std::size_t>(s)] *
                                                static_cast<double>(entry.weight)});
      add_surface(part, rows[i]);
    }
  return finish(rows, places, body_->rest, points, threshold, std::move(binding));
}

Vec3 HarmonicCage::displacement(const Vec3& point, double reach, const ControlRows& volume,
                                std::span<const Vec3> offsets, double* mask) const noexcept {
  CagePlace place;
  find_in_cage(body_->pieces, point, reach, place);
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < place.count; ++k) {
    const CagePlace::Part& part = place.parts[static_cast<std::size_t>(k)];
    for (int s = 0; s < part.stencil.node_count; ++s) {
      Vec3 of_node = Vec3::Zero();
      for (const ControlRows::Entry& entry :
           volume[part.piece->first_node + part.stencil.nodes[static_cast<std::size_t>(s)]])
        of_node += static_cast<double>(entry.weight) * offsets[entry.control];
      sum += part.share * part.stencil.weights[static_cast<std::size_t>(s)] * of_node;
    }
    for (int s = 0; s < part.stencil.surface_count; ++s) {
      const CutStencil::OnSurface& at = part.stencil.surface[static_cast<std::size_t>(s)];
      for (std::size_t c = 0; c < 3; ++c)
        sum += part.share * at.weight * at.barycentric[static_cast<Eigen::Index>(c)] *
               offsets[part.piece->used[part.piece->controls[at.triangle][c]]];
    }
  }
  if (!mask) return static_cast<double>(place.mask) * sum;
  *mask = static_cast<double>(place.mask);
  return sum;
}

}  // namespace sinew
