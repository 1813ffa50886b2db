// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/weighted_joints.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

using Marks = std::vector<std::uint8_t>;

Joint joint(const char* name, int parent, bool deforms = true) {
  Joint made;
  made.name = name;
  made.parent = parent;
  made.deforms = deforms;
  return made;
}

// A root on the ground; hips, a spine without weights, a head with an end; a handle below the root.
Skeleton handled() {
  return *Skeleton::create({joint("root", -1), joint("hips", 0), joint("spine", 1), joint("head", 2),
                            joint("end", 3), joint("handle", 0)});
}

TEST(WeightedJoints, AreThoseWithWeightsAndThoseBetweenThem) {
  SkinWeights weights;
  weights.add_row(std::vector<Influence>{{1, 1.0}});
  weights.add_row(std::vector<Influence>{{1, 0.4}, {3, 0.6}});
  EXPECT_EQ(weighted_joints(handled(), weights), (Marks{0, 1, 1, 1, 0, 0}));
}

TEST(WeightedJoints, TakeNoFaintWeight) {
  SkinWeights weights;
  weights.add_row(std::vector<Influence>{{1, 0.9}, {2, 0.09995}, {5, 0.00005}});
  EXPECT_EQ(weighted_joints(handled(), weights), (Marks{0, 1, 1, 0, 0, 0}));
}

TEST(WeightedJoints, OfASkeletonThatIsNotBoundAreAll) {
  EXPECT_EQ(weighted_joints(handled(), SkinWeights()), Marks(6, 1));
  SkinWeights whole;  // as a found skeleton is written
  whole.add_row(std::vector<Influence>{{1, 1.0}});
  EXPECT_EQ(weighted_joints(handled(), whole), Marks(6, 1));
}

TEST(WeightedJoints, ReachThroughNodesThatAreNoJointsOfTheSkin) {
  const Skeleton arm =
      *Skeleton::create({joint("arm", -1), joint("elbow", 3), joint("hand", 1), joint("node", 0, false)});
  SkinWeights weights;
  weights.add_row(std::vector<Influence>{{0, 0.5}, {2, 0.5}});
  EXPECT_EQ(weighted_joints(arm, weights), (Marks{1, 1, 1}));
}

TEST(WeightedJoints, CarryRigidPartsOfNodesBelowThem) {
  const Skeleton robot =
      *Skeleton::create({joint("root", -1), joint("arm", 0), joint("hand", 1), joint("handle", 0),
                         joint("upper", 1, false), joint("lower", 2, false)});
  SkinWeights weights;
  weights.add_row(std::vector<Influence>{{4, 1.0}});
  weights.add_row(std::vector<Influence>{{5, 1.0}});
  EXPECT_EQ(weighted_joints(robot, weights), (Marks{0, 1, 1, 0}));
}

}  // namespace
}  // namespace sinew
