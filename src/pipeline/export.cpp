// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "pipeline/export_fit.h"
#include "pipeline/progress_part.h"
#include "sinew/core/parallel.h"
#include "sinew/mesh/poly_mesh.h"
#include "sinew/player/pose_request.h"

namespace sinew {
namespace {

constexpr std::size_t kHeldOutPoses = 128, kClipChecks = 120;
constexpr double kFitted = 0.85, kKeyed = 0.9, kCertified = 0.95;  // of the time of an export

// Distances of many poses, for their figures.
class ErrorSums {
 public:
  explicit ErrorSums(double diagonal) : diagonal_(diagonal) {}
  // The rms of this pose.
  double add(std::span<const Vec3> a, std::span<const Vec3> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double far = (a[i] - b[i]).norm() / diagonal_;
      sum += far * far;
      far_.push_back(static_cast<float>(far));
    }
    sum_ += sum;
    ++poses_;
    return a.empty() ? 0 : std::sqrt(sum / static_cast<double>(a.size()));
  }
  ErrorFigures figures() {
    ErrorFigures result;
    result.poses = poses_;
    if (far_.empty()) return result;
    result.rms = std::sqrt(sum_ / static_cast<double>(far_.size()));
    const auto place =
        std::min(far_.size() - 1, static_cast<std::size_t>(0.999 * static_cast<double>(far_.size())));
    std::nth_element(far_.begin(), far_.begin() + static_cast<std::ptrdiff_t>(place), far_.end());
    result.p999 = static_cast<double>(far_[place]);
    result.max =
        static_cast<double>(*std::max_element(far_.begin() + static_cast<std::ptrdiff_t>(place), far_.end()));
    return result;
  }

 private:
  double diagonal_, sum_ = 0;
  std::vector<float> far_;
  std::size_t poses_ = 0;
};

// What any player makes of a rig: keys, then linear blending; counted from the origin.
std::vector<Vec3> played(const Rig& rig, const Pose& pose, const Vec3& origin) {
  std::vector<Affine3> matrices(rig.skeleton.size());
  skinning_matrices(rig, global_transforms(rig.skeleton, pose.local), matrices);
  for (Affine3& matrix : matrices) matrix.pretranslate(-origin);
  const std::vector<double> keys = key_weights_of(rig, pose);
  std::vector<Vec3> positions(rig.mesh.vertex_count());
  parallel_for(positions.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3 p = rig.mesh.positions[i];
      for (std::size_t m = 0; m < keys.size(); ++m)
        if (keys[m] != 0) p += keys[m] * rig.keys[m].deltas[i].cast<double>();
      const auto row = rig.weights.row(i);
      positions[i] = row.empty() ? Vec3(p - origin) : Vec3::Zero();
      for (const Influence& entry : row) positions[i] += entry.weight * (matrices[entry.joint] * p);
    }
  });
  return positions;
}

Result<std::vector<Vec3>> frame_of(const Rig& rig, ReadyDeformer& ready, const Pose& pose) {
  std::vector<Vec3f> positions(ready.deformer.output_count());
  const Status status = ready.deformer.evaluate_near(pose, ready.workspace, positions);
  if (status != Status::kOk) return frame_error(status);
  SINEW_CHECK(check_frame(rig, positions, ready));
  std::vector<Vec3> result;
  for (const Vec3f& p : positions) result.push_back(p.cast<double>());
  return result;
}

// The poses with the largest errors, worst first.
class WorstPoses {
 public:
  explicit WorstPoses(std::size_t most) : most_(most) {}
  bool takes(double rms) const { return poses_.size() < most_ || (most_ > 0 && rms > poses_.back().rms); }
  void add(ExportedPose pose) {
    const auto place = std::find_if(poses_.begin(), poses_.end(),
                                    [&](const ExportedPose& other) { return other.rms < pose.rms; });
    poses_.insert(place, std::move(pose));
    if (poses_.size() > most_) poses_.pop_back();
  }
  void move_to(std::vector<ExportedPose>& out) {
    std::move(poses_.begin(), poses_.end(), std::back_inserter(out));
  }

 private:
  std::size_t most_;
  std::vector<ExportedPose> poses_;
};

