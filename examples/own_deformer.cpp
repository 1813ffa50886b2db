// SPDX-License-Identifier: Apache-2.0
// A deformer of one's own, as the last step of a rig's stack: a wave that runs through the posed mesh.
#include <sinew/characters/characters.h>
#include <sinew/player/rig_deformer.h>
#include <sinew/player/stack.h>

#include <cmath>
#include <cstdio>

namespace {

class Wave : public sinew::Deformer {
 public:
  explicit Wave(float height) : height_(height) {}

  std::unique_ptr<sinew::Workspace> make_workspace() const override {
    return std::make_unique<sinew::Workspace>();
  }

  sinew::Status deform(const sinew::FrameInput& input, sinew::Workspace&, std::span<sinew::Vec3f> positions,
                       std::span<sinew::Vec3f> normals) const noexcept override {
    for (std::size_t i = 0; i < positions.size(); ++i) {
      positions[i] = input.positions[i];
      positions[i].y() += height_ * std::sin(positions[i].x());
    }
    if (!normals.empty()) std::copy(input.normals.begin(), input.normals.end(), normals.begin());
    return sinew::Status::kOk;
  }

 private:
  float height_;
};

sinew::Result<float> largest_shift() {
  SINEW_TRY(const sinew::Rig arm, sinew::make_character("arm"));
  SINEW_TRY(const sinew::RigDeformer plain, sinew::RigDeformer::build(arm, "dqs"));
  SINEW_TRY(const sinew::Stack stack, sinew::stack_with(arm, "dqs"));
  SINEW_TRY(std::vector<sinew::BuiltStep> steps, sinew::build_stack(arm, stack));
  steps.push_back({std::make_shared<Wave>(0.25f)});
  SINEW_TRY(const sinew::RigDeformer waving, sinew::RigDeformer::build(arm, std::move(steps)));

  const sinew::Pose pose = sinew::rest_pose(arm.skeleton);
  std::vector<sinew::Vec3f> before(plain.vertex_count()), after(before.size());
  sinew::RigWorkspace first = plain.make_workspace(), second = waving.make_workspace();
  plain.evaluate(pose, first, before);
  waving.evaluate(pose, second, after);
  float largest = 0;
  for (std::size_t i = 0; i < before.size(); ++i) largest = std::max(largest, (after[i] - before[i]).norm());
  return largest;
}

}  // namespace

int main() {
  const auto shift = largest_shift();
  if (!shift) return std::fprintf(stderr, "%s\n", shift.error().message.c_str()), 1;
  std::printf("the wave moves the arm by up to %.3f\n", static_cast<double>(*shift));
  return *shift > 0.1f && *shift <= 0.2501f ? 0 : 1;
}
