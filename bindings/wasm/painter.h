// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/rig/rig.h"
#include "sinew/weights/paint.h"

namespace sinew {

// What a stroke paints, and with which brush.
struct Stroke {
  bool stiffness = false;  // else the weight of `joint`
  std::uint32_t joint = 0;
  Brush brush;
  double radius = 0, strength = 1;  // world
  Falloff falloff = Falloff::kSmooth;
  bool mirror = false;               // also on the other side of x, with the joint's counterpart
  bool flood = false;                // everywhere; dabs say nothing
  std::vector<std::uint8_t> locked;  // per joint, or empty
};

// Where the brush touches the mesh as it is shown.
struct Dab {
  std::uint32_t vertex = 0;  // of the triangle under it
  Vec3 centre = Vec3::Zero();
  double pressure = 1;  // times the strength
};

// Strokes on a rig, each a step of undo.
class Painter {
 public:
  // The name of the vertex attribute, and what it may hold: 1 is flesh that was not painted.
  static constexpr const char* kStiffness = "_STIFFNESS";
  static constexpr double kLeastStiffness = 0.05, kMostStiffness = 100;

  Painter(const Rig& rig, std::span<const Triangle> triangles);

  // Adds to the last stroke, or begins one: what was undone is gone then. `shown`: per vertex.
  // kUsage: no such joint, numbers that make no brush. kImpossible: weights of a rig that has none.
  Result<void> paint(Rig& rig, const Stroke& stroke, std::span<const Dab> dabs, std::span<const Vec3f> shown,
                     bool begin);
  // Undoes or redoes until this many strokes are there.
  void go_to(Rig& rig, std::size_t strokes);
  std::size_t strokes() const { return done_; }
  // Whether strokes of a kind are there now.
  bool painted(bool stiffness) const;

 private:
  // What is not there now: before the stroke where it was done, after it where it was undone.
  struct Step {
    bool stiffness = false;
    std::vector<RowEdit> rows;
    std::vector<float> values;
  };

  void paint_joint(Rig& rig, const Stroke& stroke, std::span<const Touch> touched, std::uint32_t joint);
  void paint_stiffness(Rig& rig, const Stroke& stroke, std::span<const Touch> touched);
  void swap(Rig& rig, Step& step);

  PaintSurface surface_;
  double plane_ = 0;
  std::vector<int> partner_;  // per joint
  std::vector<Step> steps_;
  std::size_t done_ = 0;
};

}  // namespace sinew
