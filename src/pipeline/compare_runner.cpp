// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compare_runner.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "sinew/binding/prepare.h"

namespace sinew {
namespace {

constexpr int kTimedRuns = 3;
constexpr double kTimedMilliseconds = 100;  // no further run begins after so long

}  // namespace

Result<Runner> Runner::build(const Rig& rig, const std::string& deformer, const Progress* progress) {
  // A cage is a step of the stack before the skeleton; alone, its name stands for what follows it.
  if (deformer.starts_with("cage"))
    return usage_error("a cage cannot be compared: it moves the mesh before the deformers that are");
  Stack stack = {{"skeleton", "", {}}};
  SINEW_CHECK(set_option(stack, "deformer", deformer));
  SINEW_TRY(const DeformerNeeds needs, needs_of(stack));
  Runner runner;
  DeformerData data;
  if (is_ready(rig, needs)) {
    SINEW_TRY(runner.steps_, build_stack(rig, stack, data));
  } else {
    Rig copy = rig;
    SINEW_CHECK(prepare(copy, needs, data, progress));
    SINEW_TRY(runner.steps_, build_stack(copy, stack, data));
  }
  for (const Vec3& p : rig.mesh.positions) runner.rest_.push_back(p.cast<float>());
  return runner;
}

Runner::Memory Runner::memory() const {
  Memory memory;
  for (const BuiltStep& step : steps_) memory.workspaces.push_back(step.deformer->make_workspace());
  memory.out.resize(rest_.size());
  if (steps_.size() > 1) memory.between.resize(rest_.size());
  return memory;
}

void Runner::run(const ComparePose& pose, Memory& memory) const {
  std::span<const Vec3f> from = rest_;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    // A deformer, and mush behind it.
    std::vector<Vec3f>& to = s + 1 == steps_.size() ? memory.out : memory.between;
    steps_[s].deformer->deform({from, {}, pose.globals, pose.matrices, {}}, *memory.workspaces[s], to, {});
    from = to;
  }
}

double Runner::time_cold(const ComparePose& pose, Memory& memory) const {
  double best = std::numeric_limits<double>::infinity(), spent = 0;
  for (int k = 0; k < kTimedRuns && (k == 0 || spent < kTimedMilliseconds); ++k) {
    memory = this->memory();
    const auto start = std::chrono::steady_clock::now();
    run(pose, memory);
    const double took =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    best = std::min(best, took);
    spent += took;
  }
  return best;
}

std::vector<Vec3> positions_of(const Runner::Memory& memory) {
  std::vector<Vec3> result;
  result.reserve(memory.out.size());
  for (const Vec3f& p : memory.out) result.push_back(p.cast<double>());
  return result;
}

}  // namespace sinew
