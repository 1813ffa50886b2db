// SPDX-License-Identifier: Apache-2.0
#include "mesh/bvh_builder.h"

#include <algorithm>
#include <array>
#include <limits>

#include "sinew/core/parallel.h"

namespace sinew {
namespace {

constexpr int kBins = 16;
// Ranges above this are built as two jobs.
constexpr std::size_t kForkSize = 1 << 14;
// From this depth on ranges are halved by count, which bounds the depth for any input.
constexpr std::size_t kHalvingDepth = 64;
static_assert(kHalvingDepth + 32 <= kBvhMaxDepth);

BvhBox empty_box() {
  const double far = std::numeric_limits<double>::infinity();
  return {Vec3::Constant(far), Vec3::Constant(-far)};
}

void grow(BvhBox& box, const BvhBox& other) {
  box.low = box.low.cwiseMin(other.low);
  box.high = box.high.cwiseMax(other.high);
}

double half_area(const BvhBox& box) {
  const Vec3 size = box.high - box.low;
  return size.x() * size.y() + size.y() * size.z() + size.z() * size.x();
}

struct Item {
  BvhBox box;
  std::uint32_t triangle;
  double centre(int axis) const { return 0.5 * box.low[axis] + 0.5 * box.high[axis]; }
};

struct Split {
  int axis = -1;  // -1: none is better than a leaf or halving
  double low = 0, scale = 0;
  int bin = 0;  // items of bins <= this go to the left
  int bin_of(double centre) const {
    return std::clamp(static_cast<int>((centre - low) * scale), 0, kBins - 1);
  }
};

struct Bin {
  BvhBox box = empty_box();
  std::size_t count = 0;
};

class Builder {
 public:
  Builder(std::span<Item> items) : items_(items) {}

  // The nodes of a subtree, with `first` of inner nodes relative to the subtree's own root.
  std::vector<BvhTreeNode> build(std::size_t begin, std::size_t end, std::size_t depth) {
    std::vector<BvhTreeNode> nodes;
    if (end - begin <= kForkSize) {
      nodes.reserve(2 * (end - begin) / kBvhLeafSize + 8);
      build_into(nodes, begin, end, depth);
      return nodes;
    }
    const Extent range = extent(begin, end);
    const std::size_t middle = part(begin, end, range.centres, depth);
    std::array<std::vector<BvhTreeNode>, 2> child;
    parallel_for(2, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t side = first; side < last; ++side)
        child[side] = side == 0 ? build(begin, middle, depth + 1) : build(middle, end, depth + 1);
    });
    nodes.reserve(1 + child[0].size() + child[1].size());
    nodes.push_back({range.items, static_cast<std::uint32_t>(1 + child[0].size()), 0});
    for (const auto& subtree : child) append(nodes, subtree);
    return nodes;
  }

 private:
  static void append(std::vector<BvhTreeNode>& nodes, const std::vector<BvhTreeNode>& subtree) {
    const auto offset = static_cast<std::uint32_t>(nodes.size());
    for (BvhTreeNode node : subtree) {
      if (node.count == 0) node.first += offset;
      nodes.push_back(node);
    }
  }

