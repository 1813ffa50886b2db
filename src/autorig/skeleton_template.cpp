// SPDX-License-Identifier: Apache-2.0
#include "sinew/autorig/skeleton_template.h"

#include <algorithm>
#include <cmath>

#include "autorig/match.h"
#include "autorig/quad_rings.h"
#include "autorig/ring_graph.h"
#include "autorig/template_data.h"
#include "autorig/tuning.h"
#include "sinew/skeleton/pose.h"

namespace sinew {

using namespace autorig;

const std::string& SkeletonTemplate::name() const {
  return data_->name;
}

namespace autorig {
namespace {

constexpr std::size_t kFewRings = 9;   // on a limb: two of them are no window
constexpr double kLeastWindow = 0.05;  // of a curve's length: directions of thin limbs are taken over this
constexpr double kNeck = 0.85;         // of the head's radius: a neck is thinner
constexpr double kNeckEnds = 0.97;  // of the way to the shoulders: what still gets thinner there is no neck

}  // namespace

std::vector<Bend> own_bends(const Part& limb) {
  if (!limb.stems.empty() && limb.curve.points.size() < kFewRings) return {};
  std::vector<Bend> bends = bends_of(limb.curve);
  const double near = limb.curve.middle_radius();
  std::erase_if(bends, [&](const Bend& bend) {
    return std::any_of(limb.stems.begin(), limb.stems.end(), [&](const auto& stem) {
      return bend.s > stem.first - near && bend.s < stem.second + near;
    });
  });
  return bends;
}

double direction_window(const Curve& curve) {
  return std::max(curve.middle_radius(), kLeastWindow * curve.length());
}

void find_mirror_limbs(TemplateData& data) {
  data.mirror_limbs.assign(data.parts.limbs.size(), -1);
  for (const TemplateJoint& joint : data.joints) {
    if (joint.mirror < 0 || joint.anchor.kind != Anchor::Kind::kLimb) continue;
    const Anchor& other = data.joints[static_cast<std::size_t>(joint.mirror)].anchor;
    if (other.kind == Anchor::Kind::kLimb)
      data.mirror_limbs[joint.anchor.part] = static_cast<int>(other.part);
  }
}

std::optional<double> find_neck(const Curve& trunk, double before) {
  // The deepest drop below the thickest ring nearer to the tip.
  double thickest = 0, deepest = 0, at = 0, share = 1;
  for (std::size_t k = 1; k < trunk.points.size() && trunk.along[k] < before; ++k) {
    const double r = trunk.radii[k];
    if (thickest - r > deepest) deepest = thickest - r, at = trunk.along[k], share = r / thickest;
    thickest = std::max(thickest, r);
  }
  if (share > kNeck || at > kNeckEnds * before) return std::nullopt;
  return at;
}

}  // namespace autorig

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

double away(const Curve& curve, const Vec3& p) {
  return curve.empty() ? std::numeric_limits<double>::infinity() : (curve.at(curve.project(p)) - p).norm();
}

constexpr int kNoLeaf = -2;
constexpr double kShortTip = 0.1;      // of the diameter
constexpr double kAlikeTips = 0.03;    // the same: so much may distances to left and right differ
constexpr double kMiddleJoint = 0.01;  // the same: so near to the middle a joint is its own image
constexpr double kInLimb = 1.5;        // times nearer to a limb than to the trunk: shoulders are the trunk's

struct Learner {
  const Skeleton& skeleton;
  std::vector<Affine3> globals;
  std::vector<Bone> bones;
  std::vector<std::size_t> order;                  // joints that deform, parents first
  std::vector<int> place;                          // per joint: index in `order`, -1
  std::vector<std::vector<std::size_t>> children;  // per place

  explicit Learner(const Skeleton& s)
      : skeleton(s),
        globals(global_transforms(s, rest_pose(s).local)),
        bones(bones_of(s, globals)),
        place(s.size(), -1) {
    for (const std::uint32_t j : s.order())
      if (s[j].deforms) {
        place[j] = static_cast<int>(order.size());
        order.push_back(j);
      }
    children.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      if (const int above = parent(i); above >= 0) children[static_cast<std::size_t>(above)].push_back(i);
  }

