// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/islands.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include "sinew/core/parallel.h"
#include "sinew/core/text.h"
#include "sinew/mesh/winding_number.h"
#include "sinew/weights/inpaint.h"

namespace sinew {
namespace {

// Lengths are parts of the diagonal of the body.
constexpr double kSmall = 0.20;      // an island below this that cannot bend is rigid
constexpr double kReach = 0.05;      // the body lies beneath a vertex where it is this near
constexpr double kFacing = 0.5;      // and where its normal is within 60 degrees
constexpr double kContact = 0.02;    // a rigid island holds on where it is nearest, give or take this much
constexpr double kCovered = 0.5;     // of an island's vertices: a layer, whatever it holds
constexpr double kTouching = 0.35;   // of an island's vertices: a layer where it holds no bone
constexpr double kTorn = 3;          // times an edge: the points below its ends do not belong together
constexpr double kHeld = 0.1;        // of an island's diagonal in bones: it holds them
constexpr double kWhole = 0.999;     // the weight of a joint that moves a vertex alone
constexpr std::size_t kSamples = 8;  // points on a segment of a bone

std::size_t place_of(std::uint32_t component) {
  return static_cast<std::size_t>(component);
}

struct Island {
  std::vector<Triangle> triangles;
  double area = 0;
  Box3 box;
  double bone_length = 0;  // inside
  std::size_t joints = 0;  // heads of bones inside
  std::size_t vertices = 0, matched = 0;

  double diagonal() const { return box.isEmpty() ? 0 : box.diagonal().norm(); }
};

std::vector<Island> gather(MeshView surface, const Components& components) {
  std::vector<Island> islands(components.count);
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const auto [a, b, c] = surface.triangles[t];
    Island& island = islands[components.of_face[t]];
    const Vec3 &p = surface.positions[a], &q = surface.positions[b], &r = surface.positions[c];
    island.area += 0.5 * (q - p).cross(r - p).norm();
    for (const Vec3* corner : {&p, &q, &r}) island.box.extend(*corner);
    island.triangles.push_back(surface.triangles[t]);
  }
  for (const std::uint32_t island : components.of_vertex)
    if (island != kNoComponent) ++islands[island].vertices;
  return islands;
}

// How much of the bones lies inside an island, whichever way its faces point.
void find_bones(MeshView surface, std::span<const Bone> bones, Island& island) {
  std::optional<WindingNumber> winding;
  const auto inside = [&](const Vec3& p) {
    if (!island.box.contains(p)) return false;
    if (!winding) winding.emplace(MeshView{surface.positions, island.triangles});
    return std::abs((*winding)(p)) > 0.5;
  };
  for (const Bone& bone : bones) {
    if (inside(bone.head)) ++island.joints;
    for (const Vec3& end : segment_ends(bone)) {
      const double step = (end - bone.head).norm() / static_cast<double>(kSamples);
      for (std::size_t k = 0; k < kSamples; ++k)
        if (inside(bone.head + (static_cast<double>(k) + 0.5) / kSamples * (end - bone.head)))
          island.bone_length += step;
    }
  }
}

// The joint itself where it deforms, else the one that its node hangs on; -1: none.
int bone_of(const Skeleton& skeleton, std::size_t joint) {
  while (!skeleton[joint].deforms && skeleton[joint].parent >= 0)
    joint = static_cast<std::size_t>(skeleton[joint].parent);
  return skeleton[joint].deforms ? static_cast<int>(joint) : -1;
}

// Per component the joint that moves all of it by the weights that the rig came with.
std::vector<int> joints_of_islands(const Rig& rig, const Surface& surface, const Components& components) {
  constexpr int kUnseen = -2, kSeveral = -1;
  std::vector<int> joints(components.count, kUnseen);
  int first = kUnseen;
  bool differ = false;  // a mesh that follows one joint as a whole has not been bound
  const bool bound = rig.weights.vertex_count() == rig.mesh.vertex_count() && !rig.weights.entries.empty();
  for (std::size_t i = 0; bound && i < rig.mesh.vertex_count(); ++i) {
    int joint = kSeveral;
    for (const Influence& influence : rig.weights.row(i))
      if (influence.weight > kWhole) joint = bone_of(rig.skeleton, influence.joint);
    if (first == kUnseen) first = joint;
    differ = differ || joint != first || joint == kSeveral;
    const std::uint32_t island = components.of_vertex[surface.welded.weld.to_welded[i]];
    if (island == kNoComponent) continue;
    int& whole = joints[place_of(island)];
    whole = whole == kUnseen || whole == joint ? joint : kSeveral;
  }
  for (int& joint : joints)
    if (!differ || joint < 0) joint = -1;
  return joints;
}

// The components that a number or the name of a mesh stands for.
Result<std::vector<std::uint32_t>> named(const Rig& rig, const Surface& surface, const IslandPlan& plan,
                                         const std::string& name, const char* parameter) {
  std::vector<std::uint32_t> found;
  for (const MeshPart& part : rig.parts) {
    if (part.name != name) continue;
    for (std::size_t i = part.vertex_begin; i < part.vertex_begin + part.vertex_count; ++i)
      if (const auto island = plan.components.of_vertex[surface.welded.weld.to_welded[i]];
          island != kNoComponent)
        found.push_back(island);
  }
  if (!found.empty()) return found;
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place);
  if (error == std::errc() && end == name.data() + name.size() && place < plan.by_size.size())
    return std::vector<std::uint32_t>{plan.by_size[place]};
  return parameter_error(
      parameter,
      fmt::format("names '{}': there is no mesh of that name, and islands are numbered by area from 0 to {}",
                  printable(name), plan.by_size.size() - 1));
}

