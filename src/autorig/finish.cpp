// SPDX-License-Identifier: Apache-2.0
#include "autorig/finish.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sinew::autorig {
namespace {

constexpr double kDeepEnough = 0.75;  // of a ring's radius
constexpr std::size_t kSteps = 32;    // of the way to a curve
constexpr int kHalvings = 6;          // of the way to a tail outside
constexpr double kSamePlace = 0.01;   // of the body's size
constexpr double kTrunkBeside =
    1.5;                         // times that: the trunk's curve may be beside the mirror plane, on average
constexpr double kWithin = 0.6;  // winding number; a sheet has 0.5 on itself
constexpr double kMirrorSteps = 10;  // of a limb, which is compared with its image,
constexpr int kMirrorPlaces = 8;     // not to the very tip: which finger that is may differ
constexpr double kNearAxes = 10 * M_PI / 180;
constexpr double kPosed = 0.08;  // the same: a limb's joints so far from their image are posed, not misplaced

}  // namespace

bool is_inside(const WindingNumber& winding, const Vec3& p) {
  return std::abs(winding(p)) > kWithin;
}

namespace {

// Whether rays along an axis from some points leave the mesh: they meet its faces an odd number of times.
void cast_rays(const PolyMesh& mesh, int axis, std::span<const Vec3> points, std::span<std::uint8_t> odd) {
  const int u = (axis + 1) % 3, w = (axis + 2) % 3;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    double low = mesh.positions[face[0]][u], high = low;
    for (const std::uint32_t v : face) {
      low = std::min(low, mesh.positions[v][u]);
      high = std::max(high, mesh.positions[v][u]);
    }
    for (std::size_t j = 0; j < points.size(); ++j) {
      const Vec3& p = points[j];
      if (p[u] < low || p[u] > high) continue;  // as nearly all
      for (std::size_t k = 2; k < face.size(); ++k) {
        const Vec3 &a = mesh.positions[face[0]], &b = mesh.positions[face[k - 1]],
                   &c = mesh.positions[face[k]];
        if ((a[u] < p[u]) == (b[u] < p[u]) && (a[u] < p[u]) == (c[u] < p[u])) continue;
        if ((a[w] < p[w]) == (b[w] < p[w]) && (a[w] < p[w]) == (c[w] < p[w])) continue;
        const auto side = [&](const Vec3& s, const Vec3& t) {
          return (t[u] - s[u]) * (p[w] - s[w]) - (t[w] - s[w]) * (p[u] - s[u]);
        };
        const double bc = side(b, c), ca = side(c, a), ab = side(a, b);
        if ((bc < 0) != (ca < 0) || (bc < 0) != (ab < 0)) continue;
        const double sum = bc + ca + ab;
        if (sum != 0 && (bc * a[axis] + ca * b[axis] + ab * c[axis]) / sum > p[axis]) odd[j] ^= 1;
      }
    }
  }
}

// Whether a point lies well within the rings about one of the curves, and not behind its end.
bool is_deep(const std::vector<Curve>& curves, const Vec3& p) {
  return std::any_of(curves.begin(), curves.end(), [&](const Curve& curve) {
    if (curve.points.size() < 2) return false;
    // No point of a curve is farther from its middle than half its length.
    const double reach = (curve.at(curve.length() / 2) - p).norm() - curve.length() / 2;
    if (reach > *std::max_element(curve.radii.begin(), curve.radii.end())) return false;
    const double s = curve.project(p);
    return s > 0 && s < curve.length() && (curve.at(s) - p).norm() < kDeepEnough * curve.radius_at(s);
  });
}

