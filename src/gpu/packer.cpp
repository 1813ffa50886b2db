// SPDX-License-Identifier: Apache-2.0
#include "gpu/packer.h"

#include <algorithm>

#include "sinew/math/polar.h"
#include "sinew/mesh/topology.h"

namespace sinew::gpu {
namespace {

void put_rows(const Affine3& m, double* out) {
  for (Eigen::Index r = 0; r < 3; ++r)
    for (Eigen::Index c = 0; c < 4; ++c) out[4 * r + c] = m.matrix()(r, c);
}
Twelve rows_of(const Affine3& m) {
  Twelve rows;
  for (Eigen::Index r = 0; r < 3; ++r)
    for (Eigen::Index c = 0; c < 4; ++c) rows.at[4 * r + c] = static_cast<float>(m.matrix()(r, c));
  return rows;
}

bool is_rigid(const Mat3& linear) {
  return (linear.transpose() * linear - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-5 &&
         linear.determinant() > 0;
}

}  // namespace

Result<void> Packer::pack() {
  SINEW_CHECK(pack_joints());
  SINEW_CHECK(pack_vertices());
  return pack_keys();
}

Result<void> Packer::pack_joints() {
  const Skeleton& skeleton = rig_.skeleton;
  program_.shape.joints = static_cast<std::int32_t>(skeleton.size());
  std::vector<int> depth(skeleton.size(), 0);
  for (const std::uint32_t j : skeleton.order())
    if (skeleton[j].parent >= 0) depth[j] = depth[static_cast<std::size_t>(skeleton[j].parent)] + 1;
  std::vector<std::uint32_t> order(skeleton.order().begin(), skeleton.order().end());
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return depth[a] < depth[b]; });
  for (std::uint32_t k = 0; k < order.size(); ++k)
    if (k == 0 || depth[order[k]] != depth[order[k - 1]]) program_.level.push_back(k);
  program_.shape.levels = static_cast<std::int32_t>(program_.level.size());
  program_.level.push_back(narrow(order.size()));
  for (const std::uint32_t j : order) {
    const Affine3& local = skeleton[j].rest_local;
    JointRest rest{};
    rest.joint = static_cast<std::int32_t>(j);
    rest.parent = skeleton[j].parent;
    const Polar polar = polar_decomposition(local.linear());
    const Quat turn(polar.rotation);
    for (Eigen::Index k = 0; k < 4; ++k) rest.rotation[k] = turn.coeffs()[k];
    // The rest transform exactly, whatever the polar decomposition leaves of its last digits.
    const Mat3 stretch = turn.normalized().toRotationMatrix().transpose() * local.linear();
    for (Eigen::Index r = 0; r < 3; ++r) {
      for (Eigen::Index c = 0; c < 3; ++c) rest.stretch[3 * r + c] = stretch(r, c);
      rest.translation[r] = local.translation()[r];
    }
    const Affine3 inverse = j < rig_.inverse_bind.size() ? rig_.inverse_bind[j] : Affine3::Identity();
    put_rows(inverse, rest.inverse_bind);
    program_.rest.push_back(rest);
    if (is_rigid(local.linear()) && is_rigid(inverse.linear())) continue;
    program_.shape.rigid = 0;
    if (program_.motion != Motion::kLinear)
      return impossible("joint '" + skeleton[j].name +
                        "' has scale, which only lbs covers on the GPU: apply the scale, or play lbs");
  }
  for (std::size_t j = 0; j < parents_.size() && program_.shape.root < 0; ++j)
    if (parents_[j] < 0) program_.shape.root = static_cast<std::int32_t>(j);
  return {};
}

Result<void> Packer::pack_vertices() {
  program_.shape.vertices = static_cast<std::int64_t>(rig_.mesh.vertex_count());
  if (rig_.mesh.vertex_count() > 0x7fffffff) return impossible("the mesh has more than 2^31 vertices");
  for (const Vec3& p : rig_.mesh.positions)
    for (Eigen::Index k = 0; k < 3; ++k) program_.positions.push_back(static_cast<float>(p[k]));
  const std::vector<Vec3f> normals = normals_of(rig_.mesh);
  for (const Vec3f& n : normals)
    for (Eigen::Index k = 0; k < 3; ++k) program_.normals.push_back(n[k]);
  return {};
}

Result<void> Packer::pack_keys() {
  program_.shape.keys = static_cast<std::int32_t>(rig_.keys.size());
  if (rig_.keys.empty()) return {};
  for (const ShapeKey& key : rig_.keys) {
    if (key.without_rotation || key.without_scale || !key.mask.empty())
      return impossible("shape key '" + key.name +
                        "' is masked or acts on gradients, which the GPU does not play");
    program_.default_keys.push_back(static_cast<float>(key.default_weight));
  }
  program_.key_row.push_back(0);
  for (std::size_t i = 0; i < rig_.mesh.vertex_count(); ++i) {
    for (std::uint32_t k = 0; k < rig_.keys.size(); ++k) {
      const ShapeKey& key = rig_.keys[k];
      const Vec3f d = key.deltas[i],
                  n = key.normal_deltas.empty() ? Vec3f(Vec3f::Zero()) : key.normal_deltas[i];
      if (!d.isZero(0) || !n.isZero(0))
        program_.key_deltas.push_back({d.x(), d.y(), d.z(), n.x(), n.y(), n.z(), k});
    }
    program_.key_row.push_back(narrow(program_.key_deltas.size()));
  }
  return {};
}

EntryRest Packer::entry_of(int joint) const {
  EntryRest entry{};
  entry.joint = joint;
  entry.above = -1;
  JointFrame frame;
  if (joint >= 0 && static_cast<std::size_t>(joint) < bones_.size()) {
    const auto j = static_cast<std::size_t>(joint);
    entry.above = parents_[j];
    frame = joint_frame(bones_, parents_, j);
    for (Eigen::Index k = 0; k < 3; ++k) entry.tail[k] = bones_[j].tail[k];
  }
  for (Eigen::Index r = 0; r < 3; ++r) {
    entry.origin[r] = frame.origin[r];
    for (Eigen::Index c = 0; c < 3; ++c) entry.axes[3 * r + c] = frame.axes(r, c);
  }
  return entry;
}
void Packer::add_entry(const EntryRest& entry) {
  Affine3 place = Affine3::Identity();
  for (Eigen::Index r = 0; r < 3; ++r) {
    place.translation()[r] = entry.origin[r];
    for (Eigen::Index c = 0; c < 3; ++c) place.linear()(r, c) = entry.axes[3 * r + c];
  }
  program_.entry.push_back(entry);
  program_.entry_local.push_back(rows_of(place.inverse(Eigen::Isometry)));
  program_.entry_place.push_back(rows_of(place));
}

}  // namespace sinew::gpu
