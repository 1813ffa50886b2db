// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/auto_rig.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <map>
#include <mutex>

#include "pipeline/bone_mesh.h"
#include "sinew/characters/characters.h"
#include "sinew/core/text.h"
#include "sinew/io/asset.h"
#include "sinew/skeleton/ground_root.h"
#include "sinew/skeleton/pose.h"
#include "sinew/skeleton/rest_axes.h"

namespace sinew {
namespace {

// Chains last: everything has two ends. Of these a snake alone is a body; the others are for those who name
// them.
constexpr std::array<const char*, 7> kTemplates = {"biped", "quadruped", "bird",    "hand",
                                                   "snake", "arm",       "cylinder"};

constexpr const char* kNoTemplate = "none";

bool is_part(std::string_view name) {
  return name == "arm" || name == "cylinder";
}

Result<SkeletonTemplate> from_rig(const std::string& name, const Rig& rig, const Progress* progress) {
  if (rig.skeleton.deforming_count() == 0) return impossible("it has no joints");
  // Bind space is the rest pose of what is learned.
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  const auto globals = bind_transforms(rig);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const int above = joints[j].parent;
    joints[j].rest_local =
        above < 0 ? globals[j] : globals[static_cast<std::size_t>(above)].inverse() * globals[j];
    joints[j].rest_parts.reset();
  }
  SINEW_TRY(const Skeleton skeleton, Skeleton::create(std::move(joints)));
  if (rig.mesh.face_count() == 0) {
    const PolyMesh body = mesh_around_bones(skeleton, bones_of(skeleton, globals));
    return learn_template(name, body, skeleton, progress);
  }
  return learn_template(name, rig.mesh, skeleton, progress);
}

Result<SkeletonTemplate> built_in(const std::string& name) {
  static std::mutex guard;
  static std::map<std::string, SkeletonTemplate> made;
  const std::lock_guard lock(guard);
  if (const auto found = made.find(name); found != made.end()) return found->second;
  SINEW_TRY(SkeletonTemplate fresh, built_in_template(name));
  made.emplace(name, fresh);
  return fresh;
}

}  // namespace

Result<SkeletonTemplate> template_of(const std::string& name, const Rig& rig, const Progress* progress) {
  return from_rig(name, rig, progress);
}

std::span<const char* const> template_list() {
  return kTemplates;
}

std::string template_names() {
  std::string list;
  for (const char* name : kTemplates) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

Result<std::vector<SkeletonTemplate>> skeleton_templates(const std::string& name_or_file,
                                                         const Progress* progress) {
  std::vector<SkeletonTemplate> templates;
  const bool known =
      std::any_of(kTemplates.begin(), kTemplates.end(), [&](const char* n) { return name_or_file == n; });
  for (const char* name : kTemplates) {
    if (name_or_file.empty() ? is_part(name) : name_or_file != name) continue;
    SINEW_TRY(SkeletonTemplate one, built_in(name));
    templates.push_back(std::move(one));
    if (is_cancelled(progress)) return cancelled();
  }
  if (name_or_file.empty() || known || name_or_file == kNoTemplate) return templates;
  if (std::filesystem::path(name_or_file).extension().empty())
    return usage_error(fmt::format("no template is called '{}'; there are {} and none, or give a rigged file",
                                   printable(name_or_file), template_names()));
  SINEW_TRY(const Asset asset, read_asset(name_or_file));
  Result<SkeletonTemplate> own =
      from_rig(std::filesystem::path(name_or_file).stem().string(), asset.rig, progress);
  if (!own) return Error{own.error().code, fmt::format("{}: {}", name_or_file, own.error().message)};
  templates.push_back(*std::move(own));
  return templates;
}

std::string describe_template(const FoundSkeleton& found) {
  return found.name == kNoTemplate ? "without a template" : fmt::format("of the template '{}'", found.name);
}

Result<Skeleton> with_axes(const Skeleton& skeleton, const std::string& axes) {
  if (axes == "bone") return with_bone_axes(skeleton);
  if (axes == "world") return skeleton;
  return parameter_error("axes", fmt::format("is '{}': give bone or world", printable(axes)));
}

Result<FoundSkeleton> with_root(FoundSkeleton found, const std::string& root, std::span<const Vec3> positions,
                                const Mat3& body) {
  if (root != "ground" && root != "none")
    return parameter_error("root", fmt::format("is '{}': give ground or none", printable(root)));
  if (root == "none" || is_part(found.name) || found.name == "hand") return found;
  // A snake may have rolled over: only the file tells where up is.
  const Mat3 upright = found.name == "snake" ? Mat3(Mat3::Identity()) : body;
  SINEW_TRY(found.skeleton, with_ground_root(found.skeleton, positions, upright));
  return found;
}

Result<FoundSkeleton> auto_skeleton(std::span<const PolyMesh* const> poses, const SkeletonRequest& request) {
  if (poses.empty()) return usage_error("there is no mesh to find a skeleton in");
  SINEW_CHECK(with_axes({}, request.axes));
  SINEW_CHECK(with_root({}, request.root, {}, Mat3::Identity()));
  SINEW_TRY(const auto templates, skeleton_templates(request.skeleton_template, request.progress));
  if (request.tips.size() == 1) return parameter_error("tip", "is one vertex: a body has at least two tips");
  for (const std::size_t tip : request.tips)
    if (tip >= poses[0]->vertex_count())
      return parameter_error("tip", fmt::format("is {}: the mesh has the vertices 0 to {}", tip,
                                                static_cast<long long>(poses[0]->vertex_count()) - 1));
  FindOptions options;
  options.volume = request.volume;
  options.progress = request.progress;
  std::vector<std::vector<Vec3>> others;
  for (std::size_t k = 1; k < poses.size(); ++k) {
    if (poses[k]->vertex_count() != poses[0]->vertex_count())
      return usage_error(fmt::format("pose {} has {} vertices and the first has {}; all must be one mesh",
                                     k + 1, poses[k]->vertex_count(), poses[0]->vertex_count()));
    options.other_poses.push_back(poses[k]->positions);
  }
  // A template that the user named is fitted also where it fits badly.
  options.plain = request.skeleton_template.empty() || request.skeleton_template == kNoTemplate;
  if (!options.plain) options.most_cost = options.most_one_sided_cost = options.most_chain_cost = 1.2;
  options.rings = request.rings;
  options.joints = request.joints;
  options.tips.assign(request.tips.begin(), request.tips.end());
  SINEW_TRY(FoundSkeleton found, find_skeleton(*poses[0], templates, options));
  if (found.skeleton.empty()) return found;
  // All joints that are found have the axes of the body.
  const Mat3 body = found.skeleton[found.skeleton.order()[0]].rest_local.linear();
  SINEW_TRY(found.skeleton, with_axes(found.skeleton, request.axes));
  return with_root(std::move(found), request.root, poses[0]->positions, body);
}

}  // namespace sinew