// The nearest of some points that is inside; p itself where none is.
Vec3 nearest_inside(const InsideTest& is_within, std::vector<Vec3> points, const Vec3& p) {
  constexpr std::size_t kTogether = 16;
  std::stable_sort(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) {
    return (a - p).squaredNorm() < (b - p).squaredNorm();
  });
  for (std::size_t k = 0; k < points.size(); k += kTogether) {
    const auto some = std::span(points).subspan(k, std::min(kTogether, points.size() - k));
    const std::vector<std::uint8_t> within = is_within(some);
    const auto first = std::find(within.begin(), within.end(), 1);
    if (first != within.end()) return some[static_cast<std::size_t>(first - within.begin())];
  }
  return p;
}

}  // namespace

InsideTest inside_by_winding(const WindingNumber& winding) {
  return [&winding](std::span<const Vec3> points) {
    std::vector<std::uint8_t> inside;
    for (const Vec3& p : points) inside.push_back(is_inside(winding, p));
    return inside;
  };
}

InsideTest inside_by_rays(const PolyMesh& mesh, const std::vector<Curve>& curves) {
  return [&](std::span<const Vec3> points) {
    std::vector<std::uint8_t> inside(points.size(), 1);
    std::vector<std::size_t> asked;
    std::vector<Vec3> far;
    for (std::size_t k = 0; k < points.size(); ++k)
      if (!is_deep(curves, points[k])) asked.push_back(k), far.push_back(points[k]);
    std::vector<std::uint8_t> odd[3];
    for (int axis = 0; axis < 3; ++axis) {
      odd[axis].assign(far.size(), 0);
      cast_rays(mesh, axis, far, odd[axis]);
      if (axis == 0 && std::find(odd[0].begin(), odd[0].end(), 0) == odd[0].end()) return inside;
    }
    // A ray along an edge may count it twice: the other two outvote it.
    for (std::size_t k = 0; k < far.size(); ++k)
      inside[asked[k]] = odd[0][k] || (odd[1][k] && odd[2][k]) ? 1 : 0;
    return inside;
  };
}

void pull_inside(const InsideTest& is_within, const std::vector<Curve>& curves,
                 std::vector<PlacedJoint>& placed) {
  std::vector<std::size_t> joints;
  std::vector<Vec3> heads, centres;
  for (std::size_t j = 0; j < placed.size(); ++j)
    if (placed[j].present) joints.push_back(j), heads.push_back(placed[j].head);
  for (const Curve& curve : curves) centres.insert(centres.end(), curve.points.begin(), curve.points.end());
  const std::vector<std::uint8_t> within = is_within(heads);
  for (std::size_t k = 0; k < joints.size(); ++k) {
    if (within[k]) continue;
    const Vec3 p = heads[k], way = nearest_inside(is_within, centres, p) - p;
    std::array<Vec3, kSteps> steps;
    for (std::size_t i = 0; i < kSteps; ++i) steps[i] = p + way * static_cast<double>(i + 1) / kSteps;
    const std::vector<std::uint8_t> there = is_within(steps);
    const auto first = static_cast<std::size_t>(std::find(there.begin(), there.end(), 1) - there.begin());
    placed[joints[k]].head = steps[std::min(first + 1, kSteps - 1)];  // not just below the skin
  }
}

