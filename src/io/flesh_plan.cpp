// SPDX-License-Identifier: Apache-2.0
#include "io/flesh_plan.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "sinew/core/parallel.h"

namespace sinew::gltf {
namespace {

// Levels: of the grids of 1, 2, 4, … cells a side over the box, the vertex of lowest index in each cell that has
// none of a coarser level. The last level has all others.
using Cell = std::uint64_t;
Cell cell_of(const Eigen::Matrix<std::int64_t, 3, 1>& c) {
  return static_cast<Cell>(c.x() + 1) << 40 | static_cast<Cell>(c.y() + 1) << 20 |
         static_cast<Cell>(c.z() + 1);
}

constexpr int kCandidates = 10;
constexpr std::size_t kSampled = 256;  // numbers of a vertex by which its parents are chosen
using Products = Eigen::Matrix<double, kCandidates + 1, kCandidates + 1>;

// Weights of `taken` whose sum comes nearest to `right`, by elimination.
std::vector<double> solved(const Products& products, std::span<const Eigen::Index> taken,
                           Eigen::Index right) {
  const std::size_t size = taken.size();
  std::array<std::array<double, kMostParents + 1>, kMostParents> m{};
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) m[a][b] = products(taken[a], taken[b]);
    m[a][size] = products(taken[a], right);
  }
  for (std::size_t a = 0; a < size; ++a)
    for (std::size_t b = a + 1; b < size; ++b) {
      const double part = m[b][a] / m[a][a];
      for (std::size_t c = a; c <= size; ++c) m[b][c] -= part * m[a][c];
    }
  std::vector<double> weights(size);
  for (std::size_t a = size; a-- > 0;) {
    double sum = m[a][size];
    for (std::size_t b = a + 1; b < size; ++b) sum -= m[a][b] * weights[b];
    weights[a] = sum / m[a][a];
  }
  return weights;
}

class Planner {
 public:
  Planner(std::span<const Vec3> positions, std::span<const NumberRows> rows)
      : positions_(positions), rows_(rows), candidates_(positions.size()) {}

