// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sinew/core/result.h"
#include "sinew/mesh/poly_mesh.h"

namespace sinew {

/// Which of a file's axes point up and to the front: "x", "y", "z", with "-" or "+" before it. What is read is
/// turned so that y is up and z the front, as in glTF, which itself is never turned. Without a front it is
/// z for y up, -y for z up (as Blender has it), y for -z, z else; without an up, y.
struct Facing {
  std::string up, front;

  bool given() const { return !up.empty() || !front.empty(); }
};

/// The rotation into glTF's axes. kUsage: no such axis, or both along one line.
Result<Mat3> turn_of(const Facing& facing);

/// "z up, -y to the front"; what was not given is filled in.
std::string to_text(const Facing& facing);

/// Whether a body seems to stand on z = 0: it is tallest along z, begins there, and does not begin at y = 0. A
/// hint, no proof.
bool may_be_z_up(const PolyMesh& mesh);

}  // namespace sinew
