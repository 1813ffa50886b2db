// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numbers>

#include "pipeline/check_faults.h"
#include "sinew/binding/skin_chains.h"
#include "sinew/core/counted.h"
#include "sinew/core/text.h"
#include "sinew/rig/skinned_mesh.h"
#include "sinew/rig/weighted_joints.h"

namespace sinew {
namespace {

constexpr std::size_t kCheckCells = 6000;  // of the body, and of a piece
constexpr double kRatios[] = {1.25, 1.75, 2.5, 4};
constexpr double kWorstShare = 0.1;  // of the joints: theirs is the grade of the rig
constexpr double kMostJoints = 400;  // that the elastic body is solved for

Grade grade_of(double ratio) {
  std::uint8_t grade = 0;
  while (grade < std::size(kRatios) && !(ratio <= kRatios[grade])) ++grade;
  return static_cast<Grade>(grade);
}

// The elastic body may not be there: a sheet, parts without bones, more joints than time.
Result<std::vector<JointEnergy>> energies_of(const CheckedRig& checked, const CheckRequest& request,
                                             CheckReport& report) {
  const std::size_t joints = checked.surface.bones.size();
  const std::vector<JointEnergy> none(joints);
  if (static_cast<double>(joints) > kMostJoints) {
    report.warnings.push_back(fmt::format("elastic energies are left out: {} joints are too many", joints));
    return none;
  }
  const auto make_body = [&](const BindInput& input) {
    return make_bone_body(input, request.voxels, request.progress, kCheckCells);
  };
  const auto make_piece = [&](const BindInput& piece, const BindInput&, std::size_t) {
    return make_bone_body(piece, 0, request.progress, kCheckCells);
  };
  auto arenas = Arenas::open(*checked.rig, make_body, request.progress);
  if (!arenas.ok() && arenas.error().code == ErrorCode::kCancelled) return arenas.error();
  if (!arenas.ok()) {
    report.warnings.push_back("elastic energies are left out: " + arenas.error().message);
    return none;
  }
  std::vector<std::uint8_t> carrying(joints, 0);
  for (std::size_t j = 0; j < joints; ++j)
    carrying[j] = checked.shares.col(static_cast<Eigen::Index>(j)).maxCoeff() > 0;
  SINEW_CHECK(arenas->assign(carrying, make_piece, request.progress));
  return joint_energies(*arenas, request.range, request.progress);
}

void grade_joints(const CheckedRig& checked, std::span<const JointEnergy> energies, const Faults& faults,
                  CheckReport& report) {
  std::vector<std::uint8_t> fatal(energies.size(), 0);
  for (const JointFault& fault : faults) {
    report.joints[fault.joint].reasons.push_back(fault.reason);
    fatal[fault.joint] = fatal[fault.joint] || fault.fatal;
  }
  std::vector<Grade> grades;
  for (std::size_t j = 0; j < energies.size(); ++j) {
    JointCheck& joint = report.joints[j];
    joint.energy_ratio = energies[j].ratio;
    const bool carries = checked.shares.col(static_cast<Eigen::Index>(j)).maxCoeff() > 0;
    if (!carries && !fatal[j]) continue;
    Grade grade = joint.energy_ratio ? grade_of(*joint.energy_ratio) : Grade::kA;
    if (!joint.reasons.empty()) grade = std::max(grade, Grade::kB);
    if (fatal[j] || !energies[j].finite) grade = Grade::kF;
    joint.grade = grade;
    grades.push_back(grade);
  }
  std::sort(grades.begin(), grades.end(), std::greater<>());
  const double tenth = std::ceil(kWorstShare * static_cast<double>(grades.size()));
  if (!grades.empty()) report.grade = grades[static_cast<std::size_t>(tenth) - 1];
  if (report.unweighted > 0) report.grade = Grade::kF;
}

void keep_pictures(const CheckedRig& checked, std::span<const JointEnergy> energies, std::size_t count,
                   CheckReport& report) {
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < energies.size(); ++j)
    if (report.joints[j].grade && checked.shares.col(static_cast<Eigen::Index>(j)).minCoeff() < 1)
      order.push_back(j);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (report.joints[a].grade != report.joints[b].grade)
      return report.joints[a].grade > report.joints[b].grade;
    return energies[a].worst > energies[b].worst;
  });
  if (order.size() > count) order.resize(count);
  const Rig& rig = *checked.rig;
  for (const std::size_t j : order) {
    const RangePose pose = poses_of_range(checked.range)[energies[j].pose];
    const Affine3 turn = turn_of_joint(checked.surface, j, pose);
    const std::vector<std::uint8_t> below = bones_below(checked.surface.parents, j);
    CheckPicture picture{j, pose.name, rig.mesh.positions, std::vector<float>(rig.mesh.vertex_count(), 0)};
    for (std::size_t i = 0; i < picture.share.size(); ++i) {
      double share = 0;
      for (const Influence& influence : rig.weights.row(i)) {
        int joint = static_cast<int>(influence.joint);
        while (joint >= static_cast<int>(below.size()))
          joint = rig.skeleton[static_cast<std::size_t>(joint)].parent;
        if (joint >= 0 && below[static_cast<std::size_t>(joint)]) share += influence.weight;
      }
      picture.share[i] = static_cast<float>(share);
      picture.positions[i] += share * (turn * rig.mesh.positions[i] - rig.mesh.positions[i]);
    }
    report.pictures.push_back(std::move(picture));
  }
}

