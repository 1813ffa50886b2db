// SPDX-License-Identifier: Apache-2.0
#include "binding/endpoints.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "sinew/core/counted.h"
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

constexpr std::string_view kPainted = "painted", kNoEndpoints = "none";

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

Result<EndpointMethod> method_of(std::string_view parameter, const std::string& name) {
  for (const Name& entry : kNames)
    if (entry.name == name) return entry.method;
  return parameter_error(std::string(parameter),
                         fmt::format("is '{}': give {}, painted or none", printable(name), endpoint_names()));
}

Error nothing_painted(const char* attribute) {
  return impossible(
      fmt::format("the file has no painted endpoint weights: compute them by {}, or paint the attribute {}",
                  endpoint_names(), attribute));
}

// Makes endpoint weights by a method, one for every entry of the rows.
struct EndpointMaker {
  const Rig& rig;
  const SkinWeights& rows;
  const BindInput& input;
  std::span<const std::uint32_t> to_welded;
  const BindRequest& request;
  BindReport& report;

  Result<std::vector<float>> make(std::string_view parameter, const std::string& name) const {
    SINEW_TRY(const EndpointMethod method, method_of(parameter, name));
    if (method == EndpointMethod::kProjection) return all_projected(rig, rows).values;
    EndpointOptions options;
    options.method = method;
    options.voxels = request.voxels;
    options.progress = request.progress;
    SINEW_TRY(const EndpointFields fields, endpoint_weights(input, options));
    if (fields.filled > 0) {
      report.warnings.push_back(
          fmt::format("the endpoint weights of {} no joint were projected",
                      counted(fields.filled, "welded vertex that sees", "welded vertices that see")));
      if (request.strict) return impossible(report.warnings.back() + "; a strict binding forbids that");
    }
    const auto bone_of = bone_of_joint(input.bones, rig.skeleton.size());
    std::vector<float> values(rows.entries.size());
    for (std::size_t i = 0; i < rows.vertex_count(); ++i)
      for (std::size_t e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e)
        if (const Eigen::Index bone = bone_of[rows.entries[e].joint]; bone >= 0)
          values[e] = static_cast<float>(fields.values(static_cast<Eigen::Index>(to_welded[i]), bone));
    return values;
  }
};

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
  const EndpointMaker maker{rig, rows, input, to_welded, request, report};
  const EndpointWeights before = carried_endpoints(rig, rows);
  EndpointWeights endpoint;
  if (request.endpoint.empty() || request.endpoint == kPainted) {
    if (request.endpoint == kPainted && before.empty()) return nothing_painted("_SINEW_ENDPOINT_0");
    endpoint.method = before.method;
    endpoint.values = before.values;
  } else if (request.endpoint != kNoEndpoints) {
    endpoint.method = request.endpoint;
    SINEW_TRY(endpoint.values, maker.make("endpoint", request.endpoint));
  }
  const std::string& twist = request.endpoint_twist;
  if (twist == kNoEndpoints) return endpoint;
  if (twist == kPainted && before.twist.empty()) return nothing_painted("_SINEW_ENDPOINT_TWIST_0");
  if (twist.empty() || twist == kPainted) {
    // Those of other values than the file's would not fit them.
    if (twist == kPainted || request.endpoint.empty() || request.endpoint == kPainted)
      endpoint.twist = before.twist;
  } else {
    SINEW_TRY(endpoint.twist, maker.make("endpoint-twist", twist));
  }
  if (!endpoint.twist.empty() && endpoint.empty())
    return parameter_error(
        "endpoint-twist",
        fmt::format("is '{}' without endpoint weights: give endpoint, too", printable(twist)));
  return endpoint;
}

}  // namespace sinew
