// SPDX-License-Identifier: Apache-2.0
#include "binding/endpoints.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/weights/endpoint.h"

namespace sinew {
namespace {

struct Name {
  std::string_view name;
  EndpointMethod method;
};
constexpr std::array kNames = {Name{"projection", EndpointMethod::kProjection},
                               Name{"inverse-distance", EndpointMethod::kInverseDistance},
                               Name{"heat", EndpointMethod::kHeat}, Name{"bbw", EndpointMethod::kBbw}};

// The bone of every joint, or -1.
std::vector<Eigen::Index> bone_of_joint(std::span<const Bone> bones, std::size_t joints) {
  std::vector<Eigen::Index> found(joints, -1);
  for (std::size_t b = 0; b < bones.size(); ++b) found[bones[b].joint] = static_cast<Eigen::Index>(b);
  return found;
}

// Fills what is NaN by projection; joints without a bone count as their head.
void project_missing(const Rig& rig, const SkinWeights& rows, std::vector<float>& values) {
  const std::vector<Bone> bones = bones_of(rig.skeleton, bind_transforms(rig));
  const auto bone_of = bone_of_joint(bones, rig.skeleton.size());
  parallel_for(rows.vertex_count(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
        if (!std::isnan(values[e])) continue;
        const Eigen::Index bone = bone_of[rows.entries[e].joint];
        values[e] = bone < 0 ? 0.0f
                             : static_cast<float>(endpoint_by_projection(
                                   bones[static_cast<std::size_t>(bone)], rig.mesh.positions[i]));
      }
  });
}

EndpointWeights all_projected(const Rig& rig, const SkinWeights& rows) {
  EndpointWeights endpoint;
  endpoint.method = "projection";
  endpoint.values.assign(rows.entries.size(), std::numeric_limits<float>::quiet_NaN());
  project_missing(rig, rows, endpoint.values);
  return endpoint;
}

Result<EndpointMethod> method_of(const std::string& name) {
  for (const Name& entry : kNames)
    if (entry.name == name) return entry.method;
  return parameter_error("endpoint",
                         fmt::format("is '{}': give {} or painted", printable(name), endpoint_names()));
}

}  // namespace

std::string endpoint_names() {
  std::string names;
  for (const Name& entry : kNames) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

EndpointWeights carried_endpoints(const Rig& rig, const SkinWeights& rows) {
  if (rig.endpoint.empty()) return {};
  EndpointWeights endpoint{rig.endpoint.method, carry_endpoints(rig.weights, rig.endpoint.values, rows), {}};
  project_missing(rig, rows, endpoint.values);
  if (!rig.endpoint.twist.empty()) {
    endpoint.twist = carry_endpoints(rig.weights, rig.endpoint.twist, rows);
    project_missing(rig, rows, endpoint.twist);
  }
  return endpoint;
}

EndpointWeights projected_endpoints(const Rig& rig) {
  return all_projected(rig, rig.weights);
}

Result<EndpointWeights> endpoints_for(const Rig& rig, const SkinWeights& rows, const BindInput& input,
                                      std::span<const std::uint32_t> to_welded, const BindRequest& request,
                                      BindReport& report) {
  if (request.endpoint == "painted" && rig.endpoint.empty())
    return impossible(
        "painted endpoint weights are those of the file, but it has none: make some by projection, "
        "inverse-distance, heat or bbw, or paint the attribute _SINEW_ENDPOINT_0");
  if (request.endpoint.empty() || request.endpoint == "painted") return carried_endpoints(rig, rows);
  SINEW_TRY(const EndpointMethod method, method_of(request.endpoint));
  if (method == EndpointMethod::kProjection) return all_projected(rig, rows);
  EndpointOptions options;
  options.method = method;
  options.voxels = request.voxels;
  options.progress = request.progress;
  SINEW_TRY(const EndpointFields fields, endpoint_weights(input, options));
  if (fields.filled > 0) {
    report.notes.push_back(fmt::format(
        "the endpoint weights of {} welded vertices that see no joint were projected", fields.filled));
    if (request.strict) return impossible(report.notes.back() + "; a strict binding forbids that");
  }
  const auto bone_of = bone_of_joint(input.bones, rig.skeleton.size());
  EndpointWeights endpoint{request.endpoint, std::vector<float>(rows.entries.size()), {}};
  for (std::size_t i = 0; i < rows.vertex_count(); ++i)
    for (std::size_t e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e)
      if (const Eigen::Index bone = bone_of[rows.entries[e].joint]; bone >= 0)
        endpoint.values[e] = static_cast<float>(fields.values(static_cast<Eigen::Index>(to_welded[i]), bone));
  return endpoint;
}

}  // namespace sinew
