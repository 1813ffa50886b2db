// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/elastic.h"

#include <array>

#include "sinew/core/parallel.h"
#include "sinew/math/polar.h"
#include "sinew/volume/trilinear.h"

namespace sinew {
namespace {

struct ElasticWorkspace : Workspace {
  GridPositions last;  // empty before the first frame
  double energy = 0;
};

// Derivatives of the trilinear weights by the place within the cell, per corner.
std::array<Vec3, 8> weight_slopes(const Vec3& place) {
  std::array<Vec3, 8> slopes;
  for (std::size_t k = 0; k < 8; ++k) {
    const Vec3 side(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
    Vec3 share;
    for (Eigen::Index c = 0; c < 3; ++c) share[c] = side[c] > 0 ? place[c] : 1 - place[c];
    slopes[k] = Vec3(side.x() * share.y() * share.z(), side.y() * share.x() * share.z(),
                     side.z() * share.x() * share.y());
  }
  return slopes;
}

// How far from the body, in cells, a vertex still sits on it.
constexpr double kOnBody = 1;

class ElasticDeformer : public Deformer {
 public:
  ElasticDeformer(std::unique_ptr<ElasticSetup> setup, ElasticBody body, const Rig& rig)
      : setup_(std::move(setup)), body_(std::move(body)), rest_(rig.mesh.positions) {
    transfer_ = trilinear_weights(setup_->grid, rest_);
    slopes_.reserve(rest_.size());
    const double cell = setup_->grid.cell_size();
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const Vec3 corner = setup_->grid.vertex_position(transfer_.vertices[i][0]);
      const Vec3 place = (rest_[i] - corner) / cell, inside = place.cwiseMax(0).cwiseMin(1);
      slopes_.push_back(weight_slopes(inside));
      if (place == inside) continue;
      Stray stray{static_cast<std::uint32_t>(i), cell * (place - inside), {}};
      if ((place - inside).norm() > kOnBody && i < rig.weights.vertex_count())
        stray.skin.assign(rig.weights.row(i).begin(), rig.weights.row(i).end());
      strays_.push_back(std::move(stray));
    }
  }

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<ElasticWorkspace>(); }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    try {  // solving allocates
      solve(input, static_cast<ElasticWorkspace&>(workspace), out_positions, out_normals);
    } catch (...) {  // the only thing that Eigen and the solver throw
      return Status::kOutOfMemory;
    }
    return Status::kOk;
  }

  std::optional<double> energy(const Workspace& workspace) const override {
    return static_cast<const ElasticWorkspace&>(workspace).energy;
  }

 private:
  // A vertex outside the body: of no face, as a rule, since every cell that a face crosses is the body's.
  struct Stray {
    std::uint32_t vertex = 0;
    Vec3 offset;                  // from the nearest point of the body
    std::vector<Influence> skin;  // of those far from it
  };

  void solve(const FrameInput& input, ElasticWorkspace& state, std::span<Vec3f> out_positions,
             std::span<Vec3f> out_normals) const {
    GridPositions start = blended(input.matrices);
    if (state.last.rows() == start.rows()) {
      GridPositions again = state.last;
      for (Eigen::Index v = 0; v < again.rows(); ++v)
        if (body_.fixed()[static_cast<std::size_t>(v)]) again.row(v) = start.row(v);
      if (body_.model().energy(again) < body_.model().energy(start)) start = std::move(again);
    }
    ElasticBody::Solution solved = body_.minimise(start, setup_->options);
    state.energy = solved.energy;
    state.last = std::move(solved.positions);
    carry(input, state.last, out_positions, out_normals);
    carry_strays(input, state.last, out_positions, out_normals);
  }

