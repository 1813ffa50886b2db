// SPDX-License-Identifier: Apache-2.0
#include "sinew/report/report_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "sinew/core/parallel.h"

namespace sinew {

using Json = nlohmann::ordered_json;

namespace {

Json method_json(const MethodFigures& method) {
  return {{"weights", method.pair.weights},
          {"deformer", method.pair.deformer},
          {"energy_ratio", method.energy_ratio},
          {"rms", method.rms},
          {"max", method.max},
          {"volume_change", method.volume_change},
          {"self_intersections", method.self_intersections},
          {"elastic_rms", method.elastic_rms},
          {"elastic_rms_printed", method.elastic_rms_printed},
          {"e_rms", method.elastic_rms},  // the same by the names that older readers know
          {"e_rms_printed", method.elastic_rms_printed},
          {"ms_per_frame", method.ms_per_frame},
          {"extended", method.extended}};
}

Json figures_json(const ErrorFigures& figures) {
  if (figures.poses == 0) return nullptr;
  return {{"rms", figures.rms}, {"p999", figures.p999}, {"max", figures.max}, {"poses", figures.poses}};
}

Json joints_json(const AssetReport& report) {
  Json joints = Json::array();
  for (std::size_t j = 0; j < report.joint_parents.size(); ++j)
    joints.push_back({{"name", report.joint_names[j]},
                      {"parent", report.joint_parents[j]},
                      {"vertices", report.joint_vertices[j]},
                      {"weight", report.joint_sums[j]}});
  return joints;
}

}  // namespace

Json to_json(const BindReport& report) {
  Json pruned = Json::array();
  for (const BindReport::PrunedJoint& loss : report.pruned)
    pruned.push_back({{"joint", loss.joint}, {"largest", loss.largest}, {"vertices", loss.vertices}});
  Json flesh;
  if (report.flesh) {
    Json joints = Json::array();
    for (const FleshJointReport& joint : report.flesh->joints)
      joints.push_back({{"joint", joint.joint},
                        {"without_fields", joint.bare},
                        {"worst", joint.worst},
                        {"mean", joint.mean},
                        {"modes", joint.modes},
                        {"vertices", joint.vertices}});
    Json pairs = Json::array();
    for (const FleshPairReport& pair : report.flesh->pairs)
      pairs.push_back({{"joint", pair.joint},
                       {"partner", pair.partner},
                       {"without_field", pair.bare},
                       {"worst", pair.worst},
                       {"mean", pair.mean},
                       {"modes", pair.modes}});
    flesh = {{"seconds", report.flesh->seconds},
             {"worst", report.flesh->worst},
             {"mean", report.flesh->mean},
             {"field_bytes", report.flesh->field_bytes},
             {"unreached", report.flesh->unreached},
             {"joints", std::move(joints)},
             {"pairs", std::move(pairs)}};
  }
  return {{"method", report.method},
          {"seconds", report.seconds},
          {"vertices", report.vertices},
          {"bones", report.bones},
          {"unweighted", report.unweighted},
          {"max_row_error", report.max_row_error},
          {"min", report.min},
          {"max", report.max},
          {"islands", report.islands},
          {"layers", report.layers},
          {"rigid", report.rigid},
          {"idle_joints", report.idle_joints},
          {"filled", report.filled},
          {"clamped", report.clamped},
          {"pruning_error", report.pruning_error},
          {"pruned", pruned},
          {"voxels", report.voxels},
          {"iterations", report.iterations},
          {"flesh", std::move(flesh)}};
}

Json to_json(const BatchReport& report) {
  Json jobs = Json::array();
  for (const JobReport& job : report.jobs) {
    const JobOutcome& outcome = job.outcome;
    const auto known = [&](auto value) { return job.ended ? Json(value) : Json(); };
    jobs.push_back({{"line", job.job.line},
                    {"verb", job.job.verb},
                    {"out", job.job.out},
                    {"exit", known(outcome.exit)},
                    {"seconds", known(outcome.seconds)},
                    {"cpu_seconds", known(outcome.cpu_seconds)},
                    {"peak_mb", known(outcome.peak_mb)},
                    {"attempts", known(outcome.attempts)},
                    {"skipped", job.skipped},
                    {"message", known(outcome.message)}});
  }
  return {{"done", report.done},       {"failed", report.failed},   {"skipped", report.skipped},
          {"waiting", report.waiting}, {"seconds", report.seconds}, {"busy", report.busy},
          {"jobs", std::move(jobs)}};
}

Json to_json(const CageReport& report) {
  return {{"seconds", report.seconds},
          {"controls", report.controls},
          {"cells", report.cells},
          {"nodes", report.nodes},
          {"pieces", report.pieces},
          {"min", report.min},
          {"max_row_error", report.max_row_error},
          {"reproduction_error", report.reproduction_error},
          {"dropped", report.dropped},
          {"entries", report.entries},
          {"outside", report.outside},
          {"cycles", report.cycles}};
}

Json to_json(const RetargetedClip& made, const std::string& motion) {
  const bool compared = !made.worst_joint.empty();
  return {{"name", made.clip.name},
          {"motion", motion},
          {"seconds", made.clip.duration()},
          {"frames", made.frames},
          {"matched", made.matched},
          {"unmatched", made.unmatched},
          {"humanoid", made.humanoid},
          {"contacts", made.contacts},
          {"foot_slide", made.contacts > 0 ? Json(made.foot_slide) : Json(nullptr)},
          {"worst_slide", made.contacts > 0 ? Json(made.worst_slide) : Json(nullptr)},
          {"worst_joint", compared ? Json(made.worst_joint) : Json(nullptr)},
          {"worst_degrees", compared ? Json(made.worst_degrees) : Json(nullptr)},
          {"mean_degrees", compared ? Json(made.mean_degrees) : Json(nullptr)}};
}

Json to_json(const CheckReport& report) {
  const auto letter = [](Grade grade) { return std::string(1, letter_of(grade)); };
  Json joints = Json::array();
  for (const JointCheck& joint : report.joints)
    joints.push_back({{"name", joint.name},
                      {"grade", joint.grade ? Json(letter(*joint.grade)) : Json()},
                      {"energy_ratio", joint.energy_ratio ? Json(*joint.energy_ratio) : Json()},
                      {"reasons", joint.reasons}});
  Json document = {{"grade", letter(report.grade)},
                   {"joints", std::move(joints)},
                   {"unweighted", report.unweighted},
                   {"max_row_error", report.max_row_error},
                   {"influences", report.influences},
                   {"islands", report.islands},
                   {"torn", report.torn},
                   {"strays", report.strays},
                   {"mirrored", report.mirrored},
                   {"intersections", report.intersections},
                   {"faulty_vertices", report.faulty},
                   {"seconds", report.seconds}};
  if (report.against) {
    const auto& [skeleton, deforming, weights] = *report.against;
    document["cd_j2j"] = skeleton.j2j;
    document["cd_j2b"] = skeleton.j2b;
    document["cd_b2b"] = skeleton.b2b;
    document["cd_j2j_deforming"] = deforming.j2j;
    document["cd_j2b_deforming"] = deforming.j2b;
    document["cd_b2b_deforming"] = deforming.b2b;
    document["l1"] = weights ? Json(weights->l1) : Json();
    document["precision"] = weights ? Json(weights->precision) : Json();
    document["recall"] = weights ? Json(weights->recall) : Json();
  }
  return document;
}

Json joints_to_json(const Rig& rig) {
  Json joints = Json::array();
  const auto globals = bind_transforms(rig);
  const auto count = static_cast<int>(rig.skeleton.deforming_count());
  for (std::size_t j = 0; j < rig.skeleton.deforming_count(); ++j) {
    const Vec3 head = globals[j].translation();
    // What only carries others is not listed, and no parent here.
    joints.push_back({{"name", rig.skeleton[j].name},
                      {"parent", rig.skeleton[j].parent < count ? rig.skeleton[j].parent : -1},
                      {"position", {head.x(), head.y(), head.z()}}});
  }
  return joints;
}

Json joints_to_json(const Skeleton& skeleton) {
  Json joints = Json::array();
  const auto globals = global_transforms(skeleton, rest_pose(skeleton).local);
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const Vec3 head = globals[j].translation();
    joints.push_back({{"name", skeleton[j].name},
                      {"parent", skeleton[j].parent},
                      {"position", {head.x(), head.y(), head.z()}}});
  }
  return joints;
}

