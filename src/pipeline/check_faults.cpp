// SPDX-License-Identifier: Apache-2.0
#include "pipeline/check_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "sinew/core/counted.h"
#include "sinew/core/text.h"
#include "sinew/measure/self_intersection.h"
#include "sinew/measure/weight_faults.h"
#include "sinew/mesh/topology.h"
#include "sinew/rig/copies.h"
#include "sinew/weights/mirror.h"

namespace sinew {
namespace {

constexpr double kOpenSeam = 0.005;                             // of the diagonal
constexpr double kLooseIsland = 0.03;                           // of the diagonal
constexpr double kTornEdge = 0.2;                               // of the diagonal
constexpr double kMirrorDifference = 0.1, kMirrorPlace = 0.02;  // the latter of the diagonal
constexpr double kMostLone = 0.2;      // of the joints without a mirror image: the skeleton is not symmetric
constexpr double kMirrorShare = 0.02;  // of the vertices that the joint carries
constexpr std::size_t kFewest = 3;     // vertices that make a fault
constexpr double kWrapTwist = std::numbers::pi / 2, kWrapGirth = 0.8, kWrapEnergy = 2.5;
constexpr std::size_t kFewCrossing = 12;
constexpr double kCrossingShare = 0.1;  // of the triangles around the joint

std::string vertices_have(std::size_t count) {
  return counted(count, "vertex has", "vertices have");
}

// How far a joint at the border of its range moves a point apart from one that it carries by so much less.
double opening(const CheckedRig& checked, std::size_t bone, double share, const Vec3& p) {
  const double chord = 2 * std::sin(0.5 * std::max(checked.range.swing, checked.range.twist));
  return std::abs(share) * chord * (p - checked.surface.bones[bone].head).norm();
}

// Per bone the share of a row that it carries.
std::vector<double> shares_of_row(const CheckedRig& checked, std::span<const Influence> row) {
  const std::vector<int>& parents = checked.surface.parents;
  std::vector<double> shares(parents.size(), 0);
  for (const Influence& influence : row) {
    int joint = static_cast<int>(influence.joint);
    while (joint >= static_cast<int>(parents.size()))
      joint = checked.rig->skeleton[static_cast<std::size_t>(joint)].parent;
    for (; joint >= 0; joint = parents[static_cast<std::size_t>(joint)])
      shares[static_cast<std::size_t>(joint)] += influence.weight;
  }
  return shares;
}

bool same_row(std::span<const Influence> a, std::span<const Influence> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k].joint != b[k].joint || std::abs(a[k].weight - b[k].weight) > 1e-3) return false;
  return true;
}

// Vertices that faults are about, counted at joints.
class FaultCount {
 public:
  explicit FaultCount(std::size_t joints) : count_(joints, 0), most_(joints, 0) {}
  void add(std::size_t joint, double size = 0) {
    ++count_[joint];
    most_[joint] = std::max(most_[joint], size);
  }
  template <class Text>
  void report(bool fatal, const Text& text, Faults& faults) const {
    for (std::size_t j = 0; j < count_.size(); ++j)
      if (count_[j] > 0) faults.push_back({j, fatal, text(count_[j], most_[j])});
  }

 private:
  std::vector<std::size_t> count_;
  std::vector<double> most_;
};

// The joint that has most of a vertex; of one without weights, the nearest.
std::size_t joint_at(const CheckedRig& checked, std::size_t vertex) {
  const auto row = checked.rig->weights.row(vertex);
  if (!row.empty() && row[0].joint < checked.surface.bones.size()) return row[0].joint;
  return nearest_bone(checked.rig->mesh.positions[vertex], checked.surface.bones);
}

std::vector<std::uint8_t> skinned_vertices(const Rig& rig) {
  std::vector<std::uint8_t> skinned(rig.mesh.vertex_count(), rig.parts.empty());
  for (const MeshPart& part : rig.parts)
    if (part.skinned)
      std::fill_n(skinned.begin() + static_cast<std::ptrdiff_t>(part.vertex_begin), part.vertex_count, 1);
  return skinned;
}