Vec3 triangle_normal(MeshView surface, const Triangle& t) {
  const Vec3& p = surface.positions[t[0]];
  return (surface.positions[t[1]] - p).cross(surface.positions[t[2]] - p).stableNormalized();
}

// Finds what lies below the vertices of islands that `asked` marks. Faces of an island that all point the other
// way count as well.
void match(MeshView surface, std::span<const std::uint8_t> asked, double reach, IslandPlan& plan,
           std::vector<Island>& islands) {
  const Bvh bvh({surface.positions, plan.base});
  const std::vector<Vec3> normals = vertex_normals(surface);
  const std::size_t n = surface.positions.size();
  std::vector<double> facing(n, 0);
  parallel_for(n, 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t island = plan.components.of_vertex[i];
      if (island == kNoComponent || !asked[island]) continue;
      plan.below[i] = bvh.nearest(surface.positions[i]);
      if (plan.below[i].found() && plan.below[i].squared_distance <= reach * reach)
        facing[i] = normals[i].dot(triangle_normal(surface, plan.base[plan.below[i].triangle]));
    }
  });
  std::vector<std::array<std::size_t, 2>> votes(islands.size(), {0, 0});
  for (std::size_t i = 0; i < n; ++i)
    if (std::abs(facing[i]) >= kFacing) ++votes[plan.components.of_vertex[i]][facing[i] < 0];
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t island = plan.components.of_vertex[i];
    if (island == kNoComponent || !asked[island]) continue;
    const double sign = votes[island][1] > votes[island][0] ? -1 : 1;
    plan.matched[i] = sign * facing[i] >= kFacing;
    islands[island].matched += plan.matched[i];
  }
}

