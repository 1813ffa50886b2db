// SPDX-License-Identifier: Apache-2.0
#include "sinew/autorig/find_skeleton.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "autorig/body_mirrors.h"
#include "autorig/extra_limbs.h"
#include "autorig/finish.h"
#include "autorig/joint_centres.h"
#include "autorig/joint_count.h"
#include "autorig/plain_skeleton.h"
#include "autorig/poses.h"
#include "autorig/props.h"
#include "autorig/quad_rings.h"
#include "autorig/ring_graph.h"

namespace sinew {

using namespace autorig;

namespace {

constexpr double kStout = 5, kStoutSpine = 10;
constexpr double kMostRingChain = 0.05;
constexpr double kMostlyInside = 0.6;  // of the points of all curves
constexpr const char* kHollow = "the middle of this body lies outside of it: it is hollow, or a sheet";
constexpr double kSurelyWorse = 0.1;  // by so much costs must differ to be sure, see confidence_of
constexpr double kSure = 0.65;        // below this confidence the voxels are tried, and alternatives are told
constexpr double kAcross = 0.8;       // cosine between the template's left and a mirror plane's normal
constexpr double kMediocre = 0.28;    // a cost at which the mesh is asked for its mirror plane
constexpr double kPlainConfidence = 0.25;  // without a template
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
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
  for (std::size_t i = 1; i < body.major.size(); ++i)
    if (!body.major[i].middle) tips.push_back(i);
  return take_apart(body, 0, tips);
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

// A chain must be one: a ball has two ends as well.
bool too_stout(const Match& match) {
  if (match.tips.size() != 1) return false;
  const double least = is_spine(*match.model) ? kStoutSpine : kStout;
  return match.parts.trunk.length() < least * match.parts.trunk.middle_radius();
}

// A chain is in any body. A body with left and right has legs for fingers.
double most_cost(const Match& match, const FindOptions& options) {
  if (match.tips.size() == 1) return std::min(options.most_cost, options.most_chain_cost);
  if (match.model != nullptr && !match.model->two_sided)
    return std::min(options.most_cost, options.most_one_sided_cost);
  return std::numeric_limits<double>::infinity();
}

// The template that fits best; `second` is the cost of the next one. They are looked at in the order of what
// they cost at least, and by rings only while they can still come near the best: what is left of `tried` then
// holds the least.
Result<Match> best_match(const BodyMap& body, std::span<const TemplateData* const> templates,
                         const FindOptions& options, double& second, std::vector<TemplateCost>& tried) {
  Matcher matcher(body);
  Match best;
  best.cost = second = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < templates.size(); ++k) {
    order.push_back(k);
    tried.push_back({templates[k]->name, matcher.least_cost(*templates[k])});
    if (is_cancelled(options.progress)) return cancelled();
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tried[a].cost < tried[b].cost; });
  for (const std::size_t k : order) {
    if (templates[k]->rings && tried[k].cost > best.cost + kSurelyWorse) {
      second = std::min(second, tried[k].cost);
      break;
    }
    Match match = matcher.best(*templates[k]);
    if (too_stout(match) || (match.tips.size() == 1 && match.cost > options.most_chain_cost))
      match.cost = std::numeric_limits<double>::infinity();
    tried[k] = {templates[k]->name, match.cost, match.lengths, match.places, match.radii, match.left_over};
    if (!std::isfinite(match.cost)) continue;
    const bool better = match.cost < best.cost && match.cost < most_cost(match, options);
    second = std::min(second, better ? best.cost : match.cost);
    if (better) best = std::move(match);
    if (is_cancelled(options.progress)) return cancelled();
  }
  return best;
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
    if (!(other.cost < options.most_cost + 0.2)) continue;
    matcher.add_minors(other);
    refine_from_pose(mesh.positions, posed, other, place_joints(other), placed);
  }
  if (!options.other_poses.empty()) centre_by_motion(match, mesh.positions, options.other_poses, placed);
  return {};
}

