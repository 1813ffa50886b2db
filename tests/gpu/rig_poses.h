// SPDX-License-Identifier: Apache-2.0
// Rigs with all that deformers need, random poses of them, and what the player makes of these.
#pragma once

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "sinew/binding/prepare.h"
#include "sinew/characters/characters.h"
#include "sinew/io/asset.h"
#include "sinew/player/rig_deformer.h"
#include "sinew/player/stack.h"
#include "sinew/rig/rig.h"
#include "support/data.h"

namespace sinew::test {

constexpr std::array kDeviceDeformers = {"lbs", "dqs", "swing-twist", "stretch-lbs", "stretch-dqs", "flesh"};

// The rig with all that one deformer needs.
inline Rig prepared(Rig rig, std::string_view deformer) {
  const auto stack = stack_with(rig, deformer);
  EXPECT_TRUE(stack.ok());
  DeformerData data;
  const auto done = prepare(rig, *needs_of(*stack), data);
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message);
  return rig;
}

inline Rig without_keys(Rig rig) {
  rig.keys.clear();
  return rig;
}

// A built-in character with two shape keys.
inline const Rig& sample_rig(const char* kind) {
  static std::map<std::string, Rig> made;
  const auto found = made.find(kind);
  if (found != made.end()) return found->second;
  Rig rig = *make_character(kind, {.resolution = 1000});
  for (int k = 0; k < 2; ++k) {
    ShapeKey key;
    key.name = "key" + std::to_string(k);
    key.default_weight = 0.25 * k;
    for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
      const bool moved = i % 3 == static_cast<std::size_t>(k);
      key.deltas.push_back(moved ? Vec3f(0.01f, -0.02f, 0.015f) : Vec3f(Vec3f::Zero()));
      key.normal_deltas.push_back(moved ? Vec3f(0.1f, 0.0f, -0.2f) : Vec3f(Vec3f::Zero()));
    }
    rig.keys.push_back(key);
  }
  for (const char* deformer : kDeviceDeformers) rig = prepared(std::move(rig), deformer);
  return made.emplace(kind, std::move(rig)).first->second;
}

// The rig with a field more, which asks for a second joint: every function has a share in every mode, and modes move
// vertices by up to a hundredth of the size, so that another amount of any would show.
inline Rig with_pair_of_joints(Rig rig) {
  FleshField both = rig.flesh.fields.at(0);
  both.partner = FleshPartner{rig.flesh.fields.back().joint, {1.0, 0.7}};
  EXPECT_NE(both.joint, both.partner->joint);
  std::mt19937 random(5);
  std::uniform_real_distribution<float> share(-1, 1);
  for (float& mix : both.mixes) mix = share(random);
  const auto step = static_cast<float>(0.01 * bounding_box(rig.mesh.positions).diagonal().norm() / 127);
  std::fill(both.steps.begin(), both.steps.end(), step);
  rig.flesh.fields.push_back(both);
  return rig;
}

// Four joints of every vertex that its neighbours do not have.
inline Rig with_random_joints(Rig rig) {
  std::mt19937 random(3);
  SkinWeights weights;
  weights.offsets.push_back(0);
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    std::vector<Influence> row;
    const std::size_t most = std::min<std::size_t>(1 + i % 4, rig.skeleton.size());
    while (row.size() < most) {
      const auto joint = static_cast<std::uint32_t>(random() % rig.skeleton.size());
      if (std::none_of(row.begin(), row.end(), [&](const Influence& one) { return one.joint == joint; }))
        row.push_back({joint, 1.0 / static_cast<double>(most)});
    }
    weights.add_row(row);
  }
  rig.weights = weights;
  return rig;
}

inline double size_of(const Rig& rig) {
  Vec3 low = rig.mesh.positions[0], high = low;
  for (const Vec3& p : rig.mesh.positions) low = low.cwiseMin(p), high = high.cwiseMax(p);
  return (high - low).norm();
}

// Poses as a device takes them, and the same as the player does.
struct RigPoses {
  std::vector<float> rotations, translations, keys, bones;
  std::vector<Pose> poses;

