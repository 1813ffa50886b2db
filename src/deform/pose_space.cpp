// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/pose_space.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/math/polar.h"
#include "sinew/math/rotation_fit.h"
#include "sinew/rig/key_names.h"

namespace sinew {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
// Channels nearer than this are the same.
constexpr double kSameChannel = 0.01;
constexpr std::size_t kPerJoint = 9;

std::string quoted(const std::string& name) {
  return "'" + name.substr(0, 60) + "'";
}

std::size_t inputs_of(const PoseSpace& space) {
  return kPerJoint * space.joints.size() + space.channels.size();
}

// |R_a - R_b|^2 / 2 is the square of 2 sin(angle / 2).
void write_rotation(const Quat& rotation, double influence, double* out) {
  const Mat3 matrix = std::sqrt(influence / 2) * rotation.toRotationMatrix();
  std::copy(matrix.data(), matrix.data() + kPerJoint, out);
}

struct Row {
  Eigen::VectorXd point, values;
  const PoseSpace::Example* example = nullptr;  // null: the rest
  std::size_t merged = 1;
};

Eigen::VectorXd point_of(const PoseSpace& space, const PoseSpace::Example& example) {
  Eigen::VectorXd point(static_cast<Eigen::Index>(inputs_of(space)));
  for (std::size_t j = 0; j < space.joints.size(); ++j)
    write_rotation(example.rotations[j], space.joints[j].influence, point.data() + kPerJoint * j);
  for (std::size_t c = 0; c < space.channels.size(); ++c)
    point[static_cast<Eigen::Index>(kPerJoint * space.joints.size() + c)] =
        std::sqrt(space.channels[c].influence) * example.channels[c];
  return point;
}

bool same_pose(const PoseSpace::Example& a, const PoseSpace::Example& b) {
  for (std::size_t j = 0; j < a.rotations.size(); ++j)
    if (a.rotations[j].angularDistance(b.rotations[j]) >= kSamePoseDegrees * kDegree) return false;
  for (std::size_t c = 0; c < a.channels.size(); ++c)
    if (std::abs(a.channels[c] - b.channels[c]) >= kSameChannel) return false;
  return true;
}

Result<void> check(const Rig& rig, const PoseSpace& space) {
  const std::string what = "pose space " + quoted(space.name);
  const auto fits = [](const std::vector<PoseSpace::Driver>& drivers, std::size_t count) {
    return std::all_of(drivers.begin(), drivers.end(), [&](const PoseSpace::Driver& driver) {
      return driver.index < count && driver.influence > 0 && std::isfinite(driver.influence);
    });
  };
  if (!fits(space.joints, rig.skeleton.size()) || !fits(space.channels, rig.keys.size()))
    return bad_input(what + " is driven by a joint or key that does not exist, or one without influence");
  if (space.joints.empty() && space.channels.empty()) return bad_input(what + " is driven by nothing");
  for (const PoseSpace::Example& example : space.examples)
    if (example.key >= rig.keys.size() || example.rotations.size() != space.joints.size() ||
        example.channels.size() != space.channels.size())
      return bad_input(what + " has an example that does not fit it");
  return {};
}

// The mean distance of a point to its nearest one.
double usual_radius(const std::vector<Row>& rows) {
  double sum = 0;
  for (const Row& row : rows) {
    double nearest = -1;
    for (const Row& other : rows)
      if (&other != &row)
        if (const double d = (row.point - other.point).norm(); nearest < 0 || d < nearest) nearest = d;
    sum += std::max(nearest, 0.0);
  }
  const double mean = rows.empty() ? 0 : sum / static_cast<double>(rows.size());
  return mean > 0 ? mean : 1;
}

// The output that weighs a key: that of its name.
std::span<const std::size_t>::iterator output_of(const Rig& rig, std::span<const std::size_t> keys,
                                                 std::size_t key) {
  return std::find_if(keys.begin(), keys.end(),
                      [&](std::size_t other) { return rig.keys[other].name == rig.keys[key].name; });
}

// The examples, and the rest where none lies there; poses that are the same merged.
std::vector<Row> example_rows(const Rig& rig, const PoseSpace& space, std::span<const std::size_t> keys,
                              std::vector<std::string>& merged) {
  std::vector<Row> rows;
  for (const PoseSpace::Example& example : space.examples) {
    Eigen::VectorXd values = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(keys.size()));
    values[output_of(rig, keys, example.key) - keys.begin()] = 1;
    const auto same = std::find_if(rows.begin(), rows.end(),
                                   [&](const Row& row) { return same_pose(*row.example, example); });
    if (same == rows.end()) {
      rows.push_back({point_of(space, example), values, &example, 1});
      continue;
    }
    merged.push_back("examples " + quoted(rig.keys[same->example->key].name) + " and " +
                     quoted(rig.keys[example.key].name) + " of pose space " + quoted(space.name) +
                     " lie within a degree of each other: merged, each with its part");
    same->values += values;
    ++same->merged;
  }
  for (Row& row : rows) row.values /= static_cast<double>(row.merged);
  PoseSpace::Example rest;
  rest.rotations.assign(space.joints.size(), Quat::Identity());
  for (const PoseSpace::Driver& channel : space.channels)
    rest.channels.push_back(rig.keys[channel.index].default_weight);
  if (std::none_of(rows.begin(), rows.end(), [&](const Row& row) { return same_pose(*row.example, rest); }))
    rows.push_back(
        {point_of(space, rest), Eigen::VectorXd::Zero(static_cast<Eigen::Index>(keys.size())), nullptr, 1});
  return rows;
}

}  // namespace