  // Bone vertices as posed, the others by linear blending.
  GridPositions blended(std::span<const Affine3> matrices) const {
    const GridPositions& rest = body_.model().rest();
    GridPositions v = rest;
    parallel_for(static_cast<std::size_t>(rest.rows()), 2048, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        const Vec3 p = rest.row(row).transpose();
        if (const int joint = setup_->joint_of_vertex[i]; joint >= 0) {
          v.row(row) = (matrices[static_cast<std::size_t>(joint)] * p).transpose();
          continue;
        }
        Vec3 sum = Vec3::Zero();
        for (const Influence& influence : setup_->start.row(i))
          sum += influence.weight * (matrices[influence.joint] * p);
        if (!setup_->start.row(i).empty()) v.row(row) = sum.transpose();
      }
    });
    return v;
  }

  Mat3 gradient_at(const GridPositions& v, std::size_t vertex) const {
    Mat3 gradient = Mat3::Zero();
    for (std::size_t k = 0; k < 8; ++k)
      gradient += v.row(transfer_.vertices[vertex][k]).transpose() * slopes_[vertex][k].transpose();
    return gradient / setup_->grid.cell_size();
  }

  static Vec3f turned_normal(const Mat3& gradient, const Vec3f& normal) {
    Mat3 cofactors;
    for (Eigen::Index r = 0; r < 3; ++r)
      cofactors.row(r) = gradient.row((r + 1) % 3).cross(gradient.row((r + 2) % 3));
    const Vec3 turned = (gradient.determinant() < 0 ? -1.0 : 1.0) * (cofactors * normal.cast<double>());
    return turned.norm() > 1e-18 ? Vec3f(turned.normalized().cast<float>()) : normal;
  }

  void carry(const FrameInput& input, const GridPositions& v, std::span<Vec3f> out_positions,
             std::span<Vec3f> out_normals) const {
    parallel_for(rest_.size(), 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Vec3 point = Vec3::Zero();
        for (std::size_t k = 0; k < 8; ++k)
          point += transfer_.weights[i][k] * v.row(transfer_.vertices[i][k]).transpose();
        const Mat3 gradient = gradient_at(v, i);
        const Vec3 key = input.positions[i].cast<double>() - rest_[i].cast<float>().cast<double>();
        if (!key.isZero()) point += gradient * key;
        out_positions[i] = point.cast<float>();
        if (!out_normals.empty()) out_normals[i] = turned_normal(gradient, input.normals[i]);
      }
    });
  }

  // Those on the body keep their distance from it, in the cell's rotation, since its stretch ends with it;
  // those far away follow their joints.
  void carry_strays(const FrameInput& input, const GridPositions& v, std::span<Vec3f> out_positions,
                    std::span<Vec3f> out_normals) const {
    for (const Stray& stray : strays_) {
      const std::uint32_t i = stray.vertex;
      if (stray.skin.empty()) {
        out_positions[i] += (polar_decomposition(gradient_at(v, i)).rotation * stray.offset).cast<float>();
        continue;
      }
      Vec3 point = Vec3::Zero();
      Mat3 linear = Mat3::Zero();
      for (const Influence& influence : stray.skin) {
        const Affine3& matrix = input.matrices[influence.joint];
        point += influence.weight * (matrix * input.positions[i].cast<double>());
        linear += influence.weight * matrix.linear();
      }
      out_positions[i] = point.cast<float>();
      if (!out_normals.empty()) out_normals[i] = turned_normal(linear, input.normals[i]);
    }
  }

  std::unique_ptr<ElasticSetup> setup_;  // the body refers to its grid
  ElasticBody body_;
  std::vector<Vec3> rest_;
  TrilinearWeights transfer_;
  std::vector<std::array<Vec3, 8>> slopes_;  // per vertex and corner
  std::vector<Stray> strays_;
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_elastic(const Rig& rig, ElasticSetup given) {
  auto setup = std::make_unique<ElasticSetup>(std::move(given));
  const std::size_t n = setup->grid.vertex_count();
  if (setup->joint_of_vertex.size() != n || setup->start.vertex_count() != n ||
      (!setup->stiffness.empty() && setup->stiffness.size() != setup->grid.cell_count()))
    return bad_input("the elastic body does not fit its grid");
  std::vector<std::uint8_t> fixed(n);
  for (std::size_t v = 0; v < n; ++v) fixed[v] = setup->joint_of_vertex[v] >= 0;
  SINEW_TRY(ElasticBody body, ElasticBody::build(setup->grid, fixed, setup->stiffness));
  return std::unique_ptr<Deformer>(std::make_unique<ElasticDeformer>(std::move(setup), std::move(body), rig));
}

}  // namespace sinew