// Joints that are not kept are left out, and bones from and to them. Between two that are kept by their weights
// all are.
SkeletonShape shape_of(const Rig& rig, std::span<const std::uint8_t> kept) {
  SkeletonShape shape;
  const std::vector<Affine3> globals = global_transforms(rig.skeleton, rest_pose(rig.skeleton).local);
  const std::vector<int> parents = bone_parents(rig.skeleton);
  std::vector<std::uint32_t> index(kept.size());
  for (std::size_t j = 0; j < kept.size(); ++j) {
    index[j] = static_cast<std::uint32_t>(shape.joints.size());
    if (kept[j]) shape.joints.push_back(globals[j].translation());
  }
  for (std::size_t j = 0; j < kept.size(); ++j)
    if (kept[j] && parents[j] >= 0 && kept[static_cast<std::size_t>(parents[j])])
      shape.bones.push_back({index[static_cast<std::size_t>(parents[j])], index[j]});
  if (shape.bones.empty() && !shape.joints.empty()) shape.bones.push_back({0, 0});
  return shape;
}

// Per joint of one skeleton that of the other, by name, or by their order where names repeat; none: they
// differ.
std::optional<std::vector<std::uint32_t>> same_joints(const Skeleton& a, const Skeleton& b) {
  if (a.deforming_count() != b.deforming_count() || a.size() != b.size()) return std::nullopt;
  std::vector<std::uint32_t> joint_of(a.size());
  bool alike = true;
  for (std::uint32_t j = 0; j < a.size(); ++j) {
    joint_of[j] = j;
    alike = alike && a[j].name == b[j].name;
  }
  if (alike) return joint_of;
  std::map<std::string, std::uint32_t> named;
  for (std::uint32_t j = 0; j < b.size(); ++j)
    if (!named.emplace(b[j].name, j).second) return std::nullopt;
  for (std::uint32_t j = 0; j < a.size(); ++j) {
    const auto found = named.find(a[j].name);
    if (found == named.end()) return std::nullopt;
    joint_of[j] = found->second;
  }
  return joint_of;
}

}  // namespace

char letter_of(Grade grade) {
  return "ABCDEF"[static_cast<std::size_t>(grade)];
}

StoredWeights stored_weights(const Asset& asset) {
  StoredWeights stored;
  if (asset.document) {
    const GltfSummary summary = summarise(*asset.document);
    stored.max_row_error = summary.max_row_error;
    stored.off_rows = summary.off_rows;
    stored.lost_rows = summary.lost_rows;
    return stored;
  }
  stored.max_row_error = weight_stats(asset.rig.weights, 0, asset.rig.weights.vertex_count()).max_row_error;
  return stored;
}

AgainstFigures against_figures(const Rig& rig, const Rig& artist) {
  AgainstFigures figures;
  const Box3 box = bounding_box(skinned_mesh(artist, rest_pose(artist.skeleton)).positions);
  const double size = box.isEmpty() ? 0 : box.sizes().maxCoeff();
  const auto distances = [&](std::span<const std::uint8_t> mine, std::span<const std::uint8_t> theirs) {
    return skeleton_distances(shape_of(rig, mine), shape_of(artist, theirs), size > 0 ? size : 1);
  };
  const std::vector<std::uint8_t> all(rig.skeleton.deforming_count(), 1),
      all_theirs(artist.skeleton.deforming_count(), 1);
  figures.skeleton = distances(all, all_theirs);
  figures.deforming =
      distances(weighted_joints(rig.skeleton, rig.weights), weighted_joints(artist.skeleton, artist.weights));
  const auto joint_of = same_joints(rig.skeleton, artist.skeleton);
  if (joint_of && rig.weights.vertex_count() == artist.weights.vertex_count())
    figures.weights = weight_difference(rig.weights, artist.weights, *joint_of);
  return figures;
}