  void build_into(std::vector<BvhTreeNode>& nodes, std::size_t begin, std::size_t end, std::size_t depth) {
    const std::size_t self = nodes.size();
    const Extent range = extent(begin, end);
    nodes.push_back(
        {range.items, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)});
    if (end - begin <= kBvhLeafSize) {
      std::sort(items_.begin() + begin, items_.begin() + end,
                [](const Item& a, const Item& b) { return a.triangle < b.triangle; });
      return;
    }
    const std::size_t middle = part(begin, end, range.centres, depth);
    build_into(nodes, begin, middle, depth + 1);
    nodes[self].first = static_cast<std::uint32_t>(nodes.size());
    nodes[self].count = 0;
    build_into(nodes, middle, end, depth + 1);
  }

  struct Extent {
    BvhBox items = empty_box(), centres = empty_box();
  };
  Extent extent(std::size_t begin, std::size_t end) const {
    Extent out;
    for (std::size_t k = begin; k < end; ++k) {
      const BvhBox& box = items_[k].box;
      const Vec3 centre = 0.5 * box.low + 0.5 * box.high;
      grow(out.items, box);
      grow(out.centres, {centre, centre});
    }
    return out;
  }

  // Reorders [begin, end) into two parts, neither empty, and gives the begin of the second.
  std::size_t part(std::size_t begin, std::size_t end, const BvhBox& centres, std::size_t depth) {
    const Split split = depth < kHalvingDepth ? best_split(begin, end, centres) : Split{};
    if (split.axis < 0) return begin + (end - begin) / 2;
    const auto middle = std::partition(items_.begin() + begin, items_.begin() + end, [&](const Item& item) {
      return split.bin_of(item.centre(split.axis)) <= split.bin;
    });
    return static_cast<std::size_t>(middle - items_.begin());
  }

  // Along the widest extent of the centres alone: trying all three axes took three times as long for trees
  // hardly better.
  Split best_split(std::size_t begin, std::size_t end, const BvhBox& centres) const {
    Split split;
    const double size = (centres.high - centres.low).maxCoeff(&split.axis);
    // Not for a range of no width, nor for one so narrow that its scale overflows.
    if (!(size > 0) || !(kBins / size < std::numeric_limits<double>::max())) return {};
    split.low = centres.low[split.axis];
    split.scale = kBins * (1 - 1e-12) / size;
    std::array<Bin, kBins> bins;
    for (std::size_t k = begin; k < end; ++k) {
      Bin& bin = bins[static_cast<std::size_t>(split.bin_of(items_[k].centre(split.axis)))];
      grow(bin.box, items_[k].box);
      ++bin.count;
    }
    return sweep(bins, split);
  }

  static Split sweep(const std::array<Bin, kBins>& bins, Split split) {
    std::array<double, kBins> right_cost{};
    Bin right, left;
    for (std::size_t k = kBins - 1; k > 0; --k) {
      grow(right.box, bins[k].box);
      right.count += bins[k].count;
      right_cost[k - 1] = right.count ? half_area(right.box) * static_cast<double>(right.count) : -1;
    }
    Split best;
    double best_cost = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k + 1 < kBins; ++k) {
      grow(left.box, bins[k].box);
      left.count += bins[k].count;
      if (left.count == 0 || right_cost[k] < 0) continue;
      const double cost = half_area(left.box) * static_cast<double>(left.count) + right_cost[k];
      if (!(cost < best_cost)) continue;
      best_cost = cost;
      best = split;
      best.bin = static_cast<int>(k);
    }
    return best;
  }

  std::span<Item> items_;
};

std::vector<Item> finite_items(MeshView mesh) {
  std::vector<Item> items(mesh.triangles.size());
  parallel_for(items.size(), 1 << 14, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const Triangle& corner = mesh.triangles[t];
      const Vec3 &a = mesh.positions[corner[0]], &b = mesh.positions[corner[1]],
                 &c = mesh.positions[corner[2]];
      items[t] = {{a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)}, static_cast<std::uint32_t>(t)};
      if (!a.allFinite() || !b.allFinite() || !c.allFinite()) items[t].triangle = 0xffffffffu;
    }
  });
  items.erase(std::remove_if(items.begin(), items.end(),
                             [](const Item& item) { return item.triangle == 0xffffffffu; }),
              items.end());
  return items;
}

}  // namespace

BvhTree build_bvh_tree(MeshView mesh) {
  std::vector<Item> items = finite_items(mesh);
  BvhTree tree;
  if (items.empty()) return tree;
  tree.nodes = Builder(items).build(0, items.size(), 0);
  tree.order.reserve(items.size());
  for (const Item& item : items) tree.order.push_back(item.triangle);
  return tree;
}

}  // namespace sinew