void pull_tails_to_curves(const InsideTest& is_within, const std::vector<Curve>& curves,
                          const TemplateData& model, const std::optional<Mirror>& mirror,
                          std::vector<PlacedJoint>& placed) {
  std::vector<Vec3> centres;
  for (const Curve& curve : curves) centres.insert(centres.end(), curve.points.begin(), curve.points.end());
  std::vector<std::uint8_t> done(placed.size(), 0);
  for (std::size_t j = 0; j < placed.size(); ++j) {
    if (!placed[j].present || !placed[j].tail || done[j]) continue;
    const Vec3 p = *placed[j].tail;
    // An image moves along, so that both are inside.
    const int other = mirror ? model.joints[j].mirror : -1;
    std::optional<Vec3>* image = nullptr;
    if (other >= 0 && placed[static_cast<std::size_t>(other)].tail) {
      image = &placed[static_cast<std::size_t>(other)].tail;
      if ((**image - (*mirror)(p)).norm() > 1e-9 * (p - mirror->centre).norm()) image = nullptr;
    }
    const auto are_within = [&](std::span<const Vec3> points) {
      std::vector<std::uint8_t> within = is_within(points);
      if (!image) return within;
      std::vector<Vec3> images;
      for (const Vec3& one : points) images.push_back((*mirror)(one));
      const std::vector<std::uint8_t> there = is_within(images);
      for (std::size_t k = 0; k < within.size(); ++k) within[k] &= there[k];
      return within;
    };
    if (image) done[static_cast<std::size_t>(other)] = 1;
    if (are_within({&p, 1})[0]) continue;
    const Vec3 way = nearest_inside(are_within, centres, p) - p;
    std::array<Vec3, kSteps> steps;
    for (std::size_t i = 0; i < kSteps; ++i) steps[i] = p + way * static_cast<double>(i + 1) / kSteps;
    const std::vector<std::uint8_t> there = are_within(steps);
    const auto first = static_cast<std::size_t>(std::find(there.begin(), there.end(), 1) - there.begin());
    placed[j].tail = steps[std::min(first + 1, kSteps - 1)];
    if (image) *image = (*mirror)(*placed[j].tail);
  }
}

void pull_tails_inside(const InsideTest& is_within, const TemplateData& model, bool symmetric,
                       std::vector<PlacedJoint>& placed) {
  std::vector<std::uint8_t> free(placed.size(), 0);
  for (std::size_t j = 0; j < placed.size(); ++j) {
    if (!placed[j].present) continue;
    free[j] = 1;
    if (model.joints[j].parent >= 0) free[static_cast<std::size_t>(model.joints[j].parent)] = 0;
  }
  std::vector<std::size_t> ends;
  for (std::size_t j = 0; j < placed.size(); ++j) {
    if (!free[j]) continue;
    if (!placed[j].tail && model.joints[j].parent >= 0)
      placed[j].tail =
          Vec3(2 * placed[j].head - placed[static_cast<std::size_t>(model.joints[j].parent)].head);
    if (placed[j].tail) ends.push_back(j);
  }
  // By halving: from the inside of a limb there is one way out of it.
  std::vector<double> share(placed.size(), 1), outside(placed.size(), 2);
  for (int halvings = 0; halvings <= kHalvings; ++halvings) {
    std::vector<Vec3> points;
    for (const std::size_t j : ends) {
      const double at = halvings == 0 ? 1 : (share[j] + outside[j]) / 2;
      points.push_back(placed[j].head + at * (*placed[j].tail - placed[j].head));
    }
    const std::vector<std::uint8_t> within = is_within(points);
    for (std::size_t k = 0; k < ends.size(); ++k) {
      const std::size_t j = ends[k];
      if (halvings == 0)
        outside[j] = 1, share[j] = within[k] ? 1 : 0;
      else
        (within[k] ? share : outside)[j] = (share[j] + outside[j]) / 2;
    }
  }
  const std::vector<double> own = share;
  for (const std::size_t j : ends) {
    const int other = model.joints[j].mirror;
    if (symmetric && other >= 0 && free[static_cast<std::size_t>(other)])
      share[j] = std::min(own[j], own[static_cast<std::size_t>(other)]);
    // A bone whose head is outside, or just below the skin, keeps its direction.
    share[j] = std::max(share[j], std::pow(0.5, kHalvings + 1));
    placed[j].tail = Vec3(placed[j].head + share[j] * (*placed[j].tail - placed[j].head));
  }
}