std::span<const Descriptor> check_settings() {
  constexpr auto kDegrees = [](std::string_view name, std::string_view help, auto get, auto set) {
    Descriptor made = setting<&CheckRequest::voxels>(name, help, 1, 179);
    made.kind = Descriptor::Kind::kNumber;
    made.get = get;
    made.set = set;
    return made;
  };
  constexpr double kOne = std::numbers::pi / 180;
  static constexpr Descriptor kTable[] = {
      setting<&CheckRequest::influences>(
          "influences", "report vertices with more joints than this (default: any number)", 1, 64),
      kDegrees(
          "bend", "degrees that each joint is bent by",
          [](const void* from) {
            return Setting(static_cast<const CheckRequest*>(from)->range.swing / kOne);
          },
          [](void* to, const Setting& value) {
            static_cast<CheckRequest*>(to)->range.swing = std::get<double>(value) * kOne;
          }),
      kDegrees(
          "twist", "degrees that each joint is twisted by",
          [](const void* from) {
            return Setting(static_cast<const CheckRequest*>(from)->range.twist / kOne);
          },
          [](void* to, const Setting& value) {
            static_cast<CheckRequest*>(to)->range.twist = std::get<double>(value) * kOne;
          }),
      setting<&CheckRequest::voxels>(
          "voxels", "cells along the longest side of the solid voxel grid (default: chosen from the mesh)", 4,
          1024),
  };
  return kTable;
}

Result<void> strict_check(const CheckReport& report, const CheckRequest& request) {
  const auto vertices = [](std::size_t count) { return counted(count, "vertex", "vertices"); };
  if (report.unweighted > 0) return impossible(vertices(report.unweighted) + " without weights");
  if (!request.stored.off_rows.empty())
    return impossible(vertices(request.stored.off_rows.size()) + " with weights that do not sum to 1");
  if (request.influences > 0 && report.influences > request.influences)
    return impossible(
        fmt::format("vertices with {} influences, more than {}", report.influences, request.influences));
  for (const JointCheck& joint : report.joints)
    if (joint.grade == Grade::kF)
      return impossible(
          fmt::format("joint '{}' has grade F: {}", printable(joint.name, 60), joint.reasons.front()));
  if (report.grade >= Grade::kD) return impossible(fmt::format("grade {}", letter_of(report.grade)));
  return {};
}

Result<CheckReport> check(const Rig& rig, const CheckRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  if (rig.skeleton.deforming_count() == 0)
    return impossible("there is no skin to check: 'sinew rig' makes one");
  if (rig.weights.entries.empty()) return impossible("no vertex has weights: 'sinew weights' makes them");
  if (request.against && request.against->skeleton.deforming_count() == 0)
    return impossible("the rig to check against has no joints");
  CheckReport report;
  for (std::size_t j = 0; j < rig.skeleton.deforming_count(); ++j)
    report.joints.push_back({rig.skeleton[j].name, std::nullopt, std::nullopt, {}});
  SINEW_TRY(const Rig chains, as_chains(rig, report.warnings));
  SINEW_TRY(CheckedRig checked, make_checked_rig(chains, request.range));
  for (std::size_t j = 0; j < checked.on_control.size(); ++j)
    checked.on_control[j] = chains.skeleton[j].parent != rig.skeleton[j].parent;
  Faults faults;
  find_row_faults(checked, request, report, faults);
  find_open_seams(checked, report, faults);
  find_loose_islands(checked, report, faults);
  find_torn_edges(checked, report, faults);
  find_strays(checked, report, faults);
  std::sort(report.faulty.begin(), report.faulty.end());
  report.faulty.erase(std::unique(report.faulty.begin(), report.faulty.end()), report.faulty.end());
  find_mirror_faults(checked, report, faults);
  SINEW_TRY(const std::vector<JointEnergy> energies, energies_of(checked, request, report));
  for (std::size_t j = 0; j < energies.size(); ++j)
    if (energies[j].ratio && grade_of(*energies[j].ratio) >= Grade::kD)
      faults.push_back(
          {j, false,
           fmt::format("elastic energy {:.1f} times the least, {:.1f} times in {}", *energies[j].ratio,
                       energies[j].worst, poses_of_range(request.range)[energies[j].pose].name)});
  find_candy_wraps(checked, energies, faults);
  SINEW_CHECK(find_intersections(checked, request.progress, report, faults));
  grade_joints(checked, energies, faults, report);
  if (request.pictures > 0) keep_pictures(checked, energies, request.pictures, report);
  if (request.against) report.against = against_figures(rig, *request.against);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace sinew
