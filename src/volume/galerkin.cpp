// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cassert>

#include "volume/coarsen.h"

namespace sinew {
namespace {

constexpr int kReach = 2;              // of a coarse row, in coarse vertices
constexpr int kSide = 2 * kReach + 1;  // of the box that it lies in
using Around = std::array<std::uint32_t, 27>;
using Coordinates = std::array<std::int16_t, 3>;

// The fine matrix with what the product asks of it row by row.
class FineRows {
 public:
  FineRows(const LatticeSet& vertices, const SpanMatrix& A, std::span<const std::uint8_t> held)
      : A_(A), held_(held), span_of_row_(A.span_of_row()), at_(A.rows), repeats_(A.rows, 0) {
    for (const LatticeSet::Run& run : vertices.runs()) {
      const Vec3i start = vertices.run_start(run);
      for (std::int32_t x = run.begin; x < run.end; ++x) {
        const std::size_t i = run.first + static_cast<std::size_t>(x - run.begin);
        at_[i] = {static_cast<std::int16_t>(x), static_cast<std::int16_t>(start.y()),
                  static_cast<std::int16_t>(start.z())};
        repeats_[i] = x > run.begin;
      }
    }
    mark_repeats();
  }

  // Whether row i is as row i - 1, and so is what it needs to know of its columns.
  bool repeats(std::uint32_t i) const { return repeats_[i] != 0; }

  // box += weight * (row i of A P), columns counted from the coarse vertex `centre`.
  void add(std::uint32_t i, double weight, const Vec3i& centre, std::array<double, 125>& box,
           std::array<std::uint8_t, 125>& touched) const {
    if (held_[i]) return;
    const SpanMatrix::Span& span = A_.spans[span_of_row_[i]];
    for (std::size_t e = span.entries; e < span.entries + span.width; ++e) {
      const auto j = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + A_.columns[e]);
      if (held_[j]) continue;
      const auto [x, y, z] = at_[j];
      const int ox = x & 1, oy = y & 1, oz = z & 1;
      const double value = weight * A_.values[e] / (1 << (ox + oy + oz));
      const int low = (x / 2 - centre.x() + kReach) +
                      kSide * ((y / 2 - centre.y() + kReach) + kSide * (z / 2 - centre.z() + kReach));
      for (int dz = 0; dz <= oz; ++dz)
        for (int dy = 0; dy <= oy; ++dy)
          for (int dx = 0; dx <= ox; ++dx) {
            const auto k = static_cast<std::size_t>(low + dx + kSide * (dy + kSide * dz));
            assert(k < box.size());
            box[k] += value;
            touched[k] = 1;
          }
    }
  }

 private:
  void mark_repeats() {
    // First of runs as they are now; the flags below are about whole rows.
    const std::vector<std::uint8_t> continues = repeats_;
    for (std::size_t i = 0; i < repeats_.size(); ++i) {
      if (!repeats_[i]) continue;
      bool same = span_of_row_[i] == span_of_row_[i - 1] && held_[i] == held_[i - 1];
      const SpanMatrix::Span& span = A_.spans[span_of_row_[i]];
      for (std::size_t e = span.entries; same && e < span.entries + span.width; ++e) {
        const auto j = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + A_.columns[e]);
        same = continues[j] && held_[j] == held_[j - 1];
      }
      repeats_[i] = same;
    }
  }

  const SpanMatrix& A_;
  std::span<const std::uint8_t> held_;
  std::vector<std::uint32_t> span_of_row_;
  std::vector<Coordinates> at_;
  std::vector<std::uint8_t> repeats_;
};

Around fine_around(const LatticeSet& fine, const Vec3i& centre) {
  Around around;
  for (int k = 0; k < 27; ++k)
    around[static_cast<std::size_t>(k)] =
        fine.find(2 * centre.x() + k % 3 - 1, 2 * centre.y() + k / 3 % 3 - 1, 2 * centre.z() + k / 9 - 1);
  return around;
}

bool continues(const FineRows& rows, const Around& last, const Around& next) {
  for (std::size_t k = 0; k < 27; ++k) {
    if (last[k] == kNoIndex && next[k] == kNoIndex) continue;
    if (last[k] == kNoIndex || next[k] != last[k] + 2 || !rows.repeats(next[k]) || !rows.repeats(next[k] - 1))
      return false;
  }
  return true;
}

}  // namespace

SpanMatrix galerkin(const LatticeSet& fine, const SpanMatrix& A, std::span<const std::uint8_t> held,
                    const LatticeSet& coarse) {
  const FineRows rows(fine, A, held);
  SpanMatrix result;
  SpanBuilder builder(result);
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  std::array<double, 125> box{};
  std::array<std::uint8_t, 125> touched{};
  for (const LatticeSet::Run& run : coarse.runs()) {
    builder.begin_run();
    Vec3i centre = coarse.run_start(run);
    Around last{};
    for (std::uint32_t i = run.first; centre.x() < run.end; ++centre.x(), ++i) {
      const Around next = fine_around(fine, centre);
      const bool same = i > run.first && continues(rows, last, next);
      last = next;
      if (same) {
        builder.repeat();
        continue;
      }
      for (int k = 0; k < 27; ++k) {
        const int outer = (k % 3 != 1) + (k / 3 % 3 != 1) + (k / 9 != 1);
        if (const std::uint32_t f = next[static_cast<std::size_t>(k)]; f != kNoIndex)
          rows.add(f, 1.0 / (1 << outer), centre, box, touched);
      }
      columns.clear();
      values.clear();
      for (int k = 0; k < 125; ++k) {
        const auto at = static_cast<std::size_t>(k);
        if (!touched[at]) continue;
        const std::uint32_t column = coarse.find(
            centre + Vec3i(k % kSide, k / kSide % kSide, k / kSide / kSide) - Vec3i::Constant(kReach));
        assert(column != kNoIndex);
        columns.push_back(static_cast<std::int32_t>(column - i));
        values.push_back(box[at]);
        box[at] = 0;
        touched[at] = 0;
      }
      builder.add(columns, values, false);
    }
  }
  return result;
}

}  // namespace sinew
