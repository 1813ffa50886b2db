// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <numbers>
#include <span>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/mesh/iso_curves.h"

namespace sinew {

/// What the curves are made of. A curve has the length 1 whatever its size in the world, and the way from one
/// shape to the next takes the time 1: only bending / mass matters.
struct CurveMaterial {
  double bending = 0;                  ///< E I; 0: for each curve the value that `damped` asks for
  double mass = 1;                     ///< rho A
  double stiffest = std::numbers::pi;  ///< radians per unit of time; up to pi no wave swings past its end
  /// Damped by as much as they resist bending: no wave, however stiff, swings past its end on the way, and by
  /// default the slowest wave of each curve moves at `slowest`. Else without damping, and by default the
  /// stiffest at `stiffest`.
  bool damped = false;
  double slowest = std::numbers::pi / 2;
};

/// Options of Inbetween::build().
struct InbetweenOptions {
  CurveMaterial material;
  int least_steps = 16;  ///< time steps between two shapes; more where there are more frames
};

/// Moves the vertices of a mesh from one shape to another as elastic curves [bian2018]:
/// E I q'''' + rho A q'' = f on each, q the way from the first shape, at rest and 0 in the beginning, f
/// constant in time and such that the second shape is reached at time 1. Slow waves start as t^2, stiff ones
/// reach their end first and arrive at rest. Closed curves are periodic, open ones have free ends; vertices on
/// no curve, and curves of one or two, have nothing to bend and move as t^2. Second order in time and space,
/// stable for any step (average acceleration). Damped curves obey E I (q + q')'''' + rho A q'' = f and
/// are exact in time.
class Inbetween {
 public:
  /// For frames at times 0, 1/intervals, ..., 1. kUsage: intervals below 1, a material that is not positive.
  /// kImpossible: a wave that a constant force cannot bring to its end (resonance: `bending` too large).
  /// Memory and time grow with the vertices, not with the frames.
  static Result<Inbetween> build(const IsoCurves& curves, std::size_t vertex_count, int intervals,
                                 const InbetweenOptions& options = {});

  Inbetween(Inbetween&&) noexcept;
  Inbetween& operator=(Inbetween&&) noexcept;
  ~Inbetween();

  int intervals() const;
  /// The stiffest wave's angular frequency over all curves. Beyond pi frames overshoot where nothing is
  /// damped.
  double stiffest() const;

  /// Frames 1 ... intervals - 1 between two shapes of vertex_count vertices each; frames[k - 1] must have
  /// their size. Shapes 0 and `intervals` are `from` and `to` themselves. Uses its own scratch memory and
  /// allocates nothing: one call at a time. The same bits for any thread count.
  void run(std::span<const Vec3> from, std::span<const Vec3> to, std::span<const std::span<Vec3f>> frames);

 private:
  struct State;
  explicit Inbetween(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sinew
