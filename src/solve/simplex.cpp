// SPDX-License-Identifier: Apache-2.0
#include "sinew/solve/simplex.h"

#include <algorithm>
#include <array>

namespace sinew {
namespace {

// Joints that move alike make G singular; this much of its size keeps the factor finite and moves the minimum
// by less than floats hold.
constexpr double kSimplexRidge = 1e-12;

struct SimplexSet {
  std::array<int, kMostSimplexUnknowns> items{};
  int size = 0;

  void add(int item) { items[static_cast<std::size_t>(size++)] = item; }
  void remove(int item) {
    const auto end = items.begin() + size;
    size = static_cast<int>(std::remove(items.begin(), end, item) - items.begin());
  }
  bool contains(int item) const {
    return std::find(items.begin(), items.begin() + size, item) != items.begin() + size;
  }
  int operator[](int k) const { return items[static_cast<std::size_t>(k)]; }
};

SimplexMatrix restricted(const SimplexMatrix& H, const SimplexSet& set) {
  SimplexMatrix part(set.size, set.size);
  for (int c = 0; c < set.size; ++c)
    for (int r = 0; r < set.size; ++r) part(r, c) = H(set[r], set[c]);
  return part;
}

// w' G w of a w that is 0 outside of a set.
double cost_within(const SimplexMatrix& G, const SimplexVector& w, const SimplexSet& set) {
  double cost = 0;
  for (int c = 0; c < set.size; ++c)
    for (int r = 0; r < set.size; ++r) cost += w[set[r]] * w[set[c]] * G(set[r], set[c]);
  return cost;
}

// L D L' of the rows and columns of a matrix that are in a set, which grows row by row. Without pivots, as the
// ridge keeps D above rounding.
class GrowingFactor {
 public:
  explicit GrowingFactor(const SimplexMatrix& H) : H_(H) {}

  int size() const { return size_; }
  void clear() { size_ = 0; }
  void append(const SimplexSet& set) {
    const int n = size_++;
    double left = H_(set[n], set[n]);
    for (int c = 0; c < n; ++c) {
      double sum = H_(set[n], set[c]);  // l d
      for (int k = 0; k < c; ++k) sum -= row_[n][k] * scaled_[c][k];
      scaled_[n][c] = sum;
      row_[n][c] = sum / diagonal_[c];
      left -= sum * row_[n][c];
    }
    diagonal_[n] = std::max(left, kSimplexRidge);
  }
  // H x = right, in place.
  void solve(double* right) const {
    for (int r = 0; r < size_; ++r)
      for (int c = 0; c < r; ++c) right[r] -= row_[r][c] * right[c];
    for (int r = 0; r < size_; ++r) right[r] /= diagonal_[r];
    for (int r = size_; r-- > 0;)
      for (int c = 0; c < r; ++c) right[c] -= row_[r][c] * right[r];
  }

