// SPDX-License-Identifier: Apache-2.0
// Median cut of the colours seen, then Lloyd's iteration. No dithering: it looks better on gradients and
// costs the file more than the palette saves.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_map>

#include "render/colour.h"
#include "sinew/core/parallel.h"
#include "sinew/render/render.h"

namespace sinew {
namespace {

using render_detail::key_of;

constexpr std::uint32_t kWhite = 0xFFFFFF;

struct Seen {
  std::uint32_t key = 0;
  Vec3f colour = Vec3f::Zero();  // sRGB 0 ... 255, scaled so that distances are about as the eye weighs them
  float weight = 0;
  std::uint32_t entry = 0;  // of the palette
};

const Vec3f kEye(1.0f, 1.35f, 0.75f);

std::vector<Seen> colours_seen(const Image& image) {
  std::unordered_map<std::uint32_t, std::uint32_t> counts;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) ++counts[key_of(&image.rgb[i])];
  counts.erase(kWhite);
  std::vector<Seen> seen;
  for (const auto& [key, count] : counts) {
    const Vec3f colour(static_cast<float>(key >> 16), static_cast<float>(key >> 8 & 255),
                       static_cast<float>(key & 255));
    // The root of the count: a small detail is worth more than its area.
    seen.push_back({key, colour.cwiseProduct(kEye), std::sqrt(static_cast<float>(count)), 0});
  }
  std::sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) { return a.key < b.key; });
  return seen;
}

// A range of colours, and how much it would gain from being cut across `axis`.
struct Box {
  std::size_t begin = 0, end = 0;
  int axis = 0;
  double gain = 0;
};

Box measure(const std::vector<Seen>& seen, std::size_t begin, std::size_t end) {
  Vec3 sum = Vec3::Zero(), squares = Vec3::Zero();
  double weight = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const Vec3 colour = seen[i].colour.cast<double>();
    weight += static_cast<double>(seen[i].weight);
    sum += static_cast<double>(seen[i].weight) * colour;
    squares += static_cast<double>(seen[i].weight) * colour.cwiseProduct(colour);
  }
  const Vec3 spread = squares - sum.cwiseProduct(sum) / weight;
  Box box{begin, end, 0, 0};
  box.gain = end - begin > 1 ? spread.maxCoeff(&box.axis) : 0;
  return box;
}

// Cuts at the weighted mean.
std::size_t cut(std::vector<Seen>& seen, const Box& box) {
  double sum = 0, weight = 0;
  for (std::size_t i = box.begin; i < box.end; ++i) {
    sum += static_cast<double>(seen[i].weight * seen[i].colour[box.axis]);
    weight += static_cast<double>(seen[i].weight);
  }
  const auto first = seen.begin() + static_cast<std::ptrdiff_t>(box.begin),
             last = seen.begin() + static_cast<std::ptrdiff_t>(box.end);
  const auto middle = std::stable_partition(
      first, last, [&](const Seen& s) { return static_cast<double>(s.colour[box.axis]) <= sum / weight; });
  return static_cast<std::size_t>(middle - seen.begin());
}

std::size_t median_cut(std::vector<Seen>& seen, std::size_t count) {
  std::vector<Box> boxes = {measure(seen, 0, seen.size())};
  while (boxes.size() < count) {
    const auto widest = std::max_element(boxes.begin(), boxes.end(),
                                         [](const Box& a, const Box& b) { return a.gain < b.gain; });
    if (!(widest->gain > 0)) break;
    const std::size_t middle = cut(seen, *widest);
    if (middle == widest->begin || middle == widest->end) {
      widest->gain = 0;
      continue;
    }
    const Box upper = measure(seen, middle, widest->end);
    *widest = measure(seen, widest->begin, middle);
    boxes.push_back(upper);
  }
  for (std::uint32_t b = 0; b < boxes.size(); ++b)
    for (std::size_t i = boxes[b].begin; i < boxes[b].end; ++i) seen[i].entry = b;
  return boxes.size();
}

std::vector<Vec3f> means(const std::vector<Seen>& seen, std::size_t count) {
  std::vector<Vec3f> sums(count, Vec3f::Zero());
  std::vector<float> weights(count, 0.0f);
  for (const Seen& s : seen) {
    sums[s.entry] += s.weight * s.colour;
    weights[s.entry] += s.weight;
  }
  for (std::size_t k = 0; k < count; ++k) sums[k] /= std::max(weights[k], 1e-9f);
  return sums;
}

void assign_nearest(std::vector<Seen>& seen, std::span<const Vec3f> palette) {
  parallel_for(seen.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      float best = (palette[seen[i].entry] - seen[i].colour).squaredNorm();
      for (std::uint32_t k = 0; k < palette.size(); ++k) {
        const float distance = (palette[k] - seen[i].colour).squaredNorm();
        if (distance < best) {
          best = distance;
          seen[i].entry = k;
        }
      }
    }
  });
}

}  // namespace

Image reduce_colours(const Image& image, int count) {
  assert(count >= 2 && count <= 256);
  std::vector<Seen> seen = colours_seen(image);
  const std::size_t limit = static_cast<std::size_t>(count) - 1;  // beside white
  if (seen.size() <= limit) return image;
  const std::size_t entries = median_cut(seen, limit);
  std::vector<Vec3f> palette = means(seen, entries);
  for (int round = 0; round < 3; ++round) {
    assign_nearest(seen, palette);
    palette = means(seen, entries);
  }
  std::unordered_map<std::uint32_t, std::array<std::uint8_t, 3>> table;
  for (const Seen& s : seen) {
    const Vec3f colour = palette[s.entry].cwiseQuotient(kEye);
    for (int i = 0; i < 3; ++i)
      table[s.key][static_cast<std::size_t>(i)] =
          static_cast<std::uint8_t>(std::clamp(std::lround(colour[i]), 0L, 255L));
  }
  table[kWhite] = {255, 255, 255};
  Image out = image;
  for (std::size_t i = 0; i < out.rgb.size(); i += 3) {
    const auto& colour = table[key_of(&image.rgb[i])];
    std::copy(colour.begin(), colour.end(), &out.rgb[i]);
  }
  return out;
}

}  // namespace sinew