// By name where the joint of that name lies at the mirrored place, else by place: names of some files run
// differently on the two sides.
std::vector<int> mirror_partners(const CheckedRig& checked, const MirrorPlane& plane) {
  const Rig& rig = *checked.rig;
  const std::vector<Affine3> bind = bind_transforms(rig);
  const double near = kMirrorPlace * checked.diagonal;
  std::vector<int> partner = mirror_joints(rig.skeleton, bind, plane.axis, plane.centre, near);
  for (std::size_t j = 0; j < checked.surface.bones.size(); ++j) {
    Vec3 image = bind[j].translation();
    image[plane.axis] = 2 * plane.centre - image[plane.axis];
    const auto away = [&](std::size_t k) { return (bind[k].translation() - image).norm(); };
    if (partner[j] >= 0 && away(static_cast<std::size_t>(partner[j])) <= near) continue;
    double least = near;
    partner[j] = -1;
    for (std::size_t k = 0; k < checked.surface.bones.size(); ++k)
      if (away(k) <= least) {
        least = away(k);
        partner[j] = static_cast<int>(k);
      }
  }
  return partner;
}

// All vertices of the rig that were welded into these.
void add_faulty(const CheckedRig& checked, std::span<const std::uint32_t> welded, CheckReport& report) {
  const std::vector<std::uint32_t>& to_welded = checked.surface.welded.weld.to_welded;
  std::vector<std::uint8_t> wanted(checked.surface.welded.view().positions.size(), 0);
  for (const std::uint32_t i : welded) wanted[i] = 1;
  for (std::size_t i = 0; i < to_welded.size(); ++i)
    if (to_welded[i] < wanted.size() && wanted[to_welded[i]])
      report.faulty.push_back(static_cast<std::uint32_t>(i));
}

}  // namespace

Result<CheckedRig> make_checked_rig(const Rig& rig, const MotionRange& range) {
  CheckedRig checked;
  checked.rig = &rig;
  checked.range = range;
  SINEW_TRY(checked.surface, make_surface(rig));
  checked.diagonal = bounding_box(rig.mesh.positions).diagonal().norm();
  checked.copies = copies_of(rig);
  for (const std::uint32_t i : checked.surface.welded.weld.representative)
    checked.rows.add_row(rig.weights.row(i));
  checked.shares = carried_shares(rig, checked.surface);
  checked.on_control.assign(checked.surface.bones.size(), 0);
  return checked;
}

void find_row_faults(const CheckedRig& checked, const CheckRequest& request, CheckReport& report,
                     Faults& faults) {
  const Rig& rig = *checked.rig;
  const std::size_t joints = checked.surface.bones.size();
  const std::vector<std::uint8_t> skinned = skinned_vertices(rig);
  FaultCount bare(joints), lost(joints), off(joints), many(joints);
  for (std::size_t i = 0; i < skinned.size(); ++i) {
    if (!skinned[i]) continue;
    const std::size_t size = rig.weights.row(i).size();
    if (size == 0) {
      ++report.unweighted;
      bare.add(joint_at(checked, i));
      report.faulty.push_back(static_cast<std::uint32_t>(i));
    }
    report.influences = std::max(report.influences, size);
    if (request.influences > 0 && size > request.influences) {
      many.add(joint_at(checked, i), static_cast<double>(size));
      report.faulty.push_back(static_cast<std::uint32_t>(i));
    }
  }
  for (const std::uint32_t i : request.stored.lost_rows) {
    if (rig.weights.row(i).empty()) continue;  // counted already
    ++report.unweighted;
    lost.add(joint_at(checked, i));
    report.faulty.push_back(i);
  }
  for (const std::uint32_t i : request.stored.off_rows) {
    off.add(joint_at(checked, i));
    report.faulty.push_back(i);
  }
  report.max_row_error = request.stored.max_row_error;
  bare.report(
      true, [](std::size_t n, double) { return vertices_have(n) + " no weights"; }, faults);
  lost.report(
      true, [](std::size_t n, double) { return vertices_have(n) + " weights that are not numbers"; }, faults);
  off.report(
      false,
      [&](std::size_t n, double) {
        return fmt::format("{} weights that do not sum to 1 (off by up to {:.2g})", vertices_have(n),
                           report.max_row_error);
      },
      faults);
  many.report(
      false,
      [&](std::size_t n, double most) {
        return fmt::format("{} more than {} influences (up to {})", vertices_have(n), request.influences,
                           most);
      },
      faults);
}