 private:
  using Numbers = double[kMostSimplexUnknowns];
  const SimplexMatrix& H_;
  int size_ = 0;
  Numbers row_[kMostSimplexUnknowns], scaled_[kMostSimplexUnknowns];  // L, and L D
  Numbers diagonal_;
};

using SimplexNumbers = std::array<double, kMostSimplexUnknowns>;

SimplexNumbers solved_for_ones(const GrowingFactor& factor) {
  SimplexNumbers right;
  right.fill(1);
  factor.solve(right.data());
  return right;
}

// Non-negative least squares of H w = 1.
SimplexVector nonnegative_minimum(const SimplexMatrix& H) {
  constexpr double kNoise = 1e-9;  // of the largest: what rounding leaves of one that is not needed
  const int n = static_cast<int>(H.rows());
  SimplexVector w = SimplexVector::Zero(n);
  SimplexSet passive;
  GrowingFactor factor(H);
  for (int step = 0; step < 4 * n; ++step) {
    SimplexVector slope = SimplexVector::Ones(n);
    for (int k = 0; k < passive.size; ++k) slope -= w[passive[k]] * H.col(passive[k]);
    int best = -1;
    for (int j = 0; j < n; ++j)
      if (!passive.contains(j) && slope[j] > 1e-10 && (best < 0 || slope[j] > slope[best])) best = j;
    if (best < 0) break;
    passive.add(best);
    while (passive.size > 0) {
      while (factor.size() < passive.size) factor.append(passive);
      const SimplexNumbers all = solved_for_ones(factor);
      const double* solved = all.data();
      const double none = kNoise * *std::max_element(solved, solved + passive.size);
      double share = 1;  // how far the way to the solution stays above 0
      for (int k = 0; k < passive.size; ++k)
        if (solved[k] <= 0) {
          const double from = w[passive[k]];
          share = std::min(share, from > 0 ? from / (from - solved[k]) : 0.0);
        }
      SimplexSet left;
      for (int k = 0; k < passive.size; ++k) {
        double& value = w[passive[k]];
        value += share * (solved[k] - value);
        if ((share < 1 && value <= 1e-14) || (share == 1 && value <= none))
          value = 0;
        else
          left.add(passive[k]);
      }
      const bool whole = left.size == passive.size;
      passive = left;
      if (whole) break;
      factor.clear();
    }
  }
  return w;
}

SimplexVector minimum_within(const SimplexMatrix& G, const SimplexSet& allowed) {
  SimplexMatrix H = restricted(G, allowed);
  const double size = H.trace() / static_cast<double>(H.rows());
  SimplexVector w = SimplexVector::Zero(G.rows());
  if (!(size > 0)) {  // all are perfect
    w[allowed[0]] = 1;
    return w;
  }
  H /= size;
  H.diagonal().array() += kSimplexRidge;
  H.array() += 1;
  SimplexVector found = nonnegative_minimum(H);
  const double sum = found.sum();
  if (!(sum > 0)) {
    int best = 0;
    for (int k = 1; k < allowed.size; ++k)
      if (H(k, k) < H(best, best)) best = k;
    found = SimplexVector::Unit(allowed.size, best);
  } else {
    found /= sum;
  }
  for (int k = 0; k < allowed.size; ++k) w[allowed[k]] = found[k];
  return w;
}

// The weight whose loss raises the cost least, to second order: w_j^2 / (H^-1)_jj.
int least_needed(const SimplexMatrix& G, const SimplexVector& w, const SimplexSet& set) {
  SimplexMatrix H = restricted(G, set);
  const double size = std::max(H.trace() / static_cast<double>(set.size), 1e-300);
  H /= size;
  H.diagonal().array() += kSimplexRidge;
  H.array() += 1;
  GrowingFactor factor(H);
  SimplexSet rows;
  for (int k = 0; k < set.size; ++k) {
    rows.add(k);
    factor.append(rows);
  }
  int least = 0;
  double lowest = 0;
  for (int k = 0; k < set.size; ++k) {
    SimplexNumbers column{};
    column[static_cast<std::size_t>(k)] = 1;
    factor.solve(column.data());
    const double rise = w[set[k]] * w[set[k]] / std::max(column[static_cast<std::size_t>(k)], 1e-300);
    if (k == 0 || rise < lowest) {
      least = k;
      lowest = rise;
    }
  }
  return set[least];
}

// Puts others in the place of the set's members as long as that lowers the cost.
SimplexVector exchanged(const SimplexMatrix& G, const SimplexSet& others, SimplexSet set, SimplexVector w) {
  double cost = cost_within(G, w, set);
  for (int round = 0; round < 4; ++round) {
    SimplexSet best_set = set;
    SimplexVector best = w;
    SimplexVector slope = SimplexVector::Zero(G.rows());
    for (int k = 0; k < set.size; ++k) slope += w[set[k]] * G.col(set[k]);
    for (int o = 0; o < others.size; ++o) {
      const int j = others[o];
      // One towards which the cost does not fall is not needed beside the whole set, less so in a member's place.
      if (set.contains(j) || slope[j] >= w.dot(slope)) continue;
      for (int k = 0; k < set.size; ++k) {
        SimplexSet other = set;
        other.items[static_cast<std::size_t>(k)] = j;
        const SimplexVector tried = minimum_within(G, other);
        const double tried_cost = cost_within(G, tried, other);
        if (tried_cost >= cost * (1 - 1e-9)) continue;
        cost = tried_cost;
        best = tried;
        best_set = other;
      }
    }
    if (best == w) break;
    w = best;
    set = best_set;
  }
  return w;
}

}  // namespace

SimplexVector simplex_minimum(const SimplexMatrix& G) {
  SimplexSet all;
  for (int j = 0; j < static_cast<int>(G.rows()); ++j) all.add(j);
  return minimum_within(G, all);
}

SimplexVector simplex_minimum(const SimplexMatrix& G, std::size_t most) {
  SimplexVector w = simplex_minimum(G);
  SimplexSet all;  // of the minimum without a limit
  for (;;) {
    SimplexSet support;
    for (int j = 0; j < static_cast<int>(w.size()); ++j)
      if (w[j] > 0) support.add(j);
    if (support.size <= static_cast<int>(std::max<std::size_t>(most, 1)))
      return all.size > 0 ? exchanged(G, all, support, w) : w;
    if (all.size == 0) all = support;
    support.remove(least_needed(G, w, support));
    w = minimum_within(G, support);
  }
}

}  // namespace sinew
