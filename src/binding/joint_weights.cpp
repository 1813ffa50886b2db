// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/joint_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sinew/binding/bind.h"
#include "sinew/binding/islands.h"
#include "sinew/binding/surface.h"
#include "sinew/binding/weight_methods.h"
#include "sinew/core/counted.h"
#include "sinew/core/parallel.h"
#include "sinew/volume/trilinear.h"
#include "sinew/weights/deformer_weights.h"

namespace sinew {
namespace {

constexpr double kLeastDeformerWeight = 1e-3;  // smaller ones are not worth their time every frame

// Where the rows come from, on the grid.
struct GridRows {
  Eigen::MatrixXd deformer, swing, twist;  // grid vertices x bones; swing and twist empty: from skin weights
  std::vector<std::uint8_t> reached;       // per grid vertex
  std::vector<float> too_coarse;           // per welded vertex: 1 where bones are too short for the grid
};

// Deformer and swing weights with which joints that blend linearly move a vertex as its skin weights do: each
// bone's weight goes to the joints between it and the bones that the vertex also follows, in proportion to
// these.
void rows_of_skin(std::span<const int> parents, std::span<const double> own, std::vector<double>& deformer,
                  std::vector<double>& swing) {
  const std::size_t bones = parents.size();
  std::vector<double> around(bones, 0.0);  // weights of a bone's neighbours
  const auto above = [&](std::size_t b) { return static_cast<std::size_t>(parents[b]); };
  for (std::size_t b = 0; b < bones; ++b) {
    if (parents[b] < 0) continue;
    around[b] += own[above(b)];
    around[above(b)] += own[b];
  }
  for (std::size_t b = 0; b < bones; ++b) {
    // A bone with no neighbour in the row is its own joint's, fully turned.
    const double up = parents[b] < 0 ? 0 : own[above(b)];
    swing[b] = around[b] > 0 ? own[b] * up / around[b] : own[b];
    deformer[b] = swing[b];
    if (up > 0 && around[above(b)] > 0) deformer[b] += up * own[b] / around[above(b)];
  }
  for (std::size_t b = 0; b < bones; ++b) swing[b] = deformer[b] > 0 ? swing[b] / deformer[b] : 0;
}

// Per bone: the one that its skin continues, where the skeleton hangs its joint on another (a foot on a
// control); -1: the joint turns against what it hangs on.
std::vector<int> bones_apart(const Skeleton& skeleton, const Surface& surface) {
  std::vector<int> apart(surface.bones.size(), -1);
  for (std::size_t b = 0; b < apart.size(); ++b) {
    const int above = surface.parents[b];
    if (above >= 0 && skeleton[surface.bones[b].joint].parent !=
                          static_cast<int>(surface.bones[static_cast<std::size_t>(above)].joint))
      apart[b] = above;
  }
  return apart;
}

// Makes the row of one vertex.
class RowMaker {
 public:
  RowMaker(const Rig& rig, const Surface& surface, const GridRows& grid, const TrilinearWeights& transfer,
           int influences)
      : rig_(rig),
        surface_(surface),
        grid_(grid),
        transfer_(transfer),
        influences_(static_cast<std::size_t>(influences)),
        order_(bone_order(surface.parents)),
        apart_(bones_apart(rig.skeleton, surface)),
        bone_of_joint_(rig.skeleton.size(), -1) {
    for (std::size_t b = 0; b < surface.bones.size(); ++b)
      bone_of_joint_[surface.bones[b].joint] = static_cast<int>(b);
  }

