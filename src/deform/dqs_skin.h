// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "deform/signs.h"
#include "deform/streams.h"

namespace sinew {

// What DQS keeps of a rig.
struct DqsSkin {
  SkinTable table;  // rows normalised
  SignPairs signs;
  std::vector<Vec3> heads;  // per palette entry but the last, bind space
};
Result<DqsSkin> make_dqs_skin(const Rig& rig);

// One frame of DQS: begin() once, then run() for every piece of groups, on any thread.
class DqsWorkspace : public Workspace {
 public:
  explicit DqsWorkspace(const DqsSkin& skin);
  void begin(const DqsSkin& skin, const FrameInput& input) noexcept;
  void run(const DqsSkin& skin, std::size_t begin, std::size_t end, const VertexStreams& streams) noexcept;

 private:
  Palette<DualEntry> duals_;
  Palette<MatrixEntry> stretch_rows_;
  bool stretched_ = false, aligned_ = false;
  std::vector<Vec3f> positions_, normals_;  // after the stretch
};

}  // namespace sinew
