// SPDX-License-Identifier: Apache-2.0
// What decides, and where to change it:
//   1. Ways are tried in this order: rings of quads; the surface; the surface without what the body holds; the solid
//      voxels; a chain; no template. The first that is sure wins, else the cheapest: find_skeleton, find_without_rings.
//   2. A way makes a BodyMap: points, their tips and the distances between them (body_graph, body_map; ring_graph).
//   3. What fits is one sum, score = weights * features: what is compared is in features.h, how much it counts, when
//      the search stops and what rings may not do in tuning.cpp; above which cost nothing fits in FindOptions.
//   4. assignments searches which tip of a template is which of the body, match scores the best by their curves, and
//      template_fit takes the template that costs least.
//   5. place puts the joints where the template's curves have theirs; standing_legs, mitten_hands, extra_limbs and
//      long_tails add what templates do not know; without a template plain_skeleton goes by the curves alone.
//   6. finish mirrors, moves inside and names; poses and joint_centres refine by further poses.
#include "sinew/autorig/find_skeleton.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "autorig/body_mirrors.h"
#include "autorig/extra_limbs.h"
#include "autorig/finish.h"
#include "autorig/joint_centres.h"
#include "autorig/joint_count.h"
#include "autorig/long_tails.h"
#include "autorig/mitten_hands.h"
#include "autorig/plain_skeleton.h"
#include "autorig/poses.h"
#include "autorig/props.h"
#include "autorig/quad_rings.h"
#include "autorig/ring_graph.h"
#include "autorig/template_fit.h"
#include "autorig/tuning.h"
#include "sinew/core/text.h"

