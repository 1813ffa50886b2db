// SPDX-License-Identifier: Apache-2.0
#include "sinew/autorig/find_skeleton.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "autorig/place.h"
#include "autorig/poses.h"
#include "autorig/symmetry.h"
#include "sinew/mesh/winding_number.h"

namespace sinew {

using namespace autorig;

namespace {

constexpr double kStout = 5;

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

bool inside(const WindingNumber& winding, const Vec3& p) {
  return std::abs(winding(p)) > 0.6;  // a sheet has 0.5 on itself
}

// Joints outside the body move towards the nearest of its curves.
void pull_inside(const WindingNumber& winding, const std::vector<Curve>& curves, Vec3& p) {
  if (inside(winding, p)) return;
  Vec3 to = p;
  double nearest = std::numeric_limits<double>::infinity();
  for (const Curve& curve : curves) {
    if (curve.empty()) continue;
    for (const Vec3& q : curve.points)
      if (const double d = (q - p).squaredNorm(); d < nearest && inside(winding, q)) nearest = d, to = q;
  }
  if (to == p) return;
  for (int k = 1; k <= 32; ++k) {
    const Vec3 q = p + (to - p) * k / 32.0;
    if (!inside(winding, q)) continue;
    p = p + (to - p) * std::min(1.0, (k + 1) / 32.0);  // not just below the skin
    return;
  }
  p = to;
}

void make_symmetric(const TemplateData& model, const Mirror& mirror, std::vector<PlacedJoint>& placed) {
  const std::vector<PlacedJoint> old = placed;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (model.joints[i].mirror < 0) continue;
    const PlacedJoint& other = old[static_cast<std::size_t>(model.joints[i].mirror)];
    if (!other.there) continue;
    PlacedJoint image = other;
    image.head = mirror(other.head);
    if (image.tail) image.tail = mirror(*image.tail);
    if (!old[i].there) {
      placed[i] = image;
      continue;
    }
    placed[i].head = (old[i].head + image.head) / 2;
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
    if (other <= static_cast<int>(i) || !placed[i].there || !placed[static_cast<std::size_t>(other)].there)
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

// The frame of the body: the template's axes, turned; exactly the world's where it is near them.
Mat3 body_axes(const Match& match, const std::optional<Mirror>& mirror) {
  Mat3 axes = match.rotation;
  if (mirror && match.model->two_sided) {
    const Vec3 left = mirror->normal * (mirror->normal.dot(axes.col(0)) < 0 ? -1.0 : 1.0);
    const Vec3 up = (axes.col(1) - axes.col(1).dot(left) * left).normalized();
    axes << left, up, left.cross(up);
  }
  // Along whole axes where it is within ten degrees of them: bodies stand straight, their curves less so.
  Mat3 whole = Mat3::Zero();
  for (int k = 0; k < 3; ++k) {
    Eigen::Index row = 0;
    axes.col(k).cwiseAbs().maxCoeff(&row);
    whole(row, k) = axes(row, k) < 0 ? -1 : 1;
  }
  const bool rotation = std::abs(whole.determinant() - 1) < 1e-9;
  if (rotation && (whole.transpose() * axes).trace() > 1 + 2 * std::cos(10 * M_PI / 180)) return whole;
  return axes;
}

Result<Skeleton> build(const TemplateData& model, const std::vector<PlacedJoint>& placed, const Mat3& axes) {
  std::vector<Joint> joints;
  std::vector<int> to(placed.size(), -1);
  std::vector<Vec3> heads;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (!placed[i].there) continue;
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

std::vector<Curve> curves_of(const Parts& parts) {
  std::vector<Curve> curves = {parts.trunk};
  for (const Part& limb : parts.limbs)
    if (!limb.curve.empty()) curves.push_back(limb.curve);
  for (const Part& minor : parts.minors) curves.push_back(minor.curve);
  return curves;
}

// The plain tree of the body, for a mesh that no template fits.
Parts all_parts(const BodyMap& body) {
  std::vector<std::size_t> tips;
  for (std::size_t i = 1; i < body.major.size(); ++i) tips.push_back(i);
  return take_apart(body, 0, tips);
}

Result<BodyMap> map_mesh(MeshView mesh, const FindOptions& options, bool& volume) {
  if (!options.volume) {
    Result<BodyGraph> surface = surface_graph(mesh);
    if (surface) {
      volume = false;
      return map_body(*std::move(surface), options.progress);
    }
  }
  volume = true;
  SINEW_TRY(BodyGraph cells, voxel_graph(mesh, options.progress));
  return map_body(std::move(cells), options.progress);
}

double share_inside(const WindingNumber& winding, const std::vector<Curve>& curves) {
  std::size_t in = 0, all = 0;
  for (const Curve& curve : curves)
    for (std::size_t k = 1; k + 1 < curve.points.size(); ++k) {
      in += inside(winding, curve.points[k]);
      ++all;
    }
  return all > 0 ? static_cast<double>(in) / static_cast<double>(all) : 0;
}

// A chain must be one: a ball has two ends as well.
bool too_stout(const Match& match) {
  return match.tips.size() == 1 && match.parts.trunk.length() < kStout * match.parts.trunk.middle_radius();
}

// The template that fits best; `second` is the cost of the next one.
Result<Match> best_match(Matcher& matcher, std::span<const SkeletonTemplate> templates,
                         const Progress* progress, double& second, std::vector<TemplateCost>& tried,
                         double most_chain_cost) {
  Match best;
  best.cost = second = std::numeric_limits<double>::infinity();
  for (const SkeletonTemplate& model : templates) {
    Match match = matcher.best(model.data());
    if (too_stout(match) || (match.tips.size() == 1 && match.cost > most_chain_cost))
      match.cost = std::numeric_limits<double>::infinity();
    tried.push_back({model.name(), match.cost, match.lengths, match.places, match.radii, match.left_over});
    second = std::min(second, std::max(match.cost, best.cost));
    if (match.cost < best.cost) best = std::move(match);
    if (is_cancelled(progress)) return cancelled();
  }
  return best;
}

// Looks at the other poses, too; one that does not show the same body is passed over.
Result<void> revise_by_poses(MeshView mesh, const Match& match, const FindOptions& options,
                             std::vector<PlacedJoint>& placed) {
  for (const std::span<const Vec3> posed : options.other_poses) {
    bool volume = false;
    Result<BodyMap> body = map_mesh({posed, mesh.triangles}, options, volume);
    if (!body) {
      if (body.error().code == ErrorCode::kCancelled) return body.error();
      continue;
    }
    if (body->major.size() < 2) continue;
    Matcher matcher(*body);
    Match other = matcher.best(*match.model);
    if (!(other.cost < options.most_cost + 0.2)) continue;
    matcher.add_minors(other);
    revise(mesh.positions, posed, other, place_joints(other), placed);
  }
  return {};
}

// Symmetric where the mesh is, and inside.
std::optional<Mirror> settle(MeshView mesh, const BodyMap& body, const TemplateData& model,
                             const WindingNumber& winding, const std::vector<Curve>& curves,
                             std::vector<PlacedJoint>& placed) {
  std::optional<Mirror> mirror;
  if (const auto guess = guess_mirror(model, placed))
    mirror = find_mirror(body.graph.positions, Bvh(mesh), body.graph.size, *guess);
  if (mirror) make_symmetric(model, *mirror, placed);
  for (PlacedJoint& joint : placed)
    if (joint.there) pull_inside(winding, curves, joint.head);
  if (mirror) make_symmetric(model, *mirror, placed);
  return mirror;
}

double confidence_of(double cost, double second, double most) {
  const double fit = 1 - cost / most;
  const double apart = std::isfinite(second) ? std::clamp((second - cost) / 0.1, 0.0, 1.0) : 1;
  return std::clamp(0.5 + 0.5 * fit, 0.0, 1.0) * (0.5 + 0.5 * apart);
}

}  // namespace

Result<FoundSkeleton> find_skeleton(MeshView mesh, std::span<const SkeletonTemplate> templates,
                                    const FindOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  FoundSkeleton found;
  SINEW_TRY(const BodyMap body, map_mesh(mesh, options, found.volume));
  if (body.major.size() < 2) return impossible("the mesh has no two ends between which a skeleton could lie");
  found.curve_ms = ms_since(start);
  const auto middle = std::chrono::steady_clock::now();

  Matcher matcher(body);
  double second = 0;
  SINEW_TRY(Match best,
            best_match(matcher, templates, options.progress, second, found.tried, options.most_chain_cost));
  const double most =
      best.tips.size() == 1 ? std::min(options.most_cost, options.most_chain_cost) : options.most_cost;
  if (!(best.cost < most)) {
    const Parts parts = all_parts(body);
    found.curves = curves_of(parts);
    found.rings = parts.rings;
    found.problem = "no template fits this body";
    return found;
  }
  matcher.add_minors(best);
  found.curves = curves_of(best.parts);
  found.rings = best.parts.rings;
  found.name = best.model->name;
  const WindingNumber winding(mesh);
  if (share_inside(winding, found.curves) < 0.6) {
    found.problem = "the middle of this body lies outside of it: it is hollow, or a sheet";
    return found;
  }
  std::vector<PlacedJoint> placed = place_joints(best);
  SINEW_CHECK(revise_by_poses(mesh, best, options, placed));
  const auto mirror = settle(mesh, body, *best.model, winding, found.curves, placed);
  found.symmetric = mirror.has_value();
  SINEW_TRY(found.skeleton, build(*best.model, placed, body_axes(best, mirror)));
  found.confidence = confidence_of(best.cost, second, most);
  found.skeleton_ms = ms_since(middle);
  return found;
}

}  // namespace sinew
