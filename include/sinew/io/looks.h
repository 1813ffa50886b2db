// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sinew/io/gltf.h"
#include "sinew/io/mesh_files.h"

namespace sinew {

/// A surface as both .mtl and glTF can say it.
struct Material {
  std::string name;
  Vec3f colour = Vec3f::Constant(0.8f);  ///< linear; multiplies the texture, where there is one
  float opacity = 1, metallic = 0, roughness = 0.7f;
  int image = -1;  ///< of Looks::images, over texcoords
};

/// A picture as its file holds it, PNG or JPEG.
struct TextureImage {
  std::string name;  ///< without folder and extension
  std::string bytes;
};

/// How a mesh looks beyond its shape.
struct Looks {
  std::vector<Material> materials;
  std::vector<int> part_materials;  ///< per part of the rig; -1: none
  std::vector<TextureImage> images;
  std::vector<Vec3f> colours;  ///< per vertex, linear; or empty

  bool empty() const { return materials.empty() && colours.empty(); }
};

/// "image/png", "image/jpeg", or null for anything else.
const char* image_type(std::string_view bytes);

/// The materials that .mtl text defines: Kd, d or Tr, Ns (as Blender turns it into a roughness), Pr, Pm,
/// map_Kd. Where there is a texture it alone gives the colour. `textures` gets the file that each material
/// names, or "". Never fails: lines that say nothing useful are passed over, and what is beyond 1,000
/// materials.
std::vector<Material> read_mtl(std::string_view bytes, std::vector<std::string>& textures);
/// image_files: the name of each image's file.
std::string write_mtl(std::span<const Material> materials, std::span<const std::string> image_files);

/// The looks of an .obj that was read, and its vertices and faces put in order by material, one part each: a
/// vertex that faces of several materials share gets a copy in each part; with one material nothing moves.
/// `folder`: where files of materials are looked for, null: nowhere. Only files inside of the folder are
/// opened; what is named by an absolute path or one that leaves it is looked for by its name alone. What is
/// missing, too large (16 MiB for .mtl, 256 MiB an image) or no PNG or JPEG is a note.
Looks looks_of_obj(MeshFile& file, std::vector<MeshPart>& parts, const std::filesystem::path* folder);

/// The looks of a document's primitives, parts as its rig has them.
Looks looks_of(const GltfDocument& document, const Rig& rig, std::vector<std::string>& warnings);

/// Text of an .obj, colours at its vertices and faces under their material's name; `library` is the .mtl.
std::string write_obj(const PolyMesh& mesh, std::span<const MeshPart> parts, const Looks& looks,
                      std::string_view library);

}  // namespace sinew
