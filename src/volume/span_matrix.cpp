// SPDX-License-Identifier: Apache-2.0
#include "volume/span_matrix.h"

#include <algorithm>

#include "volume/edge_shares.h"

namespace sinew {

std::size_t SpanMatrix::memory_bytes() const {
  return spans.size() * sizeof(Span) + columns.size() * sizeof(columns[0]) +
         values.size() * sizeof(values[0]);
}

std::vector<std::uint32_t> SpanMatrix::span_of_row() const {
  std::vector<std::uint32_t> of_row(rows);
  for (std::uint32_t s = 0; s < spans.size(); ++s)
    std::fill_n(of_row.begin() + spans[s].first, spans[s].count, s);
  return of_row;
}

void SpanBuilder::add(std::span<const std::int32_t> columns, std::span<const double> values, bool fixed) {
  if (!new_run_ && fixed == last_fixed_) {
    const SpanMatrix::Span& last = matrix_.spans.back();
    if (last.width == columns.size() &&
        std::equal(columns.begin(), columns.end(),
                   matrix_.columns.begin() + static_cast<std::ptrdiff_t>(last.entries)) &&
        std::equal(values.begin(), values.end(),
                   matrix_.values.begin() + static_cast<std::ptrdiff_t>(last.entries)))
      return repeat();
  }
  double diagonal = 0;
  for (std::size_t e = 0; e < columns.size(); ++e)
    if (columns[e] == 0) diagonal = values[e];
  matrix_.spans.push_back({static_cast<std::uint32_t>(matrix_.rows), 1, matrix_.columns.size(),
                           static_cast<std::uint32_t>(columns.size()),
                           !fixed && diagonal > 0 ? 1 / diagonal : 0.0});
  matrix_.columns.insert(matrix_.columns.end(), columns.begin(), columns.end());
  matrix_.values.insert(matrix_.values.end(), values.begin(), values.end());
  ++matrix_.rows;
  new_run_ = false;
  last_fixed_ = fixed;
}

void SpanBuilder::repeat() {
  ++matrix_.spans.back().count;
  ++matrix_.rows;
}

SpanMatrix to_spans(const LatticeSet& vertices, const Eigen::SparseMatrix<double, Eigen::RowMajor>& matrix,
                    std::span<const std::uint8_t> fixed) {
  SpanMatrix spans;
  SpanBuilder builder(spans);
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (const LatticeSet::Run& run : vertices.runs()) {
    builder.begin_run();
    const auto count = static_cast<std::uint32_t>(run.end - run.begin);
    for (std::uint32_t i = run.first; i < run.first + count; ++i) {
      columns.clear();
      values.clear();
      for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(matrix, i); it; ++it) {
        columns.push_back(static_cast<std::int32_t>(it.col() - static_cast<Eigen::Index>(i)));
        values.push_back(it.value());
      }
      builder.add(columns, values, fixed[i] != 0);
    }
  }
  return spans;
}

SpanMatrix laplacian_spans(const VoxelGrid& grid, std::span<const std::uint8_t> fixed) {
  SpanMatrix spans;
  SpanBuilder builder(spans);
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for_each_edge_row(grid, [&](std::uint32_t i, bool first_of_run, const EdgeRow& row) {
    if (first_of_run) builder.begin_run();
    columns.clear();
    values.clear();
    for (std::size_t k = 0; k < 6; ++k) {
      if (k == 3) columns.push_back(0), values.push_back(row.diagonal);
      if (row.neighbours[k] == kNoIndex) continue;
      columns.push_back(static_cast<std::int32_t>(row.neighbours[k] - i));
      values.push_back(-row.weights[k]);
    }
    builder.add(columns, values, fixed[i] != 0);
  });
  return spans;
}

namespace {

// Row i of L M^-1 L. A vertex has an eighth of each of its cells, and each cell adds h / 4 thrice to the
// diagonal of L, so the mass is h^2 / 6 of that.
void square_row(const SpanMatrix& L, std::span<const std::uint32_t> span_of_row, std::uint32_t i,
                double cell_size, std::vector<std::pair<std::int32_t, double>>& row) {
  row.clear();
  const SpanMatrix::Span& own = L.spans[span_of_row[i]];
  for (std::size_t e = own.entries; e < own.entries + own.width; ++e) {
    const auto k = static_cast<std::uint32_t>(static_cast<std::int32_t>(i) + L.columns[e]);
    const SpanMatrix::Span& other = L.spans[span_of_row[k]];
    const double scale = L.values[e] * 6 * other.inverse_diagonal / (cell_size * cell_size);
    for (std::size_t f = other.entries; f < other.entries + other.width; ++f) {
      const std::int32_t column = L.columns[e] + L.columns[f];
      auto at =
          std::find_if(row.begin(), row.end(), [&](const auto& entry) { return entry.first == column; });
      if (at == row.end()) at = row.insert(at, {column, 0.0});
      at->second += scale * L.values[f];
    }
  }
  std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

}  // namespace

SpanMatrix bilaplacian_spans(const VoxelGrid& grid, std::span<const std::uint8_t> fixed) {
  const std::vector<std::uint8_t> none(grid.vertex_count(), 0);
  const SpanMatrix L = laplacian_spans(grid, none);
  const std::vector<std::uint32_t> span_of_row = L.span_of_row();
  SpanMatrix spans;
  SpanBuilder builder(spans);
  std::vector<std::pair<std::int32_t, double>> row;
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (const LatticeSet::Run& run : grid.vertices().runs()) {
    builder.begin_run();
    const auto count = static_cast<std::uint32_t>(run.end - run.begin);
    for (std::uint32_t i = run.first; i < run.first + count; ++i) {
      // The product of rows that are all as they were one vertex before is as it was.
      bool same = i > run.first && fixed[i] == fixed[i - 1] && span_of_row[i] == span_of_row[i - 1];
      const SpanMatrix::Span& own = L.spans[span_of_row[i]];
      for (std::size_t e = own.entries; same && e < own.entries + own.width; ++e) {
        const auto k = static_cast<std::uint32_t>(static_cast<std::int32_t>(i) + L.columns[e]);
        same = span_of_row[k] == span_of_row[k - 1];
      }
      if (same) {
        builder.repeat();
        continue;
      }
      square_row(L, span_of_row, i, grid.cell_size(), row);
      columns.clear();
      values.clear();
      for (const auto& [column, value] : row) columns.push_back(column), values.push_back(value);
      builder.add(columns, values, fixed[i] != 0);
    }
  }
  return spans;
}

}  // namespace sinew