  int parent(std::size_t i) const {
    int above = skeleton[order[i]].parent;
    while (above >= 0 && place[static_cast<std::size_t>(above)] < 0)
      above = skeleton[static_cast<std::size_t>(above)].parent;
    return above < 0 ? -1 : place[static_cast<std::size_t>(above)];
  }
  const Bone& bone(std::size_t i) const { return bones[order[i]]; }
};

// The tip from which the body is seen.
std::size_t root_tip(const Learner& learner, const BodyMap& body) {
  Vec3 from = learner.bone(0).head;
  for (std::size_t i = 0; i < learner.order.size(); ++i)
    if (lower(learner.skeleton[learner.order[i]].name).find("head") != std::string::npos) {
      // Ears may hang on the head: its bone then ends between them.
      const Joint& joint = learner.skeleton[learner.order[i]];
      const int above = learner.parent(i);
      from = joint.tail && !learner.children[i].empty() ? learner.globals[learner.order[i]] * *joint.tail
             : learner.children[i].empty() || above < 0
                 ? learner.bone(i).tail
                 : 2 * learner.bone(i).head - learner.bone(static_cast<std::size_t>(above)).head;
      break;
    }
  std::size_t best = 0;
  for (std::size_t t = 1; t < body.major.size(); ++t)
    if ((body.graph.positions[body.major[t].point] - from).norm() <
        (body.graph.positions[body.major[best].point] - from).norm())
      best = t;
  return best;
}

// Whether two tips are as far from all others.
bool alike(const BodyMap& body, std::size_t a, std::size_t b, const std::vector<std::size_t>& tips,
           std::size_t root) {
  const auto same = [&](std::size_t t) {
    return t == a || t == b ||
           std::abs(body.apart(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(t)) -
                    body.apart(static_cast<Eigen::Index>(b), static_cast<Eigen::Index>(t))) <
               kAlikeTips * body.diameter;
  };
  return same(root) && std::all_of(tips.begin(), tips.end(), same);
}

// Ears and the like are matched as minors: other bodies have them long, short or not at all.
void drop_short_tips(const BodyMap& body, std::size_t root, std::vector<std::size_t>& tips) {
  while (tips.size() > 2) {
    std::size_t shortest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < tips.size(); ++i) {
      std::vector<std::size_t> others = {root};
      for (const std::size_t t : tips)
        if (t != tips[i]) others.push_back(t);
      if (const double out = protrusion(body.apart, tips[i], others); out < least) least = out, shortest = i;
    }
    if (least > kShortTip * body.diameter) return;
    // Its image on the other side goes with it.
    const std::size_t gone = tips[shortest];
    const std::vector<std::size_t> before = tips;
    std::erase_if(tips, [&](std::size_t t) { return t == gone || alike(body, t, gone, before, root); });
  }
}

// The tips, beside the root's, that a chain of joints leads to. At least one.
std::vector<std::size_t> tips_with_joints(const Learner& learner, const BodyMap& body, std::size_t root) {
  std::vector<std::uint8_t> reached(body.major.size(), 0);
  for (std::size_t i = 0; i < learner.order.size(); ++i) {
    if (!learner.children[i].empty()) continue;
    std::uint32_t end = 0;  // the point nearest to the end of the chain
    for (std::uint32_t v = 1; v < body.graph.positions.size(); ++v)
      if ((body.graph.positions[v] - learner.bone(i).tail).squaredNorm() <
          (body.graph.positions[end] - learner.bone(i).tail).squaredNorm())
        end = v;
    std::size_t best = root;
    for (std::size_t t = 0; t < body.major.size(); ++t)
      if (body.from[t][end] < body.from[best][end]) best = t;
    reached[best] = 1;
  }
  std::vector<std::size_t> tips;
  for (std::size_t t = 0; t < body.major.size(); ++t)
    if (t != root && reached[t]) tips.push_back(t);
  drop_short_tips(body, root, tips);
  if (tips.empty()) {  // a chain that stops short: to the farthest tip
    std::size_t best = root == 0 ? 1 : 0;
    for (std::size_t t = 0; t < body.major.size(); ++t)
      if (body.apart(static_cast<Eigen::Index>(root), static_cast<Eigen::Index>(t)) >
          body.apart(static_cast<Eigen::Index>(root), static_cast<Eigen::Index>(best)))
        best = t;
    tips.push_back(best);
  }
  return tips;
}

// The part at which a chain of joints ends: minors count as limbs.size() + index, the trunk as -1.
int part_of_leaf(const Parts& parts, const Vec3& end) {
  int best = -1;
  double nearest = away(parts.trunk, end);
  for (std::size_t i = 0; i < parts.limbs.size(); ++i)
    if (const double d = away(parts.limbs[i].curve, end); d < nearest)
      nearest = d, best = static_cast<int>(i);
  for (std::size_t i = 0; i < parts.minors.size(); ++i) {
    const double d = away(parts.minors[i].curve, end);
    if (d < nearest + 0.5 * parts.minors[i].curve.middle_radius())
      nearest = std::min(d, nearest), best = static_cast<int>(parts.limbs.size() + i);
  }
  return best;
}