  RigPoses(const Rig& rig, int root, std::size_t count, bool shaped, unsigned seed = 7) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    for (std::size_t p = 0; p < count; ++p) {
      Pose pose = rest_pose(rig.skeleton);
      for (std::size_t j = 0; j < rig.skeleton.size(); ++j) {
        const Mat3 rest = pose.local[j].linear();
        const Quat turn(Eigen::AngleAxisd(
            2.8 * number(random), Vec3(number(random), number(random), number(random) + 1.5).normalized()));
        const Quat own(
            Eigen::JacobiSVD<Mat3>(rest, Eigen::ComputeFullU | Eigen::ComputeFullV).matrixU() *
            Eigen::JacobiSVD<Mat3>(rest, Eigen::ComputeFullU | Eigen::ComputeFullV).matrixV().transpose());
        const Eigen::Quaternionf q = (own * turn).cast<float>();
        for (Eigen::Index k = 0; k < 4; ++k) rotations.push_back(2 * q.coeffs()[k]);  // of any length
        pose.local[j].linear() =
            q.cast<double>().normalized().toRotationMatrix() * (own.toRotationMatrix().transpose() * rest);
      }
      const Vec3 shift(0.3 * number(random), 0.2 * number(random), 0.1 * number(random));
      auto at = pose.local[static_cast<std::size_t>(root)].translation();
      at += shift;
      for (Eigen::Index k = 0; k < 3; ++k) {
        translations.push_back(static_cast<float>(at[k]));
        at[k] = static_cast<double>(translations.back());
      }
      for (std::size_t k = 0; k < rig.keys.size(); ++k) {
        keys.push_back(static_cast<float>(number(random)));
        pose.key_weights.push_back(static_cast<double>(keys.back()));
      }
      for (std::size_t j = 0; shaped && j < rig.skeleton.size(); ++j) {
        const float numbers[3] = {static_cast<float>(1 + 0.3 * number(random)),
                                  static_cast<float>(number(random)), static_cast<float>(2 * number(random))};
        bones.insert(bones.end(), numbers, numbers + 3);
        pose.bones.push_back({static_cast<double>(numbers[0]), static_cast<double>(numbers[1]),
                              static_cast<double>(numbers[2])});
      }
      poses.push_back(std::move(pose));
    }
  }

  // A joint of one pose as it is at rest, which must be a rotation.
  void put_to_rest(const Rig& rig, std::size_t pose, std::size_t joint) {
    const Mat3 rest = rest_pose(rig.skeleton).local[joint].linear();
    poses[pose].local[joint].linear() = rest;
    const Eigen::Quaternionf q = Quat(rest).cast<float>();
    for (std::size_t k = 0; k < 4; ++k)
      rotations[4 * (pose * rig.skeleton.size() + joint) + k] = q.coeffs()[static_cast<Eigen::Index>(k)];
  }
};

// The largest distance of positions over the size of the rig, and the largest angle of normals in degrees.
struct Difference {
  double position = 0, normal = 0;
};
inline Difference difference_to_player(const Rig& rig, const char* deformer, const RigPoses& poses,
                                       std::span<const float> positions, std::span<const float> normals) {
  const auto player = RigDeformer::build(rig, deformer);
  EXPECT_TRUE(player.ok()) << (player.ok() ? "" : player.error().message);
  if (!player.ok()) return {1e30, 1e30};
  RigWorkspace workspace = player->make_workspace();
  const std::size_t n = player->vertex_count();
  const double size = size_of(rig);
  std::vector<Vec3f> points(n), directions(n);
  Difference most;
  for (std::size_t p = 0; p < poses.poses.size(); ++p) {
    EXPECT_EQ(player->evaluate(poses.poses[p], workspace, points, directions), Status::kOk);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = 3 * (p * n + i);
      const Vec3f other(positions[at], positions[at + 1], positions[at + 2]);
      const double off = static_cast<double>((other - points[i]).norm()) / size;
      most.position = std::isfinite(off) ? std::max(most.position, off) : 1e30;
      if (normals.empty()) continue;
      const Vec3f turned(normals[at], normals[at + 1], normals[at + 2]);
      const double angle =
          2 * std::asin(std::min(1.0, static_cast<double>((turned - directions[i]).norm()) / 2)) * 180 /
          std::numbers::pi;
      most.normal = std::isfinite(angle) ? std::max(most.normal, angle) : 1e30;
    }
  }
  return most;
}

}  // namespace sinew::test