double confidence_of(double cost, double second, double most) {
  const double fit = 1 - cost / most;
  const double apart = std::isfinite(second) ? std::clamp((second - cost) / kSurelyWorse, 0.0, 1.0) : 1;
  return std::clamp(0.5 + 0.5 * fit, 0.0, 1.0) * (0.5 + 0.5 * apart);
}

// A body and the template that was laid over it.
struct Fitted {
  BodyMap body;
  Match match;
  double second = 0, most = 0;
  bool fits() const { return match.cost < most; }
};

// Whether no limb is at a tip, and the root is nearer to it than any.
bool is_left_over(const BodyMap& body, const Match& match, std::size_t tip) {
  const auto apart = [&](std::size_t other) {
    return body.apart(static_cast<Eigen::Index>(tip), static_cast<Eigen::Index>(other));
  };
  if (tip == match.root || body.major[tip].middle) return false;
  return std::none_of(match.tips.begin(), match.tips.end(), [&](int other) {
    return other >= 0 && apart(static_cast<std::size_t>(other)) <= apart(match.root);
  });
}

// Horns stand higher than a head, which only shows once the legs are known.
void look_between(Fitted& fitted, std::vector<TemplateCost>& tried) {
  const Match& match = fitted.match;
  if (fitted.body.graph.rings || !std::isfinite(match.cost) || !match.model->two_sided) return;
  const TipPairs sides = sides_of(match);
  const std::size_t before = fitted.body.major.size();
  if (sides.pairs.size() < 2) return;
  add_middle_tips(fitted.body, sides);
  // The root's tip may be a horn; the other one is nearer to it than to any limb.
  for (std::size_t tip = 0; tip < before; ++tip)
    if (is_left_over(fitted.body, match, tip)) add_middle_tips(fitted.body, sides, {{match.root, tip}});
  if (fitted.body.major.size() == before) return;
  Match other = Matcher(fitted.body).best(*match.model);
  if (!(other.cost < match.cost)) return;
  for (TemplateCost& one : tried)
    if (one.name == other.model->name)
      one = {one.name, other.cost, other.lengths, other.places, other.radii, other.left_over};
  fitted.match = std::move(other);
}

// Where nothing else fits, a chain may fit worse than beside others, as long as it would be sure by itself.
Result<void> fit_chain(std::span<const TemplateData* const> templates, FindOptions options, Fitted& fitted) {
  std::vector<const TemplateData*> chains;
  for (const TemplateData* one : templates)
    if (is_spine(*one)) chains.push_back(one);
  if (chains.empty() || fitted.body.graph.rings) return {};
  options.most_chain_cost = std::max(options.most_chain_cost, 2 * (1 - kSure) * options.most_cost);
  std::vector<TemplateCost> tried;
  double second = 0;
  SINEW_TRY(Match match, best_match(fitted.body, chains, options, second, tried));
  if (!std::isfinite(match.cost)) return {};
  fitted.match = std::move(match);
  fitted.most = std::min(options.most_cost, most_cost(fitted.match, options));
  return {};
}

// A broad head has no tip of its own, and where tips alone do not tell what is left and right, the mesh does.
template <class FindMirror>
Result<void> look_on_plane(std::span<const TemplateData* const> templates, const FindOptions& options,
                           FindMirror&& find_mirror_plane, Fitted& fitted, std::vector<TemplateCost>& tried) {
  if (fitted.body.graph.rings || fitted.match.cost < kMediocre || templates.empty()) return {};
  const std::optional<Mirror> mirror = find_mirror_plane(fitted.body);
  if (!mirror) return {};
  BodyMap body = fitted.body;
  add_tips_on(body, *mirror);
  if (body.major.size() == fitted.body.major.size()) return {};
  std::vector<TemplateCost> costs;
  double second = 0;
  SINEW_TRY(Match match, best_match(body, templates, options, second, costs));
  if (!(match.cost < fitted.match.cost)) return {};
  fitted.body = std::move(body);
  fitted.match = std::move(match);
  fitted.second = second;
  tried = std::move(costs);
  return {};
}