namespace sinew {

using namespace autorig;

namespace {

constexpr const char* kHollow = "the middle of this body lies outside of it: it is hollow, or a sheet";
constexpr double kAcross = 0.8;           // cosine between the template's left and a mirror plane's normal
constexpr double kSmallPiece = 0.03;      // of the surface: what hides a body that is in pieces
constexpr std::size_t kMostHeld = 3;      // tips of what two hands and a back hold: more are limbs
constexpr double kEncloses = 0.5;         // of the surface: what has an inside behind it
constexpr std::size_t kLookBehind = 500;  // triangles
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double share_inside(const WindingNumber& winding, const std::vector<Curve>& curves) {
  std::size_t in = 0, all = 0;
  for (const Curve& curve : curves)
    for (std::size_t k = 1; k + 1 < curve.points.size(); ++k) {
      in += is_inside(winding, curve.points[k]);
      ++all;
    }
  return all > 0 ? static_cast<double>(in) / static_cast<double>(all) : 0;
}

// Whether there is an inside behind most of a surface, on one side or the other: half the radius of its incircle away from
// a triangle. Sheets and loose triangles have none, and filling them with voxels takes as long as a body.
bool encloses(MeshView mesh, const WindingNumber& winding) {
  const std::size_t step = (mesh.triangles.size() + kLookBehind - 1) / kLookBehind;
  double inside = 0, all = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += step) {
    const Vec3 &a = mesh.positions[mesh.triangles[t][0]], &b = mesh.positions[mesh.triangles[t][1]],
               &c = mesh.positions[mesh.triangles[t][2]];
    const double to_a = (b - c).norm(), to_b = (c - a).norm(), to_c = (a - b).norm();
    const double around = to_a + to_b + to_c;
    const Vec3 normal = (b - a).cross(c - a);
    const double area = normal.norm();  // twice; over the circumference it is the radius of the incircle
    if (!(area > 0) || !std::isfinite(area)) continue;
    const Vec3 centre = (to_a * a + to_b * b + to_c * c) / around;
    const Vec3 away = normal / (2 * around);
    all += area;
    if (is_inside(winding, centre - away) || is_inside(winding, centre + away)) inside += area;
  }
  return inside > kEncloses * all;
}

// Looks at the other poses, too; one that does not show the same body is passed over. `map_pose` makes the
// map of one of them.
template <class MapPose>
Result<void> refine_from_poses(const PolyMesh& mesh, const Match& match, const FindOptions& options,
                               MapPose&& map_pose, std::vector<PlacedJoint>& placed) {
  for (const std::span<const Vec3> posed : options.other_poses) {
    Result<BodyMap> body = map_pose(posed);
    if (!body) {
      if (body.error().code == ErrorCode::kCancelled) return body.error();
      continue;
    }
    if (body->major.size() < 2) continue;
    Matcher matcher(*body);
    Match other = matcher.best(*match.model);
    if (!(other.cost < options.most_cost + kPoseSlack)) continue;
    matcher.add_minors(other);
    refine_from_pose(mesh.positions, posed, other, place_joints(other), placed);
  }
  if (!options.other_poses.empty()) centre_by_motion(match, mesh.positions, options.other_poses, placed);
  return {};
}

double confidence_of(double cost, double second, double most) {
  const double fit = 1 - cost / most;
  const double apart =
      std::isfinite(second) ? std::clamp((second - cost) / tuning(false).surely_worse, 0.0, 1.0) : 1;
  return std::clamp(0.5 + 0.5 * fit, 0.0, 1.0) * (0.5 + 0.5 * apart);
}

// What all ways end with.
Result<void> finish(const Fitted& fitted, const TemplateData& model, const std::vector<PlacedJoint>& placed,
                    const std::optional<Mirror>& mirror, FoundSkeleton& found) {
  found.symmetric = mirror.has_value();
  SINEW_TRY(found.skeleton, build_skeleton(model, placed, body_axes(fitted.match, mirror)));
  // A template that was named may fit as badly as it likes, but that makes it no surer.
  found.confidence =
      confidence_of(fitted.match.cost, fitted.second, std::min(fitted.most, FindOptions{}.most_cost));
  return {};
}

// The paper's way. An error or an empty skeleton: the rings are not good enough.
Result<FoundSkeleton> find_by_rings(const PolyMesh& mesh, std::span<const SkeletonTemplate> templates,
                                    const FindOptions& options) {
  const auto start = Clock::now();
  FoundSkeleton found;
  found.method = SkeletonMethod::kRings;
  std::vector<const TemplateData*> models;
  for (const SkeletonTemplate& one : templates) {
    if (one.rings() == nullptr) return impossible("the template is no mesh of quads");
    models.push_back(one.rings());
  }
  SINEW_TRY(const QuadRings rings, quad_rings(mesh));
  found.curve_ms = ms_since(start);
  const auto middle = Clock::now();
  const auto map_pose = [&](std::span<const Vec3> positions) -> Result<BodyMap> {
    SINEW_TRY(BodyGraph tree, ring_graph(mesh, rings.curves, positions, rings.same));
    return map_body(std::move(tree), options.progress);
  };
  SINEW_TRY(BodyMap body, map_pose(mesh.positions));
  const auto no_mirror = [](const BodyMap&) { return std::vector<Mirror>(); };
  SINEW_TRY(const Fitted fitted, fit_templates(std::move(body), models, options, no_mirror, found));
  const double most = fitted.match.tips.size() == 1 ? tuning(true).most_chain : options.most_ring_cost;
  if (!(fitted.match.cost < std::min(most, fitted.most))) {
    found.problem = "no template fits the rings of its quads well";
    if (std::isfinite(fitted.match.cost)) {
      found.problem += ": the best, " + fitted.match.model->name + ", costs ";
      append_number(found.problem, fitted.match.cost, 2);
      append_number(found.problem += ", and less than ", std::min(most, fitted.most), 2);
      found.problem += " is asked";
    }
    return found;
  }
  found.rings = rings.curves.ring_count();
  std::vector<PlacedJoint> placed = place_joints(fitted.match);
  SINEW_CHECK(refine_from_poses(mesh, fitted.match, options, map_pose, placed));
  const auto mirror = mirror_of_curves(fitted.match, fitted.body.graph.size);
  if (mirror) make_symmetric(*fitted.match.model, *mirror, fitted.body.graph.size, placed);
  const InsideTest is_within = inside_by_rays(mesh, found.curves);
  pull_inside(is_within, found.curves, placed);
  TemplateData model = *fitted.match.model;
  if (options.joints > 0) set_joint_count(options.joints, model, placed);
  if (mirror) make_symmetric(model, *mirror, fitted.body.graph.size, placed);
  pull_tails_inside(is_within, model, mirror.has_value(), placed);
  SINEW_CHECK(finish(fitted, model, placed, mirror, found));
  found.skeleton_ms = ms_since(middle);
  return found;
}

// A mesh, or a part of one, and what every way of looking at it asks of it.
class Shape {
 public:
  explicit Shape(MeshView mesh) : view(mesh), mirrors(mesh) {}
  const WindingNumber& winding() {
    if (!winding_) winding_.emplace(view);
    return *winding_;
  }
  const MeshView view;
  MirrorPlanes mirrors;

