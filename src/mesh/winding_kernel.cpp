// SPDX-License-Identifier: Apache-2.0
#include "mesh/winding_kernel.h"

#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mesh/winding_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

// The compiler's vectors, since Highway has no doubles in WebAssembly. Contraction is off, so all targets give
// the same bits.
using Four [[gnu::vector_size(32)]] = double;
using FourInts [[gnu::vector_size(32)]] = std::int64_t;

// A subtree is seen as one dipole from this many of its radii on; 2.5 keeps the error of closed meshes under
// 0.01.
constexpr double kFar = 4;
constexpr double kPi = 3.14159265358979323846;
constexpr double kSmall = 1e-100;

// By reference: returned values of this type would depend on the registers of the target.
HWY_INLINE void Root(const Four& of, Four& out) {
  alignas(32) double lanes[4];
  std::memcpy(lanes, &of, sizeof(lanes));
  for (double& lane : lanes) lane = std::sqrt(lane);
  std::memcpy(&out, lanes, sizeof(lanes));
}

struct FourVectors {
  Four x, y, z, length;
};

HWY_INLINE void From(const Vec3& point, const double* corner, FourVectors& out) {
  std::memcpy(&out.x, corner, sizeof(Four));
  std::memcpy(&out.y, corner + 4, sizeof(Four));
  std::memcpy(&out.z, corner + 8, sizeof(Four));
  out.x -= point.x();
  out.y -= point.y();
  out.z -= point.z();
  Root(out.x * out.x + out.y * out.y + out.z * out.z, out.length);
}

// Four sums of angles, each as the argument of a product of complex numbers and how often it went round: one arc
// tangent for all of a sum.
struct AngleSums {
  Four re = {1, 1, 1, 1}, im = {0, 0, 0, 0};
  FourInts turns = {0, 0, 0, 0};

  // Half the solid angle of a triangle is the argument of `scale` and `volume`, in (-pi, pi].
  HWY_INLINE void Add(const FourVectors& u, const FourVectors& v, const FourVectors& w) {
    Four volume =
        u.x * (v.y * w.z - v.z * w.y) + u.y * (v.z * w.x - v.x * w.z) + u.z * (v.x * w.y - v.y * w.x);
    const Four uv = u.x * v.x + u.y * v.y + u.z * v.z, vw = v.x * w.x + v.y * w.y + v.z * w.z,
               wu = w.x * u.x + w.y * u.y + w.z * u.z;
    Four scale = u.length * v.length * w.length + uv * w.length + vw * u.length + wu * v.length;
    const Four zero = {0, 0, 0, 0}, one = {1, 1, 1, 1};
    const Four size = (volume < 0 ? -volume : volume) + (scale < 0 ? -scale : scale);
    // A point on the triangle sees it from both sides. What is not finite counts as nothing, too.
    const FourInts counts = (size > 0) & (size - size == 0) & ((volume != 0) | (scale > 0));
    const Four by = 1 / (counts ? size : one);
    volume = counts ? volume * by : zero;
    scale = counts ? scale * by : one;
    const Four product_re = re * scale - im * volume, product_im = re * volume + im * scale;
    // Two angles of one sign may pass half a turn; where both are beyond a quarter, they do.
    const FourInts beyond = (re < 0) & (scale < 0);
    turns -= (im >= 0) & (volume >= 0) & (beyond | (product_im < 0));
    turns += (im < 0) & (volume < 0) & (beyond | (product_im > 0));
    re = product_re;
    im = product_im;
  }
  // Far more often than a product can become too small to tell.
  HWY_INLINE void Rescale() {
    const Four size = (re < 0 ? -re : re) + (im < 0 ? -im : im);
    const FourInts small = size <= kSmall;
    re = small ? re / kSmall : re;
    im = small ? im / kSmall : im;
  }
  HWY_INLINE double Sum() const {
    double sum = 0;
    for (int lane = 0; lane < 4; ++lane)
      sum += std::atan2(im[lane], re[lane]) + 2 * kPi * static_cast<double>(turns[lane]);
    return sum;
  }
};

double Wind(std::span<const WindingNumber::Node> nodes, const WindingNumber::Pack* packs, const Vec3& point) {
  double far = 0;
  AngleSums near;
  FourVectors u, v, w;
  for (std::uint32_t k = 0; k < nodes.size();) {
    const WindingNumber::Node& node = nodes[k];
    const double x = node.centre.x() - point.x(), y = node.centre.y() - point.y(),
                 z = node.centre.z() - point.z();
    const double squared = x * x + y * y + z * z;
    if (squared > kFar * kFar * node.radius * node.radius) {
      far += (node.area.x() * x + node.area.y() * y + node.area.z() * z) / (squared * std::sqrt(squared));
      k = node.skip;
      continue;
    }
    if (node.leaf) {
      const double* corners = packs[node.pack].data();
      From(point, corners, u);
      From(point, corners + 12, v);
      From(point, corners + 24, w);
      near.Add(u, v, w);
      near.Rescale();
    }
    ++k;
  }
  return far / (4 * kPi) + near.Sum() / (2 * kPi);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {
HWY_EXPORT(Wind);

double winding_number(std::span<const WindingNumber::Node> nodes, const WindingNumber::Pack* packs,
                      const Vec3& point) noexcept {
  return HWY_DYNAMIC_DISPATCH(Wind)(nodes, packs, point);
}

}  // namespace sinew
#endif