Quat pose_rotation(const Skeleton& skeleton, std::size_t joint, const Affine3& local) {
  const Quat rest = fit_rotation(skeleton[joint].rest_local.linear());
  return (fit_rotation(local.linear()) * rest.conjugate()).normalized();
}

Result<PoseSpaces> PoseSpaces::build(const Rig& rig) {
  PoseSpaces spaces;
  for (const PoseSpace& space : rig.pose_spaces) {
    SINEW_CHECK(check(rig, space));
    if (space.examples.empty()) continue;
    Space built{space.joints, space.channels, {}, {}, {}};
    for (const PoseSpace::Example& example : space.examples)
      if (const std::span<const std::size_t> keys = built.keys;
          output_of(rig, keys, example.key) == keys.end())
        built.keys.push_back(example.key);
    for (const std::size_t key : built.keys) built.driven.push_back(keys_named(rig, rig.keys[key].name));
    const std::vector<Row> rows = example_rows(rig, space, built.keys, spaces.merged_);
    Eigen::MatrixXd points(rows.size(), inputs_of(space)), values(rows.size(), built.keys.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      points.row(static_cast<Eigen::Index>(k)) = rows[k].point;
      values.row(static_cast<Eigen::Index>(k)) = rows[k].values;
    }
    SINEW_TRY(built.basis,
              RadialBasis::fit(points, values, space.radius > 0 ? space.radius : usual_radius(rows)));
    spaces.spaces_.push_back(std::move(built));
  }
  return spaces;
}

PoseSpaces::Scratch PoseSpaces::make_scratch() const {
  std::size_t inputs = 0, outputs = 0;
  for (const Space& space : spaces_) {
    inputs = std::max(inputs, space.basis.inputs());
    outputs += space.basis.outputs();
  }
  return {std::vector<double>(inputs), std::vector<double>(outputs)};
}

void PoseSpaces::add_weights(const Skeleton& skeleton, std::span<const Affine3> local,
                             std::span<double> key_weights, Scratch& scratch) const noexcept {
  std::size_t done = 0;
  for (const Space& space : spaces_) {
    double* point = scratch.point.data();
    for (const PoseSpace::Driver& joint : space.joints) {
      write_rotation(pose_rotation(skeleton, joint.index, local[joint.index]), joint.influence, point);
      point += kPerJoint;
    }
    for (const PoseSpace::Driver& channel : space.channels)
      *point++ = std::sqrt(channel.influence) * key_weights[channel.index];
    space.basis.evaluate({scratch.point.data(), space.basis.inputs()},
                         std::span(scratch.values).subspan(done, space.basis.outputs()));
    done += space.basis.outputs();
  }
  done = 0;
  for (const Space& space : spaces_)
    for (const std::vector<std::size_t>& keys : space.driven) {
      for (const std::size_t key : keys) key_weights[key] += scratch.values[done];
      ++done;
    }
}

}  // namespace sinew