 private:
  std::optional<WindingNumber> winding_;
};

// What looking along the surface, or through the voxels, came to.
struct Attempt {
  FoundSkeleton found;
  Fitted fitted;
  bool answered() const { return !found.skeleton.empty(); }
};

Result<BodyMap> map_mesh(MeshView mesh, SkeletonMethod method, const FindOptions& options) {
  const bool surface = method == SkeletonMethod::kSurface;
  SINEW_TRY(BodyGraph graph, surface ? surface_graph(mesh) : voxel_graph(mesh, options.progress));
  std::vector<std::uint32_t> wanted;
  for (const std::uint32_t tip : options.tips) {
    const auto nearer = [&](const Vec3& a, const Vec3& b) {
      return (a - mesh.positions[tip]).squaredNorm() < (b - mesh.positions[tip]).squaredNorm();
    };
    wanted.push_back(static_cast<std::uint32_t>(
        std::min_element(graph.positions.begin(), graph.positions.end(), nearer) - graph.positions.begin()));
  }
  SINEW_TRY(BodyMap body, map_body(std::move(graph), options.progress, wanted));
  if (wanted.empty()) add_middle_tips(body, find_tip_pairs(body));
  return body;
}

std::vector<const TemplateData*> data_of(std::span<const SkeletonTemplate> templates) {
  std::vector<const TemplateData*> models;
  for (const SkeletonTemplate& one : templates) models.push_back(&one.data());
  return models;
}

// The joints of a template that fits.
Result<void> place_fitted(const PolyMesh& mesh, Shape& shape, const FindOptions& options, Attempt& made) {
  const auto start = Clock::now();
  FoundSkeleton& found = made.found;
  const Fitted& fitted = made.fitted;
  const WindingNumber& winding = shape.winding();
  if (share_inside(winding, found.curves) < kMostlyInside) {
    found.problem = kHollow;
    return {};
  }
  take_thickest_head(made.fitted.body, made.fitted.match);
  straighten_between_fins(made.fitted.body, made.fitted.match);
  std::vector<PlacedJoint> placed = place_joints(fitted.match);
  const auto map_pose = [&](std::span<const Vec3> positions) {
    return map_mesh({positions, shape.view.triangles}, found.method, options);
  };
  SINEW_CHECK(refine_from_poses(mesh, fitted.match, options, map_pose, placed));
  TemplateData model = *fitted.match.model;
  add_mitten_joints(fitted.match, placed);
  add_extra_limbs(fitted.body, fitted.match, model, placed);
  cut_long_tails(fitted.match, model, placed);
  if (options.joints > 0) set_joint_count(options.joints, model, placed);
  std::optional<Mirror> mirror;
  if (model.two_sided) {
    // Most bodies are made along the axes: a plane that begins there does not come out tilted.
    std::vector<std::optional<Mirror>> guesses;
    const auto by_joints = guess_mirror(model, placed);
    const bool has_sides = fitted.match.model->two_sided;  // or its fins are images
    const Vec3 across = has_sides || !by_joints ? Vec3(fitted.match.rotation.col(0)) : by_joints->normal;
    for (const auto& axis : axis_mirrors(fitted.body))
      if (std::abs(axis->normal.dot(across)) > kAcross) guesses.push_back(axis);
    guesses.push_back(by_joints);
    guesses.push_back(guess_mirror(fitted.match));
    mirror = shape.mirrors.first(fitted.body, guesses);
  }
  if (mirror) make_symmetric(model, *mirror, fitted.body.graph.size, placed);
  const InsideTest is_within = inside_by_winding(winding);
  pull_inside(is_within, found.curves, placed);
  if (mirror) {
    make_symmetric(model, *mirror, fitted.body.graph.size, placed);
    // Between two that are inside there may be outside, where the body is not quite its own image.
    pull_inside(is_within, found.curves, placed);
  }
  pull_tails_inside(is_within, model, mirror.has_value(), placed);
  SINEW_CHECK(finish(fitted, model, placed, mirror, found));
  found.skeleton_ms += ms_since(start);
  return {};
}

// `most`: joints are placed only where a template costs less.
Result<Attempt> find_by_levels(const PolyMesh& mesh, Shape& shape, SkeletonMethod method,
                               std::span<const SkeletonTemplate> templates, const FindOptions& options,
                               double most = std::numeric_limits<double>::infinity()) {
  const auto start = Clock::now();
  Attempt made;
  made.found.method = method;
  SINEW_TRY(BodyMap body, map_mesh(shape.view, method, options));
  made.found.curve_ms = ms_since(start);
  const auto middle = Clock::now();
  const auto mirrors = [&](const BodyMap& one) {
    std::vector<Mirror> planes;
    for (const std::optional<Mirror>& guess : axis_mirrors(one))
      if (const auto plane = shape.mirrors.first(one, {&guess, 1})) planes.push_back(*plane);
    if (planes.empty())  // turned, it has none across an axis
      if (const auto plane = shape.mirrors.first(one, plain_mirrors(one))) planes.push_back(*plane);
    return planes;
  };
  SINEW_TRY(made.fitted, fit_templates(std::move(body), data_of(templates), options, mirrors, made.found));
  made.found.skeleton_ms = ms_since(middle);
  if (made.fitted.fits() && made.fitted.match.cost < most)
    SINEW_CHECK(place_fitted(mesh, shape, options, made));
  return made;
}

// Joints where the curves of the body meet and bend, for a body that is like no template.
Result<FoundSkeleton> find_plain(Shape& shape, BodyMap& body, const FindOptions& options,
                                 FoundSkeleton found) {
  const auto start = Clock::now();
  const std::optional<Mirror> mirror = shape.mirrors.best(body, plain_mirrors(body));
  PlainSkeleton plain = plain_skeleton(body, mirror);
  if (plain.placed.empty()) return impossible("the mesh has no two ends between which a skeleton could lie");
  if (plain.curves.size() == 1 &&
      plain.curves[0].length() < tuning(false).stout_trunk * plain.curves[0].middle_radius()) {
    found.problem = "this body has no limbs, and is too stout for a chain of bones";
    return found;
  }
  const WindingNumber& winding = shape.winding();
  if (share_inside(winding, plain.curves) < kMostlyInside) {
    found.problem = kHollow;
    return found;
  }
  const InsideTest is_within = inside_by_winding(winding);
  if (options.joints > 0) set_joint_count(options.joints, plain.model, plain.placed);
  pull_inside(is_within, plain.curves, plain.placed);
  if (mirror) make_symmetric(plain.model, *mirror, body.graph.size, plain.placed);
  pull_tails_to_curves(is_within, plain.curves, plain.model, mirror, plain.placed);
  pull_tails_inside(is_within, plain.model, mirror.has_value(), plain.placed);
  SINEW_TRY(found.skeleton, build_skeleton(plain.model, plain.placed, Mat3::Identity()));
  found.curves = std::move(plain.curves);
  found.rings = plain.rings;
  found.name = plain.model.name;
  found.symmetric = mirror.has_value();
  found.confidence = kPlainConfidence;
  found.problem.clear();
  found.skeleton_ms += ms_since(start);
  return found;
}

double cost_of(const Result<Attempt>& made) {
  return made && made->answered() ? made->fitted.match.cost : std::numeric_limits<double>::infinity();
}

bool is_cancelled(const Result<Attempt>& made) {
  return !made && made.error().code == ErrorCode::kCancelled;
}

bool is_sure(const Result<Attempt>& made) {
  return made && made->answered() && made->found.confidence >= kSure;
}

// Where looking along the surface was unsure, through the voxels, too: the way by which a template fits better.
Result<Attempt> find_through_volume(const PolyMesh& mesh, Shape& shape, Result<Attempt> surface,
                                    std::span<const SkeletonTemplate> templates, const FindOptions& options) {
  Result<Attempt> volume = impossible(kHollow);
  const bool mapped = surface.ok() && !surface->fitted.body.major.empty();
  if (!(mapped && templates.empty()) && encloses(shape.view, shape.winding()))
    volume = find_by_levels(mesh, shape, SkeletonMethod::kVolume, templates, options,
                            cost_of(surface) - tuning(false).surely_worse);
  if (is_cancelled(volume)) return volume.error();
  const bool by_surface = surface.ok() && cost_of(surface) <= cost_of(volume);
  if (by_surface || (surface.ok() && !volume.ok())) return surface;
  return volume;
}

std::size_t tip_count(const Result<Attempt>& made) {
  if (!made) return 0;
  const auto& tips = made->fitted.body.major;
  return static_cast<std::size_t>(
      std::count_if(tips.begin(), tips.end(), [](const Tip& tip) { return !tip.middle; }));
}

// A template in what is left of a mesh without what it holds, and without its small pieces: what fits best, or the first
// that is sure. None where nothing fits that, nothing is left out, or what is left out has more than a few of the `tips`
// of the whole: a spider whose legs are not quite each other's images holds none of them.
Result<Attempt> find_without_props(const PolyMesh& mesh, MeshView view, std::size_t tips,
                                   std::span<const SkeletonTemplate> templates, const FindOptions& options) {
  Result<Attempt> best = impossible("");
  std::size_t before = view.triangles.size();
  for (const double least_area : {0.0, kSmallPiece}) {
    const std::vector<Triangle> body = without_props(view, least_area);
    if (body.size() == before) continue;
    before = body.size();
    Shape part({mesh.positions, body});
    Result<Attempt> one = impossible("");
    if (!options.volume) one = find_by_levels(mesh, part, SkeletonMethod::kSurface, templates, options);
    if (one.ok() && least_area == 0 && tip_count(one) + kMostHeld < tips) break;
    if (!is_cancelled(one) && !is_sure(one))
      one = find_through_volume(mesh, part, std::move(one), templates, options);
    if (is_cancelled(one)) return one;
    // What holds something has sides; a trunk without its limbs has none.
    if (cost_of(one) < cost_of(best) && one->fitted.match.model->two_sided) best = std::move(one);
    if (is_sure(best)) break;
  }
  return best;
}

// What is done with a body that no template fits by any way: a chain, if that is all there is, or joints by its curves
// alone.
Result<FoundSkeleton> find_unlike_all(const PolyMesh& mesh, Shape& shape, Attempt made,
                                      std::span<const SkeletonTemplate> templates,
                                      const FindOptions& options) {
  SINEW_TRY(const bool chain, fit_chain(data_of(templates), options, made.fitted, made.found));
  if (chain) {
    SINEW_CHECK(place_fitted(mesh, shape, options, made));
    if (made.answered()) return made.found;
  }
  if (!options.plain) return made.found;
  return find_plain(shape, made.fitted.body, options, std::move(made.found));
}

// Along the surface; where that is unsure, without what the body holds in its hands, and through the voxels: the way by
// which a template fits best.
Result<FoundSkeleton> find_without_rings(const PolyMesh& mesh, std::span<const SkeletonTemplate> templates,
                                         const FindOptions& options) {
  const TriangleView cut = triangulate(mesh);
  Shape shape({mesh.positions, cut.triangles});
  Result<Attempt> surface = impossible("");
  if (!options.volume) surface = find_by_levels(mesh, shape, SkeletonMethod::kSurface, templates, options);
  if (is_cancelled(surface)) return surface.error();
  if (is_sure(surface)) return surface->found;
  Result<Attempt> bare = impossible("");
  if (!templates.empty()) bare = find_without_props(mesh, shape.view, tip_count(surface), templates, options);
  if (is_cancelled(bare)) return bare.error();
  if (is_sure(bare)) return bare->found;
  std::optional<Attempt> mapped;  // what a body without a template is seen by
  if (surface.ok() && !surface->answered() && !surface->fitted.body.major.empty()) mapped = *surface;
  Result<Attempt> whole = find_through_volume(mesh, shape, std::move(surface), templates, options);
  if (is_cancelled(whole)) return whole.error();
  if (cost_of(bare) <= cost_of(whole) && std::isfinite(cost_of(bare))) return bare->found;
  if (!whole.ok()) return whole.error();
  if (whole->answered()) return whole->found;
  return find_unlike_all(mesh, shape, mapped ? std::move(*mapped) : std::move(*whole), templates, options);
}

}  // namespace

