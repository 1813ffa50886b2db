// SPDX-License-Identifier: Apache-2.0
#include "autorig/plain_skeleton.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "autorig/body_mirrors.h"
#include "autorig/branch_tree.h"
#include "autorig/chain_joints.h"
#include "autorig/tip_symmetry.h"
#include "autorig/tuning.h"

namespace sinew::autorig {
namespace {

constexpr double kShortLimb = 1.5;     // what is shorter, in radii, is a bump and no limb
constexpr double kStubLimb = 2;        // what is no longer, in radii, is measured from its own tip
constexpr double kFlat = 0.25;         // of its width: so thin is a wing or a fin,
constexpr double kWingBone = 1;        // which is one bone where it does not bend
constexpr double kBeforeFork = 0.85;   // of a branch: where it is as thick as at its fork
constexpr double kNearEnds = 0.2;      // of a chain: where its ends' thickness is taken
constexpr double kThickAsLimbs = 1.5;  // of the mean radius of all limbs: what is thinner is one of them
constexpr double kThinLimb = 0.6;  // of the radius that it grows on, at most: ends of a barrel are as thick
constexpr double kStands = 0.03;   // of the body's size: so low a tip stands on the ground
constexpr double kHighSeam = 0.1;  // of a limb's length: so much higher a leg begins than it ends
constexpr double kFoot = 0.1;      // of a limb's length, at most
constexpr double kInsideBody =
    0.33;  // of the way to where limbs meet: so deep is a limb's joint, as a shoulder
constexpr double kAppendage = 0.35;   // of the longest limb
constexpr double kFeeler = 0.25;      // of the radius of the head that it grows on, at most
constexpr double kLeastPeak = 0.012;  // of the diameter
constexpr double kLargePeak = 0.045;  // the same: what sticks out so far may be half as slender
constexpr double kSameTip = 0.06;     // of the body's size: so near to each other, two are one limb's
constexpr double kOnPlane = 0.02;     // of the body's size: what lies so near to the plane, on average
constexpr double kMirrorLimb = 0.06;  // of the body's size: so near is a limb to its image
constexpr std::size_t kMostTips = 48;

struct Edge {
  Branch branch;
  Curve curve;  // from the source outwards
  std::vector<int> children;
  int image = -1;           // its image, itself on the middle
  bool both_sides = false;  // it ends at one of two bumps that are images, and holds the other
  std::vector<double> joints;
  std::string name;
};

class PlainTree {
 public:
  // `stout`: what is a tip of the body is a limb as well where it hardly shows from the root, standing off sideways.
  PlainTree(const BodyMap& body, const std::optional<Mirror>& mirror, std::size_t root, bool stout)
      : body_(body), mirror_(mirror), root_(root), ground_(bounding_box(body.graph.positions).min().y()) {
    for (const Peak& peak : find_peaks(body.seen_from(root_), body.from[root_], kLeastPeak * body.diameter)) {
      if (tips_.size() == kMostTips) break;
      const bool large = peak.persistence >= kLargePeak * body.diameter || (stout && is_major(peak.point));
      tips_.push_back(peak.point);
      slender_.push_back(large ? kShortLimb / 2 : kShortLimb);
    }
    while (cut(), drop_bumps()) {
    }
    regrow_stubs();
    centre_on_plane();
    contract_short_stems();
    find_mirror_limbs();
    choose_joints();
    name_limbs();
  }

  // Whether it is one chain, and hardly longer than thick.
  bool is_stout_chain() const {
    return edges_.size() == 1 &&
           edges_[0].curve.length() < tuning(false).stout_trunk * edges_[0].curve.middle_radius();
  }

  // Whether a limb is thinner than what it grows on, which an end of a barrel is not, and it is not alone.
  bool has_thin_limb() const {
    if (edges_.size() < 3 || edges_.back().curve.empty()) return false;
    const std::vector<double>& radii = edges_.back().curve.radii;
    const double most = kThinLimb * *std::max_element(radii.begin(), radii.end());
    return std::any_of(edges_.begin(), edges_.end(), [&](const Edge& one) {
      return one.branch.tip >= 0 && one.curve.middle_radius() < most;
    });
  }

  PlainSkeleton skeleton() const {
    PlainSkeleton made;
    made.model.name = "none";
    made.model.two_sided = mirror_.has_value();
    first_.assign(edges_.size(), {-1, 0});
    if (edges_.empty()) return made;
    for (const Edge& edge : edges_)
      if (!edge.curve.empty()) made.curves.push_back(edge.curve), made.rings += edge.curve.points.size();
    if (made.curves.empty()) return made;
    const std::size_t hub = best_hub();
    if (edges_.size() == 1) {
      add_chain(made);
    } else {
      const int top = add(made, "Root", -1, middle_of_fork(hub));
      add_children(made, hub, top, -1);
      add_inwards(made, hub, top);
    }
    find_images(made, hub);
    return made;
  }