Json to_json(const FoundSkeleton& found) {
  Json costs = Json::object(), features = Json::object();
  for (const TemplateCost& tried : found.tried) {
    costs[tried.name] = std::isfinite(tried.cost) ? Json(tried.cost) : Json();
    for (const auto& [name, value] : tried.features) features[tried.name][name] = value;
  }
  return {{"joints", joints_to_json(found.skeleton)},
          {"template", found.name},
          {"confidence", found.confidence},
          {"costs", costs},
          {"features", features},
          {"symmetric", found.symmetric},
          {"way", name_of(found.method)},
          {"no_rings", found.no_rings},
          {"through_volume", found.method == SkeletonMethod::kVolume},
          {"curves", found.curves.size()},
          {"rings", found.rings},
          {"milliseconds",
           {{"curves", found.curve_ms},
            {"skeleton", found.skeleton_ms},
            {"total", found.curve_ms + found.skeleton_ms}}}};
}

Json to_json(const CompareReport& report) {
  Json poses = Json::array();
  for (const PoseFigures& pose : report.poses) {
    Json methods = Json::array();
    for (const MethodFigures& method : pose.methods) methods.push_back(method_json(method));
    poses.push_back({{"name", pose.name},
                     {"piece", pose.piece},
                     {"reference_energy", pose.energy},
                     {"reference_iterations", pose.iterations},
                     {"reference_self_intersections", pose.self_intersections},
                     {"methods", std::move(methods)}});
  }
  Json rotations = Json::array();
  for (const JointRotations& joint : report.rotations) {
    Json methods = Json::array();
    for (const RotationFigures& method : joint.methods)
      methods.push_back({{"weights", method.pair.weights},
                         {"deformer", method.pair.deformer},
                         {"worst", method.worst},
                         {"mean", method.mean}});
    rotations.push_back({{"joint", joint.joint},
                         {"with", joint.with.empty() ? Json() : Json(joint.with)},
                         {"piece", joint.piece},
                         {"free", joint.free},
                         {"methods", std::move(methods)}});
  }
  return {{"poses", std::move(poses)},
          {"convergence",
           {{"joint", report.convergence.joint},
            {"samples", report.convergence.samples},
            {"full", report.convergence.full},
            {"full_seconds", report.convergence.full_seconds},
            {"reduced", report.convergence.reduced},
            {"reduced_seconds", report.convergence.reduced_seconds}}},
          {"rotations", std::move(rotations)},
          {"timed", "positions of the whole mesh, no normals, fresh memory, best of up to three runs"},
          {"threads", thread_count()},
          {"voxels", report.voxels},
          {"seconds", report.seconds}};
}

