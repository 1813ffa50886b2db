// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "pipeline/compare_poses.h"
#include "pipeline/compare_weights.h"
#include "sinew/binding/elastic_setup.h"
#include "sinew/binding/prepare.h"
#include "sinew/measure/self_intersection.h"
#include "sinew/measure/shape.h"
#include "sinew/player/stack.h"
#include "sinew/volume/elastic.h"
#include "sinew/volume/grid_laplacian.h"
#include "sinew/weights/elastic.h"

namespace sinew {
namespace {

constexpr double kReferenceTolerance = 1e-5;
constexpr int kReferenceIterations = 300;

// A rig and its deformer, ready to run.
class Runner {
 public:
  static Result<Runner> build(const Rig& rig, const std::string& deformer, const Progress* progress) {
    // A cage is a step of the stack before the skeleton; alone, its name stands for what follows it.
    if (deformer.starts_with("cage"))
      return usage_error("a cage cannot be compared: it moves the mesh before the deformers that are");
    Stack stack = {{"skeleton", "", {}}};
    SINEW_CHECK(set_option(stack, "deformer", deformer));
    SINEW_TRY(const DeformerNeeds needs, needs_of(stack));
    Runner runner;
    DeformerData data;
    if (is_ready(rig, needs)) {
      SINEW_TRY(runner.steps_, build_stack(rig, stack, data));
    } else {
      Rig copy = rig;
      SINEW_CHECK(prepare(copy, needs, data, progress));
      SINEW_TRY(runner.steps_, build_stack(copy, stack, data));
    }
    for (const BuiltStep& step : runner.steps_) runner.workspaces_.push_back(step.deformer->make_workspace());
    for (const Vec3& p : rig.mesh.positions) runner.rest_.push_back(p.cast<float>());
    runner.out_.resize(runner.rest_.size());
    runner.between_.resize(runner.rest_.size());
    return runner;
  }

  // Milliseconds that it took.
  double run(const ComparePose& pose) {
    const auto start = std::chrono::steady_clock::now();
    std::span<const Vec3f> from = rest_;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      std::vector<Vec3f>& to = s + 1 == steps_.size() ? out_ : between_;  // a deformer, and mush behind it
      steps_[s].deformer->deform({from, {}, pose.globals, pose.matrices, {}}, *workspaces_[s], to, {});
      from = to;
    }
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  std::vector<Vec3> positions() const {
    std::vector<Vec3> result;
    for (const Vec3f& p : out_) result.push_back(p.cast<double>());
    return result;
  }

 private:
  std::vector<BuiltStep> steps_;
  std::vector<std::unique_ptr<Workspace>> workspaces_;
  std::vector<Vec3f> rest_, between_, out_;
};

// The elastic deformer solves in a body of its own; differential skinning and delta mush work on faces, which
// grids have none.
bool on_the_mesh_alone(std::string_view deformer) {
  return deformer.starts_with("elastic") || deformer.starts_with("differential") ||
         deformer.ends_with("+mush");
}

// One pair: its mesh and, where the weights have a volume form, its grid.
struct Contestant {
  MethodPair pair;
  Runner mesh;
  std::optional<Runner> grid;
};

class Comparison {
 public:
  Comparison(const Rig& rig, const CompareRequest& request) : rig_(rig), request_(request) {}

  Result<CompareReport> run() {
    SINEW_TRY(surface_, make_surface(rig_));
    CompareReport report;
    SINEW_TRY(body_, make_bone_body(surface_.input(), request_.voxels, request_.progress,
                                    elastic_cells(surface_.input())));
    SINEW_TRY(const std::vector<ComparePose> poses,
              compare_poses(rig_, surface_, body_.body.grid.cell_size(), request_, report.warnings));
    SINEW_CHECK(make_reference());
    SINEW_CHECK(enlist());
    report.voxels = body_.body.grid.vertex_count();
    const std::size_t step =
        request_.pictures == 0 ? 0 : (poses.size() + request_.pictures - 1) / request_.pictures;
    for (std::size_t k = 0; k < poses.size(); ++k) {
      if (is_cancelled(request_.progress)) return cancelled();
      sinew::report(request_.progress, "comparing",
                    static_cast<double>(k) / static_cast<double>(poses.size()));
      report.poses.push_back(judge(poses[k], step > 0 && k % step == 0));
    }
    SINEW_TRY(report.convergence, convergence());
    return report;
  }

