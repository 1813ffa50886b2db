// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/flesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>

#include "sinew/binding/elastic_setup.h"
#include "sinew/binding/islands.h"
#include "sinew/core/counted.h"
#include "sinew/core/text.h"
#include "sinew/rig/composed_joints.h"
#include "sinew/skeleton/bone_tree.h"
#include "sinew/skeleton/clip.h"
#include "sinew/skeleton/pose.h"

namespace sinew {
namespace {

// Field values of one joint at the points: a row a point that the field reaches.
struct CarriedField {
  std::vector<std::uint32_t> points;
  std::vector<float> twist;
  Eigen::MatrixXf values;
};

// `amounts`: per point, how much it has of the field; empty: all.
CarriedField carry_field(const GridField& field, const Eigen::VectorXd& twist,
                         const TrilinearWeights& transfer, std::span<const double> amounts = {}) {
  CarriedField carried;
  std::vector<std::int64_t> row_of(static_cast<std::size_t>(twist.size()), -1);
  for (std::size_t v = 0; v < field.vertices.size(); ++v)
    row_of[field.vertices[v]] = static_cast<std::int64_t>(v);
  const std::size_t count = transfer.vertices.size();
  for (std::size_t i = 0; i < count; ++i)
    if (std::any_of(transfer.vertices[i].begin(), transfer.vertices[i].end(),
                    [&](std::uint32_t v) { return row_of[v] >= 0; }))
      carried.points.push_back(static_cast<std::uint32_t>(i));
  carried.values.setZero(static_cast<Eigen::Index>(carried.points.size()), field.values.cols());
  for (std::size_t r = 0; r < carried.points.size(); ++r) {
    const std::uint32_t i = carried.points[r];
    const double amount = amounts.empty() ? 1 : amounts[i];
    double share = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      const std::uint32_t v = transfer.vertices[i][k];
      const double weight = amount * transfer.weights[i][k];
      share += weight * twist[v];
      if (row_of[v] >= 0)
        carried.values.row(static_cast<Eigen::Index>(r)) +=
            static_cast<float>(weight) * field.values.row(static_cast<Eigen::Index>(row_of[v]));
    }
    carried.twist.push_back(static_cast<float>(std::clamp(share, 0.0, 1.0)));
  }
  return carried;
}

// A stored field of points as one of vertices, several of which may lie at one point.
FleshField spread_to_vertices(const FleshField& stored, std::span<const std::vector<std::uint32_t>> copies) {
  FleshField spread = stored;
  spread.vertices.clear();
  spread.twist.clear();
  spread.values.clear();
  std::vector<std::array<std::size_t, 2>> places;  // vertex, row
  for (std::size_t r = 0; r < stored.vertices.size(); ++r)
    for (const std::uint32_t i : copies[stored.vertices[r]]) places.push_back({i, r});
  std::sort(places.begin(), places.end());
  const std::size_t width = 3 * stored.modes();
  for (const auto& [vertex, r] : places) {
    spread.vertices.push_back(static_cast<std::uint32_t>(vertex));
    spread.twist.push_back(stored.twist[r]);
    const auto at = static_cast<std::ptrdiff_t>(r * width), end = at + static_cast<std::ptrdiff_t>(width);
    spread.values.insert(spread.values.end(), stored.values.begin() + at, stored.values.begin() + end);
  }
  return spread;
}

bool is_reached(const GridFlesh& grid, const TrilinearWeights& transfer, std::size_t point) {
  return std::all_of(transfer.vertices[point].begin(), transfer.vertices[point].end(),
                     [&](std::uint32_t v) { return grid.reached[v] != 0; });
}

double value_at(const Eigen::MatrixXd& values, std::size_t bone, const TrilinearWeights& transfer,
                std::size_t point) {
  double sum = 0;
  for (std::size_t k = 0; k < 8; ++k)
    sum += transfer.weights[point][k] * values(transfer.vertices[point][k], static_cast<Eigen::Index>(bone));
  return sum;
}

// Lays the weights of a point on a finer grid over those of its row.
void lay_over(const FinerFlesh& finer, std::size_t place, std::span<double> swing, std::span<double> twist) {
  const double amount = finer.amounts[place];
  for (std::size_t k = 0; k < finer.joints.size(); ++k) {
    const auto mix = [&](double& coarse, const Eigen::MatrixXd& values) {
      coarse += amount * (value_at(values, k, finer.transfer, place) - coarse);
    };
    mix(swing[finer.joints[k]], finer.grid.swing);
    mix(twist[finer.joints[k]], finer.grid.twist);
  }
}

// Whether a vertex's skin weights tell of other joints than its flesh: pieces that are carried by a node as a
// whole, and bodies bound several times in one place, which a solid voxel grid cannot tell apart.
std::vector<std::uint8_t> other_than_skin(const Rig& rig, std::span<const int> parents) {
  std::vector<std::uint8_t> other(rig.mesh.vertex_count(), 0);
  for (const MeshPart& part : rig.parts)
    if (!part.skinned)
      std::fill_n(other.begin() + static_cast<std::ptrdiff_t>(part.vertex_begin), part.vertex_count, 1);
  for (std::size_t i = 0; i < other.size(); ++i) {
    const auto skin = rig.weights.row(i);
    const auto holds = [&](int joint) {
      return std::any_of(skin.begin(), skin.end(), [&](const Influence& influence) {
        return static_cast<int>(influence.joint) == joint && influence.weight > 0;
      });
    };
    const int base = rig.flesh.weights.base[i];
    bool fits = skin.empty() || (base >= 0 && holds(base));
    for (const ComposedInfluence& entry : rig.flesh.weights.row(i))
      fits = fits || holds(static_cast<int>(entry.joint)) || holds(parents[entry.joint]);
    if (!fits) other[i] = 1;
  }
  return other;
}

// Gives these vertices composed weights that sum up their skin weights, and no fields.
void follow_skin(Rig& rig, std::span<const int> parents, std::span<const std::uint8_t> wanted) {
  const std::vector<std::size_t> order = bone_order(parents);
  std::vector<double> own(parents.size()), sums(parents.size());
  ComposedWeights weights;
  weights.offsets.push_back(0);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) {
      const auto row = rig.flesh.weights.row(i);
      weights.base.push_back(rig.flesh.weights.base[i]);
      weights.entries.insert(weights.entries.end(), row.begin(), row.end());
      weights.offsets.push_back(static_cast<std::uint32_t>(weights.entries.size()));
      continue;
    }
    std::fill(own.begin(), own.end(), 0.0);
    for (const Influence& influence : rig.weights.row(i))
      if (influence.joint < own.size()) own[influence.joint] += influence.weight;
    joint_row_from_bone_row(parents, order, own, sums);
    weights.add_row(parents, sums, sums);
  }
  rig.flesh.weights = std::move(weights);
  for (FleshField& field : rig.flesh.fields) {
    const std::size_t width = 3 * field.modes();
    FleshField kept = field;
    kept.vertices.clear();
    kept.twist.clear();
    kept.values.clear();
    for (std::size_t v = 0; v < field.vertices.size(); ++v) {
      if (wanted[field.vertices[v]]) continue;
      kept.vertices.push_back(field.vertices[v]);
      kept.twist.push_back(field.twist[v]);
      const auto at = field.values.begin() + static_cast<std::ptrdiff_t>(v * width);
      kept.values.insert(kept.values.end(), at, at + static_cast<std::ptrdiff_t>(width));
    }
    field = std::move(kept);
  }
  std::erase_if(rig.flesh.fields, [](const FleshField& field) { return field.vertices.empty(); });
}

