// SPDX-License-Identifier: Apache-2.0
// The formulas run on the host, one pose after the other.
#include <type_traits>

#include "gpu/program.h"

namespace sinew::gpu {
namespace {

std::size_t index_of(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

// Where outputs of the host go.
struct HostSink {
  float *positions, *normals;
  const std::uint32_t* vertex;  // of a group; null: `first` and on
  std::int64_t first;
  const float* offset;

  std::int64_t at(int place) const { return vertex ? std::int64_t{vertex[place]} : first + place; }
  void put(int place, const Point& p) {
    float* out = positions + 3 * at(place);
    out[0] = p.x + offset[0], out[1] = p.y + offset[1], out[2] = p.z + offset[2];
  }
  void put_normal(int place, const Point& n) {
    float* out = normals + 3 * at(place);
    out[0] = n.x, out[1] = n.y, out[2] = n.z;
  }
};

// What the fields of a group add to a coordinate of one of its vertices. pose: in its chunk.
float field_sum(const RigView& view, const FleshGroup& group, int vertex, int coordinate, bool tilts,
                int pose, const float* drives, const std::uint32_t* factors) {
  float sum = 0;
  for (std::uint32_t b = group.first_block; b < group.first_block + group.blocks; ++b) {
    const auto field = std::int64_t{view.blocks[b].field};
    const float* drive = drives + field * kDriveFloats * kLanes;
    const float* cubic = (tilts ? view.field_tilts_cubic : view.field_cubic) + std::int64_t{b} * kCubicValues;
    const FieldSums all = field_sums(
        factors + field * kFactorWords, pose,
        (tilts ? view.field_tilts : view.field_values) + std::int64_t{b} * kValueWords, vertex, coordinate);
    const FieldView seen = field_view(drive[0], drive[kLanes], drive[2 * kLanes],
                                      view.field_twist[std::int64_t{b} * kGroupVertices + vertex]);
    sum = by_harmonics(seen, all.cosine, all.sine, all.cosine_cosine, all.cosine_sine,
                       cubic[cubic_value(vertex, coordinate, 0)], cubic[cubic_value(vertex, coordinate, 1)],
                       sum + all.one);
  }
  return (tilts ? view.tilt_step : view.value_step) * sum;
}

template <bool kNormals>
void deform_groups(const RigView& view, int pose, const float* palette, const float* drives,
                   const std::uint32_t* factors, const float* keys, HostSink& sink) {
  FleshPoints<1, kGroupVertices> x{}, n{};
  for (std::int32_t g = 0; g < view.group_count; ++g) {
    const FleshGroup& group = view.groups[g];
    rest_of_group<kNormals>(view, group, g, 0, keys, x, n);
    const auto add = [&](Point& p, int i, bool tilts) {
      const auto sum = [&](int c) { return field_sum(view, group, i, c, tilts, pose, drives, factors); };
      p = p + Point{sum(0), sum(1), sum(2)};
    };
    for (int i = 0; i < kGroupVertices; ++i) {
      add(x.at[0][i], i, false);
      if constexpr (kNormals) add(n.at[0][i], i, true);
    }
    pass_joints<kNormals>(view, group, 0, palette, x, n);
    sink.vertex = group.vertex;
    for (int i = 0; i < static_cast<int>(group.used); ++i) {
      sink.put(i, x.at[0][i]);
      if constexpr (kNormals) sink.put_normal(i, n.at[0][i]);
    }
  }
}

template <bool kNormals>
void deform_lane(const Program& program, const RigView& view, const float* matrices, const float* palette,
                 const float* keys, HostSink sink) {
  for (std::int32_t tile = 0; tile < view.tiles; ++tile) {
    sink.first = std::int64_t{tile} * kTileVertices;
    switch (program.motion) {
      case Motion::kLinear:
        view.plain ? deform_tile<Linear, kNormals, true>(view, tile, matrices, keys, sink)
                   : deform_tile<Linear, kNormals, false>(view, tile, matrices, keys, sink);
        break;
      case Motion::kDual:
        view.plain ? deform_tile<Dual, kNormals, true>(view, tile, palette, keys, sink)
                   : deform_tile<Dual, kNormals, false>(view, tile, palette, keys, sink);
        break;
      case Motion::kLinearBones:
        view.plain ? deform_tile<LinearBones, kNormals, true>(view, tile, palette, keys, sink)
                   : deform_tile<LinearBones, kNormals, false>(view, tile, palette, keys, sink);
        break;
      case Motion::kDualBones:
        view.plain ? deform_tile<DualBones, kNormals, true>(view, tile, palette, keys, sink)
                   : deform_tile<DualBones, kNormals, false>(view, tile, palette, keys, sink);
        break;
      case Motion::kJoints:
        deform_joint_tile<kNormals>(view, tile, palette, keys, sink);
        break;
      case Motion::kFlesh:
        break;
    }
  }
}

}  // namespace

void deform_on_host(const Program& program, std::int64_t poses, const PoseArrays& from, float* positions,
                    float* normals) {
  const RigView view = program.view();
  const ChunkSize size(view, program.motion);
  std::vector<double> globals(index_of(size.globals));
  std::vector<float> matrices(index_of(size.matrices)), palette(index_of(size.palette)),
      drives(index_of(size.drives)), keys(index_of(size.keys));
  std::vector<std::uint32_t> factors(index_of(size.factors));
  for (std::int64_t pose = 0; pose < poses; ++pose) {
    const auto lane = pose % kLanes;
    const PoseView one = from.at(view, pose);
    float* m = matrices.data() + lane;
    double* transforms = globals.data() + lane;
    for (std::int32_t k = 0; k < view.joints; ++k) pose_local(view, view.rest[k], one, transforms);
    for (std::int32_t k = 0; k < view.joints; ++k) pose_global(view.rest[k], transforms);
    for (std::int32_t k = 0; k < view.joints; ++k) pose_skin(view.rest[k], transforms, m);
    pose_nothing(view, m);
    for (std::int32_t k = 0; k < view.keys; ++k)
      keys[index_of(std::int64_t{k} * kLanes + lane)] = one.keys ? one.keys[k] : view.default_keys[k];
    if (program.motion != Motion::kLinear)
      for (std::int32_t e = 0; e < view.entries; ++e)
        fill_entry(view, program.motion, e, one, m, palette.data() + lane);
    for (std::int32_t f = 0; f < view.field_count; ++f)
      field_entry(view, f, m, static_cast<int>(lane),
                  drives.data() + std::int64_t{f} * kDriveFloats * kLanes + lane,
                  factors.data() + std::int64_t{f} * kFactorWords);
    HostSink sink{positions + 3 * pose * view.vertices,
                  normals ? normals + 3 * pose * view.vertices : nullptr, nullptr, 0, view.offset};
    const auto run = [&](auto with_normals) {
      constexpr bool kNormals = decltype(with_normals)::value;
      if (program.motion == Motion::kFlesh)
        deform_groups<kNormals>(view, static_cast<int>(lane), palette.data() + lane, drives.data() + lane,
                                factors.data(), keys.data() + lane, sink);
      else
        deform_lane<kNormals>(program, view, m, palette.data() + lane, keys.data() + lane, sink);
    };
    if (normals)
      run(std::true_type());
    else
      run(std::false_type());
  }
}

}  // namespace sinew::gpu