// Where the points below the ends of an edge lie far apart, on the two legs below a skirt, the garment would
// tear: no point within that distance is believed, so that rows change over a band.
void unmatch_tears(MeshView surface, IslandPlan& plan) {
  struct Tear {
    Vec3 middle;
    double width;
  };
  std::vector<std::vector<Tear>> tears(plan.components.count);
  const auto layered = [&](std::uint32_t i) {
    return plan.matched[i] && plan.binding_of(i) == IslandBinding::kLayer;
  };
  for (std::size_t t = 0; t < surface.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = surface.triangles[t][k], b = surface.triangles[t][(k + 1) % 3];
      if (a > b || !layered(a) || !layered(b)) continue;
      const double width = (plan.below[a].point - plan.below[b].point).norm();
      if (width > kTorn * (surface.positions[a] - surface.positions[b]).norm())
        tears[plan.components.of_face[t]].push_back(
            {0.5 * (surface.positions[a] + surface.positions[b]), width});
    }
  parallel_for(surface.positions.size(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (plan.components.of_vertex[i] == kNoComponent) continue;
      for (const Tear& tear : tears[plan.components.of_vertex[i]])
        if ((surface.positions[i] - tear.middle).norm() <= tear.width) plan.matched[i] = 0;
    }
  });
}

IslandBinding decide(const Island& island, double body) {
  const auto covered = static_cast<double>(island.matched) / static_cast<double>(island.vertices);
  const bool holds = island.bone_length > kHeld * island.diagonal();
  const bool rigid = island.diagonal() < kSmall * body && island.joints < 2;
  if (covered >= kCovered || (!holds && covered >= kTouching))
    return rigid ? IslandBinding::kRigid : IslandBinding::kLayer;
  return holds ? IslandBinding::kOwn : IslandBinding::kRigid;
}

Eigen::RowVectorXd row_at(const NearestPoint& at, std::span<const Triangle> triangles,
                          const Eigen::MatrixXd& values) {
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(values.cols());
  for (int k = 0; k < 3; ++k)
    row += at.barycentric[k] *
           values.row(static_cast<Eigen::Index>(triangles[at.triangle][static_cast<std::size_t>(k)]));
  return row;
}

// The lowest bone that moves more than half of what the weights sum up to, with all below it: of a hand whose
// fingers share the rest, the hand.
Eigen::Index main_bone(const Surface& surface, const Eigen::RowVectorXd& row) {
  Eigen::RowVectorXd below = row;
  const std::vector<std::size_t> order = bone_order(surface.parents);
  for (auto b = order.rbegin(); b != order.rend(); ++b)
    if (surface.parents[*b] >= 0) below[surface.parents[*b]] += below[static_cast<Eigen::Index>(*b)];
  Eigen::Index best = -1;
  for (const std::size_t b : order)  // parents first
    if (const auto bone = static_cast<Eigen::Index>(b); below[bone] > 0.5 * row.sum()) best = bone;
  if (best < 0) row.maxCoeff(&best);
  return best;
}

// The bone that moves a rigid island: that of the rig's own weights, else the one that the body follows most
// where the island holds on to it.
std::vector<Eigen::Index> rigid_bones(const Surface& surface, const IslandPlan& plan,
                                      const Eigen::MatrixXd& values) {
  std::vector<double> nearest(plan.components.count, std::numeric_limits<double>::infinity());
  const auto& of_vertex = plan.components.of_vertex;
  for (std::size_t i = 0; i < plan.below.size(); ++i)
    if (of_vertex[i] != kNoComponent && plan.below[i].found())
      nearest[of_vertex[i]] = std::min(nearest[of_vertex[i]], std::sqrt(plan.below[i].squared_distance));
  const double contact = kContact * bounding_box(surface.welded.weld.positions).diagonal().norm();
  Eigen::MatrixXd sums =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(plan.components.count), values.cols());
  for (std::size_t i = 0; i < plan.below.size(); ++i) {
    if (plan.binding_of(i) != IslandBinding::kRigid || !plan.below[i].found()) continue;
    if (std::sqrt(plan.below[i].squared_distance) <= nearest[of_vertex[i]] + contact)
      sums.row(of_vertex[i]) += row_at(plan.below[i], plan.base, values);
  }
  std::vector<Eigen::Index> bones(plan.components.count, 0);
  for (std::size_t i = 0; i < plan.below.size(); ++i)  // nothing to hold on to: what the method says
    if (of_vertex[i] != kNoComponent && !plan.below[i].found())
      sums.row(of_vertex[i]) += values.row(static_cast<Eigen::Index>(i));
  for (std::size_t island = 0; island < bones.size(); ++island) {
    bones[island] = main_bone(surface, sums.row(static_cast<Eigen::Index>(island)));
    for (std::size_t b = 0; b < surface.bones.size(); ++b)
      if (plan.joint[island] == static_cast<int>(surface.bones[b].joint))
        bones[island] = static_cast<Eigen::Index>(b);
  }
  return bones;
}

}  // namespace