 private:
  bool is_major(std::uint32_t point) const {
    return std::any_of(body_.major.begin(), body_.major.end(), [&](const Tip& tip) {
      return !tip.middle && (body_.graph.positions[tip.point] - body_.graph.positions[point]).norm() <
                                kSameTip * body_.graph.size;
    });
  }
  bool is_leaf(std::size_t edge) const { return edges_[edge].branch.tip >= 0; }
  // Whether it ends at a tip, and is not all there is. At the root's tip it may be a limb, or head and chest: it is
  // then thicker than limbs are.
  bool is_limb(std::size_t edge) const {
    if (edges_.size() < 2 || is_leaf(edge)) return edges_.size() > 1;
    if (edges_[edge].branch.parent >= 0) return false;
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < edges_.size(); ++i)
      if (is_leaf(i)) sum += edges_[i].curve.middle_radius(), ++count;
    return edges_[edge].curve.middle_radius() * count < kThickAsLimbs * sum;
  }

  // Whether it is a wing or a fin: its rings are wide in one direction only.
  bool is_flat(const Edge& edge) const {
    Mat3 spread = Mat3::Zero();
    for (const std::uint32_t v : edge.branch.points) {
      const Vec3 centre = edge.curve.at(edge.curve.at_level(body_.from[root_][v]));
      const Vec3 p = body_.graph.positions[v] - centre;
      spread += body_.graph.weights[v] * p * p.transpose();
    }
    const Vec3 squares = Eigen::SelfAdjointEigenSolver<Mat3>(spread, Eigen::EigenvaluesOnly).eigenvalues();
    return squares[1] < kFlat * kFlat * squares[2];
  }

  // Limbs that part at one place meet at the middle of their seams, Eq. 1 of [bian2018].
  // The trunk itself may have no curve where loose triangles touch its tip.
  Vec3 middle_of_fork(std::size_t fork) const {
    Vec3 sum = Vec3::Zero();
    double count = 0;
    if (!edges_[fork].curve.empty()) sum += edges_[fork].curve.points.back(), ++count;
    for (const int child : edges_[fork].children) {
      const Curve& curve = edges_[static_cast<std::size_t>(child)].curve;
      if (!curve.empty()) sum += curve.points.front(), ++count;
    }
    return sum / std::max(count, 1.0);
  }

  void cut() {
    std::vector<Branch> branches = branch_tree(body_.seen_from(root_), body_.from[root_], tips_);
    edges_.assign(branches.size(), {});
    for (std::size_t i = 0; i < branches.size(); ++i) {
      edges_[i].branch = std::move(branches[i]);
      edges_[i].curve = branch_curve(body_, root_, edges_[i].branch, tips_);
    }
    for (std::size_t i = 0; i < edges_.size(); ++i)
      if (edges_[i].branch.parent >= 0)
        edges_[static_cast<std::size_t>(edges_[i].branch.parent)].children.push_back(static_cast<int>(i));
  }

  // Takes the tips of the shortest bumps away, one at each fork: what is left there may be longer then.
  bool drop_bumps() {
    std::vector<std::uint32_t> gone;
    for (const Edge& fork : edges_) {
      double least = 1;
      int bump = -1;
      for (const int child : fork.children) {
        const Edge& one = edges_[static_cast<std::size_t>(child)];
        if (one.branch.tip < 0) continue;
        const double enough = slender_[static_cast<std::size_t>(one.branch.tip)] * one.curve.middle_radius();
        const double share = one.curve.points.size() < 3 || !(enough > 0) ? 0 : one.curve.length() / enough;
        if (share < least) least = share, bump = one.branch.tip;
      }
      if (bump >= 0) gone.push_back(tips_[static_cast<std::size_t>(bump)]);
    }
    for (const std::uint32_t tip : gone) {
      const auto at = std::find(tips_.begin(), tips_.end(), tip) - tips_.begin();
      tips_.erase(tips_.begin() + at);
      slender_.erase(slender_.begin() + at);
    }
    return !gone.empty();
  }

