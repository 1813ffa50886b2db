// SPDX-License-Identifier: Apache-2.0
// The order of reading: container, JSON, buffers, views, accessors, nodes, skins, then plans of meshes and
// animations; only when all of these are checked is memory taken for the rig.
#include "io/gltf_accessor.h"
#include "io/gltf_animation.h"
#include "io/gltf_attributes.h"
#include "io/gltf_cages.h"
#include "io/gltf_container.h"
#include "io/gltf_drivers.h"
#include "io/gltf_edges.h"
#include "io/gltf_flesh.h"
#include "io/gltf_joint_weights.h"
#include "io/gltf_key_info.h"
#include "io/gltf_keys.h"
#include "io/gltf_mesh.h"
#include "io/gltf_skin.h"
#include "io/gltf_stack.h"
#include "sinew/io/gltf.h"

namespace sinew {
namespace {

using namespace gltf;

constexpr std::size_t kMostNotes = 50;

void note_weights(const WeightReport& report, GltfDocument& document) {
  const auto note = [&](std::size_t count, const char* what) {
    if (count > 0) document.warnings.push_back(std::to_string(count) + what);
  };
  note(report.normalised, " vertices had weights that did not sum to 1: normalised");
  note(report.not_numbers, " weights were not numbers: read as 0");
  note(report.borrowed, " vertices had no weight that is a number: they take those of the nearest vertex");
  note(report.negative, " weights were negative: read as 0");
  note(report.odd_endpoints, " endpoint weights did not lie between 0 and 1: clamped");
  note(report.unweighted, " vertices of skinned meshes have no usable weight");
  document.summary.influences = report.influences;
  document.summary.unweighted = report.unweighted;
  document.summary.max_row_error = report.max_row_error;
  document.summary.invalid = report.not_numbers + report.negative;
  document.summary.off_rows = report.off_rows;
  document.summary.lost_rows = report.lost_rows;
}

void list_materials(GltfDocument& document) {
  const auto materials = document.json.find("materials");
  if (materials == document.json.end() || !materials->is_array()) return;
  for (std::size_t m = 0; m < materials->size(); ++m) {
    const std::string name = string_member((*materials)[m], "name").substr(0, 256);
    document.summary.materials.push_back(name.empty() ? "material" + std::to_string(m) : name);
  }
}

Result<Rig> build_rig(GltfDocument& document) {
  SINEW_CHECK(parse_nodes(document));
  SINEW_TRY(const std::vector<RawSkin> skins, parse_skins(document));
  SINEW_TRY(const std::vector<PartPlan> plans, plan_parts(document));
  SINEW_CHECK(check_budget(document, plans));
  SINEW_TRY(const std::vector<RawAnimation> animations, parse_animations(document));
  SINEW_TRY(BoundSkeleton skeleton, build_skeleton(document, skins));
  Rig rig;
  WeightReport report;
  SINEW_CHECK(read_parts(document, plans, skeleton, rig, report));
  SINEW_CHECK(read_joint_weights(document, plans, skeleton, rig));
  SINEW_CHECK(read_attributes(document, plans, rig));
  rig.stack = read_stack(document);
  note_weights(report, document);
  document.summary.tangents = std::any_of(plans.begin(), plans.end(), [](const PartPlan& plan) {
    const Json* attributes = object_member(*plan.primitive, "attributes");
    return attributes && attributes->contains("TANGENT");
  });
  SINEW_CHECK(read_keys(document, plans, animations, rig));
  SINEW_TRY(rig.clips, read_clips(document, animations));
  SINEW_TRY(rig.skeleton, Skeleton::create(std::move(skeleton.joints)));
  rig.inverse_bind = std::move(skeleton.inverse_bind);
  document.skeleton = rig.skeleton;
  read_key_info(document, rig);
  read_drivers(document, rig);
  read_edges(document, rig);
  SINEW_CHECK(read_cages(document, rig));
  SINEW_CHECK(read_flesh(document, rig));
  SINEW_CHECK(validate(rig));
  return rig;
}

Result<Rig> read_all(std::string_view bytes, GltfDocument& document) {
  SINEW_TRY(const Container container, open_container(bytes));
  SINEW_TRY(document.json, parse_json(container.json));
  if (container.trailing) document.warnings.push_back("bytes after the last known chunk are left out");
  SINEW_CHECK(check_header(document.json));
  SINEW_CHECK(load_buffers(document, container.binary));
  SINEW_CHECK(parse_views(document));
  SINEW_CHECK(parse_accessors(document));
  note_missing_images(document);
  list_materials(document);
  return build_rig(document);
}

Result<GltfFile> read_document(std::string_view bytes, const std::filesystem::path& path, bool alone) {
  auto document = std::make_shared<GltfDocument>();
  document->path = path;
  document->alone = alone;
  document->stored_bytes = bytes.size();
  auto rig = read_all(bytes, *document);
  if (!rig.ok()) return inside(path.string() + ": ", rig.error());
  GltfFile file;
  file.rig = *std::move(rig);
  file.warnings = std::move(document->warnings);
  if (file.warnings.size() > kMostNotes) {
    const std::size_t more = file.warnings.size() - kMostNotes;
    file.warnings.resize(kMostNotes);
    file.warnings.push_back("and " + std::to_string(more) + " more");
  }
  file.document = std::move(document);
  return file;
}

}  // namespace

Result<GltfFile> read_gltf(std::string_view bytes, const std::filesystem::path& path) {
  return read_document(bytes, path, false);
}

Result<GltfFile> read_gltf_alone(std::string_view bytes, const std::string& name) {
  return read_document(bytes, name, true);
}

GltfSummary summarise(const GltfDocument& document) {
  return document.summary;
}

}  // namespace sinew