std::size_t IslandPlan::count(IslandBinding wanted) const {
  return static_cast<std::size_t>(std::count(binding.begin(), binding.end(), wanted));
}

IslandBinding IslandPlan::binding_of(std::size_t vertex) const {
  const std::uint32_t island = components.of_vertex[vertex];
  return island == kNoComponent ? IslandBinding::kOwn : binding[island];
}

bool IslandPlan::by_skin(std::size_t vertex) const {
  const IslandBinding how = binding_of(vertex);
  return how == IslandBinding::kRigid || (how == IslandBinding::kLayer && !matched[vertex]);
}

bool IslandPlan::is_kept(std::size_t vertex) const {
  return binding_of(vertex) == IslandBinding::kRigid && joint[components.of_vertex[vertex]] >= 0;
}

Result<IslandPlan> plan_islands(const Rig& rig, const Surface& surface, const IslandRequest& request) {
  const MeshView view = surface.welded.view();
  IslandPlan plan;
  plan.components = connected_components(view.positions.size(), FaceList(view.triangles));
  std::vector<Island> islands = gather(view, plan.components);
  const std::size_t count = islands.size();
  plan.by_size.resize(count);
  std::iota(plan.by_size.begin(), plan.by_size.end(), 0u);
  std::stable_sort(plan.by_size.begin(), plan.by_size.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return islands[a].area > islands[b].area; });
  plan.binding.assign(count, IslandBinding::kOwn);
  plan.joint = joints_of_islands(rig, surface, plan.components);
  plan.below.resize(view.positions.size());
  plan.matched.assign(view.positions.size(), 0);

  std::vector<std::uint8_t> said(count, 0);
  const auto say = [&](const std::vector<std::string>& names, const char* parameter,
                       IslandBinding binding) -> Result<void> {
    for (const std::string& name : names) {
      SINEW_TRY(const std::vector<std::uint32_t> found, named(rig, surface, plan, name, parameter));
      for (const std::uint32_t island : found) plan.binding[island] = binding, said[island] = 1;
    }
    return {};
  };
  SINEW_CHECK(say(request.layers, "follow", IslandBinding::kLayer));
  SINEW_CHECK(say(request.rigid, "rigid", IslandBinding::kRigid));
  if (count == 0) return plan;

  parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) find_bones(view, surface.bones, islands[k]);
  });
  // The body holds most of the bones; where none holds any, it is the largest.
  plan.body =
      *std::max_element(plan.by_size.begin(), plan.by_size.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(!said[a], islands[a].bone_length) < std::pair(!said[b], islands[b].bone_length);
      });
  const double body = islands[plan.body].diagonal();
  plan.base = islands[plan.body].triangles;
  if (request.decide) {
    std::vector<std::uint8_t> asked(count, 1);
    asked[plan.body] = 0;
    match(view, asked, kReach * body, plan, islands);
    for (std::size_t k = 0; k < count; ++k) {
      if (said[k]) continue;
      if (plan.joint[k] >= 0)
        plan.binding[k] = IslandBinding::kRigid;
      else if (k != plan.body)
        plan.binding[k] = decide(islands[k], body);
    }
  }
  // What layers and rigid islands hold on to is all that the method binds.
  plan.base.clear();
  std::vector<std::uint8_t> asked(count, 0);
  for (std::size_t k = 0; k < count; ++k) {
    if (said[k] && plan.binding[k] == IslandBinding::kLayer && islands[k].joints < 2 &&
        islands[k].diagonal() < kSmall * body)
      plan.binding[k] = IslandBinding::kRigid;
    asked[k] = plan.binding[k] != IslandBinding::kOwn;
    if (!asked[k])
      plan.base.insert(plan.base.end(), islands[k].triangles.begin(), islands[k].triangles.end());
  }
  std::fill(plan.matched.begin(), plan.matched.end(), std::uint8_t{0});
  std::fill(plan.below.begin(), plan.below.end(), NearestPoint());
  if (!plan.base.empty()) {
    match(view, asked, kReach * body, plan, islands);
    unmatch_tears(view, plan);
  }
  return plan;
}