  // The rings of a short limb are those of what it grows on, aslant: it is measured again from its own tip.
  void regrow_stubs() {
    for (Edge& edge : edges_)
      if (edge.branch.tip >= 0 && edge.branch.parent >= 0 && !edge.curve.empty() &&
          edge.curve.length() <= kStubLimb * edge.curve.middle_radius())
        if (Curve curve = curve_from_tip(body_, root_, edge.branch,
                                         edges_[static_cast<std::size_t>(edge.branch.parent)].branch, tips_);
            curve.length() > edge.curve.length())
          edge.curve = std::move(curve);
  }

  // What has as much on both sides of the mirror plane goes along it, wherever it ends: at one of two feet.
  void centre_on_plane() {
    for (Edge& edge : edges_) {
      if (!mirror_ || edge.curve.empty()) continue;
      const auto beside = [&](const Vec3& p) { return (p - mirror_->centre).dot(mirror_->normal); };
      double sum = 0, weight = 0;
      for (const std::uint32_t v : edge.branch.points) {
        sum += body_.graph.weights[v] * beside(body_.graph.positions[v]);
        weight += body_.graph.weights[v];
      }
      const double near = kOnPlane * body_.graph.size;
      if (!(std::abs(sum) < near * weight)) continue;
      edge.both_sides =
          edge.branch.tip >= 0 &&
          std::abs(beside(body_.graph.positions[tips_[static_cast<std::size_t>(edge.branch.tip)]])) > near;
      for (Vec3& p : edge.curve.points) p -= beside(p) * mirror_->normal;
      edge.curve.measure();
    }
  }

  // Forks nearer to each other than the body is thick there are one.
  void contract_short_stems() {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      Edge& stem = edges_[i];
      if (stem.branch.tip >= 0 || stem.branch.parent < 0) continue;
      Edge& above = edges_[static_cast<std::size_t>(stem.branch.parent)];
      const double thick =
          std::max(stem.curve.middle_radius(), above.curve.radius_at(kBeforeFork * above.curve.length()));
      if (stem.curve.points.size() > 2 && stem.curve.length() > thick) continue;
      std::erase(above.children, static_cast<int>(i));
      for (const int child : stem.children) {
        edges_[static_cast<std::size_t>(child)].branch.parent = stem.branch.parent;
        above.children.push_back(child);
      }
      stem.children.clear();
      stem.curve = {};
    }
  }