  // Returns the sum of deformer weights that was cut.
  double row(std::size_t vertex, std::vector<JointInfluence>& out) const {
    const std::uint32_t welded = surface_.welded.weld.to_welded[vertex];
    out.clear();
    const std::size_t bones = surface_.bones.size();
    std::vector<double> deformer(bones), swing(bones), twist(bones);
    mix(grid_.deformer, welded, deformer);
    std::vector<double> own(bones, 0.0);
    for (const Influence& influence : rig_.weights.row(vertex))
      if (const int bone = bone_of_joint_[influence.joint]; bone >= 0)
        own[static_cast<std::size_t>(bone)] += influence.weight;
    if (grid_.swing.size() == 0 || !is_reached(welded)) {
      joint_row_from_bone_row(surface_.parents, order_, own, swing);
      twist = swing;
    } else {
      mix(grid_.swing, welded, swing);
      mix(grid_.twist, welded, twist);
    }
    if (const double amount = static_cast<double>(grid_.too_coarse[welded]); amount > 0)
      blend_skin(own, amount, deformer, swing, twist);
    blend_apart(deformer, swing, twist);
    std::vector<std::size_t> best(bones);
    for (std::size_t b = 0; b < bones; ++b) best[b] = b;
    const std::size_t kept = std::min(influences_, bones);
    std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(kept), best.end(),
                      [&](std::size_t a, std::size_t b) {
                        return deformer[a] != deformer[b] ? deformer[a] > deformer[b] : a < b;
                      });
    best.resize(kept);
    std::erase_if(best, [&](std::size_t b) { return deformer[b] < kLeastDeformerWeight; });
    double sum = 0;
    for (const std::size_t b : best) sum += deformer[b];
    if (!(sum > 0)) return 0;  // nothing is known here: the vertex moves by its skin weights
    for (const std::size_t b : best)
      out.push_back({static_cast<std::uint32_t>(surface_.bones[b].joint),
                     static_cast<float>(deformer[b] / sum),
                     static_cast<float>(std::clamp(swing[b], 0.0, 1.0)),
                     static_cast<float>(std::clamp(twist[b], 0.0, 1.0))});
    return std::max(0.0, 1 - sum);
  }

 private:
  double mix(const Eigen::MatrixXd& values, std::uint32_t point, std::size_t column) const {
    double sum = 0;
    for (std::size_t k = 0; k < 8; ++k)
      sum += transfer_.weights[point][k] * values(static_cast<Eigen::Index>(transfer_.vertices[point][k]),
                                                  static_cast<Eigen::Index>(column));
    return sum;
  }
  void mix(const Eigen::MatrixXd& values, std::uint32_t point, std::vector<double>& row) const {
    for (std::size_t b = 0; b < row.size(); ++b) row[b] = mix(values, point, b);
  }
  // Goes over to the skin weights' own rows. What is blended are the parts that stay and that turn, d (1 - s)
  // and d s.
  void blend_skin(std::span<const double> own, double amount, std::vector<double>& deformer,
                  std::vector<double>& swing, std::vector<double>& twist) const {
    std::vector<double> skin_deformer(own.size()), skin_swing(own.size());
    rows_of_skin(surface_.parents, own, skin_deformer, skin_swing);
    for (std::size_t b = 0; b < own.size(); ++b) {
      const double before = (1 - amount) * deformer[b], after = amount * skin_deformer[b];
      deformer[b] = before + after;
      if (!(deformer[b] > 0)) continue;
      swing[b] = (before * swing[b] + after * skin_swing[b]) / deformer[b];
      twist[b] = (before * twist[b] + after * skin_swing[b]) / deformer[b];
    }
  }
  // The two sides of a joint that hangs elsewhere are bones that move on their own: they blend linearly, each
  // fully turned.
  void blend_apart(std::vector<double>& deformer, std::vector<double>& swing,
                   std::vector<double>& twist) const {
    for (std::size_t k = order_.size(); k-- > 0;) {  // children first: a bone may itself hang elsewhere
      const std::size_t b = order_[k];
      if (apart_[b] < 0 || !(deformer[b] > 0)) continue;
      const auto a = static_cast<std::size_t>(apart_[b]);
      const double stays = deformer[b] * (1 - std::clamp(swing[b], 0.0, 1.0)), sum = deformer[a] + stays;
      deformer[b] -= stays;
      swing[b] = twist[b] = 1;
      if (!(sum > 0)) continue;
      swing[a] = (deformer[a] * swing[a] + stays) / sum;
      twist[a] = (deformer[a] * twist[a] + stays) / sum;
      deformer[a] = sum;
    }
  }
  bool is_reached(std::uint32_t point) const {
    return std::all_of(transfer_.vertices[point].begin(), transfer_.vertices[point].end(),
                       [&](std::uint32_t v) { return grid_.reached[v] != 0; });
  }