// `body`, or a coarser one where fitting flesh on it would have more unknowns than `most`.
Result<BoneBody> affordable_body(const BindInput& input, BoneBody body, double most,
                                 const FleshOptions& options) {
  constexpr std::size_t kFewestCells = 500;
  for (int tries = 0; tries < 4; ++tries) {
    const VoxelGrid& grid = body.body.grid;
    SINEW_TRY(const std::size_t unknowns, fitted_unknowns(grid, body.handles, input.parents, options));
    // In steps of a half power of two: a vertex more or less, which rounding can make, changes nothing.
    const double ratio = most / static_cast<double>(std::max<std::size_t>(unknowns, 1));
    const double step = std::exp2(std::floor(2 * std::log2(ratio)) / 2);
    const auto cells = static_cast<std::size_t>(static_cast<double>(grid.cell_count()) * step);
    if (ratio >= 1 || grid.cell_count() <= kFewestCells) break;
    SINEW_TRY(body, make_bone_body(input, 0, options.progress, std::max(cells, kFewestCells)));
  }
  return body;
}

// The points of the surface, or of islands that follow it, that a patch reaches, each once: where patches
// overlap, those nearer to its bones.
void take_points(std::span<const ShortBonePatch> patches, std::span<const Vec3> led, const IslandPlan& plan,
                 std::vector<FinerFlesh>& finer) {
  std::vector<double> most(led.size(), 0);
  std::vector<std::size_t> owner(led.size(), patches.size());
  for (std::size_t f = 0; f < patches.size(); ++f) {
    const auto offer = [&](std::size_t i) {
      if (const double amount = patches[f].amount_at(led[i]); amount > most[i])
        most[i] = amount, owner[i] = f;
    };
    for (const std::uint32_t i : patches[f].of_surface) offer(i);
    for (std::size_t i = 0; i < led.size(); ++i)
      if (plan.binding_of(i) == IslandBinding::kLayer) offer(i);
  }
  for (std::size_t i = 0; i < led.size(); ++i)
    if (owner[i] < patches.size()) {
      finer[owner[i]].points.push_back(static_cast<std::uint32_t>(i));
      finer[owner[i]].amounts.push_back(most[i]);
    }
}