  void find_mirror_limbs() {
    if (!mirror_) return;
    const auto off = [&](const Curve& a, const Curve& b) {
      double sum = 0;
      for (const double u : {0.25, 0.5, 0.75, 1.0})
        sum += ((*mirror_)(a.at(u * a.length())) - b.at(u * b.length())).norm() / 4;
      return sum;
    };
    std::vector<int> nearest(edges_.size(), -1);
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      double least = kMirrorLimb * body_.graph.size;
      for (std::size_t k = 0; k < edges_.size(); ++k) {
        if (edges_[i].curve.empty() || edges_[k].curve.empty() || is_leaf(i) != is_leaf(k)) continue;
        if (const double one = off(edges_[i].curve, edges_[k].curve); one < least)
          least = one, nearest[i] = static_cast<int>(k);
      }
    }
    for (std::size_t i = 0; i < edges_.size(); ++i)
      if (nearest[i] >= 0 && nearest[static_cast<std::size_t>(nearest[i])] == static_cast<int>(i))
        edges_[i].image = nearest[i];
  }

  void choose_joints() {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      Edge& edge = edges_[i];
      const int image = edge.image;
      if (image < 0 || image >= static_cast<int>(i)) {
        if (!is_appendage(i) && !is_feeler(i))
          edge.joints = chain_joints(edge.curve, !is_limb(i) ? 0 : is_flat(edge) ? kWingBone : kLimbBone);
        add_foot(i);
        continue;
      }
      const Edge& other = edges_[static_cast<std::size_t>(image)];
      for (const double s : other.joints)
        edge.joints.push_back(s * edge.curve.length() / std::max(other.curve.length(), 1e-300));
    }
  }

  // A jaw or a feeler: one bone.
  bool is_appendage(std::size_t edge) const {
    double longest = 0;
    for (std::size_t i = 0; i < edges_.size(); ++i)
      if (is_leaf(i)) longest = std::max(longest, edges_[i].curve.length());
    return is_leaf(edge) && edges_[edge].branch.parent >= 0 &&
           edges_[edge].curve.length() < kAppendage * longest;
  }

  bool is_on_one_side(std::size_t edge) const {
    return edges_[edge].image >= 0 && edges_[edge].image != static_cast<int>(edge);
  }

  // One of a pair that grows on a head, however long: thin beside it, where the body ends, and no leg. A head is a fork with one stem
  // on the middle; what else is there on the middle, a snout, is shorter than the stem is thick.
  bool is_feeler(std::size_t edge) const {
    const Edge& one = edges_[edge];
    if (!is_leaf(edge) || !is_on_one_side(edge) || one.branch.parent < 0 || stands(edge)) return false;
    const auto fork = static_cast<std::size_t>(one.branch.parent);
    if (fork == best_hub()) return false;
    std::vector<std::size_t> stems, snouts;
    (edges_[fork].branch.parent < 0 ? snouts : stems).push_back(fork);
    for (const int child : edges_[fork].children)
      if (const auto k = static_cast<std::size_t>(child); !is_on_one_side(k))
        (is_leaf(k) ? snouts : stems).push_back(k);
    if (stems.size() != 1) return false;
    const double thick = edges_[stems[0]].curve.middle_radius();
    return one.curve.middle_radius() < kFeeler * thick &&
           std::all_of(snouts.begin(), snouts.end(),
                       [&](std::size_t k) { return edges_[k].curve.length() < thick; });
  }

  bool stands(std::size_t limb) const {
    const Edge& edge = edges_[limb];
    if (!is_limb(limb) || edge.curve.empty() || edge.both_sides) return false;
    const bool first = edge.branch.parent < 0;
    const Vec3 &tip = first ? edge.curve.points.front() : edge.curve.points.back(),
               &seam = first ? edge.curve.points.back() : edge.curve.points.front();
    return tip.y() <= ground_ + kStands * body_.graph.size &&
           seam.y() >= tip.y() + kHighSeam * edge.curve.length();
  }

  // A limb that stands on the ground ends in a foot.
  void add_foot(std::size_t limb) {
    if (!stands(limb)) return;
    Edge& edge = edges_[limb];
    const double in = std::min(edge.curve.middle_radius(), kFoot * edge.curve.length());
    if (edge.branch.parent < 0)
      edge.joints.insert(edge.joints.begin(), in);
    else
      edge.joints.push_back(edge.curve.length() - in);
  }

  void name_limbs() {
    // Which end is a head nobody knows: the body looks along z, or along x where its sides lie along z.
    const bool along_x = mirror_ && std::abs(mirror_->normal.z()) > std::abs(mirror_->normal.x());
    const Vec3 left = along_x ? Vec3(-Vec3::UnitZ()) : Vec3(Vec3::UnitX());
    std::vector<std::size_t> by_length(edges_.size());
    std::iota(by_length.begin(), by_length.end(), 0u);
    std::stable_sort(by_length.begin(), by_length.end(), [&](std::size_t a, std::size_t b) {
      return edges_[a].curve.length() > edges_[b].curve.length();
    });
    int limbs = 0, stems = 0;
    for (const std::size_t i : by_length) {
      Edge& edge = edges_[i];
      if (!edge.name.empty() || edge.curve.empty()) continue;
      if (edge.branch.parent < 0) {
        edge.name = "Trunk";
        continue;
      }
      const std::string base = is_leaf(i) ? fmt::format("Limb{}", ++limbs) : fmt::format("Stem{}", ++stems);
      if (edge.image < 0 || edge.image == static_cast<int>(i)) {
        edge.name = base;
        continue;
      }
      Edge& other = edges_[static_cast<std::size_t>(edge.image)];
      const bool here =
          (edge.curve.at(edge.curve.length() / 2) - other.curve.at(other.curve.length() / 2)).dot(left) > 0;
      edge.name = (here ? "Left" : "Right") + base;
      other.name = (here ? "Right" : "Left") + base;
    }
  }

  // Where the body is thickest of all forks; on the middle, where there is one.
  std::size_t best_hub() const {
    std::size_t best = edges_.size() - 1;
    double most = -1;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (edges_[i].children.empty() || edges_[i].curve.empty()) continue;
      const bool middle = edges_[i].image == static_cast<int>(i);
      const double thick = edges_[i].curve.radius_at(kBeforeFork * edges_[i].curve.length());
      const double score = thick + (middle ? body_.graph.size : 0);
      if (score > most) most = score, best = i;
    }
    return best;
  }

  static int add(PlainSkeleton& made, std::string name, int parent, const Vec3& head) {
    TemplateJoint joint;
    joint.name = std::move(name);
    joint.parent = parent;
    joint.head = head;
    made.model.joints.push_back(joint);
    PlacedJoint placed;
    placed.head = head;
    made.placed.push_back(placed);
    return static_cast<int>(made.placed.size()) - 1;
  }

  // Joints of one edge at some arc lengths; the last of them.
  int add_joints(PlainSkeleton& made, std::size_t edge, std::span<const double> places, int parent) const {
    first_[edge] = {static_cast<int>(made.placed.size()), static_cast<int>(places.size())};
    for (std::size_t k = 0; k < places.size(); ++k) {
      parent =
          add(made, fmt::format("{}_{}", edges_[edge].name, k + 1), parent, edges_[edge].curve.at(places[k]));
      if (edges_[edge].image >= 0 && edges_[edge].image != static_cast<int>(edge))
        made.model.joints.back().anchor.kind = Anchor::Kind::kLimb;
    }
    return parent;
  }

  void add_outwards(PlainSkeleton& made, std::size_t edge, int parent) const {
    const Edge& one = edges_[edge];
    if (one.curve.empty()) return;
    std::vector<double> places = {0};
    places.insert(places.end(), one.joints.begin(), one.joints.end());
    if (!one.children.empty()) places.push_back(one.curve.length());
    const auto first = made.placed.size();
    const int last = add_joints(made, edge, places, parent);
    if (is_limb(edge)) {
      const Vec3 middle = middle_of_fork(static_cast<std::size_t>(one.branch.parent));
      made.placed[first].head += kInsideBody * (middle - made.placed[first].head);
    }
    if (one.children.empty())
      made.placed[static_cast<std::size_t>(last)].tail = one.curve.points.back();
    else
      add_children(made, edge, last, -1);
  }

  void add_children(PlainSkeleton& made, std::size_t fork, int parent, int but) const {
    for (const int child : edges_[fork].children)
      if (child != but) add_outwards(made, static_cast<std::size_t>(child), parent);
  }

  // From a fork towards the root's tip.
  void add_inwards(PlainSkeleton& made, std::size_t fork, int parent) const {
    const Edge& one = edges_[fork];
    if (one.curve.empty()) return;
    std::vector<double> places(one.joints.rbegin(), one.joints.rend());
    if (one.branch.parent < 0) {
      if (places.empty())
        places.push_back(find_neck(one.curve, one.curve.length()).value_or(one.curve.length() / 2));
      made.placed[static_cast<std::size_t>(add_joints(made, fork, places, parent))].tail =
          one.curve.points.front();
      return;
    }
    // The fork above is the end of this stem.
    const auto above = static_cast<std::size_t>(one.branch.parent);
    places.push_back(0);
    const int last = add_joints(made, fork, places, parent);
    add_children(made, above, last, static_cast<int>(fork));
    add_inwards(made, above, last);
  }

  // A body without forks: all of it is one chain, from its thicker end.
  void add_chain(PlainSkeleton& made) const {
    const Curve& curve = edges_[0].curve;
    if (curve.empty()) return;
    const double length = curve.length();
    const bool thick_first = curve.radius_at(kNearEnds * length) >= curve.radius_at((1 - kNearEnds) * length);
    std::vector<double> places = {0};
    places.insert(places.end(), edges_[0].joints.begin(), edges_[0].joints.end());
    if (!thick_first) {
      places.erase(places.begin());
      std::reverse(places.begin(), places.end());
      places.insert(places.begin(), length);
    }
    const int last = add_joints(made, 0, places, -1);
    made.placed[static_cast<std::size_t>(last)].tail =
        thick_first ? curve.points.back() : curve.points.front();
  }

  void find_images(PlainSkeleton& made, std::size_t hub) const {
    if (!mirror_) return;
    if (edges_.size() > 1 && edges_[hub].image == static_cast<int>(hub)) made.model.joints[0].mirror = 0;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (edges_[i].image < 0) continue;
      const auto [to, count] = first_[static_cast<std::size_t>(edges_[i].image)];
      if (to < 0 || count != first_[i].second) continue;
      for (int k = 0; k < count; ++k)
        made.model.joints[static_cast<std::size_t>(first_[i].first + k)].mirror = to + k;
    }
  }

  const BodyMap& body_;
  const std::optional<Mirror>& mirror_;
  std::size_t root_;
  double ground_;  // the lowest point
  std::vector<std::uint32_t> tips_;
  std::vector<double> slender_;                     // per tip: how many radii long its limb must be
  std::vector<Edge> edges_;                         // the last one begins at the root's tip
  mutable std::vector<std::pair<int, int>> first_;  // per edge: its first joint and how many it has
};

}  // namespace

PlainSkeleton plain_skeleton(BodyMap& body, const std::optional<Mirror>& mirror) {
  const PlainTree tree(body, mirror, root_on_plane(body, mirror), false);
  if (tree.is_stout_chain()) {
    const PlainTree other(body, mirror, add_tip_between(body), true);
    if (other.has_thin_limb()) return other.skeleton();
  }
  return tree.skeleton();
}

}  // namespace sinew::autorig