void bind_islands(const Surface& surface, const IslandPlan& plan, BoneWeights& weights) {
  if (plan.count(IslandBinding::kOwn) == plan.binding.size()) return;
  const MeshView view = surface.welded.view();
  const std::vector<Eigen::Index> bones = rigid_bones(surface, plan, weights.values);
  std::vector<Eigen::Index> layered;  // vertices of layers
  std::vector<std::uint32_t> place(view.positions.size(), 0);
  std::vector<std::uint8_t> holds(plan.components.count, 0);  // a matched vertex
  for (std::size_t i = 0; i < view.positions.size(); ++i) {
    const std::uint32_t island = plan.components.of_vertex[i];
    if (plan.binding_of(i) == IslandBinding::kRigid) {
      weights.values.row(static_cast<Eigen::Index>(i)).setZero();
      weights.values(static_cast<Eigen::Index>(i), bones[island]) = 1;
    } else if (plan.binding_of(i) == IslandBinding::kLayer) {
      place[i] = static_cast<std::uint32_t>(layered.size());
      layered.push_back(static_cast<Eigen::Index>(i));
      if (plan.matched[i]) holds[island] = 1;
    }
    if (plan.binding_of(i) != IslandBinding::kOwn) weights.bound[i] = 1;
  }
  if (layered.empty()) return;
  std::vector<Vec3> positions;
  std::vector<std::uint8_t> known;
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(layered.size()), weights.values.cols());
  for (const Eigen::Index i : layered) {
    const auto vertex = static_cast<std::size_t>(i);
    rows.row(static_cast<Eigen::Index>(positions.size())) =
        plan.below[vertex].found() ? row_at(plan.below[vertex], plan.base, weights.values)
                                   : Eigen::RowVectorXd(weights.values.row(i));
    positions.push_back(view.positions[vertex]);
    // An island without a match follows what is nearest.
    known.push_back(plan.matched[vertex] || !holds[plan.components.of_vertex[vertex]]);
  }
  std::vector<Triangle> triangles;
  for (const Triangle& t : view.triangles)
    if (plan.binding_of(t[0]) == IslandBinding::kLayer)
      triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
  inpaint_rows({positions, triangles}, known, rows);
  for (std::size_t k = 0; k < layered.size(); ++k)
    weights.values.row(layered[k]) = rows.row(static_cast<Eigen::Index>(k));
}

std::vector<Vec3> leading_points(MeshView surface, const IslandPlan& plan) {
  std::vector<Vec3> points(surface.positions.begin(), surface.positions.end());
  std::vector<NearestPoint> contact(plan.components.count);  // of rigid islands
  for (std::size_t i = 0; i < points.size(); ++i)
    if (plan.binding_of(i) == IslandBinding::kRigid)
      if (NearestPoint& nearest = contact[plan.components.of_vertex[i]];
          plan.below[i].squared_distance < nearest.squared_distance)
        nearest = plan.below[i];
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool rigid = plan.binding_of(i) == IslandBinding::kRigid;
    const NearestPoint& below = rigid ? contact[plan.components.of_vertex[i]] : plan.below[i];
    if (below.found()) points[i] = below.point;
  }
  return points;
}

}  // namespace sinew
