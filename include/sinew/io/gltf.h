// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/io/vrm.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// A glTF file as it was read: its JSON and buffers, and which of its nodes, primitives and skins the rig's
/// parts, joints and keys came from. Writers edit a copy of it, so that all that sinew does not own survives.
class GltfDocument;

struct GltfFile {
  Rig rig;
  std::shared_ptr<const GltfDocument> document;
  std::vector<std::string> warnings;  ///< what was repaired and how it was read, one sentence each
};

/// Reads .glb or .gltf bytes; `path` names the file in messages and is where relative URIs are looked up
/// (never outside its folder). kBadInput with file, place and remedy for what docs/rig_file.md lists as
/// refused.
Result<GltfFile> read_gltf(std::string_view bytes, const std::filesystem::path& path);
/// The same for bytes that came without a folder: no file is opened, a buffer outside is kBadInput, an image
/// outside a note. `name` is for messages.
Result<GltfFile> read_gltf_alone(std::string_view bytes, const std::string& name);

/// The figures that only the document knows.
struct GltfSummary {
  std::vector<std::string> joint_names;  ///< different joint nodes of all skins, in order of first use
  std::size_t influences = 0;            ///< most non-zero weights of a vertex
  std::size_t unweighted =
      0;  ///< vertices of skinned primitives whose stored weights sum to 0 or are not finite
  double max_row_error = 0;  ///< largest |sum - 1| of the weights as stored, over rows that have any
  std::size_t invalid = 0;   ///< weights that are no numbers or negative, which were read as 0
  /// Vertices of the rig whose weights as stored do not sum to 1 (to 1e-4); and of which none is a number.
  std::vector<std::uint32_t> off_rows, lost_rows;
  bool tangents = false;               ///< a primitive has them; whoever moves vertices drops them
  std::vector<std::string> materials;  ///< by name; nameless: "material3"
};
GltfSummary summarise(const GltfDocument& document);

/// What of the rig replaces what the document has. With no document all of it is written.
struct GltfEdit {
  bool geometry = false;  ///< positions, normals and faces
  bool skin = false;      ///< skeleton, inverse bind matrices, weights (docs/rig_file.md)
  bool keys = false;      ///< morph targets
  bool clips = false;     ///< animations
  bool pose = false;      ///< node transforms, from `posed`
  bool stack = false;     ///< the order of the steps and their settings
  bool cages = false;     ///< cages and point handles
  bool names = false;     ///< names of joints; with `skin`: the document's own joints were renamed
};

/// A baked animation: one morph target a frame, and a clip that plays them.
struct BakedFrames {
  double fps = 30;
  std::vector<std::vector<Vec3f>> positions;  ///< per frame, per vertex, world space
  std::vector<std::vector<Vec3f>> normals;    ///< the same, or empty
};

struct Looks;

struct GltfWriteOptions {
  int influences = 4;   ///< a multiple of 4 is written; rows are pruned to it and renormalised
  int weight_bits = 0;  ///< 8 or 16: weights as whole numbers that sum to 255 or 65,535 exactly; else floats
  GltfEdit edit;
  /// Vertex attributes of the rig that replace the document's, or come new, by name: one number a vertex, the
  /// name begins with "_". Parts where a value is not finite keep what they have.
  std::vector<std::string> attributes = {};
  bool keep_invalid = false;    ///< weights and binds that were repaired when read stay as stored
  const Pose* posed = nullptr;  ///< with edit.pose
  bool without_skin =
      false;  ///< `pose --apply`: rig.mesh holds the deformed mesh in world space; skins and clips go
  const BakedFrames* baked = nullptr;  ///< implies without_skin
  bool sparse_keys = false;            ///< morph targets as sparse accessors where that is smaller
  std::string certificate = {};        ///< JSON, into the document's extras as "sinew_export"
  Vrm vrm = {};                        ///< with bones: written as VRM 1.0
  const Looks* looks = nullptr;        ///< where there is no document (io/looks.h)
  bool binary = true;                  ///< false: .gltf with the buffer as a data URI
};

/// The bytes of the file. `document` may be null (a mesh from .obj, a built-in character). Vertices of a
/// skinned part that have no weights go to the first joint of the skin: glTF has no way to say that they stay.
/// kUsage: a pose, frames or parts of another rig. kImpossible: over 4 GiB, or a file read_gltf would refuse.
Result<std::string> write_gltf(const Rig& rig, const GltfDocument* document,
                               const GltfWriteOptions& options = {});

}  // namespace sinew