void make_symmetric(const TemplateData& model, const Mirror& mirror, double size,
                    std::vector<PlacedJoint>& placed) {
  const std::vector<PlacedJoint> old = placed;
  const auto is_apart = [&](std::size_t i) {
    const int other = model.joints[i].mirror;
    return other < 0 || !old[i].present || !old[static_cast<std::size_t>(other)].present ||
           (old[i].head - mirror(old[static_cast<std::size_t>(other)].head)).norm() > kPosed * size;
  };
  // A limb in another pose ends elsewhere; one that ends at the image of the other was only cut elsewhere.
  const auto is_posed = [&](std::size_t i) {
    if (!is_apart(i)) return false;
    for (std::size_t k = i + 1; k < placed.size(); ++k)
      if (model.joints[k].parent == static_cast<int>(i) && old[k].present) i = k;
    return is_apart(i);
  };
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (model.joints[i].mirror < 0) continue;
    const PlacedJoint& other = old[static_cast<std::size_t>(model.joints[i].mirror)];
    if (!other.present) continue;
    PlacedJoint image = other;
    image.head = mirror(other.head);
    if (image.tail) image.tail = mirror(*image.tail);
    if (!old[i].present) {
      placed[i] = image;
      continue;
    }
    if (model.joints[i].anchor.kind != Anchor::Kind::kTrunk && is_posed(i)) continue;
    // Where one side has moved and the other has not, the first is known better.
    const double own = old[i].by_motion == other.by_motion ? 0.5 : old[i].by_motion ? 1 : 0;
    placed[i].head = own * old[i].head + (1 - own) * image.head;
    if (placed[i].tail && image.tail) placed[i].tail = ((*old[i].tail + *image.tail) / 2).eval();
  }
}

std::optional<Mirror> guess_mirror(const TemplateData& model, const std::vector<PlacedJoint>& placed) {
  Mirror guess;
  Vec3 across = Vec3::Zero(), centre = Vec3::Zero();
  int pairs = 0;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const int other = model.joints[i].mirror;
    if (model.joints[i].anchor.kind == Anchor::Kind::kMinor) continue;  // short ones tilt the plane
    if (other <= static_cast<int>(i) || !placed[i].present ||
        !placed[static_cast<std::size_t>(other)].present)
      continue;
    across += placed[i].head - placed[static_cast<std::size_t>(other)].head;
    centre += placed[i].head + placed[static_cast<std::size_t>(other)].head;
    ++pairs;
  }
  if (pairs == 0 || !(across.norm() > 0)) return std::nullopt;
  guess.normal = across.normalized();
  guess.centre = centre / (2.0 * pairs);
  return guess;
}

std::optional<Mirror> guess_mirror(const Match& match) {
  Mirror guess;
  guess.normal = match.rotation.col(0);
  Vec3 sum = Vec3::Zero();
  int pairs = 0;
  for (std::size_t i = 0; i < match.tips.size(); ++i) {
    const int mirror = match.model->mirror_limbs[i];
    if (mirror < 0 || mirror >= static_cast<int>(i) || match.tips[i] < 0) continue;
    if (match.tips[static_cast<std::size_t>(mirror)] < 0) continue;
    sum += match.parts.limbs[i].tip + match.parts.limbs[static_cast<std::size_t>(mirror)].tip;
    ++pairs;
  }
  if (pairs == 0) return std::nullopt;
  guess.centre = sum / (2.0 * pairs);
  return guess;
}