 private:
  Result<void> make_reference() {
    SINEW_TRY(const ElasticSetup setup, elastic_setup(rig_, surface_, body_, {}, request_.progress));
    joint_of_vertex_ = setup.joint_of_vertex;
    std::vector<std::uint8_t> fixed(joint_of_vertex_.size());
    for (std::size_t v = 0; v < fixed.size(); ++v) fixed[v] = joint_of_vertex_[v] >= 0;
    SINEW_TRY(ElasticBody elastic, ElasticBody::build(body_.body.grid, fixed));
    elastic_ = std::make_unique<ElasticBody>(std::move(elastic));
    view_ = triangulate(rig_.mesh);
    diagonal_ = bounding_box(rig_.mesh.positions).diagonal().norm();
    volume_ = enclosed_volume({rig_.mesh.positions, view_.triangles});
    return {};
  }

  Result<void> enlist() {
    SINEW_TRY(const WeightSets sets, WeightSets::build(rig_, surface_, body_, request_));
    transfer_ = sets.transfer();
    std::vector<MethodPair> pairs = usual_pairs();
    if (!rig_.flesh.empty()) pairs.insert(pairs.begin(), {"elastic", "flesh"});
    for (const MethodPair& pair : request_.pairs)
      if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) pairs.push_back(pair);
    std::map<std::string, WeightSet> made;
    for (const MethodPair& pair : pairs) {
      auto found = made.find(pair.weights);
      if (found == made.end()) {
        sinew::report(request_.progress, "weights by " + pair.weights, 0);
        SINEW_TRY(WeightSet set, sets.make(pair.weights));
        found = made.emplace(pair.weights, std::move(set)).first;
      }
      WeightSet& set = found->second;
      if (pair.deformer.starts_with("flesh") && set.volume && set.grid.flesh.empty())
        SINEW_CHECK(sets.add_flesh(set));
      SINEW_TRY(Runner mesh, Runner::build(set.mesh, pair.deformer, request_.progress));
      contestants_.push_back({pair, std::move(mesh), std::nullopt});
      if (!set.volume || on_the_mesh_alone(pair.deformer)) continue;
      SINEW_TRY(contestants_.back().grid, Runner::build(set.grid, pair.deformer, request_.progress));
    }
    return {};
  }

  // Bone vertices where the pose has them, whatever the method made of them: all are judged on the flesh.
  void hold_bones(const ComparePose& pose, GridPositions& v) const {
    for (std::size_t i = 0; i < joint_of_vertex_.size(); ++i)
      if (const int joint = joint_of_vertex_[i]; joint >= 0) {
        const auto row = static_cast<Eigen::Index>(i);
        v.row(row) =
            (pose.matrices[static_cast<std::size_t>(joint)] * Vec3(elastic_->model().rest().row(row)))
                .transpose();
      }
  }