void find_strays(const CheckedRig& checked, CheckReport& report, Faults& faults) {
  for (const StrayWeights& stray :
       stray_weights(checked.surface.welded.view(), checked.rows, checked.surface.bones.size())) {
    report.strays += stray.vertices.size();
    add_faulty(checked, stray.vertices, report);
    faults.push_back({stray.joint, false,
                      fmt::format("has weights of up to {:.2f} on {} {}", stray.largest,
                                  counted(stray.vertices.size(), "vertex", "vertices"),
                                  stray.near ? "across a gap" : "elsewhere on the body")});
  }
}

void find_open_seams(const CheckedRig& checked, CheckReport& report, Faults& faults) {
  const Rig& rig = *checked.rig;
  const Weld weld = weld_vertices(rig.mesh.positions, 1e-7 * checked.diagonal, checked.copies);
  FaultCount open(checked.surface.bones.size());
  for (std::size_t i = 0; i < weld.to_welded.size(); ++i) {
    const std::uint32_t first = weld.representative[weld.to_welded[i]];
    if (first == i || same_row(rig.weights.row(i), rig.weights.row(first))) continue;
    const std::vector<double> a = shares_of_row(checked, rig.weights.row(i));
    const std::vector<double> b = shares_of_row(checked, rig.weights.row(first));
    double most = 0;
    std::size_t joint = 0;
    for (std::size_t j = 0; j < a.size(); ++j) {
      const double gap = opening(checked, j, a[j] - b[j], rig.mesh.positions[i]);
      if (gap > most) most = gap, joint = j;
    }
    if (most <= kOpenSeam * checked.diagonal) continue;
    open.add(joint, most);
    report.faulty.insert(report.faulty.end(), {static_cast<std::uint32_t>(i), first});
  }
  const std::size_t before = faults.size();
  open.report(
      true,
      [&](std::size_t n, double most) {
        return fmt::format("a seam of {} opens by {:.1f} % of the diagonal", counted(n, "vertex", "vertices"),
                           100 * most / checked.diagonal);
      },
      faults);
  report.torn += faults.size() - before;
}

// An island comes off where none of the places at which it touches others stays with them. A limb that is
// made of rigid parts turns about places near the joint.
void find_loose_islands(const CheckedRig& checked, CheckReport& report, Faults& faults) {
  const MeshView mesh = checked.surface.welded.view();
  const Components islands = connected_components(mesh.positions.size(), mesh.triangles);
  report.islands = islands.count;
  if (!checked.copies.empty()) return;  // copies of a body lie in one place and are not meant to stay there
  std::map<std::uint32_t, std::vector<double>> least;  // per island and joint
  for (const IslandContact& contact : island_contacts(mesh)) {
    auto [entry, fresh] = least.try_emplace(contact.island);
    if (fresh) entry->second.assign(checked.surface.bones.size(), std::numeric_limits<double>::infinity());
    const Triangle& t = mesh.triangles[contact.triangle];
    const Eigen::RowVectorXd other = contact.barycentric[0] * checked.shares.row(t[0]) +
                                     contact.barycentric[1] * checked.shares.row(t[1]) +
                                     contact.barycentric[2] * checked.shares.row(t[2]);
    for (std::size_t j = 0; j < entry->second.size(); ++j) {
      const auto column = static_cast<Eigen::Index>(j);
      // A control turns about a place of its own, and solvers take the rest along.
      if (checked.on_control[j]) entry->second[j] = 0;
      const double gap = opening(checked, j, checked.shares(contact.vertex, column) - other[column],
                                 mesh.positions[contact.vertex]);
      entry->second[j] = std::min(entry->second[j], gap);
    }
  }
  std::vector<std::size_t> sizes(islands.count, 0);
  for (const std::uint32_t c : islands.of_vertex)
    if (c != kNoComponent) ++sizes[c];
  // Of two islands that part from each other the smaller one is named.
  const std::size_t body =
      static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  for (const auto& [island, gaps] : least) {
    if (island == body) continue;
    const auto worst = std::max_element(gaps.begin(), gaps.end());
    if (*worst <= kLooseIsland * checked.diagonal) continue;
    ++report.torn;
    std::vector<std::uint32_t> own;
    for (std::size_t i = 0; i < islands.of_vertex.size(); ++i)
      if (islands.of_vertex[i] == island) own.push_back(static_cast<std::uint32_t>(i));
    add_faulty(checked, own, report);
    faults.push_back(
        {static_cast<std::size_t>(worst - gaps.begin()), true,
         fmt::format("an island of {} comes off by {:.0f} % of the diagonal",
                     counted(sizes[island], "vertex", "vertices"), 100 * *worst / checked.diagonal)});
  }
}