Anchor anchor_at(const Parts& parts, Anchor::Kind kind, std::size_t part, const Vec3& p) {
  Anchor anchor;
  anchor.kind = kind;
  anchor.part = part;
  const Curve& curve = kind == Anchor::Kind::kTrunk  ? parts.trunk
                       : kind == Anchor::Kind::kLimb ? parts.limbs[part].curve
                                                     : parts.minors[part].curve;
  anchor.s = curve.project(p);
  anchor.offset = p - curve.at(anchor.s);
  anchor.tangent = curve.direction(anchor.s, direction_window(curve));
  return anchor;
}

// Minors count where chains of joints part among them: a lone chain belongs to its limb.
void join_lone_minors(const Parts& parts, std::vector<int>& leaf) {
  const auto limbs = static_cast<int>(parts.limbs.size());
  for (int limb = 0; limb < limbs; ++limb) {
    std::vector<std::size_t> here;
    for (std::size_t i = 0; i < leaf.size(); ++i) {
      if (leaf[i] == kNoLeaf) continue;
      const int own =
          leaf[i] >= limbs ? parts.minors[static_cast<std::size_t>(leaf[i] - limbs)].parent : leaf[i];
      if (own == limb) here.push_back(i);
    }
    if (here.size() == 1) leaf[here[0]] = limb;
  }
}

// The part of a joint, from the parts of the leaves below it (as part_of_leaf names them). Knuckles lie on the line of
// their finger, inside of a palm of any length, while hips and shoulders go with the trunk.
Anchor choose_anchor(const Parts& parts, const std::vector<int>& leaves, bool knuckles, const Vec3& head) {
  const auto limbs = static_cast<int>(parts.limbs.size());
  const bool one = std::all_of(leaves.begin(), leaves.end(), [&](int l) { return l == leaves[0]; });
  if (one && leaves[0] >= limbs)
    return anchor_at(parts, Anchor::Kind::kMinor, static_cast<std::size_t>(leaves[0] - limbs), head);
  const auto limb_of = [&](int leaf) {
    return leaf >= limbs ? parts.minors[static_cast<std::size_t>(leaf - limbs)].parent : leaf;
  };
  const int limb = limb_of(leaves[0]);
  const bool same = std::all_of(leaves.begin(), leaves.end(), [&](int l) { return limb_of(l) == limb; });
  if (same && limb >= 0 && !parts.limbs[static_cast<std::size_t>(limb)].curve.empty() &&
      ((knuckles && leaves.size() == 1) ||
       away(parts.limbs[static_cast<std::size_t>(limb)].curve, head) <= kInLimb * away(parts.trunk, head)))
    return anchor_at(parts, Anchor::Kind::kLimb, static_cast<std::size_t>(limb), head);
  return anchor_at(parts, Anchor::Kind::kTrunk, 0, head);
}

void find_mirrors(TemplateData& data) {
  // The plane: across the pair of joints named left and right, else none.
  Vec3 normal = Vec3::Zero(), centre = Vec3::Zero();
  int pairs = 0;
  const auto other_name = [](const std::string& name) -> std::string {
    for (const auto& [a, b] : {std::pair<const char*, const char*>{"Left", "Right"},
                               {"left", "right"},
                               {"_l", "_r"},
                               {".L", ".R"},
                               {"_L", "_R"},
                               {".l", ".r"}}) {
      const std::string from = a;
      if (const auto at = name.find(from); at != std::string::npos)
        return name.substr(0, at) + b + name.substr(at + from.size());
    }
    return {};
  };
  for (std::size_t i = 0; i < data.joints.size(); ++i) {
    const std::string other = other_name(data.joints[i].name);
    if (other.empty()) continue;
    for (std::size_t k = 0; k < data.joints.size(); ++k)
      if (data.joints[k].name == other) {
        data.joints[i].mirror = static_cast<int>(k);
        data.joints[k].mirror = static_cast<int>(i);
        normal += data.joints[i].head - data.joints[k].head;
        centre += data.joints[i].head + data.joints[k].head;
        ++pairs;
      }
  }
  data.two_sided = pairs > 0;
  if (pairs == 0 || !(normal.norm() > 0)) return;
  normal.normalize();
  centre /= 2 * pairs;
  for (std::size_t i = 0; i < data.joints.size(); ++i)
    if (data.joints[i].mirror < 0 &&
        std::abs((data.joints[i].head - centre).dot(normal)) < kMiddleJoint * data.diameter)
      data.joints[i].mirror = static_cast<int>(i);
}