  FleshPlan plan() {
    plan_.levels.assign(positions_.size(), 0);
    std::vector<std::uint8_t> used(positions_.size(), 0);
    for (const NumberRows& field : rows_) {
      row_of_.emplace_back(positions_.size(), -1);
      for (std::size_t r = 0; r < field.vertices.size(); ++r) {
        used[field.vertices[r]] = 1;
        row_of_.back()[field.vertices[r]] = static_cast<std::int32_t>(r);
      }
    }
    set_levels(used);
    plan_.set_order();
    std::vector<std::uint32_t> place_of(positions_.size(), 0);
    for (std::uint32_t at = 0; at < plan_.order.size(); ++at) place_of[plan_.order[at]] = at;
    parallel_for(plan_.order.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; ++at) {
        plan_.parents[at] = parents_of(plan_.order[at]);
        for (std::uint32_t k = 0; k < plan_.parents[at].count; ++k)
          plan_.parents[at].place[k] = place_of[plan_.parents[at].place[k]];
      }
    });
    return std::move(plan_);
  }

 private:
  Vec3 at(std::uint32_t v) const {
    const Vec3 p = positions_[v];
    return p.allFinite() ? p : Vec3(Vec3::Zero());
  }

  void set_levels(std::span<const std::uint8_t> used) {
    Eigen::AlignedBox3d box;
    std::vector<std::uint32_t> left;
    for (std::uint32_t v = 0; v < used.size(); ++v)
      if (used[v]) {
        left.push_back(v);
        box.extend(at(v));
      }
    if (left.empty()) return;
    const double size = std::max(box.sizes().maxCoeff() * 1.0001, std::numeric_limits<double>::min());
    const auto cell = [&](std::uint32_t v, std::uint32_t level) {
      return Eigen::Matrix<std::int64_t, 3, 1>(
          ((at(v) - box.min()) * (std::ldexp(1.0, static_cast<int>(level) - 1) / size)).cast<std::int64_t>());
    };
    std::unordered_map<Cell, std::uint32_t> coarser, here;
    std::vector<std::uint32_t> placed;
    for (std::uint32_t level = 1; level < kLevels && !left.empty(); ++level) {
      here.clear();
      for (const std::uint32_t v : placed) here.try_emplace(cell_of(cell(v, level)), v);
      std::vector<std::uint32_t> later;
      for (const std::uint32_t v : left) {
        const auto own = cell(v, level);
        const bool is_first = !here.contains(cell_of(own));
        if (!is_first && level + 1 < kLevels) {
          later.push_back(v);
          continue;
        }
        find_candidates(v, {{&here, own}, {&coarser, cell(v, std::max(level, 2u) - 1)}});
        plan_.levels[v] = static_cast<std::uint8_t>(level);
        placed.push_back(v);
        if (is_first) here.emplace(cell_of(own), v);
      }
      left = std::move(later);
      std::swap(coarser, here);
    }
  }

  struct Around {
    const std::unordered_map<Cell, std::uint32_t>* vertices;
    Eigen::Matrix<std::int64_t, 3, 1> cell;
  };
  void find_candidates(std::uint32_t v, std::initializer_list<Around> all) {
    std::vector<std::pair<double, std::uint32_t>> found;
    for (const Around& around : all)
      for (int k = 0; k < 27; ++k) {
        const Eigen::Matrix<std::int64_t, 3, 1> beside =
            around.cell + Eigen::Matrix<std::int64_t, 3, 1>(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        if (const auto other = around.vertices->find(cell_of(beside)); other != around.vertices->end())
          found.emplace_back((at(other->second) - at(v)).squaredNorm(), other->second);
      }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    for (std::size_t k = 0; k < std::min<std::size_t>(found.size(), kCandidates); ++k)
      candidates_[v].push_back(found[k].second);
  }

  // Parents are vertices here. One after the other, that which leaves least; until another would cost more than it
  // saves.

  Parents parents_of(std::uint32_t v) const {
    constexpr double kBits = 22;  // that a parent costs
    const std::vector<std::uint32_t>& candidates = candidates_[v];
    const auto count = static_cast<Eigen::Index>(candidates.size());
    std::size_t width = 0;
    for (std::size_t f = 0; f < rows_.size(); ++f)
      if (row_of_[f][v] >= 0) width += rows_[f].width;
    // Some of them tell enough. Sums of products of whole numbers are exact in any order.
    const std::size_t stride = 1 + width / kSampled;
    Eigen::Matrix<double, kCandidates + 1, Eigen::Dynamic, Eigen::ColMajor, kCandidates + 1, 2 * kSampled>
        numbers;
    numbers.setZero(kCandidates + 1, static_cast<Eigen::Index>((width + stride - 1) / stride));
    std::size_t begin = 0, next = 0;
    Eigen::Index column = 0;
    for (std::size_t f = 0; f < rows_.size(); ++f) {
      if (row_of_[f][v] < 0) continue;
      std::array<const std::int16_t*, kCandidates + 1> of;
      for (std::size_t c = 0; c <= candidates.size(); ++c) {
        const std::int32_t row = row_of_[f][c < candidates.size() ? candidates[c] : v];
        of[c] = row < 0 ? nullptr : rows_[f].numbers.data() + static_cast<std::size_t>(row) * rows_[f].width;
      }
      for (; next < begin + rows_[f].width; next += stride, ++column)
        for (std::size_t c = 0; c <= candidates.size(); ++c)
          if (of[c]) numbers(static_cast<Eigen::Index>(c), column) = of[c][next - begin];
      begin += rows_[f].width;
    }
    const double noise = static_cast<double>(column) / 12;
    Products products = Products::Zero();
    for (Eigen::Index k = 0; k < column; ++k)
      products.noalias() += numbers.col(k) * numbers.col(k).transpose();
    products.diagonal().head(count).array() += noise;
    // What has been taken is swept out of the candidates and of the vertex.
    Products left = products;
    std::vector<Eigen::Index> taken;
    while (taken.size() < kMostParents) {
      double most = 0;
      Eigen::Index choice = -1;
      for (Eigen::Index c = 0; c < count; ++c)
        if (const double gain = left(c, count) * left(c, count) / std::max(left(c, c), noise); gain > most)
          most = gain, choice = c;
      const double before = left(count, count) + noise,
                   after = std::max(left(count, count) - most, 0.0) + noise;
      if (choice < 0 || 0.5 * static_cast<double>(width) * std::log2(before / after) < kBits) break;
      taken.push_back(choice);
      const Eigen::Matrix<double, kCandidates + 1, 1> swept =
          left.col(choice) / std::sqrt(left(choice, choice));
      left -= swept * swept.transpose();
      left.col(choice).setZero();
      left.row(choice).setZero();
    }
    Parents parents;
    const std::vector<double> weights = solved(products, taken, count);
    for (std::size_t k = 0; k < taken.size(); ++k) {
      const double weight = std::round(weights[k] * kWholeWeight);
      if (!(std::abs(weight) <= kMostWeight)) return {};
      parents.place[k] = candidates[static_cast<std::size_t>(taken[k])];
      parents.weight[k] = static_cast<std::int32_t>(weight);
    }
    parents.count = static_cast<std::uint32_t>(taken.size());
    return parents;
  }

  std::span<const Vec3> positions_;
  std::span<const NumberRows> rows_;
  std::vector<std::vector<std::uint32_t>> candidates_;  // per vertex, nearest first
  std::vector<std::vector<std::int32_t>> row_of_;       // per field and vertex
  FleshPlan plan_;
};

}  // namespace

void FleshPlan::set_order() {
  std::array<std::uint32_t, kLevels + 1> begin{};
  for (const std::uint8_t level : levels) begin[level + 1u] += level > 0;
  for (std::size_t l = 1; l <= kLevels; ++l) begin[l] += begin[l - 1];
  order.resize(begin[kLevels]);
  for (std::uint32_t v = 0; v < levels.size(); ++v)
    if (levels[v] > 0) order[begin[levels[v]]++] = v;
  parents.resize(order.size());
}

FleshPlan plan_flesh(std::span<const Vec3> positions, std::span<const NumberRows> rows) {
  return Planner(positions, rows).plan();
}

}  // namespace sinew::gltf