const char* name_of(SkeletonMethod method) {
  switch (method) {
    case SkeletonMethod::kRings:
      return "rings";
    case SkeletonMethod::kSurface:
      return "surface";
    case SkeletonMethod::kVolume:
      return "volume";
  }
  return "";
}

Result<FoundSkeleton> find_skeleton(const PolyMesh& mesh, std::span<const SkeletonTemplate> templates,
                                    const FindOptions& options) {
  std::string no_rings;
  const auto start = Clock::now();
  if (std::any_of(options.tips.begin(), options.tips.end(),
                  [&](std::uint32_t tip) { return tip >= mesh.vertex_count(); }))
    return bad_input("a tip is no vertex of the mesh");
  if (!(bounding_box(mesh.positions).sizes().maxCoeff() < kLargest))
    return impossible("the mesh is too large to find a skeleton in: scale it to a size of about 1");
  if (options.rings && !options.volume && !templates.empty() && options.tips.empty()) {
    Result<FoundSkeleton> found = find_by_rings(mesh, templates, options);
    if (found && !found->skeleton.empty()) return found;
    if (!found && found.error().code == ErrorCode::kCancelled) return found.error();
    no_rings = found ? found->problem : found.error().message;
  }
  const double tried_ms = ms_since(start);
  SINEW_TRY(FoundSkeleton found, find_without_rings(mesh, templates, options));
  found.no_rings = std::move(no_rings);
  found.curve_ms += tried_ms;
  return found;
}

}  // namespace sinew