// A joint that carries one end of an edge far from it, and not the other.
void find_torn_edges(const CheckedRig& checked, CheckReport& report, Faults& faults) {
  const MeshView mesh = checked.surface.welded.view();
  const EdgeTable edges = edge_table(mesh.positions.size(), mesh.triangles);
  for (std::size_t j = 0; j < checked.surface.bones.size(); ++j) {
    const auto shares = checked.shares.col(static_cast<Eigen::Index>(j));
    std::size_t count = 0;
    double most = 0;
    std::vector<std::uint32_t> ends;  // welded vertices
    for (const auto& [a, b] : edges.ends) {
      const double gap =
          opening(checked, j, shares[a] - shares[b], 0.5 * (mesh.positions[a] + mesh.positions[b]));
      if (gap <= kTornEdge * checked.diagonal) continue;
      ++count;
      most = std::max(most, gap);
      ends.insert(ends.end(), {a, b});
    }
    if (count < kFewest) continue;
    ++report.torn;
    add_faulty(checked, ends, report);
    faults.push_back({j, true,
                      fmt::format("tears {}: their ends part by up to {:.0f} % of the diagonal",
                                  counted(count, "edge", "edges"), 100 * most / checked.diagonal)});
  }
}

void find_mirror_faults(const CheckedRig& checked, CheckReport& report, Faults& faults) {
  const Rig& rig = *checked.rig;
  const auto plane = mirror_plane(checked.surface.welded.weld.positions);
  if (!plane) return;
  const std::vector<int> partner = mirror_partners(checked, *plane);
  std::size_t lone = 0;
  for (std::size_t j = 0; j < checked.surface.bones.size(); ++j) lone += partner[j] < 0;
  if (static_cast<double>(lone) > kMostLone * static_cast<double>(checked.surface.bones.size())) return;
  const std::size_t joints = checked.surface.bones.size();
  std::vector<std::size_t> carried(joints, 0), different(joints, 0);
  std::vector<double> most(joints, 0);
  for (std::size_t i = 0; i < plane->partner.size(); ++i) {
    if (plane->partner[i] == kNoPartner) continue;
    bool differs = false;
    for (const Influence& influence : checked.rows.row(i)) {
      const std::size_t j = influence.joint;
      if (j >= joints || partner[j] < 0) continue;
      double other = 0;
      for (const Influence& image : checked.rows.row(plane->partner[i]))
        if (static_cast<int>(image.joint) == partner[j]) other = image.weight;
      ++carried[j];
      const double difference = std::abs(influence.weight - other);
      if (difference <= kMirrorDifference) continue;
      differs = true;
      ++different[j];
      most[j] = std::max(most[j], difference);
    }
    report.mirrored += differs;
  }
  for (std::size_t j = 0; j < joints; ++j) {
    const double enough = std::max<double>(kFewest, kMirrorShare * static_cast<double>(carried[j]));
    if (static_cast<double>(different[j]) < enough) continue;
    const auto other = static_cast<std::size_t>(partner[j]);
    faults.push_back(
        {j, false,
         fmt::format("mirrored weights differ on {}, by up to {:.2f}{}",
                     counted(different[j], "vertex", "vertices"), most[j],
                     other == j ? "" : fmt::format(" (from {})", printable(rig.skeleton[other].name, 40)))});
  }
}

