// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "pipeline/compare_poses.h"
#include "sinew/player/stack.h"

namespace sinew {

// A deformer built for a rig, ready to run on its rest positions.
class Runner {
 public:
  // kUsage: no such deformer, or a cage, which works on what comes before deformers.
  static Result<Runner> build(const Rig& rig, const std::string& deformer, const Progress* progress);

  // What frames are made in; one for every thread.
  struct Memory {
    std::vector<std::unique_ptr<Workspace>> workspaces;
    std::vector<Vec3f> between, out;
  };
  // Fresh: nothing of an earlier frame is in it.
  Memory memory() const;
  void run(const ComparePose& pose, Memory& memory) const;

  // Milliseconds of a frame that knows nothing of any other: the best of three, or of as many as fit into a
  // tenth of a second, each with fresh memory, which is made before the clock starts.
  double time_cold(const ComparePose& pose, Memory& memory) const;

 private:
  std::vector<BuiltStep> steps_;
  std::vector<Vec3f> rest_;
};

std::vector<Vec3> positions_of(const Runner::Memory& memory);

}  // namespace sinew