// Minors that carry no joint would only be searched for in vain.
void drop_bare_minors(TemplateData& data) {
  std::vector<int> to(data.parts.minors.size(), -1);
  std::vector<Part> kept;
  for (TemplateJoint& joint : data.joints)
    if (joint.anchor.kind == Anchor::Kind::kMinor && to[joint.anchor.part] < 0) {
      to[joint.anchor.part] = static_cast<int>(kept.size());
      kept.push_back(data.parts.minors[joint.anchor.part]);
    }
  for (TemplateJoint& joint : data.joints) {
    if (joint.anchor.kind == Anchor::Kind::kMinor)
      joint.anchor.part = static_cast<std::size_t>(to[joint.anchor.part]);
    if (joint.tail && joint.tail->kind == Anchor::Kind::kMinor) {
      if (to[joint.tail->part] < 0)
        joint.tail.reset();
      else
        joint.tail->part = static_cast<std::size_t>(to[joint.tail->part]);
    }
  }
  data.parts.minors = std::move(kept);
}

std::shared_ptr<const TemplateData> learn_from(const std::string& name, const BodyMap& body,
                                               const Skeleton& skeleton) {
  const Learner learner(skeleton);
  const std::size_t root = root_tip(learner, body);
  const std::vector<std::size_t> tips = tips_with_joints(learner, body, root);
  std::vector<std::size_t> seen = {root};
  seen.insert(seen.end(), tips.begin(), tips.end());

  auto data = std::make_shared<TemplateData>();
  data->name = name;
  data->parts = take_apart(body, root, tips);
  data->diameter = body.diameter;
  data->rings = body.graph.rings;
  // Along curves a finger is longer than on the surface: a template without fingers must not miss them.
  if (body.graph.rings)
    for (std::size_t t = 0; t < body.major.size(); ++t)
      if (std::find(seen.begin(), seen.end(), t) == seen.end())
        data->spare += tuning(true).limbs[kExtraLimbs] * protrusion(body.apart, t, seen) / body.diameter;
  data->apart.resize(static_cast<Eigen::Index>(seen.size()), static_cast<Eigen::Index>(seen.size()));
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (std::size_t k = 0; k < seen.size(); ++k)
      data->apart(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) =
          body.apart(static_cast<Eigen::Index>(seen[i]), static_cast<Eigen::Index>(seen[k]));
  }
  std::vector<int> leaf(learner.order.size(), kNoLeaf);
  for (std::size_t i = 0; i < leaf.size(); ++i)
    if (learner.children[i].empty()) leaf[i] = part_of_leaf(data->parts, learner.bone(i).tail);
  join_lone_minors(data->parts, leaf);
  // Leaves first, so that each joint knows the parts below it.
  const std::size_t n = learner.order.size();
  std::vector<std::vector<int>> leaves(n);
  data->joints.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    data->joints[i].name = skeleton[learner.order[i]].name;
    data->joints[i].parent = learner.parent(i);
    data->joints[i].head = learner.bone(i).head;
  }
  find_mirrors(*data);
  const bool knuckles = !data->two_sided && tips.size() > 1;
  for (std::size_t i = n; i-- > 0;) {
    if (leaf[i] != kNoLeaf) leaves[i].push_back(leaf[i]);
    TemplateJoint& joint = data->joints[i];
    joint.anchor = choose_anchor(data->parts, leaves[i], knuckles, joint.head);
    if (learner.children[i].empty())
      joint.tail = choose_anchor(data->parts, leaves[i], knuckles, learner.bone(i).tail);
    if (joint.parent >= 0) {
      auto& above = leaves[static_cast<std::size_t>(joint.parent)];
      above.insert(above.end(), leaves[i].begin(), leaves[i].end());
    }
  }
  drop_bare_minors(*data);
  for (const Part& limb : data->parts.limbs) data->bends.push_back(own_bends(limb));
  find_mirror_limbs(*data);
  return data;
}

}  // namespace

Result<SkeletonTemplate> learn_template(std::string name, const PolyMesh& mesh, const Skeleton& skeleton,
                                        const Progress* progress) {
  if (skeleton.deforming_count() == 0) return impossible("the template has no joints");
  const TriangleView cut = triangulate(mesh);
  const MeshView view{mesh.positions, cut.triangles};
  Result<BodyGraph> graph = surface_graph(view);
  if (!graph) graph = voxel_graph(view, progress);
  if (!graph) return graph.error();
  SINEW_TRY(const BodyMap body, map_body(*std::move(graph), progress));
  if (body.major.size() < 2) return impossible("the template's body has no two ends");
  SkeletonTemplate made;
  made.data_ = learn_from(name, body, skeleton);
  if (const auto rings = quad_rings(mesh)) {
    auto tree = ring_graph(mesh, rings->curves, mesh.positions, rings->same);
    if (!tree) return made;
    SINEW_TRY(const BodyMap ring_body, map_body(*std::move(tree), progress));
    if (ring_body.major.size() >= 2) made.rings_ = learn_from(name, ring_body, skeleton);
  }
  return made;
}

}  // namespace sinew