void find_candy_wraps(const CheckedRig& checked, std::span<const JointEnergy> energies, Faults& faults) {
  const auto& positions = checked.surface.welded.weld.positions;
  for (std::size_t j = 0; j < energies.size(); ++j) {
    if (energies[j].twist < kWrapEnergy) continue;
    const Bone& bone = checked.surface.bones[j];
    const JointFrame frame = joint_frame(checked.surface.bones, checked.surface.parents, j);
    double rest = 0, left = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const double s = checked.shares(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      if (s < 0.1 || s > 0.9) continue;
      const Vec3 away = positions[i] - bone.head;
      const double radius = (away - frame.axes.col(2) * frame.axes.col(2).dot(away)).norm();
      rest += radius;
      left += radius * std::sqrt(1 - 2 * s * (1 - s) * (1 - std::cos(kWrapTwist)));
      ++count;
    }
    if (count < kFewest || left >= kWrapGirth * rest) continue;
    faults.push_back({j, false,
                      fmt::format("candy-wraps: a twist of 90 degrees leaves {:.0f} % of the girth around it",
                                  100 * left / rest)});
  }
}

// Where the joint bends the surface and around it: limbs that meet elsewhere are the animator's.
Result<void> find_intersections(const CheckedRig& checked, const Progress* progress, CheckReport& report,
                                Faults& faults) {
  const MeshView mesh = checked.surface.welded.view();
  const std::vector<RangePose> poses = poses_of_range(checked.range);
  std::vector<Vec3> posed(mesh.positions.size());
  for (std::size_t j = 0; j < checked.surface.bones.size(); ++j) {
    if (is_cancelled(progress)) return cancelled();
    sinew::report(progress, "self-intersections",
                  static_cast<double>(j) / static_cast<double>(checked.surface.bones.size()));
    const auto shares = checked.shares.col(static_cast<Eigen::Index>(j));
    const Vec3 head = checked.surface.bones[j].head;
    double reach = 0;
    for (std::size_t i = 0; i < posed.size(); ++i)
      if (const double s = shares[static_cast<Eigen::Index>(i)]; s > 0.02 && s < 0.98)
        reach = std::max(reach, (mesh.positions[i] - head).norm());
    if (reach == 0) continue;
    std::vector<Triangle> around;
    for (const Triangle& t : mesh.triangles)
      if (std::any_of(t.begin(), t.end(),
                      [&](std::uint32_t i) { return (mesh.positions[i] - head).norm() < 1.25 * reach; }))
        around.push_back(t);
    const std::size_t at_rest = self_intersecting_triangles({mesh.positions, around});
    std::size_t most = 0, worst = 0;
    for (std::size_t k = 0; k < poses.size(); ++k) {
      const Affine3 turn = turn_of_joint(checked.surface, j, poses[k]);
      for (std::size_t i = 0; i < posed.size(); ++i)
        posed[i] = mesh.positions[i] +
                   shares[static_cast<Eigen::Index>(i)] * (turn * mesh.positions[i] - mesh.positions[i]);
      const std::size_t crossing = self_intersecting_triangles({posed, around});
      if (crossing <= at_rest || crossing - at_rest <= most) continue;
      most = crossing - at_rest;
      worst = k;
    }
    report.intersections = std::max(report.intersections, most);
    if (most > kFewCrossing &&
        static_cast<double>(most) > kCrossingShare * static_cast<double>(around.size()))
      faults.push_back({j, false,
                        fmt::format("{} others in {}", counted(most, "triangle crosses", "triangles cross"),
                                    poses[worst].name)});
  }
  return {};
}

}  // namespace sinew