template <class FindMirror>
Result<Fitted> fit(BodyMap body, std::span<const TemplateData* const> templates, const FindOptions& options,
                   FindMirror&& find_mirror_plane, FoundSkeleton& found) {
  Fitted fitted;
  fitted.body = std::move(body);
  if (fitted.body.major.size() < 2)
    return impossible("the mesh has no two ends between which a skeleton could lie");
  SINEW_TRY(fitted.match, best_match(fitted.body, templates, options, fitted.second, found.tried));
  look_between(fitted, found.tried);
  SINEW_CHECK(look_on_plane(templates, options, find_mirror_plane, fitted, found.tried));
  fitted.most = std::min(options.most_cost, most_cost(fitted.match, options));
  if (!fitted.fits()) SINEW_CHECK(fit_chain(templates, options, fitted));
  if (!fitted.fits()) {
    const Parts parts = all_parts(fitted.body);
    found.curves = curves_of(parts);
    found.rings = parts.rings;
    found.problem = "no template fits this body";
    return fitted;
  }
  Matcher(fitted.body).add_minors(fitted.match);
  found.curves = curves_of(fitted.match.parts);
  found.rings = fitted.match.parts.rings;
  found.name = fitted.match.model->name;
  return fitted;
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
  const auto no_mirror = [](const BodyMap&) { return std::optional<Mirror>(); };
  SINEW_TRY(const Fitted fitted, fit(std::move(body), models, options, no_mirror, found));
  // Any body has a long way through it: a chain without limbs must be one.
  const double most = fitted.match.tips.size() == 1 ? kMostRingChain : options.most_ring_cost;
  if (!(fitted.match.cost < std::min(most, fitted.most))) {
    found.problem = "no template fits the rings of its quads well";
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

Result<Attempt> find_by_levels(const PolyMesh& mesh, MeshView view, SkeletonMethod method,
                               std::span<const SkeletonTemplate> templates, const FindOptions& options) {
  const auto start = Clock::now();
  Attempt made;
  FoundSkeleton& found = made.found;
  found.method = method;
  std::vector<const TemplateData*> models;
  for (const SkeletonTemplate& one : templates) models.push_back(&one.data());
  SINEW_TRY(BodyMap body, map_mesh(view, method, options));
  found.curve_ms = ms_since(start);
  const auto middle = Clock::now();
  SINEW_TRY(made.fitted,
            fit(
                std::move(body), models, options,
                [&](const BodyMap& one) { return first_mirror(view, one, axis_mirrors(one)); }, found));
  const Fitted& fitted = made.fitted;
  if (!fitted.fits()) return made;
  const WindingNumber winding(view);
  if (share_inside(winding, found.curves) < kMostlyInside) {
    found.problem = kHollow;
    return made;
  }
  std::vector<PlacedJoint> placed = place_joints(fitted.match);
  const auto map_pose = [&](std::span<const Vec3> positions) {
    return map_mesh({positions, view.triangles}, method, options);
  };
  SINEW_CHECK(refine_from_poses(mesh, fitted.match, options, map_pose, placed));
  TemplateData model = *fitted.match.model;
  add_extra_limbs(fitted.body, fitted.match, model, placed);
  if (options.joints > 0) set_joint_count(options.joints, model, placed);
  std::optional<Mirror> mirror;
  if (model.two_sided) {
    // Most bodies are made along the axes: a plane that begins there does not come out tilted.
    std::vector<std::optional<Mirror>> guesses;
    for (const auto& axis : axis_mirrors(fitted.body))
      if (std::abs(axis->normal.dot(fitted.match.rotation.col(0))) > kAcross) guesses.push_back(axis);
    guesses.push_back(guess_mirror(model, placed));
    guesses.push_back(guess_mirror(fitted.match));
    mirror = first_mirror(view, fitted.body, guesses);
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
  found.skeleton_ms = ms_since(middle);
  return made;
}

// Joints where the curves of the body meet and bend, for a body that is like no template.
Result<FoundSkeleton> find_plain(MeshView view, BodyMap& body, const FindOptions& options,
                                 FoundSkeleton found) {
  const auto start = Clock::now();
  const std::optional<Mirror> mirror = first_mirror(view, body, plain_mirrors(body));
  PlainSkeleton plain = plain_skeleton(body, mirror);
  if (plain.placed.empty()) return impossible("the mesh has no two ends between which a skeleton could lie");
  if (plain.curves.size() == 1 && plain.curves[0].length() < kStout * plain.curves[0].middle_radius()) {
    found.problem = "this body has no limbs, and is too stout for a chain of bones";
    return found;
  }
  const WindingNumber winding(view);
  if (share_inside(winding, plain.curves) < kMostlyInside) {
    found.problem = kHollow;
    return found;
  }
  const InsideTest is_within = inside_by_winding(winding);
  if (options.joints > 0) set_joint_count(options.joints, plain.model, plain.placed);
  pull_inside(is_within, plain.curves, plain.placed);
  if (mirror) make_symmetric(plain.model, *mirror, body.graph.size, plain.placed);
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

// Where looking along the surface was unsure, through the voxels, too; where no template fits either, by the curves
// alone.
Result<FoundSkeleton> find_through_volume(const PolyMesh& mesh, MeshView view, Result<Attempt> surface,
                                          std::span<const SkeletonTemplate> templates,
                                          const FindOptions& options) {
  Result<Attempt> volume = impossible("");
  const bool mapped = surface.ok() && !surface->fitted.body.major.empty();
  if (!(mapped && templates.empty()))
    volume = find_by_levels(mesh, view, SkeletonMethod::kVolume, templates, options);
  if (is_cancelled(volume)) return volume.error();
  const bool by_surface = surface.ok() && cost_of(surface) <= cost_of(volume) + kSurelyWorse;
  Result<Attempt>& best = by_surface || !volume.ok() ? surface : volume;
  if (!best.ok()) return volume.error();
  if (best->answered() || !options.plain) return best->found;
  Attempt& plain = mapped ? *surface : *best;
  return find_plain(view, plain.fitted.body, options, std::move(plain.found));
}

// Along the surface; where that is unsure, without what the body holds in its hands, and through the voxels.
Result<FoundSkeleton> find_without_rings(const PolyMesh& mesh, std::span<const SkeletonTemplate> templates,
                                         const FindOptions& options) {
  const TriangleView cut = triangulate(mesh);
  const MeshView view{mesh.positions, cut.triangles};
  const auto along_surface = [&](MeshView part) -> Result<Attempt> {
    if (options.volume) return impossible("");
    return find_by_levels(mesh, part, SkeletonMethod::kSurface, templates, options);
  };
  Result<Attempt> surface = along_surface(view);
  if (is_cancelled(surface)) return surface.error();
  if (is_sure(surface)) return surface->found;
  const std::vector<Triangle> body = templates.empty() ? cut.triangles : without_props(view);
  if (body.size() < cut.triangles.size()) {
    const MeshView part{mesh.positions, body};
    Result<Attempt> bare = along_surface(part);
    if (is_cancelled(bare)) return bare.error();
    if (is_sure(bare)) return bare->found;
    FindOptions by_template = options;
    by_template.plain = false;
    Result<FoundSkeleton> found = find_through_volume(mesh, part, std::move(bare), templates, by_template);
    if (!found && found.error().code == ErrorCode::kCancelled) return found.error();
    if (found && !found->skeleton.empty()) return found;
  }
  return find_through_volume(mesh, view, std::move(surface), templates, options);
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
