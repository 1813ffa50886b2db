// SPDX-License-Identifier: Apache-2.0
#include "sinew/io/write_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "sinew/core/text.h"
#include "sinew/io/write_usda.h"
#include "sinew/rig/skinned_mesh.h"

namespace sinew {
namespace {

constexpr std::array<std::pair<std::string_view, FileKind>, 10> kEndings = {{{".glb", FileKind::kGlb},
                                                                             {".vrm", FileKind::kGlb},
                                                                             {".usda", FileKind::kUsda},
                                                                             {".gltf", FileKind::kGltf},
                                                                             {".obj", FileKind::kObj},
                                                                             {".ply", FileKind::kPly},
                                                                             {".off", FileKind::kOff},
                                                                             {".stl", FileKind::kStl},
                                                                             {".pc2", FileKind::kPc2},
                                                                             {".mdd", FileKind::kMdd}}};

std::string text_of(const PolyMesh& mesh, FileKind kind) {
  switch (kind) {
    case FileKind::kPly:
      return write_ply(mesh);
    case FileKind::kOff:
      return write_off(mesh);
    case FileKind::kStl:
      return write_stl(mesh);
    default:
      return write_obj(mesh);
  }
}

// A name that every reader of .obj takes for one word.
std::string plain_word(const std::string& text, std::size_t number) {
  std::string word = printable(text, 100);
  for (char& c : word)
    if (c == ' ' || c == '/' || c == '\\' || c == '?' || c == ':' || c == '#' || c == '"' || c == '*')
      c = '_';
  return word.empty() ? "material" + std::to_string(number) : word;
}

// Names that differ, also where case does not count.
void make_different(std::string& name, std::set<std::string>& taken) {
  const auto key = [](std::string text) {
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
  };
  const std::string first = name;
  for (int k = 2; !taken.insert(key(name)).second; ++k) name = first + "_" + std::to_string(k);
}

// A picture that is there already with the same bytes is left alone.
bool holds(const std::filesystem::path& file, const std::string& bytes) {
  std::error_code error;
  if (std::filesystem::file_size(file, error) != bytes.size() || error) return false;
  const auto there = read_file(file, bytes.size());
  return there && *there == bytes;
}

// The images that materials show, beside `path` and named after it; those that are there already with the same
// bytes are left alone. `image_files`: the name of each image's file.
Result<void> save_images(const Looks& looks, const std::filesystem::path& path, Overwrite overwrite,
                         std::vector<std::string>& image_files) {
  const std::string stem = path.stem().string();
  std::set<std::string> files;
  for (std::size_t k = 0; k < looks.images.size(); ++k) {
    std::string name = looks.images[k].name.empty() ? "texture" : plain_word(looks.images[k].name, k);
    if (!name.starts_with(stem)) name.insert(0, stem + "_");
    make_different(name, files);
    image_files.push_back(
        name + (std::string_view(image_type(looks.images[k].bytes)) == "image/png" ? ".png" : ".jpg"));
  }
  std::vector<std::size_t> missing;
  for (std::size_t k = 0; k < image_files.size(); ++k)
    if (std::any_of(looks.materials.begin(), looks.materials.end(),
                    [&](const Material& m) { return m.image == static_cast<int>(k); }) &&
        !holds(path.parent_path() / image_files[k], looks.images[k].bytes))
      missing.push_back(k);
  for (const std::size_t k : missing)
    SINEW_CHECK(check_writable(path.parent_path() / image_files[k], overwrite));
  for (const std::size_t k : missing)
    SINEW_CHECK(write_file(path.parent_path() / image_files[k], looks.images[k].bytes, overwrite));
  return {};
}

// The .obj last, so that it never names what is not there.
Result<void> save_obj(const PolyMesh& mesh, std::span<const MeshPart> parts, Looks looks,
                      const std::filesystem::path& path, Overwrite overwrite) {
  if (mesh.texcoords.empty())
    for (Material& material : looks.materials) material.image = -1;
  // Written by us for meshes without any: says nothing.
  const auto says_nothing = [&] {
    return looks.materials.size() == 1 && looks.materials[0].name == "plain" && looks.materials[0].image < 0;
  };
  if (says_nothing()) looks.materials.clear();
  if (looks.materials.empty()) return write_file(path, write_obj(mesh, parts, looks, {}), overwrite);
  std::set<std::string> names;
  for (std::size_t m = 0; m < looks.materials.size(); ++m) {
    looks.materials[m].name = plain_word(looks.materials[m].name, m);
    make_different(looks.materials[m].name, names);
  }
  const std::filesystem::path folder = path.parent_path(), library = path.stem().string() + ".mtl";
  SINEW_CHECK(check_writable(folder / library, overwrite));
  std::vector<std::string> image_files;
  SINEW_CHECK(save_images(looks, path, overwrite, image_files));
  SINEW_CHECK(write_file(folder / library, write_mtl(looks.materials, image_files), overwrite));
  return write_file(path, write_obj(mesh, parts, looks, library.string()), overwrite);
}

}  // namespace

FileKind kind_of(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension.empty()) return FileKind::kFolder;
  for (const auto& [name, kind] : kEndings)
    if (equals_ignoring_case(extension, name)) return kind;
  return FileKind::kUnknown;
}

