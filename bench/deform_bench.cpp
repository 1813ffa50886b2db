// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cassert>
#include <memory>

#include "registry.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/decomposed.h"
#include "sinew/deform/dqs.h"
#include "sinew/deform/joint_based.h"
#include "sinew/deform/lbs.h"
#include "sinew/deform/mix.h"
#include "synthetic_rig.h"

namespace sinew {
namespace {

using Build = std::function<Result<std::unique_ptr<Deformer>>(const Rig&)>;

struct Method {
  std::string name;
  Build build;
  double table_bytes = 0;  // read per vertex beside positions and normals, with 4 influences
};

// 4 weights of 4 bytes and 4 joints of 2; mix reads two tables, the amount and a second position; decomposed
// the centre and its flag, and explog the pairs.
std::vector<Method> methods() {
  return {{"lbs", build_lbs, 24},
          {"dqs", build_dqs, 24},
          {"mix", [](const Rig& rig) { return build_mix(rig); }, 2 * 24 + 4 + 24},
          {"decomposed", [](const Rig& rig) { return build_decomposed(rig); }, 24 + 16},
          {"explog", [](const Rig& rig) { return build_decomposed(rig, {RotationBlend::kExpLog}); },
           24 + 16 + 16},
          // deformer weight, swing and twist of 4 joints, and the vertex's number
          {"swing-twist", [](const Rig& rig) { return build_joint_based(rig); }, 48 + 4},
          {"swing-twist fast",
           [](const Rig& rig) { return build_joint_based(rig, {.twist = TwistPower::kFast}); }, 48 + 4},
          {"joint-dqs", [](const Rig& rig) { return build_joint_based(rig, {.blend = JointBlend::kDqs}); },
           48 + 4}};
}

// Ready to deform one frame again and again.
class Running {
 public:
  Running(const Method& method, const SyntheticOptions& options, bool normals)
      : frame_(make_synthetic_frame(options)), normals_(normals) {
    auto built = method.build(frame_.rig);
    assert(built.ok());
    deformer_ = *std::move(built);
    workspace_ = deformer_->make_workspace();
    positions_.resize(options.vertices);
    if (normals) out_normals_.resize(options.vertices);
  }

  // Vertices per second on so many threads, the best within `budget` seconds.
  double rate(int threads, double budget = 0.25) {
    set_thread_count(threads);
    const FrameInput input = frame_.input(normals_);
    const double seconds =
        best_seconds([&] { deformer_->deform(input, *workspace_, positions_, out_normals_); }, budget);
    return static_cast<double>(positions_.size()) / seconds;
  }

 private:
  SyntheticFrame frame_;
  bool normals_;
  std::unique_ptr<Deformer> deformer_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<Vec3f> positions_, out_normals_;
};

std::string describe(const SyntheticOptions& options, const std::string& threads) {
  return fmt::format("{} vertices, {} joints, {} influences, {}", options.vertices, options.joints,
                     options.influences, threads);
}

BenchCase rate_case(const Method& method, const std::string& suffix, const SyntheticOptions& options,
                    bool normals) {
  return {"deform/" + method.name + suffix, [=] {
            const double rate = Running(method, options, normals).rate(1);
            return BenchResult{"", describe(options, "1 thread"), rate / 1e6, "M vertices/s"};
          }};
}

BenchCase scaling_case(const Method& method, const SyntheticOptions& options) {
  return {"deform/" + method.name + "/2 threads over 1", [=] {
            Running running(method, options, false);
            double one = 0, two = 0;
            for (int turn = 0; turn < 4; ++turn) {  // in turns, since clocks and neighbours change over time
              one = std::max(one, running.rate(1, 0.1));
              two = std::max(two, running.rate(2, 0.1));
            }
            return BenchResult{"", describe(options, "1 and 2 threads"), two / one, "ratio"};
          }};
}

BenchCase bandwidth_case(const Method& method, const SyntheticOptions& options) {
  return {"deform/" + method.name + "/of copy bandwidth", [=] {
            const double bytes = 24 + method.table_bytes;
            const double moved = Running(method, options, false).rate(1) * bytes;
            return BenchResult{"", describe(options, "1 thread"), moved / copy_bandwidth(), "fraction"};
          }};
}

}  // namespace

void add_deform_benches(std::vector<BenchCase>& cases) {
  const SyntheticOptions usual;
  const SyntheticOptions stretched{.stretched = true};
  const SyntheticOptions two{.influences = 2};
  const SyntheticOptions eight{.influences = 8};
  const SyntheticOptions large{.vertices = 1000000};
  for (const Method& method : methods()) {
    cases.push_back(rate_case(method, "", usual, false));
    cases.push_back(rate_case(method, "/normals", usual, true));
    cases.push_back(rate_case(method, "/2 influences", two, false));
    cases.push_back(rate_case(method, "/8 influences", eight, false));
    cases.push_back(bandwidth_case(method, large));
    if (method.name != "lbs") cases.push_back(rate_case(method, "/stretched", stretched, false));
    if (method.name == "lbs" || method.name == "dqs") cases.push_back(scaling_case(method, large));
  }
}

}  // namespace sinew
