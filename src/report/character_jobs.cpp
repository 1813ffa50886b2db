// SPDX-License-Identifier: Apache-2.0
#include "sinew/report/character_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <filesystem>

#include "sinew/binding/flesh.h"
#include "sinew/binding/joint_weights.h"
#include "sinew/binding/surface.h"
#include "sinew/core/counted.h"
#include "sinew/core/text.h"
#include "sinew/io/asset.h"
#include "sinew/io/looks.h"
#include "sinew/pipeline/check.h"
#include "sinew/pipeline/export.h"
#include "sinew/pipeline/export_target.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/pipeline/retarget.h"
#include "sinew/player/pose_request.h"
#include "sinew/report/overall_progress.h"
#include "sinew/report/report_json.h"

namespace sinew {

using Json = nlohmann::ordered_json;

namespace {

std::string sentence(std::string text) {
  if (text.empty()) return text;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  if (text.back() != '.') text += '.';
  return text;
}

void add_sentences(const std::vector<std::string>& warnings, std::vector<std::string>& text) {
  for (const std::string& note : warnings) text.push_back(sentence(note));
}

std::string renamed(const std::string& name, const std::string& extension) {
  return std::filesystem::path(name).stem().string() + extension;
}

// The skeleton by the first of these that there is: the user's joints, a template, the file's own, a search.
Result<std::string> give_skeleton(const RigJob& job, const Progress* progress, Rig& rig) {
  if (rig.mesh.face_count() == 0) return bad_input("holds no mesh");
  if (!job.joints.empty()) {
    SINEW_CHECK(place_joints(rig, job.joints));
    return fmt::format("The {} where you put {}.", counted(job.joints.size(), "joint lies", "joints lie"),
                       agreeing(job.joints.size(), "it", "them"));
  }
  if (job.skeleton_template.empty() && rig.skeleton.deforming_count() > 0)
    return fmt::format("The file's own skeleton of {} was kept.",
                       counted(rig.skeleton.deforming_count(), "joint"));
  SkeletonRequest request;
  request.skeleton_template = job.skeleton_template;
  request.progress = progress;
  SINEW_TRY(const SkeletonFor made, find_skeleton_for(rig, request));
  if (!made.given)
    return impossible(made.found.problem + "; choose the template that is nearest, and move its joints");
  if (made.stretched)
    return fmt::format(
        "The template '{}' does not fit this mesh and was scaled to its bounding box: move the joints to "
        "where they belong and bind again.",
        job.skeleton_template);
  // The templates have Mixamo's names.
  if (job.names != "mixamo") SINEW_CHECK(rename_joints(rig, job.names));
  return fmt::format("{} joints {} were found (confidence {:.0f} %{}).",
                     made.found.skeleton.deforming_count(), describe_template(made.found),
                     100 * made.found.confidence, made.found.symmetric ? ", symmetric" : "");
}

void add_figures(const BindReport& report, int influences, std::vector<std::string>& text) {
  text.push_back(fmt::format("{} bound to {} by {} in {:.1f} s.",
                             counted(report.vertices, "vertex was", "vertices were"),
                             counted(report.bones, "bone"), report.method, report.seconds));
  if (report.pruning_error >= 0.005)
    text.push_back(fmt::format("Pruning to {} influences changed at most {:.0f} % of a vertex's weight.",
                               influences, 100 * report.pruning_error));
  if (report.flesh)
    text.push_back(
        fmt::format("Flesh: energy ratio to the elastic reference {:.2f} at worst, {:.2f} on average.",
                    report.flesh->worst, report.flesh->mean));
  add_sentences(report.warnings, text);
}

}  // namespace

Result<JobOutput> run_rig_job(const RigJob& job, const Progress& progress) {
  OverallProgress overall(progress);
  overall.part("reading", 0.03);
  SINEW_TRY(Asset asset, read_asset(*job.file.bytes, job.file.name));
  JobOutput output;
  add_sentences(asset.warnings, output.text);
  const auto moving = [&] {
    return std::count_if(asset.rig.clips.begin(), asset.rig.clips.end(),
                         [](const Clip& clip) { return !clip.channels.empty(); });
  };
  const auto clips = moving();
  auto skeleton = give_skeleton(job, overall.part("finding the skeleton", 0.2), asset.rig);
  if (!skeleton.ok()) return in_file(job.file.name, skeleton.error());
  output.text.push_back(*skeleton);
  if (moving() < clips) output.text.push_back("Clips of the old joints were removed.");
  if (is_cancelled(&progress)) return cancelled();

  BindRequest request;
  request.method = job.weights;
  request.endpoint = kRigEndpoint;
  request.progress = overall.part("weights", 0.95);
  if (job.quality == "flesh")
    request.flesh.emplace();
  else
    request.joint_weights = kRigJointWeights;
  const auto bound = bind(asset.rig, request);
  if (!bound.ok()) return in_file(job.file.name, bound.error());
  add_figures(*bound, request.influences, output.text);
  if (is_cancelled(&progress)) return cancelled();

  overall.part("writing", 1);
  GltfWriteOptions write;
  write.influences = request.influences;
  write.edit.skin = true;
  SINEW_TRY(output.bytes, write_gltf(asset.rig, asset.document.get(), write));
  output.name = renamed(job.file.name, ".glb");
  output.report = {{"joints", joints_to_json(asset.rig)}};
  output.report.update(to_json(*bound));
  return output;
}

Result<JobOutput> run_solve_job(const SolveJob& job, const Progress& progress) {
  if (job.quality == "fast" && !job.stiffness.empty())
    return parameter_error("stiffness", "acts on flesh: choose the quality flesh");
  OverallProgress overall(progress);
  overall.part("reading", 0.03);
  SINEW_TRY(Asset asset, read_asset(*job.file.bytes, job.file.name));
  const Progress* part = overall.part(job.quality == "flesh" ? "flesh" : "joint weights", 0.95);
  JobOutput output;
  if (job.quality == "flesh") {
    FleshRequest request;
    request.elastic.stiffness_attribute = job.stiffness;
    request.progress = part;
    auto context = BindingContext::make(asset.rig, 0, part);
    if (!context.ok()) return in_file(job.file.name, context.error());
    const auto made = make_flesh(asset.rig, *context, request);
    if (is_cancelled(&progress)) return cancelled();
    if (!made.ok()) return in_file(job.file.name, made.error());
    output.text.push_back(fmt::format(
        "Flesh was made{}: energy ratio to the elastic reference {:.2f} at worst, {:.2f} on average.",
        job.stiffness.empty() ? "" : " with the painted stiffness", made->worst, made->mean));
    add_sentences(made->warnings, output.text);
  } else {
    JointWeightsRequest request;
    request.method = kRigJointWeights;
    request.progress = part;
    const auto made = make_joint_weights(asset.rig, request);
    if (is_cancelled(&progress)) return cancelled();
    if (!made.ok()) return in_file(job.file.name, made.error());
    output.text.push_back(fmt::format("Joint weights were made in {:.1f} s.", made->seconds));
    add_sentences(made->warnings, output.text);
  }
  overall.part("writing", 1);
  GltfWriteOptions write;
  write.influences = static_cast<int>(std::max<std::size_t>(4, asset.rig.weights.max_influences()));
  write.edit.skin = true;
  SINEW_TRY(output.bytes, write_gltf(asset.rig, asset.document.get(), write));
  output.name = renamed(job.file.name, ".glb");
  return output;
}

Result<JobOutput> run_export_job(const ExportJob& job, const Progress& progress) {
  const ExportTarget* target = find_export_target(job.target);
  if (!target || target->vrm)
    return parameter_error("target", fmt::format("is '{}': give one of {}, but not vrm",
                                                 printable(job.target), export_target_list()));
  OverallProgress overall(progress);
  overall.part("reading", 0.03);
  SINEW_TRY(Asset asset, read_asset(*job.file.bytes, job.file.name));
  ExportRequest request;
  request.influences = static_cast<std::size_t>(job.influences);
  request.helpers = job.helpers;
  request.morphs = job.morphs;
  request.keep = job.keep;
  request.grade = false;  // the page has a check of its own
  for (std::size_t c = 0; c < asset.rig.clips.size(); ++c) request.clips.push_back(c);
  request.deform.stack = without_subdivision(stack_of(asset.rig));
  request.progress = overall.part("fitting helper joints and morph targets", 0.95);
  auto made = export_plain(asset.rig, request);
  if (is_cancelled(&progress)) return cancelled();
  if (!made.ok()) return in_file(job.file.name, made.error());
  overall.part("writing", 1);
  JobOutput output;
  const Certificate& certificate = made->certificate;
  const bool moving = certificate.clips.poses > 0;
  output.text.push_back(
      fmt::format("{}, {}, at most {} per vertex; error {:.2f} % of the diagonal at "
                  "99.9 % of {} (linear blending: {:.2f} %).",
                  counted(certificate.helpers, "helper joint"), counted(certificate.morphs, "morph target"),
                  counted(static_cast<std::size_t>(certificate.influences), "joint"),
                  100 * (moving ? certificate.clips.p999 : certificate.held_out.p999),
                  moving ? "its clips" : "the range of motion",
                  100 * (moving ? certificate.plain_clips.p999 : certificate.plain.p999)));
  add_sentences(made->made, output.text);
  add_sentences(made->warnings, output.text);
  output.report = to_json(certificate);
  GltfWriteOptions write = export_write_options(asset.rig, *made, request);
  asset.rig = std::move(made->rig);
  if (*target->axes != '\0' && asset.rig.pose_spaces.empty())  // which depend on the axes
    SINEW_CHECK(orient_joints(asset.rig, target->axes));
  if (*target->convention != '\0') {
    SINEW_CHECK(rename_joints(asset.rig, target->convention));
    write.edit.names = true;
  }
  write.certificate = output.report.dump();
  std::vector<std::string> unread;
  const Looks looks = asset.document ? looks_of(*asset.document, asset.rig, unread) : Looks();
  write.looks = &looks;
  SINEW_TRY(output.bytes, write_gltf(asset.rig, asset.document.get(), write));
  output.name = renamed(job.file.name, fmt::format(".{}.glb", job.target));
  return output;
}

Result<JobOutput> run_retarget_job(const RetargetJob& job, const Progress& progress) {
  OverallProgress overall(progress);
  overall.part("reading", 0.2);
  SINEW_TRY(Asset asset, read_asset(*job.file.bytes, job.file.name));
  SINEW_TRY(const Asset motion, read_asset(*job.motion.bytes, job.motion.name));
  if (asset.rig.skeleton.deforming_count() == 0)
    return in_file(job.file.name, impossible("has no skeleton; make one first"));
  RetargetRequest request;
  request.keep_feet = job.keep_feet;
  request.progress = overall.part("fitting the motion", 0.95);
  auto made = retarget_clips(motion.rig, {}, asset.rig, request);
  if (is_cancelled(&progress)) return cancelled();
  if (!made.ok()) return in_file(job.motion.name, made.error());
  JobOutput output;
  output.report = Json::array();
  for (RetargetedClip& clip : *made) {
    clip.clip.name = asset.rig.clips[add_clip(asset.rig, clip.clip)].name;
    output.report.push_back(to_json(clip, job.motion.name));
    output.text.push_back(
        fmt::format("Clip '{}', {:.2f} s: {} the motion.", printable(clip.clip.name), clip.clip.duration(),
                    counted(static_cast<std::size_t>(clip.matched), "joint follows", "joints follow")));
  }
  overall.part("writing", 1);
  GltfWriteOptions write;
  write.edit.clips = true;
  SINEW_TRY(output.bytes, write_gltf(asset.rig, asset.document.get(), write));
  output.name = renamed(job.file.name, ".glb");
  return output;
}

Result<JobOutput> run_check_job(const JobFile& file, const Progress& progress) {
  OverallProgress overall(progress);
  overall.part("reading", 0.1);
  SINEW_TRY(const Asset asset, read_asset(*file.bytes, file.name));
  CheckRequest request;
  request.stored = stored_weights(asset);
  request.progress = overall.part("bending joints one by one", 0.98);
  const auto checked = check(asset.rig, request);
  if (is_cancelled(&progress)) return cancelled();
  if (!checked.ok()) return in_file(file.name, checked.error());
  JobOutput output;
  output.text.push_back(fmt::format("Grade {}.", letter_of(checked->grade)));
  std::vector<const JointCheck*> joints;
  for (const JointCheck& joint : checked->joints)
    if (joint.grade && !joint.reasons.empty()) joints.push_back(&joint);
  std::stable_sort(joints.begin(), joints.end(),
                   [](const JointCheck* a, const JointCheck* b) { return *a->grade > *b->grade; });
  for (const JointCheck* joint : joints)
    for (const std::string& reason : joint->reasons)
      output.text.push_back(
          fmt::format("{} ({}): {}.", printable(joint->name), letter_of(*joint->grade), reason));
  add_sentences(checked->warnings, output.text);
  output.report = to_json(*checked);
  output.bytes = output.report.dump(1) + "\n";
  output.name = renamed(file.name, ".check.json");
  return output;
}

Result<JobOutput> run_reference_job(const JobFile& file, const Progress& progress) {
  static_assert(std::endian::native == std::endian::little, "the page reads little-endian floats");
  OverallProgress overall(progress);
  overall.part("reading", 0.1);
  SINEW_TRY(const Asset asset, read_asset(*file.bytes, file.name));
  if (asset.rig.mesh.face_count() == 0) return in_file(file.name, bad_input("holds no mesh"));
  SINEW_TRY(const Pose pose, make_pose(asset.rig, {}));
  JobOutput output;
  DeformChoice choice;
  SINEW_TRY(choice.stack, stack_with(asset.rig, "elastic"));
  choice.stack = without_subdivision(std::move(choice.stack));  // the page shows the rig's own vertices
  choice.progress = overall.part("solving the elastic reference", 0.95);
  const auto frame = timed_frame(asset.rig, pose, choice);
  if (is_cancelled(&progress)) return cancelled();
  if (!frame.ok()) return in_file(file.name, frame.error());
  const PolyMesh* mesh = &frame->mesh;
  overall.part("writing", 1);
  for (const Vec3& position : mesh->positions) {
    const Vec3f single = position.cast<float>();
    output.bytes.append(reinterpret_cast<const char*>(single.data()), 3 * sizeof(float));
  }
  output.name = renamed(file.name, ".f32");
  output.text.push_back(fmt::format("The elastic reference of {} vertices is solved.", mesh->vertex_count()));
  add_sentences(frame->made, output.text);
  output.report = {{"deformer", "elastic"},
                   {"vertices", mesh->vertex_count()},
                   {"milliseconds", frame->milliseconds},
                   {"energy", frame->energy ? Json(*frame->energy) : Json(nullptr)}};
  return output;
}

}  // namespace sinew