Result<FileKind> writable_kind(const std::filesystem::path& path) {
  const FileKind kind = kind_of(path);
  if (kind == FileKind::kUnknown || kind == FileKind::kFolder || kind == FileKind::kPc2 ||
      kind == FileKind::kMdd)
    return usage_error(fmt::format(
        "{}: the output must have the file extension .glb, .gltf, .usda, .obj, .ply, .off or .stl",
        path.string()));
  return kind;
}

Result<void> save_asset(const Asset& asset, const std::filesystem::path& path, Overwrite overwrite,
                        GltfWriteOptions options) {
  SINEW_TRY(const FileKind kind, writable_kind(path));
  SINEW_CHECK(check_writable(path, overwrite));
  if (kind == FileKind::kGlb || kind == FileKind::kGltf) {
    options.binary = kind == FileKind::kGlb;
    SINEW_TRY(const std::string bytes, write_gltf(asset.rig, asset.document.get(), options));
    return write_file(path, bytes, overwrite);
  }
  if (kind == FileKind::kUsda) {
    std::vector<std::string> warnings;
    const Looks looks = asset.document ? looks_of(*asset.document, asset.rig, warnings) : Looks();
    return save_usda(asset.rig, looks, path, overwrite);
  }
  return save_posed(asset, skinned_mesh(asset.rig, rest_pose(asset.rig.skeleton)), path, overwrite);
}

Result<void> save_usda(const Rig& rig, const Looks& looks, const std::filesystem::path& path,
                       Overwrite overwrite, double fps) {
  SINEW_CHECK(check_writable(path, overwrite));
  std::vector<std::string> image_files;
  SINEW_CHECK(save_images(looks, path, overwrite, image_files));
  return write_file(path, write_usda(rig, looks, image_files, fps), overwrite);
}

Result<void> save_posed(const Asset& asset, const PolyMesh& mesh, const std::filesystem::path& path,
                        Overwrite overwrite) {
  SINEW_TRY(const FileKind kind, writable_kind(path));
  if (kind == FileKind::kGlb || kind == FileKind::kGltf || kind == FileKind::kUsda)
    return save_mesh(mesh, path, overwrite);
  if (mesh.vertex_count() == 0)
    return impossible(
        fmt::format("{}: there is no mesh to write; only a .glb can hold a file without one", path.string()));
  SINEW_CHECK(check_writable(path, overwrite));
  if (kind != FileKind::kObj || !asset.document) return write_file(path, text_of(mesh, kind), overwrite);
  std::vector<std::string> warnings;
  Looks looks = looks_of(*asset.document, asset.rig, warnings);
  if (asset.rig.mesh.vertex_count() != mesh.vertex_count() ||
      mesh.face_count() != asset.rig.mesh.face_count())
    looks = {};
  return save_obj(mesh, asset.rig.parts, std::move(looks), path, overwrite);
}

Result<void> save_mesh(const PolyMesh& mesh, const std::filesystem::path& path, Overwrite overwrite) {
  Asset asset;
  asset.rig.mesh = mesh;
  asset.rig.parts.push_back({path.stem().string(), 0, mesh.vertex_count(), 0, mesh.face_count()});
  asset.rig.weights.offsets.assign(mesh.vertex_count() + 1, 0);
  return save_asset(asset, path, overwrite);
}

}  // namespace sinew