// Stiffness of the cells of a finer grid: that of the cells of the coarse one around them.
std::vector<float> stiffness_at(const VoxelGrid& fine, const VoxelGrid& coarse,
                                std::span<const float> stiffness) {
  std::vector<float> values;
  if (!stiffness.empty())
    for (std::uint32_t c = 0; c < fine.cell_count(); ++c)
      values.push_back(stiffness[coarse.nearest_cell(fine.cell_centre(c))]);
  return values;
}

// Groups of short bones, the fingers of a hand, on finer grids of their own. `left_out` marks their joints.
Result<std::vector<FinerFlesh>> finer_flesh(const BindInput& input, const VoxelGrid& coarse,
                                            std::span<const Vec3> led, const IslandPlan& plan,
                                            FleshOptions options, std::vector<std::uint8_t>& left_out) {
  std::vector<ShortBonePatch> patches = short_bone_patches(input, coarse.cell_size());
  std::vector<BoneBody> bodies;
  const std::span<const float> stiffness = options.stiffness;
  const std::span<const MotionRange> ranges = options.ranges;
  std::vector<FinerFlesh> finer;
  std::vector<ShortBonePatch> kept;
  for (ShortBonePatch& patch : patches) {
    if (!patch.holds_what_hangs_on_it(input.parents)) continue;
    std::vector<std::uint8_t> carrier(patch.bones.size(), 0);
    std::fill(carrier.begin() + static_cast<std::ptrdiff_t>(patch.short_count), carrier.end(), 1);
    options.left_out = carrier;
    auto made = make_flesh_body(patch.input(), input, patches.size(), options);
    if (!made.ok() && made.error().code == ErrorCode::kCancelled) return made.error();
    if (!made.ok()) continue;
    BoneBody body = *std::move(made);
    if (!patch.gains_by(body.body.grid.cell_size())) continue;
    const std::vector<float> stiff = stiffness_at(body.body.grid, coarse, stiffness);
    std::vector<MotionRange> own;
    if (!ranges.empty())
      for (const std::size_t bone : patch.of_whole) own.push_back(ranges[bone]);
    options.stiffness = stiff;
    options.ranges = own;
    FinerFlesh part;
    SINEW_TRY(part.grid, grid_flesh(body.body.grid, body.handles, patch.bones, patch.parents, options));
    part.joints.assign(patch.of_whole.begin(),
                       patch.of_whole.begin() + static_cast<std::ptrdiff_t>(patch.short_count));
    for (const std::size_t joint : part.joints) left_out[joint] = 1;
    finer.push_back(std::move(part));
    kept.push_back(std::move(patch));
    bodies.push_back(body);
  }
  take_points(kept, led, plan, finer);
  for (std::size_t f = 0; f < finer.size(); ++f) {
    std::vector<Vec3> places;
    for (const std::uint32_t i : finer[f].points) places.push_back(led[i]);
    finer[f].transfer = trilinear_weights(bodies[f].body.grid, places);
  }
  return finer;
}

}  // namespace

Result<BoneBody> make_flesh_body(const BindInput& input, int voxels, const FleshOptions& options) {
  constexpr std::size_t kCells = 28'000;
  SINEW_TRY(BoneBody body,
            make_bone_body(input, voxels, options.progress, std::min(kCells, elastic_cells(input))));
  if (voxels > 0) return body;
  return affordable_body(input, std::move(body), flesh_unknowns(input), options);
}

