// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "sinew/core/parallel.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/reference.h"
#include "support/shapes.h"

namespace sinew::test {

// A rig and one frame of it.
struct Sample {
  Rig rig;
  std::vector<Affine3> globals, matrices;
  std::vector<Vec3f> positions, normals;
  FrameInput input() const { return {positions, normals, globals, matrices, {}}; }
};

enum class Motion { kRigid, kStretched, kReflected };

inline double uniform(std::mt19937& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
}

inline Vec3 random_vector(std::mt19937& random) {
  return {uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)};
}

inline Skeleton chain(std::size_t count, const Vec3& step) {
  std::vector<Joint> joints(count);
  for (std::size_t j = 0; j < count; ++j) {
    joints[j].name = "j" + std::to_string(j);
    joints[j].parent = static_cast<int>(j) - 1;
    if (j > 0) joints[j].rest_local.translation() = step;
  }
  auto skeleton = Skeleton::create(std::move(joints));
  EXPECT_TRUE(skeleton.ok());
  return *skeleton;
}

inline void set_pose(Sample& sample, std::span<const Affine3> local) {
  sample.globals = global_transforms(sample.rig.skeleton, local);
  sample.matrices.resize(sample.globals.size());
  skinning_matrices(sample.rig, sample.globals, sample.matrices);
}

inline void bind(Sample& sample) {
  const auto rest = rest_pose(sample.rig.skeleton).local;
  sample.rig.inverse_bind.clear();
  for (const Affine3& global : global_transforms(sample.rig.skeleton, rest))
    sample.rig.inverse_bind.push_back(global.inverse());
  set_pose(sample, rest);
}

inline void add_vertex(Sample& sample, const Vec3& p, const Vec3& n, std::span<const Influence> row) {
  sample.rig.mesh.positions.push_back(p);
  sample.positions.push_back(p.cast<float>());
  sample.normals.push_back(n.normalized().cast<float>());
  sample.rig.weights.add_row(row);
}
inline void add_vertex(Sample& sample, const Vec3& p, const Vec3& n, std::initializer_list<Influence> row) {
  add_vertex(sample, p, n, std::span(row.begin(), row.size()));
}

// A closed tube along x with a joint in the middle, weights going over between 1.4 and 2.6; normals are left
// to the deformer.
inline Sample tube(const PolyMesh& mesh = capped_cylinder(0.4, 4, 24, 41)) {
  Sample sample;
  sample.rig.skeleton = chain(2, Vec3(2, 0, 0));
  sample.rig.mesh = mesh;
  sample.rig.mesh.positions.clear();
  for (const Vec3& p : mesh.positions) {
    const double share = std::clamp((p.x() - 1.4) / 1.2, 0.0, 1.0);
    add_vertex(sample, p, Vec3(1e-9, p.y(), p.z()), {{0, 1 - share}, {1, share}});
  }
  sample.rig.mesh.normals.clear();
  bind(sample);
  return sample;
}

inline std::vector<Influence> random_row(std::mt19937& random, std::size_t joints, std::size_t count) {
  std::vector<std::uint32_t> order(joints);
  for (std::size_t j = 0; j < joints; ++j) order[j] = static_cast<std::uint32_t>(j);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<Influence> row;
  double sum = 0;
  for (std::size_t k = 0; k < std::min(count, joints); ++k) {
    row.push_back({order[k], uniform(random, 0.05, 1)});
    sum += row.back().weight;
  }
  for (Influence& influence : row) influence.weight /= sum;
  return row;
}

// `vertices` random points on `joints` joints; runs of 20 vertices have up to 0, 1, ... most influences.
inline Sample random_sample(std::size_t vertices, std::size_t joints, std::size_t most, Motion motion,
                            unsigned seed = 1) {
  Sample sample;
  std::mt19937 random(seed);
  sample.rig.skeleton = chain(joints, Vec3(0.1, 0.4, -0.05));
  for (std::size_t i = 0; i < vertices; ++i) {
    const std::size_t widest = (i / 20) % (most + 1);
    add_vertex(sample, 2 * random_vector(random), random_vector(random),
               random_row(random, joints, widest == 0 ? 0 : 1 + random() % widest));
  }
  bind(sample);
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  for (Affine3& transform : local) {
    transform.rotate(Eigen::AngleAxisd(uniform(random, -0.6, 0.6), random_vector(random).normalized()));
    if (motion != Motion::kRigid)
      transform.scale(Vec3(uniform(random, 0.8, 1.3), uniform(random, 0.8, 1.3), 1));
  }
  if (motion == Motion::kReflected) local[joints / 2].scale(Vec3(-1, 1, 1));
  set_pose(sample, local);
  return sample;
}

struct Output {
  std::vector<Vec3f> positions, normals;
};

inline Output run(const Deformer& deformer, const Sample& sample) {
  Output out{std::vector<Vec3f>(sample.positions.size()), std::vector<Vec3f>(sample.positions.size())};
  const auto workspace = deformer.make_workspace();
  deformer.deform(sample.input(), *workspace, out.positions, out.normals);
  return out;
}

inline Output run(Result<std::unique_ptr<Deformer>> deformer, const Sample& sample) {
  EXPECT_TRUE(deformer.ok()) << (deformer.ok() ? "" : deformer.error().message);
  return deformer.ok() ? run(**deformer, sample) : Output{};
}

struct Expected {
  std::vector<Vec3> positions, normals;
  explicit Expected(const Sample& sample)
      : positions(sample.positions.size()), normals(sample.positions.size()) {}
  ReferenceOutput out() { return {positions, normals}; }
};

// Positions to 1e-5 of the largest coordinate, normals to 1e-4.
inline void expect_near(const Output& actual, const Expected& expected) {
  ASSERT_EQ(actual.positions.size(), expected.positions.size());
  double largest = 0, error = 0, normal_error = 0;
  for (std::size_t i = 0; i < actual.positions.size(); ++i) {
    largest = std::max(largest, expected.positions[i].cwiseAbs().maxCoeff());
    error = std::max(error, (actual.positions[i].cast<double>() - expected.positions[i]).norm());
    normal_error = std::max(normal_error, (actual.normals[i].cast<double>() - expected.normals[i]).norm());
    ASSERT_TRUE(actual.positions[i].allFinite() && actual.normals[i].allFinite()) << "vertex " << i;
  }
  EXPECT_LE(error, 1e-5 * largest);
  EXPECT_LE(normal_error, 1e-4);
}

inline bool same_bits(std::span<const Vec3f> a, std::span<const Vec3f> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}
inline bool same_bits(const Output& a, const Output& b) {
  return same_bits(a.positions, b.positions) && same_bits(a.normals, b.normals);
}

inline Affine3 turn_about(const Vec3& centre, double degrees, const Vec3& axis) {
  return Eigen::Translation3d(centre) *
         Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis.normalized()) *
         Eigen::Translation3d(-centre);
}

}  // namespace sinew::test