  const Rig& rig_;
  const Surface& surface_;
  const GridRows& grid_;
  const TrilinearWeights& transfer_;
  std::size_t influences_;
  std::vector<std::size_t> order_;
  std::vector<int> apart_, bone_of_joint_;
};

Result<GridRows> solve_grid(const Rig& rig, BindingContext& context, const BoneBody& body,
                            const JointWeightsRequest& request, JointWeightsReport& report) {
  const Surface& surface = context.surface();
  GridRows rows;
  BbwOptions deformer_options;
  deformer_options.progress = request.progress;
  SINEW_TRY(GridDeformerWeights deformer,
            grid_deformer_weights(body.body.grid, rig.skeleton, surface.bones, deformer_options));
  rows.deformer = std::move(deformer.values);
  if (!deformer.merged.empty())
    report.warnings.push_back(fmt::format("{} a cell with others; more voxels make the grid finer",
                                          counted(deformer.merged.size(), "joint shares", "joints share")));
  if (deformer.outside > 0)
    report.warnings.push_back(fmt::format(
        "{} its nearest cell", counted(deformer.outside, "joint lies outside the body and constrains",
                                       "joints lie outside the body and constrain")));
  if (request.method == "skin") return rows;
  SINEW_TRY(const GridJointWeights* solved, context.joint_weights(request.method, request.settings));
  rows.swing = solved->swing;
  rows.twist = solved->twist;
  rows.reached = solved->reached;
  report.clamped = solved->outside;
  report.iterations = solved->steps;
  return rows;
}

}  // namespace

Result<JointWeightsReport> make_joint_weights(Rig& rig, const JointWeightsRequest& request) {
  SINEW_TRY(BindingContext context, BindingContext::make(rig, request.voxels, request.progress));
  return make_joint_weights(rig, context, request);
}

Result<JointWeightsReport> make_joint_weights(Rig& rig, BindingContext& context,
                                              const JointWeightsRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  SINEW_CHECK(check_influences(request.influences));
  if (request.method != "skin") SINEW_CHECK(elastic_options(request.method, request.settings));
  if (rig.weights.entries.empty() || rig.weights.vertex_count() != rig.mesh.vertex_count())
    return impossible("the mesh is not bound to its skeleton: bind it with `sinew rig` or `sinew weights`");
  JointWeightsReport report;
  const Surface& surface = context.surface();
  SINEW_TRY(const BoneBody* made_body,
            request.method == "skin" ? context.elastic_body() : context.weight_body());
  const BoneBody& body = *made_body;
  report.voxels = body.body.grid.vertex_count();
  sinew::report(request.progress, "joint weights", 0.05);
  SINEW_TRY(GridRows grid, solve_grid(rig, context, body, request, report));
  grid.too_coarse = short_bone_amounts(surface.input(), body.body.grid.cell_size());

  SINEW_TRY(const IslandPlan plan, plan_islands(rig, surface, request.islands));
  for (std::size_t i = 0; i < plan.below.size(); ++i)
    if (plan.by_skin(i)) grid.too_coarse[i] = 1;
  const std::vector<Vec3> points = leading_points(surface.welded.view(), plan);
  const TrilinearWeights transfer = trilinear_weights(body.body.grid, points);
  const RowMaker maker(rig, surface, grid, transfer, request.influences);
  const std::size_t n = rig.mesh.vertex_count();
  std::vector<std::vector<JointInfluence>> rows(n);
  report.pruning_error = parallel_reduce(
      n, 1024, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double worst = 0;
        for (std::size_t i = begin; i < end; ++i) worst = std::max(worst, maker.row(i, rows[i]));
        return worst;
      },
      [](double a, double b) { return std::max(a, b); });
  JointWeights made;
  made.method = request.method;
  made.blends = rig.joint_weights.blends;
  made.offsets.reserve(n + 1);
  made.offsets.push_back(0);
  for (const auto& row : rows) {
    made.entries.insert(made.entries.end(), row.begin(), row.end());
    made.offsets.push_back(static_cast<std::uint32_t>(made.entries.size()));
  }
  rig.joint_weights = std::move(made);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace sinew