Result<BoneBody> make_flesh_body(const BindInput& piece, const BindInput& whole, std::size_t pieces,
                                 const FleshOptions& options) {
  constexpr std::size_t kCells = 10'000;
  SINEW_TRY(BoneBody body,
            make_bone_body(piece, 0, options.progress, std::min(kCells, elastic_cells(whole))));
  const double most = flesh_unknowns(whole) / (2 * static_cast<double>(std::max<std::size_t>(pieces, 1)));
  return affordable_body(piece, std::move(body), most, options);
}

Flesh carry_flesh(const GridFlesh& grid, const FleshOptions& options, std::span<const int> parents,
                  const TrilinearWeights& transfer, std::span<const int> fallback,
                  std::span<const std::uint32_t> to_points, std::span<const FinerFlesh> finer) {
  Flesh flesh;
  flesh.range = options.range;
  flesh.tolerance = options.tolerance;
  const std::size_t points = transfer.vertices.size(), joints = parents.size();
  // Weights at the points, then for every vertex those of its point.
  ComposedWeights of_point;
  std::vector<double> swing(joints), twist(joints);
  std::vector<std::size_t> next(finer.size(), 0);  // in the points of each, which ascend
  for (std::size_t i = 0; i < points; ++i) {
    std::fill(swing.begin(), swing.end(), 0.0);
    std::fill(twist.begin(), twist.end(), 0.0);
    if (is_reached(grid, transfer, i)) {
      for (std::size_t j = 0; j < joints; ++j) {
        swing[j] = value_at(grid.swing, j, transfer, i);
        twist[j] = value_at(grid.twist, j, transfer, i);
      }
    } else if (!fallback.empty()) {
      for (int a = fallback[i]; a >= 0; a = parents[static_cast<std::size_t>(a)])
        swing[static_cast<std::size_t>(a)] = twist[static_cast<std::size_t>(a)] = 1;
    }
    for (std::size_t f = 0; f < finer.size(); ++f)
      if (next[f] < finer[f].points.size() && finer[f].points[next[f]] == i) {
        if (is_reached(finer[f].grid, finer[f].transfer, next[f])) lay_over(finer[f], next[f], swing, twist);
        ++next[f];
      }
    of_point.add_row(parents, swing, twist);
  }
  const std::size_t vertices = to_points.empty() ? points : to_points.size();
  const auto point_of = [&](std::size_t i) { return to_points.empty() ? i : to_points[i]; };
  flesh.weights.offsets.push_back(0);
  for (std::size_t i = 0; i < vertices; ++i) {
    flesh.weights.base.push_back(of_point.base[point_of(i)]);
    const auto row = of_point.row(point_of(i));
    flesh.weights.entries.insert(flesh.weights.entries.end(), row.begin(), row.end());
    flesh.weights.offsets.push_back(static_cast<std::uint32_t>(flesh.weights.entries.size()));
  }
  std::vector<std::vector<std::uint32_t>> copies(points);
  for (std::size_t i = 0; i < vertices; ++i) copies[point_of(i)].push_back(static_cast<std::uint32_t>(i));
  const auto store = [&](std::size_t joint, const GridField& field, const CarriedField& carried,
                         std::optional<FleshPartner> partner = std::nullopt) {
    if (carried.points.empty()) return;
    FleshField stored = quantise_field(static_cast<std::uint32_t>(joint), carried.points, carried.twist,
                                       {field.mixes.data(), static_cast<std::size_t>(field.mixes.size())},
                                       field.fine, field.steps, carried.values);
    stored.range = options.range_of(joint);
    stored.partner = partner;
    if (!stored.vertices.empty())
      flesh.fields.push_back(to_points.empty() ? stored : spread_to_vertices(stored, copies));
  };
  for (std::size_t j = 0; j < grid.fields.size(); ++j)
    if (const GridField& field = grid.fields[j]; !field.empty() && field.mixes.size() > 0)
      store(j, field, carry_field(field, grid.twist.col(static_cast<Eigen::Index>(j)), transfer));
  for (const GridPair& pair : grid.pairs)
    store(pair.joint, pair.field,
          carry_field(pair.field, grid.twist.col(static_cast<Eigen::Index>(pair.joint)), transfer),
          FleshPartner{static_cast<std::uint32_t>(pair.partner), options.range_of(pair.partner)});
  for (const FinerFlesh& part : finer)
    for (std::size_t k = 0; k < part.joints.size(); ++k) {
      const GridField& field = part.grid.fields[k];
      if (field.empty() || field.mixes.size() == 0) continue;
      CarriedField carried =
          carry_field(field, part.grid.twist.col(static_cast<Eigen::Index>(k)), part.transfer, part.amounts);
      for (std::uint32_t& point : carried.points) point = part.points[point];
      store(part.joints[k], field, carried);
    }
  for (const FinerFlesh& part : finer)
    for (const GridPair& pair : part.grid.pairs) {
      CarriedField carried =
          carry_field(pair.field, part.grid.twist.col(static_cast<Eigen::Index>(pair.joint)), part.transfer,
                      part.amounts);
      for (std::uint32_t& point : carried.points) point = part.points[point];
      const std::size_t partner = part.joints[pair.partner];
      store(part.joints[pair.joint], pair.field, carried,
            FleshPartner{static_cast<std::uint32_t>(partner), options.range_of(partner)});
    }
  std::stable_sort(flesh.fields.begin(), flesh.fields.end(),
                   [](const FleshField& a, const FleshField& b) { return a.joint < b.joint; });
  return flesh;
}