Json to_json(const Certificate& certificate) {
  const ErrorFigures& held = certificate.held_out;
  Json morphs = Json::array();
  for (const MorphError& error : certificate.morph_errors)
    morphs.push_back({{"morphs", error.morphs}, {"rms", error.rms}});
  const auto maybe = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  const auto grade = [](const std::optional<Grade>& value) {
    return value ? Json(std::string(1, letter_of(*value))) : Json(nullptr);
  };
  return {{"influences", certificate.influences},
          {"joints", certificate.joints},
          {"helpers", certificate.helpers},
          {"morphs", certificate.morphs},
          {"rms", held.rms},
          {"p999", held.p999},
          {"max", held.max},
          {"poses", held.poses},
          {"elastic_rms", maybe(certificate.elastic_rms)},
          {"grade", grade(certificate.grade)},
          {"diagonal", certificate.diagonal},
          {"clips", figures_json(certificate.clips)},
          {"idle", figures_json(certificate.idle)},
          {"plain",
           {{"held_out", figures_json(certificate.plain)},
            {"clips", figures_json(certificate.plain_clips)},
            {"elastic_rms", maybe(certificate.plain_elastic_rms)},
            {"grade", grade(certificate.plain_grade)}}},
          {"fit", {{"helpers", certificate.helper_errors}, {"morphs", morphs}}}};
}

Json to_json(const AssetReport& report) {
  Json box = nullptr, motion = nullptr, endpoint = nullptr, clips = Json::array();
  if (!report.box.isEmpty())
    box = {{report.box.min().x(), report.box.min().y(), report.box.min().z()},
           {report.box.max().x(), report.box.max().y(), report.box.max().z()}};
  for (std::size_t c = 0; c < report.clip_names.size(); ++c)
    clips.push_back({{"name", report.clip_names[c]}, {"seconds", report.clip_seconds[c]}});
  if (report.motion_frames > 0) motion = {{"frames", report.motion_frames}, {"fps", report.motion_fps}};
  if (!report.endpoint.empty()) endpoint = {{"method", report.endpoint}, {"twist", report.endpoint_twist}};
  return {{"vertices", report.mesh.vertices},
          {"faces", report.mesh.faces},
          {"quads", report.mesh.quads},
          {"components", report.mesh.components},
          {"boundary_edges", report.mesh.boundary_edges},
          {"nonmanifold_edges", report.mesh.nonmanifold_edges},
          {"box", box},
          {"materials", report.materials},
          {"joints", report.joint_names.size()},
          {"joint_names", report.joint_names},
          {"hierarchy", joints_json(report)},
          {"clips", report.clip_names},
          {"clip_lengths", clips},
          {"motion", motion},
          {"keys", report.key_names},
          {"influences", report.influences},
          {"unweighted", report.unweighted},
          {"max_row_error", report.max_row_error},
          {"joint_weights", report.joint_weights.empty() ? Json(nullptr) : Json(report.joint_weights)},
          {"flesh", report.flesh ? Json{{"tolerance", *report.flesh}, {"fields", report.flesh_fields}}
                                 : Json(nullptr)},
          {"endpoint", endpoint}};
}

}  // namespace sinew