std::optional<Mirror> mirror_of_curves(const Match& match, double size) {
  std::vector<std::pair<Vec3, Vec3>> pairs;
  double unlike = 0;
  std::vector<std::uint8_t> seen(match.tips.size(), 0);
  for (const TemplateJoint& joint : match.model->joints) {
    if (joint.mirror < 0 || joint.anchor.kind != Anchor::Kind::kLimb || seen[joint.anchor.part]) continue;
    const Anchor& other = match.model->joints[static_cast<std::size_t>(joint.mirror)].anchor;
    if (other.kind != Anchor::Kind::kLimb || other.part == joint.anchor.part) continue;
    seen[joint.anchor.part] = seen[other.part] = 1;
    const Curve &a = match.parts.limbs[joint.anchor.part].curve, &b = match.parts.limbs[other.part].curve;
    if (a.empty() || b.empty()) continue;
    for (int k = 1; k <= kMirrorPlaces; ++k) {
      const double u = k / kMirrorSteps;
      pairs.push_back({a.at(u * a.length()), b.at(u * b.length())});
      unlike += std::abs(a.radius_at(u * a.length()) - b.radius_at(u * b.length()));
    }
  }
  if (pairs.empty()) return std::nullopt;
  Mirror mirror;
  Vec3 across = Vec3::Zero(), middle = Vec3::Zero();
  for (const auto& [a, b] : pairs) across += a - b, middle += (a + b) / 2;
  if (!(across.norm() > 0)) return std::nullopt;
  mirror.normal = across.normalized();
  mirror.centre = middle / static_cast<double>(pairs.size());
  // Three quarters of the places must agree: a seam may lie a ring higher on one side.
  std::vector<double> off;
  for (const auto& [a, b] : pairs) off.push_back((a - mirror(b)).norm());
  const auto most = off.begin() + static_cast<std::ptrdiff_t>(3 * off.size() / 4);
  std::nth_element(off.begin(), most, off.end());
  if (*most > kSamePlace * size || unlike > kSamePlace * size * static_cast<double>(pairs.size()))
    return std::nullopt;
  double beside = 0;
  for (const Vec3& p : match.parts.trunk.points) beside += std::abs((p - mirror.centre).dot(mirror.normal));
  if (beside > kTrunkBeside * kSamePlace * size * static_cast<double>(match.parts.trunk.points.size()))
    return std::nullopt;
  return mirror;
}

Mat3 body_axes(const Match& match, const std::optional<Mirror>& mirror) {
  Mat3 axes = match.rotation;
  if (mirror && match.model->two_sided) {
    const Vec3 left = mirror->normal * (mirror->normal.dot(axes.col(0)) < 0 ? -1.0 : 1.0);
    const Vec3 up = (axes.col(1) - axes.col(1).dot(left) * left).normalized();
    axes << left, up, left.cross(up);
  }
  // Along whole axes where it is near them: bodies stand straight, their curves less so.
  Mat3 whole = Mat3::Zero();
  for (int k = 0; k < 3; ++k) {
    Eigen::Index row = 0;
    axes.col(k).cwiseAbs().maxCoeff(&row);
    whole(row, k) = axes(row, k) < 0 ? -1 : 1;
  }
  const bool rotation = std::abs(whole.determinant() - 1) < 1e-9;
  if (rotation && (whole.transpose() * axes).trace() > 1 + 2 * std::cos(kNearAxes)) return whole;
  return axes;
}

Result<Skeleton> build_skeleton(const TemplateData& model, const std::vector<PlacedJoint>& placed,
                                const Mat3& axes) {
  std::vector<Joint> joints;
  std::vector<int> to(placed.size(), -1);
  std::vector<Vec3> heads;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (!placed[i].present) continue;
    Joint joint;
    joint.name = model.joints[i].name;
    joint.parent = model.joints[i].parent < 0 ? -1 : to[static_cast<std::size_t>(model.joints[i].parent)];
    Affine3 global = Affine3::Identity();
    global.linear() = axes;
    global.translation() = placed[i].head;
    if (joint.parent < 0) {
      joint.rest_local = global;
    } else {
      joint.rest_local = Affine3(Eigen::Translation3d(
          axes.transpose() * (placed[i].head - heads[static_cast<std::size_t>(joint.parent)])));
    }
    if (placed[i].tail) joint.tail = axes.transpose() * (*placed[i].tail - placed[i].head);
    to[i] = static_cast<int>(joints.size());
    heads.push_back(placed[i].head);
    joints.push_back(std::move(joint));
  }
  return Skeleton::create(std::move(joints));
}

}  // namespace sinew::autorig