MotionRanges ranges_of_clips(const Rig& rig) {
  constexpr double kRate = 30, kMargin = 1.1, kLeast = 0.17453292519943295, kMost = 2.9670597283903604;
  constexpr int kMostFrames = 3000;
  MotionRanges ranges;
  const std::vector<int> parents = bone_parents(rig.skeleton);
  const std::vector<JointFrame> frames = joint_frames(bones_of(rig.skeleton, bind_transforms(rig)), parents);
  std::vector<Vec3> most(parents.size(), Vec3::Zero());  // swing, twist
  std::vector<std::uint8_t> moves(parents.size(), 0);
  std::vector<Affine3> matrices(rig.skeleton.size());
  for (const Clip& clip : rig.clips) {
    for (const Channel& channel : clip.channels)
      if (channel.path == ChannelPath::kRotation && channel.joint >= 0 &&
          static_cast<std::size_t>(channel.joint) < moves.size())
        moves[static_cast<std::size_t>(channel.joint)] = 1;
    const int count = std::clamp(static_cast<int>(clip.duration() * kRate), 1, kMostFrames);
    for (int frame = 0; frame <= count; ++frame) {
      Pose pose = rest_pose(rig.skeleton);
      sample_clip(clip, rig.skeleton, clip.duration() * frame / count, pose);
      skinning_matrices(rig, global_transforms(rig.skeleton, pose.local), matrices);
      const std::vector<JointMove> turned =
          joint_moves(frames, parents, std::span(matrices).first(parents.size()));
      for (std::size_t j = 0; j < most.size(); ++j) {
        const Vec3& turn = turned[j].turn;
        most[j] = most[j].cwiseMax(Vec3(std::hypot(turn.x(), turn.y()), std::abs(turn.z()), 0));
      }
    }
  }
  const auto widened = [&](double angle) { return std::clamp(kMargin * angle, kLeast, kMost); };
  for (std::size_t j = 0; j < most.size(); ++j)
    if (moves[j]) ranges[rig.skeleton[j].name] = {widened(most[j].x()), widened(most[j].y())};
  return ranges;
}

