// SPDX-License-Identifier: Apache-2.0
// Fast marching on triangles (Kimmel and Sethian 1998 [kimmel1998]): a corner is reached by the plane wave
// through the other two where that wave comes from between them, else along an edge.
#include "autorig/march.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/bucket_queue.h"
#include "sinew/core/prefetch.h"

namespace sinew::autorig {
namespace {

constexpr double kNotReached = std::numeric_limits<double>::infinity();

// When the front that passes a at ta and b at tb reaches c.
double arrival(const Vec3& a, double ta, const Vec3& b, double tb, const Vec3& c) {
  const Vec3 u = a - c, v = b - c;
  const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v);
  const double along = std::min(ta + std::sqrt(uu), tb + std::sqrt(vv));
  const double det = uu * vv - uv * uv;
  if (!(det > 1e-12 * uu * vv)) return along;
  // Inverse of the Gram matrix of u and v.
  const double q00 = vv / det, q11 = uu / det, q01 = -uv / det;
  const double aa = q00 + 2 * q01 + q11;
  const double bb = (q00 + q01) * ta + (q01 + q11) * tb;
  const double cc = q00 * ta * ta + 2 * q01 * ta * tb + q11 * tb * tb - 1;
  const double root = bb * bb - aa * cc;
  if (root < 0) return along;
  const double t = (bb + std::sqrt(root)) / aa;
  // The wave must come through the triangle: both parts of its direction point away from a and b.
  const double ga = q00 * (ta - t) + q01 * (tb - t), gb = q01 * (ta - t) + q11 * (tb - t);
  if (ga > 0 || gb > 0 || t < std::max(ta, tb)) return along;
  return std::min(t, along);
}

constexpr double kRangeWidth = 0.25;  // of the spacing: of what the queue keeps in order

}  // namespace

std::vector<double> march_distances(const BodyGraph& surface, std::uint32_t source) {
  std::vector<double> time(surface.positions.size(), kNotReached);
  std::vector<std::uint8_t> done(time.size(), 0);
  using Queue = BucketQueue<double>;
  Queue front(kRangeWidth * surface.spacing);
  time[source] = 0;
  front.push(0, source);
  Queue::Entry entry;
  while (front.pop(entry, [&](const Queue::Entry& one) { return one.key > time[one.item]; })) {
    const std::uint32_t here = entry.item;
    if (done[here]) continue;
    done[here] = 1;
    if (const Queue::Entry* next = front.next()) {
      const auto ahead = surface.opposite[next->item];
      prefetch(ahead.data());
      prefetch(ahead.data() + ahead.size());
      prefetch(&surface.positions[next->item]);
    }
    if (!surface.across.offsets.empty())
      for (const std::uint32_t c : surface.across[here]) {
        const double reached = entry.key + (surface.positions[here] - surface.positions[c]).norm();
        if (!done[c] && reached < time[c]) {
          time[c] = reached;
          front.push(reached, c);
        }
      }
    const Vec3& pa = surface.positions[here];
    const auto opposite = surface.opposite[here];
    for (std::size_t k = 0; k < opposite.size(); ++k) {
      const std::uint32_t c = opposite[k], b = opposite[k ^ 1];
      if (k + 4 < opposite.size()) prefetch(&surface.positions[opposite[k + 4]]);
      if (done[c]) continue;
      const Vec3& pc = surface.positions[c];
      const double reached =
          done[b] ? arrival(pa, entry.key, surface.positions[b], time[b], pc) : entry.key + (pa - pc).norm();
      if (reached < time[c]) {
        time[c] = reached;
        front.push(reached, c);
      }
    }
  }
  return time;
}

}  // namespace sinew::autorig
