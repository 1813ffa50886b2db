// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "characters/cage.h"
#include "sinew/core/result.h"
#include "sinew/rig/rig.h"

namespace sinew::characters {

// A joint of a built-in skeleton, in world space. All joints have the world's axes at rest.
struct JointSpec {
  std::string name, parent;  // no parent: the root
  Vec3 head;
  std::optional<Vec3> tail;  // at leaves, world space
};

// Adds a "Right..." joint for each "Left..." one, x negated, behind all others.
std::vector<JointSpec> with_right_side(std::vector<JointSpec> joints);
std::vector<std::string> names_of(const std::vector<JointSpec>& joints);
Vec3 head_of(const std::vector<JointSpec>& joints, std::string_view name);
Result<Skeleton> build_skeleton(const std::vector<JointSpec>& joints);

// Keys sampled evenly from motions of a phase that runs from 0 to 1 and ends where it began.
class ClipBuilder {
 public:
  ClipBuilder(std::string name, double seconds, const std::vector<JointSpec>& joints, int keys = 25);
  using Motion = std::function<Vec3(double phase)>;
  // Degrees about the world axes of the rest pose: x first, then y, then z.
  ClipBuilder& turn(std::string_view joint, const Motion& degrees);
  // Degrees about one axis of the rest pose.
  ClipBuilder& spin(std::string_view joint, const Vec3& axis,
                    const std::function<double(double phase)>& degrees);
  // An offset from the joint's rest position, metres.
  ClipBuilder& move(std::string_view joint, const Motion& offset);
  Clip take() { return std::move(clip_); }

 private:
  Channel& channel(std::string_view joint, ChannelPath path, int width);
  ClipBuilder& rotate(std::string_view joint, const std::function<Quat(double phase)>& rotation);
  double phase(int key) const;
  const std::vector<JointSpec>& joints_;
  double seconds_;
  int keys_;
  Clip clip_;
};

// sin and cos of whole turns.
double wave(double turns);
double cowave(double turns);

// What a kind is made of; the mesh comes from the cage, or straight from a formula.
struct Blueprint {
  std::vector<JointSpec> joints;
  std::optional<Cage> cage;
  std::vector<Clip> clips;
};

// Steps of subdivision that bring a closed cage (faces * 4^steps + 2 vertices) nearest to the wish, as a
// ratio.
int subdivision_steps(std::size_t faces, int resolution);
// The cage subdivided until it has about `resolution` vertices, pushed to the limit surface, with its
// weights.
Result<Rig> build_rig(const Blueprint& blueprint, std::string_view name, int resolution);
// Skeleton, bind matrices, one part and normals for a rig that has mesh and weights.
Result<Rig> finish_rig(Rig rig, std::string_view name, const std::vector<JointSpec>& joints,
                       std::vector<Clip> clips);
// At most four joints, sum 1. Subtracts the fifth weight from the others before it drops it, so that weights
// that vary smoothly over the surface still do.
void add_normalised_row(std::vector<Influence> row, SkinWeights& weights);

Blueprint arm_blueprint();
Blueprint hand_blueprint();
Blueprint biped_blueprint();
Blueprint quadruped_blueprint();
Blueprint bird_blueprint();
Blueprint snake_blueprint();
std::vector<JointSpec> cylinder_joints();
Result<Rig> cylinder_rig(int resolution);

}  // namespace sinew::characters