// Names that no joint or key has yet.
class FreshNames {
 public:
  void take(const std::string& name) { taken_.insert(name); }
  std::string make(const std::string& wanted) {
    std::string name = wanted;
    for (int k = 2; !taken_.insert(name).second; ++k) name = fmt::format("{}{}", wanted, k);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

std::string helper_kind(const HelperDriver& driver) {
  if (!driver.mixes.empty()) return "helper";
  return driver.swing == 0 ? "roll" : "half";
}

// The joints of the source, helpers behind them: at rest as their drivers say.
Result<void> add_joints(const ExportSource& source, const FittedExport& fitted, ExportedRig& exported) {
  Rig& rig = exported.rig;
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  FreshNames names;
  for (const Joint& joint : joints) names.take(joint.name);
  const std::vector<JointMove> rest = source.moves(source.matrices(rest_pose(source.rig.skeleton)));
  for (const FittedHelper& helper : fitted.helpers) {
    Joint joint;
    joint.name = names.make(joints[helper.driver.joint].name + "_" + helper_kind(helper.driver));
    joint.parent = static_cast<int>(helper.parent);
    joint.deforms = false;
    joint.helper = true;
    joint.rest_local = helper_local(source, helper,
                                    helper_move(helper.driver, source.frames[helper.driver.joint],
                                                rest[helper.driver.joint], source.range));
    rig.drivers.helpers.push_back({static_cast<std::uint32_t>(joints.size()),
                                   static_cast<std::uint32_t>(helper.parent), helper.driver});
    joints.push_back(std::move(joint));
    rig.inverse_bind.push_back(helper_bind(source, helper).inverse());
  }
  SINEW_TRY(rig.skeleton, Skeleton::create(std::move(joints)));
  return {};
}

// How normals tilt where a morph has its whole weight.
std::vector<Vec3f> normal_changes(const PolyMesh& mesh, std::span<const Vec3f> deltas) {
  if (mesh.normals.empty()) return {};
  PolyMesh other = mesh;
  other.normals.clear();
  const std::vector<Vec3f> before = normals_of(other);
  for (std::size_t i = 0; i < deltas.size(); ++i) other.positions[i] += deltas[i].cast<double>();
  const std::vector<Vec3f> after = normals_of(other);
  std::vector<Vec3f> changes(before.size(), Vec3f::Zero());
  for (std::size_t i = 0; i < changes.size(); ++i)
    if (const Vec3f change = after[i] - before[i]; change.norm() > 1e-3f) changes[i] = change;
  return changes;
}

void add_keys(const ExportSource& source, const FittedExport& fitted, ExportedRig& exported) {
  Rig& rig = exported.rig;
  FreshNames names;
  for (const ShapeKey& key : rig.keys) names.take(key.name);
  const std::vector<JointMove> rest = source.moves(source.matrices(rest_pose(source.rig.skeleton)));
  for (const DrivenMorph& morph : fitted.morphs) {
    ShapeKey key;
    key.name = names.make(source.rig.skeleton[morph.driver.joint].name + "_corrective");
    key.deltas = morph.deltas;
    key.normal_deltas = normal_changes(rig.mesh, morph.deltas);
    key.default_weight = morph_weight(morph.driver, rest[morph.driver.joint], source.range);
    rig.drivers.keys.push_back({static_cast<std::uint32_t>(rig.keys.size()), morph.driver});
    rig.keys.push_back(std::move(key));
  }
}

// Other players know nothing of masks and spaces of keys, nor of what moves them.
Result<void> make_keys_plain(const ExportSource& source, ExportedRig& exported) {
  const std::vector<double> weights = source.key_weights(rest_pose(source.rig.skeleton));
  for (std::size_t m = 0; m < exported.rig.keys.size(); ++m) {
    ShapeKey& key = exported.rig.keys[m];
    key.default_weight = weights[m];
    if (!key.mask.empty()) {
      SINEW_TRY(const std::vector<float> mask, mask_weights(source.rig, key.mask));
      for (std::size_t i = 0; i < mask.size(); ++i) {
        key.deltas[i] *= mask[i];
        if (!key.normal_deltas.empty()) key.normal_deltas[i] *= mask[i];
      }
    }
    key.mask.clear();
    key.without_rotation = key.without_scale = false;
  }
  return {};
}

void drop_own_data(Rig& rig) {
  rig.flesh = {};
  rig.joint_weights = {};
  rig.stack.clear();
  rig.cages.clear();
  rig.points = {};
  rig.pose_spaces.clear();
  rig.attributes.clear();
  rig.loose_edges.clear();
}

class Certifier {
 public:
  Certifier(ExportSource& source, const ExportRequest& request, ExportedRig& exported)
      : source_(source), request_(request), exported_(exported) {}

  Result<void> run() {
    SINEW_CHECK(clips());
    SINEW_CHECK(range());
    return reference();
  }

 private:
  Result<void> range() {
    const std::vector<Pose> poses = range_poses(source_, 1, kHeldOutPoses);
    ErrorSums driven(source_.diagonal), idle(source_.diagonal), plain(source_.diagonal);
    WorstPoses worst(request_.pictures);
    for (std::size_t k = 0; k < poses.size(); ++k) {
      if (is_cancelled(request_.progress)) return cancelled();
      report(request_.progress, "checking",
             0.4 + 0.5 * static_cast<double>(k) / static_cast<double>(poses.size()));
      SINEW_TRY(std::vector<Vec3> wanted, frame_of(source_.rig, source_.ready, poses[k]));
      Pose pose = posed(poses[k]);
      idle.add(wanted, played(exported_.rig, pose, source_.origin));
      run_drivers(exported_.rig, pose);
      std::vector<Vec3> shown = played(exported_.rig, pose, source_.origin), bare = plain_frame(poses[k]);
      const double rms = driven.add(wanted, shown);
      plain.add(wanted, bare);
      if (worst.takes(rms))
        worst.add({fmt::format("held-out pose {}", k + 1), rms, std::move(wanted), std::move(shown),
                   std::move(bare)});
    }
    worst.move_to(exported_.poses);
    exported_.certificate.held_out = driven.figures();
    exported_.certificate.idle = idle.figures();
    exported_.certificate.plain = plain.figures();
    return {};
  }

  Result<void> clips() {
    if (request_.clips.empty()) return {};
    ErrorSums baked(source_.diagonal), plain(source_.diagonal);
    WorstPoses worst(request_.pictures);
    std::vector<std::pair<std::size_t, double>> moments;
    for (std::size_t c = 0; c < request_.clips.size(); ++c)
      for (const double time : clip_times(source_.rig.clips[request_.clips[c]], request_.fps, true))
        moments.emplace_back(c, time);
    const std::size_t count = std::min(kClipChecks, moments.size());
    for (std::size_t k = 0; k < count; ++k) {
      if (is_cancelled(request_.progress)) return cancelled();
      report(request_.progress, "checking", 0.4 * static_cast<double>(k) / static_cast<double>(count));
      const auto& [c, time] = moments[k * moments.size() / count];
      SINEW_TRY(const Pose wanted, make_pose(source_.rig, {}, source_.rig.clips[request_.clips[c]], time));
      SINEW_TRY(const Pose pose, make_pose(exported_.rig, {}, exported_.rig.clips[c], time));
      SINEW_TRY(std::vector<Vec3> shape, frame_of(source_.rig, source_.ready, wanted));
      std::vector<Vec3> shown = played(exported_.rig, pose, source_.origin), bare = plain_frame(wanted);
      const double rms = baked.add(shape, shown);
      plain.add(shape, bare);
      if (worst.takes(rms))
        worst.add({fmt::format("clip {} at {:.2f} s", source_.rig.clips[request_.clips[c]].name, time), rms,
                   std::move(shape), std::move(shown), std::move(bare)});
    }
    worst.move_to(exported_.poses);
    exported_.certificate.clips = baked.figures();
    exported_.certificate.plain_clips = plain.figures();
    return {};
  }

  // The elastic body in a few of the poses; a body that cannot be made costs the figure alone.
  Result<void> reference() {
    if (request_.reference_poses <= 0) return {};
    report(request_.progress, "checking", 0.9);
    const auto stack = stack_with(source_.rig, "elastic");
    if (!stack) return {};
    auto ready = ready_deformer(source_.rig, {without_subdivision(*stack), {}, {}, request_.progress});
    if (!ready) {
      if (ready.error().code == ErrorCode::kCancelled) return ready.error();
      exported_.warnings.push_back(
          "the elastic body cannot be made, so that the distance to it is not known: " +
          ready.error().message);
      return {};
    }
    const auto origin = ready->deformer.origin();
    const std::vector<Pose> poses = range_poses(source_, 1, kHeldOutPoses);
    ErrorSums baked(source_.diagonal), plain(source_.diagonal);
    const auto count = std::min(static_cast<std::size_t>(request_.reference_poses), poses.size());
    for (std::size_t k = 0; k < count; ++k) {
      if (is_cancelled(request_.progress)) return cancelled();
      const std::size_t at = k * poses.size() / count;
      const auto shape = frame_of(source_.rig, *ready, poses[at]);
      if (!shape) continue;
      Pose pose = posed(poses[at]);
      run_drivers(exported_.rig, pose);
      const Vec3 there(origin[0], origin[1], origin[2]);
      baked.add(*shape, played(exported_.rig, pose, there));
      plain.add(*shape, played(source_.rig, poses[at], there));
    }
    const ErrorFigures figures = baked.figures();
    if (figures.poses == 0) return {};
    exported_.certificate.elastic_rms = figures.rms;
    exported_.certificate.plain_elastic_rms = plain.figures().rms;
    return {};
  }

  // The same pose of the exported rig, its helpers and morphs as at rest.
  Pose posed(const Pose& pose) const {
    Pose result = rest_pose(exported_.rig.skeleton);
    std::copy(pose.local.begin(), pose.local.end(), result.local.begin());
    result.key_weights = key_weights_of(exported_.rig, result);
    const std::vector<double> keys = source_.key_weights(pose);
    std::copy(keys.begin(), keys.end(), result.key_weights.begin());
    return result;
  }
  std::vector<Vec3> plain_frame(Pose pose) const {
    pose.key_weights = source_.key_weights(pose);
    return played(source_.rig, pose, source_.origin);
  }

  ExportSource& source_;
  const ExportRequest& request_;
  ExportedRig& exported_;
};

// What check() says of the weights before and after. A rig that it does not take has no grade.
Result<void> grade_weights(const Rig& source, const Progress* progress, ExportedRig& exported) {
  const auto grade = [&](const Rig& rig, std::optional<Grade>& out) -> Result<void> {
    CheckRequest request;
    request.progress = progress;
    const auto checked = check(rig, request);
    if (!checked && checked.error().code == ErrorCode::kCancelled) return checked.error();
    if (checked) out = checked->grade;
    return {};
  };
  Certificate& certificate = exported.certificate;
  SINEW_CHECK(grade(source, certificate.plain_grade));
  SINEW_CHECK(grade(exported.rig, certificate.grade));
  if (certificate.grade && certificate.plain_grade && *certificate.grade > *certificate.plain_grade)
    exported.warnings.push_back(
        fmt::format("the weights have grade {} where nobody runs the drivers, and those of the source {}: "
                    "'sinew check' says why",
                    letter_of(*certificate.grade), letter_of(*certificate.plain_grade)));
  return {};
}

}  // namespace

Result<ExportedRig> export_plain(const Rig& rig, const ExportRequest& request) {
  if (request.influences != 4 && request.influences != 8)
    return parameter_error("influences", "must be 4 or 8: files hold weights in sets of four");
  if (!(request.tolerance >= 0 && request.tolerance < 1))
    return parameter_error("tolerance", "must be a share of the mesh's diagonal, 0 to 1");
  if (!(request.fps > 0 && request.fps <= 1000))
    return parameter_error("fps",
                           fmt::format("is {}: give a number above 0 and not above 1000", request.fps));
  for (const std::size_t clip : request.clips)
    if (clip >= rig.clips.size()) return usage_error("the file has no such clip");
  SINEW_TRY(ExportSource source, export_source(rig, request));
  ExportedRig exported;
  exported.made = source.ready.made;
  exported.rig = rig;
  exported.rig.drivers = {{}, {}, source.range};
  SINEW_CHECK(make_keys_plain(source, exported));
  ExportRequest part = request;
  Progress progress = progress_part(request.progress, 0, kFitted);
  part.progress = &progress;
  SINEW_TRY(const FittedExport fitted, fit_export(source, part));
  SINEW_CHECK(add_joints(source, fitted, exported));
  add_keys(source, fitted, exported);
  exported.rig.weights = fitted.weights;
  exported.rig.endpoint = {};  // one for each weight of the source
  exported.rig.clips.clear();
  for (std::size_t c = 0; c < request.clips.size(); ++c) {
    const double each = (kKeyed - kFitted) / static_cast<double>(request.clips.size());
    progress = progress_part(request.progress, kFitted + each * static_cast<double>(c),
                             kFitted + each * static_cast<double>(c + 1));
    SINEW_TRY(Clip keyed, keyed_clip(source, fitted, rig.clips[request.clips[c]], request.fps, &progress));
    exported.rig.clips.push_back(std::move(keyed));
  }
  if (!request.keep) drop_own_data(exported.rig);
  Certificate& certificate = exported.certificate;
  certificate.influences = exported.rig.weights.max_influences();
  certificate.joints = rig.skeleton.deforming_count() + exported.rig.drivers.helpers.size();
  certificate.helpers = exported.rig.drivers.helpers.size();
  certificate.morphs = exported.rig.drivers.keys.size();
  certificate.diagonal = source.diagonal;
  certificate.helper_errors = fitted.helper_errors;
  certificate.morph_errors = fitted.morph_errors;
  const double certified = request.grade ? kCertified : 1;
  progress = progress_part(request.progress, kKeyed, certified);
  SINEW_CHECK(Certifier(source, part, exported).run());
  progress = progress_part(request.progress, certified, 1);
  if (request.grade) SINEW_CHECK(grade_weights(rig, &progress, exported));
  return exported;
}

GltfWriteOptions export_write_options(const Rig& source, const ExportedRig& made,
                                      const ExportRequest& request) {
  GltfWriteOptions write;
  write.influences = static_cast<int>(request.influences);
  write.edit.skin = write.edit.clips = true;
  // Targets that nobody changed stay as they are stored.
  write.edit.keys =
      !made.rig.drivers.keys.empty() || std::any_of(source.keys.begin(), source.keys.end(),
                                                    [](const ShapeKey& key) { return !key.mask.empty(); });
  write.edit.stack = write.edit.cages = !request.keep;
  write.sparse_keys = true;
  return write;
}

}  // namespace sinew