  // The mesh's displacement carried into the body: grid vertices beside the surface have the mean of the mesh
  // vertices around them, those within are harmonic.
  GridPositions extend(const ComparePose& pose, const std::vector<Vec3>& mesh) {
    const GridPositions& rest = elastic_->model().rest();
    const Eigen::Index n = rest.rows();
    Eigen::MatrixXd moved = Eigen::MatrixXd::Zero(n, 3);
    Eigen::VectorXd weight = Eigen::VectorXd::Zero(n);
    const auto& to_welded = surface_.welded.weld.to_welded;
    for (std::size_t i = 0; i < to_welded.size(); ++i)
      for (std::size_t k = 0; k < 8; ++k) {
        const auto v = static_cast<Eigen::Index>(transfer_.vertices[to_welded[i]][k]);
        const double w = transfer_.weights[to_welded[i]][k];
        moved.row(v) += w * (mesh[i] - rig_.mesh.positions[i]).transpose();
        weight[v] += w;
      }
    if (!extension_) {
      std::vector<std::uint8_t> fixed(static_cast<std::size_t>(n));
      for (Eigen::Index v = 0; v < n; ++v)
        fixed[static_cast<std::size_t>(v)] =
            weight[v] > 1e-3 || joint_of_vertex_[static_cast<std::size_t>(v)] >= 0;
      auto built = Multigrid::build(body_.body.grid, grid_stiffness(body_.body.grid), fixed);
      if (built.ok()) extension_ = std::make_unique<Multigrid>(*std::move(built));
    }
    GridPositions bones = rest;
    hold_bones(pose, bones);
    for (Eigen::Index v = 0; v < n; ++v) {
      if (joint_of_vertex_[static_cast<std::size_t>(v)] >= 0)
        moved.row(v) = bones.row(v) - rest.row(v);
      else if (weight[v] > 1e-3)
        moved.row(v) /= weight[v];
      else
        moved.row(v).setZero();
    }
    if (extension_) moved = extension_->solve(Eigen::MatrixXd(), moved, 1e-6, 100).x;
    return rest + GridPositions(moved);
  }

  std::vector<Vec3> to_mesh(const GridPositions& v) const {
    std::vector<Vec3> mesh;
    mesh.reserve(rig_.mesh.vertex_count());
    for (const std::uint32_t i : surface_.welded.weld.to_welded) {
      Vec3 p = Vec3::Zero();
      for (std::size_t k = 0; k < 8; ++k)
        p += transfer_.weights[i][k] * v.row(static_cast<Eigen::Index>(transfer_.vertices[i][k])).transpose();
      mesh.push_back(p);
    }
    return mesh;
  }

  PoseFigures judge(const ComparePose& pose, bool keep) {
    PoseFigures figures;
    figures.name = pose.name;
    std::vector<double> energies;
    std::vector<std::vector<Vec3>> shapes;
    GridPositions start;
    double least = 0;
    for (Contestant& one : contestants_) {
      MethodFigures method;
      method.pair = one.pair;
      method.ms_per_frame = one.mesh.run(pose);
      for (int k = 0; k < 2; ++k) method.ms_per_frame = std::min(method.ms_per_frame, one.mesh.run(pose));
      shapes.push_back(one.mesh.positions());
      method.extended = !one.grid;
      GridPositions v;
      if (one.grid) {
        one.grid->run(pose);
        const std::vector<Vec3> points = one.grid->positions();
        v.resize(static_cast<Eigen::Index>(points.size()), 3);
        for (std::size_t i = 0; i < points.size(); ++i)
          v.row(static_cast<Eigen::Index>(i)) = points[i].transpose();
        hold_bones(pose, v);
      } else {
        v = extend(pose, shapes.back());
      }
      energies.push_back(elastic_->model().energy(v));
      // The reference starts from the best of all, so that none is ever below it.
      if (energies.size() == 1 || energies.back() < least) {
        least = energies.back();
        start = std::move(v);
      }
      figures.methods.push_back(std::move(method));
    }
    const auto solved = elastic_->minimise(start, {.tolerance = kReferenceTolerance,
                                                   .max_iterations = kReferenceIterations,
                                                   .progress = request_.progress});
    figures.energy = solved.energy;
    figures.iterations = solved.iterations;
    std::vector<Vec3> reference = to_mesh(solved.positions);
    figures.self_intersections = self_intersecting_triangles({reference, view_.triangles});
    for (std::size_t k = 0; k < contestants_.size(); ++k) {
      MethodFigures& method = figures.methods[k];
      method.energy_ratio = solved.energy > 0 ? energies[k] / solved.energy : 1;
      const ShapeError error = shape_error(shapes[k], reference);
      method.rms = error.rms / diagonal_;
      method.max = error.max / diagonal_;
      method.e_rms = error.e_rms;
      method.e_rms_printed = error.e_rms_printed;
      const double volume = enclosed_volume({shapes[k], view_.triangles});
      method.volume_change = volume_ != 0 ? (volume - volume_) / std::abs(volume_) : 0;
      method.self_intersections = self_intersecting_triangles({shapes[k], view_.triangles});
      if (keep) method.positions = std::move(shapes[k]);
    }
    if (keep) figures.reference = std::move(reference);
    return figures;
  }

