// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/point_handles.h"

#include <fmt/format.h>

#include <chrono>

#include "sinew/core/counted.h"
#include "sinew/mesh/weld.h"
#include "sinew/volume/trilinear.h"
#include "sinew/weights/bbw.h"
#include "sinew/weights/bone_body.h"

namespace sinew {
namespace {

// Joints at one place are one handle: that of the last, whose transform says more.
void add_handle(PointHandles& handles, PointHandle handle, double near) {
  for (PointHandle& other : handles.points)
    if ((other.position - handle.position).norm() <= near) {
      other = std::move(handle);
      return;
    }
  handles.points.push_back(std::move(handle));
}

PointHandles handles_at_joints(const Rig& rig, bool tips, double near) {
  PointHandles handles;
  const std::vector<Bone> bones = bones_of(rig.skeleton, bind_transforms(rig));
  std::vector<std::uint8_t> inner(rig.skeleton.size(), 0);
  for (const Bone& bone : bones)
    for (int parent = rig.skeleton[bone.joint].parent; parent >= 0;
         parent = rig.skeleton[static_cast<std::size_t>(parent)].parent)
      inner[static_cast<std::size_t>(parent)] = 1;
  for (const Bone& bone : bones)
    add_handle(handles, {rig.skeleton[bone.joint].name, bone.head, static_cast<int>(bone.joint)}, near);
  for (const Bone& bone : bones)
    if (tips && !inner[bone.joint] && (bone.tail - bone.head).norm() > near)
      add_handle(handles, {rig.skeleton[bone.joint].name + " tip", bone.tail, static_cast<int>(bone.joint)},
                 near);
  return handles;
}

ControlRows rows_of(const Eigen::MatrixXd& values, std::span<const std::uint32_t> to_welded,
                    double threshold) {
  ControlRows rows;
  rows.offsets.push_back(0);
  for (const std::uint32_t i : to_welded) {
    const auto row = values.row(i);
    double sum = 0;
    for (Eigen::Index h = 0; h < row.size(); ++h)
      if (row[h] > threshold) sum += row[h];
    for (Eigen::Index h = 0; h < row.size(); ++h)
      if (row[h] > threshold)
        rows.entries.push_back({static_cast<std::uint32_t>(h), static_cast<float>(row[h] / sum)});
    rows.offsets.push_back(static_cast<std::uint32_t>(rows.entries.size()));
  }
  return rows;
}

}  // namespace

Result<PointHandlesReport> make_point_handles(Rig& rig, const PointHandlesRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  PointHandlesReport report;
  const double near = 1e-6 * bounding_box(rig.mesh.positions).diagonal().norm();
  PointHandles handles;
  for (const Vec3& point : request.points)
    add_handle(handles, {fmt::format("point{}", handles.points.size()), point, -1}, near);
  if (request.points.empty()) handles = handles_at_joints(rig, request.tips, near);
  if (handles.empty())
    return impossible("there is no joint to put a handle at: give the rig a skeleton with `sinew rig`");
  const TriangleView view = triangulate(rig.mesh);
  const WeldedTriangles welded = weld_triangles({rig.mesh.positions, view.triangles});
  std::vector<Handle> points;
  for (const PointHandle& handle : handles.points) points.emplace_back(handle.position);
  BindInput input;
  input.surface = welded.view();
  SINEW_TRY(const VoxelBody body, make_voxel_body(input, request.voxels, request.progress));
  const HandleMap held = map_handles(body.grid, points);
  BbwOptions options;
  options.progress = request.progress;
  SINEW_TRY(const GridBbw bbw, grid_bbw(body.grid, held, options));
  const TrilinearWeights transfer = trilinear_weights(body.grid, welded.weld.positions);
  Eigen::MatrixXd values = interpolate(transfer, bbw.values);
  // Where no handle reaches, the nearest one holds: every vertex belongs to some.
  std::size_t filled = 0;
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    if (values.row(i).maxCoeff() > request.threshold) continue;
    ++filled;
    std::size_t best = 0;
    const Vec3 p = welded.weld.positions[static_cast<std::size_t>(i)];
    for (std::size_t h = 1; h < points.size(); ++h)
      if ((points[h].head - p).norm() < (points[best].head - p).norm()) best = h;
    values(i, static_cast<Eigen::Index>(best)) = 1;
  }
  handles.weights = rows_of(values, welded.weld.to_welded, request.threshold);
  if (held.outside > 0)
    report.warnings.push_back(fmt::format("{} of {} handles {} its nearest cell", held.outside, points.size(),
                                          agreeing(held.outside, "lies outside the body and constrains",
                                                   "lie outside the body and constrain")));
  if (filled > 0)
    report.warnings.push_back(
        fmt::format("{} the nearest one", counted(filled, "vertex is reached by no handle and follows",
                                                  "vertices are reached by no handle and follow")));
  report.voxels = body.grid.vertex_count();
  rig.points = std::move(handles);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace sinew