Result<FleshReport> make_flesh(Rig& rig, BindingContext& context, const FleshRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  if (rig.weights.entries.empty() || rig.weights.vertex_count() != rig.mesh.vertex_count())
    return impossible("the mesh is not bound to its skeleton: bind it with `sinew rig` or `sinew weights`");
  const Surface& surface = context.surface();
  FleshReport report;
  FleshOptions options;
  options.range = request.range;
  options.twist = request.twist;
  std::vector<MotionRange> ranges;
  if (!request.ranges.empty()) {
    ranges.assign(surface.bones.size(), request.range);
    for (const auto& [name, range] : request.ranges) {
      const auto found = std::find(surface.names.begin(), surface.names.end(), name);
      if (found == surface.names.end())
        return parameter_error(
            "range", fmt::format("names '{}': no joint of that name deforms the mesh", printable(name)));
      ranges[static_cast<std::size_t>(found - surface.names.begin())] = range;
    }
    options.ranges = ranges;
  }
  options.tolerance = request.tolerance;
  options.progress = request.progress;
  const BindInput input = surface.input();
  SINEW_TRY(const BoneBody whole, make_flesh_body(context.input(), context.voxels(), options));
  const BoneBody* body = &whole;
  report.voxels = body->body.grid.vertex_count();
  std::vector<float> stiffness;
  if (!request.elastic.stiffness.empty() || !request.elastic.stiffness_attribute.empty()) {
    SINEW_TRY(const ElasticSetup setup,
              elastic_setup(rig, surface, *body, request.elastic, request.progress));
    stiffness = setup.stiffness;
    options.stiffness = stiffness;
  }
  const MeshView view = surface.welded.view();
  SINEW_TRY(const IslandPlan plan, plan_islands(rig, surface, request.islands));
  const std::vector<Vec3> led = leading_points(view, plan);
  std::vector<std::uint8_t> left_out(surface.bones.size(), 0);
  SINEW_TRY(const std::vector<FinerFlesh> finer,
            finer_flesh(input, body->body.grid, led, plan, options, left_out));
  options.left_out = left_out;
  SINEW_TRY(GridFlesh grid,
            grid_flesh(body->body.grid, body->handles, surface.bones, surface.parents, options));
  for (const FinerFlesh& part : finer)
    for (std::size_t k = 0; k < part.joints.size(); ++k) grid.figures[part.joints[k]] = part.grid.figures[k];
  const TrilinearWeights transfer = trilinear_weights(body->body.grid, led);
  std::vector<int> fallback(view.positions.size(), -1);
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    if (const auto row = rig.weights.row(i); !row.empty() && row[0].joint < surface.bones.size())
      fallback[surface.welded.weld.to_welded[i]] = static_cast<int>(row[0].joint);
  for (std::size_t i = 0; i < transfer.vertices.size(); ++i)
    report.unreached += std::any_of(transfer.vertices[i].begin(), transfer.vertices[i].end(),
                                    [&](std::uint32_t v) { return !grid.reached[v]; });
  rig.flesh =
      carry_flesh(grid, options, surface.parents, transfer, fallback, surface.welded.weld.to_welded, finer);
  std::vector<std::uint8_t> by_skin = other_than_skin(rig, surface.parents);
  for (std::size_t i = 0; i < by_skin.size(); ++i)
    if (plan.by_skin(surface.welded.weld.to_welded[i])) by_skin[i] = 1;
  const auto count = static_cast<std::size_t>(std::count(by_skin.begin(), by_skin.end(), 1));
  if (count > 0) {
    follow_skin(rig, surface.parents, by_skin);
    report.warnings.push_back(counted(
        count, "vertex follows other joints than the body around it: its flesh uses its skin weights",
        "vertices follow other joints than the body around them: their flesh uses their skin weights"));
  }
  std::size_t judged = 0;
  report.mean = 0;
  std::map<std::uint32_t, const FleshField*> stored;
  for (const FleshField& field : rig.flesh.fields)
    if (!field.partner) stored[field.joint] = &field;
  for (std::size_t j = 0; j < grid.figures.size(); ++j) {
    const FleshFigures& figures = grid.figures[j];
    if (figures.unknowns == 0) continue;
    const auto field = stored.find(static_cast<std::uint32_t>(j));
    report.joints.push_back({surface.names[j], figures.bare, figures.worst, figures.mean,
                             field == stored.end() ? 0 : field->second->modes(),
                             field == stored.end() ? 0 : field->second->vertices.size()});
    report.worst = std::max(report.worst, figures.worst);
    report.mean += figures.mean;
    ++judged;
  }
  const auto report_pairs = [&](const GridFlesh& from, const auto& joint_of) {
    for (const GridPair& pair : from.pairs)
      report.pairs.push_back({surface.names[joint_of(pair.joint)], surface.names[joint_of(pair.partner)],
                              pair.figures.bare, pair.figures.worst, pair.figures.mean,
                              static_cast<std::size_t>(pair.field.mixes.rows())});
  };
  report_pairs(grid, [](std::size_t joint) { return joint; });
  for (const FinerFlesh& part : finer)
    report_pairs(part.grid, [&](std::size_t joint) { return part.joints[joint]; });
  report.mean = judged > 0 ? report.mean / static_cast<double>(judged) : 1;
  for (const FleshField& field : rig.flesh.fields)
    report.field_bytes += 2 * field.values.size() + 6 * field.vertices.size();
  if (report.unreached > 0)
    report.warnings.push_back(fmt::format("{} in parts of the body without a bone: each follows one joint",
                                          counted(report.unreached, "vertex lies", "vertices lie")));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace sinew