  // The joint that moves most of the body against the rest has the most to settle.
  Result<Convergence> convergence() const {
    std::size_t joint = surface_.bones.size(), most = 0;
    for (std::size_t b = 0; b < surface_.bones.size(); ++b) {
      const auto below = bones_below(surface_.parents, b);
      const auto moved = static_cast<std::size_t>(std::count(below.begin(), below.end(), 1));
      if (const std::size_t against = std::min(moved, below.size() - moved); against > most)
        joint = b, most = against;
    }
    Convergence result;
    if (joint == surface_.bones.size()) return result;
    const JointFrame frame = joint_frame(surface_.bones, surface_.parents, joint);
    const auto below = bones_below(surface_.parents, joint);
    Eigen::VectorXd start = Eigen::VectorXd::Zero(elastic_->model().rest().rows());
    for (std::size_t v = 0; v < joint_of_vertex_.size(); ++v)
      if (const int owner = joint_of_vertex_[v]; owner >= 0)
        start[static_cast<Eigen::Index>(v)] = below[static_cast<std::size_t>(owner)];
    SINEW_TRY(const Multigrid laplace,
              Multigrid::build(body_.body.grid, elastic_->model().matrix(), elastic_->fixed()));
    start = laplace.solve(Eigen::MatrixXd(), start, 1e-6, 100).x;
    const JointSamples samples = swing_samples(frame);
    SINEW_TRY(const GridWeight weight,
              energy_minimising_weight(elastic_->model(), elastic_->fixed(), start, frame.origin, samples,
                                       {.tolerance = 1e-6, .max_steps = 60, .progress = request_.progress}));
    const Vec3 origin = frame.origin;
    const GridPositions& rest = elastic_->model().rest();
    const GridPositions offsets =
        (rest.rowwise() - origin.transpose()) * (samples[0] - Mat3::Identity()).transpose();
    const auto full = elastic_->minimise(
        rest + start.asDiagonal() * offsets,
        {.tolerance = 1e-6, .max_iterations = 200, .accelerated = false, .progress = request_.progress});
    const auto relative = [](const std::vector<double>& history) {
      std::vector<double> errors;
      for (const double energy : history) errors.push_back((energy - history.back()) / history.back());
      if (!errors.empty()) errors.pop_back();
      return errors;
    };
    result.joint = rig_.skeleton[surface_.bones[joint].joint].name;
    result.full = relative(full.history);
    result.reduced = relative(weight.history);
    return result;
  }

  const Rig& rig_;
  const CompareRequest& request_;
  Surface surface_;
  BoneBody body_;
  std::vector<int> joint_of_vertex_;
  std::unique_ptr<ElasticBody> elastic_;
  std::unique_ptr<Multigrid> extension_;
  TrilinearWeights transfer_;
  TriangleView view_;
  double diagonal_ = 1, volume_ = 0;
  std::vector<Contestant> contestants_;
};

}  // namespace

std::vector<MethodPair> usual_pairs() {
  return {{"elastic", "swing-twist"}, {"elastic", "lbs"}, {"elastic", "dqs"}, {"bbw", "lbs"}, {"bbw", "dqs"},
          {"bbw", "swing-twist"}};
}

Result<CompareReport> compare(const Rig& rig, const CompareRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  SINEW_TRY(CompareReport report, Comparison(rig, request).run());
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace sinew
