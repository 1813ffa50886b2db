// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "io/gltf_uri.h"
#include "sinew/core/text.h"
#include "sinew/io/looks.h"

namespace sinew {
namespace {

constexpr std::uint64_t kLargestLibrary = std::uint64_t{16} << 20;
constexpr std::uint64_t kLargestPicture = std::uint64_t{256} << 20;
constexpr std::uint64_t kAllPictures = std::uint64_t{1} << 30;
constexpr std::size_t kMostParts = 1000;
constexpr std::size_t kMostLookNotes = 10;

// What programs paint with is sRGB, what glTF stores is linear.
float linear_of(float value) {
  return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

class ObjLooks {
 public:
  ObjLooks(MeshFile& file, const std::filesystem::path* folder) : file_(file), folder_(folder) {}

  Looks read() {
    if (file_.materials.size() > kMostParts) {
      warn("it has over 1,000 materials: they are left out");
      file_.materials.clear();
      file_.face_materials.clear();
    }
    if (!file_.materials.empty()) {
      if (folder_)
        for (const std::string& library : file_.libraries) read_library(library);
      else if (!file_.libraries.empty())
        warn("its materials lie in another file and are not read");
    }
    if (!defined_.empty() || file_.materials.size() > 1)
      for (const std::string& name : file_.materials) add_material(name);
    for (Vec3f colour : file_.colours) {
      for (int k = 0; k < 3; ++k) colour[k] = linear_of(colour[k]);
      looks_.colours.push_back(colour);
    }
    return std::move(looks_);
  }

 private:
  void warn(const std::string& text) {
    if (++notes_ < kMostLookNotes) file_.warnings.push_back(text);
    if (notes_ == kMostLookNotes) file_.warnings.push_back("and more about its materials");
  }

  // A file inside of the folder; a path out of it counts by its last name.
  Result<std::filesystem::path> beside(std::string name, const std::filesystem::path& folder) const {
    std::replace(name.begin(), name.end(), '\\', '/');
    if (name.find('\0') != std::string::npos) return bad_input("no name");
    const bool drive = name.size() > 1 && name[1] == ':';
    std::filesystem::path path(name);
    if (path.is_absolute() || drive || std::find(path.begin(), path.end(), "..") != path.end())
      path = path.filename();
    return gltf::resolve_inside(path.string(), folder);
  }

  void read_library(const std::string& name) {
    const auto path = beside(name, *folder_);
    const auto bytes = path ? read_file(*path, kLargestLibrary) : Result<std::string>(path.error());
    if (!bytes) {
      if (!bytes.ok() && bytes.error().code == ErrorCode::kBadInput && path)
        return warn("materials '" + printable(name, 80) + "' are over 16 MiB and not read");
      return warn("materials '" + printable(name, 80) + "' are not beside it: surfaces are plain");
    }
    std::vector<std::string> textures;
    std::vector<Material> materials = read_mtl(*bytes, textures);
    for (std::size_t m = 0; m < materials.size(); ++m)
      defined_.try_emplace(materials[m].name, Defined{materials[m], textures[m], path->parent_path()});
  }

  void add_material(const std::string& name) {
    Material material;
    if (const auto found = defined_.find(name); found != defined_.end()) {
      material = found->second.material;
      if (!found->second.texture.empty()) add_texture(found->second, material);
    } else if (!name.empty() && !defined_.empty()) {
      warn("material '" + printable(name, 80) + "' is not in its .mtl: plain");
    }
    material.name = name.empty() ? "plain" : name;
    looks_.materials.push_back(std::move(material));
  }

  struct Defined {
    Material material;
    std::string texture;
    std::filesystem::path folder;  // of its .mtl
  };

  void add_texture(const Defined& defined, Material& material) {
    const std::string shown = "texture '" + printable(defined.texture, 80) + "' ";
    if (file_.mesh.texcoords.empty())
      return warn(shown + "needs texture coordinates, which the mesh lacks: left out");
    const auto path = beside(defined.texture, defined.folder);
    if (!path) return warn(shown + "is not beside its .mtl: left out");
    const auto [place, is_new] = loaded_.try_emplace(path->string(), -1);
    if (is_new) {
      auto bytes = read_file(*path, std::min(kLargestPicture, kAllPictures - taken_));
      if (!bytes) return warn(shown + "cannot be read or is too large: left out");
      if (!image_type(*bytes)) return warn(shown + "is not a PNG or JPEG image: left out");
      taken_ += bytes->size();
      place->second = static_cast<int>(looks_.images.size());
      looks_.images.push_back({path->stem().string(), *std::move(bytes)});
    }
    if (place->second < 0) return;
    material.image = place->second;
    material.colour = Vec3f::Ones();
  }

  MeshFile& file_;
  const std::filesystem::path* folder_;
  Looks looks_;
  std::map<std::string, Defined> defined_;
  std::map<std::string, int> loaded_;  // by path; -1: cannot be used
  std::uint64_t taken_ = 0;
  std::size_t notes_ = 0;
};

// A part for every run of faces of one material, where each has vertices of its own behind those of the run
// before, as in files that were written part by part: the order of their vertices, which shapes for a rig
// must keep, stays. False where vertices are shared or mixed.
bool parts_in_order(const MeshFile& file, std::vector<MeshPart>& parts) {
  constexpr std::size_t kMostRuns = 1000;  // of materials that change with every face
  parts.clear();
  std::size_t end = 0;  // of the vertices of the run before
  for (std::size_t f = 0; f < file.mesh.face_count();) {
    MeshPart part;
    part.face_begin = f;
    std::uint32_t low = file.mesh.face(f)[0], high = low;
    for (; f < file.mesh.face_count() && file.face_materials[f] == file.face_materials[part.face_begin]; ++f)
      for (const std::uint32_t v : file.mesh.face(f)) {
        low = std::min(low, v);
        high = std::max(high, v);
      }
    if (low < end || parts.size() == kMostRuns) return false;
    part.face_count = f - part.face_begin;
    part.vertex_begin = parts.empty() ? 0 : low;
    if (!parts.empty()) parts.back().vertex_count = low - parts.back().vertex_begin;
    end = high + std::size_t{1};
    parts.push_back(part);
  }
  if (parts.empty()) return false;
  parts.back().vertex_count = file.mesh.vertex_count() - parts.back().vertex_begin;
  return true;
}

// Puts vertices and faces in order by material. Vertices of no face go with the first.
class Splitter {
 public:
  Splitter(MeshFile& file, Looks& looks) : file_(file), looks_(looks), old_(std::move(file.mesh)) {}

  std::vector<MeshPart> split() {
    const std::size_t count = old_.vertex_count();
    std::vector<std::uint32_t> first(count, kFree);
    std::vector<std::vector<std::uint32_t>> faces(file_.materials.size());
    for (std::size_t f = 0; f < old_.face_count(); ++f)
      faces[file_.face_materials[f]].push_back(static_cast<std::uint32_t>(f));
    std::vector<std::uint8_t> loose(count, 1);
    for (const std::uint32_t v : old_.face_vertices) loose[v] = 0;
    std::vector<std::uint32_t> to(count, kFree);
    std::vector<MeshPart> parts;
    for (const auto& own : faces) {
      MeshPart part;
      part.vertex_begin = file_.mesh.vertex_count();
      part.face_begin = file_.mesh.face_count();
      std::vector<std::uint32_t> used;
      for (const std::uint32_t f : own) used.insert(used.end(), old_.face(f).begin(), old_.face(f).end());
      if (parts.empty())
        for (std::size_t v = 0; v < count; ++v)
          if (loose[v]) used.push_back(static_cast<std::uint32_t>(v));
      std::sort(used.begin(), used.end());
      used.erase(std::unique(used.begin(), used.end()), used.end());
      for (const std::uint32_t v : used) {
        to[v] = static_cast<std::uint32_t>(file_.mesh.vertex_count());
        if (first[v] == kFree) first[v] = to[v];
        add_vertex(v);
      }
      std::vector<std::uint32_t> corners;
      for (const std::uint32_t f : own) {
        corners.clear();
        for (const std::uint32_t v : old_.face(f)) corners.push_back(to[v]);
        file_.mesh.add_face(corners);
      }
      part.vertex_count = file_.mesh.vertex_count() - part.vertex_begin;
      part.face_count = file_.mesh.face_count() - part.face_begin;
      parts.push_back(part);
    }
    for (auto& edge : file_.edges) edge = {first[edge[0]], first[edge[1]]};
    looks_.colours = std::move(colours_);
    return parts;
  }

 private:
  static constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

  void add_vertex(std::uint32_t v) {
    file_.mesh.positions.push_back(old_.positions[v]);
    if (!old_.texcoords.empty()) file_.mesh.texcoords.push_back(old_.texcoords[v]);
    if (!looks_.colours.empty()) colours_.push_back(looks_.colours[v]);
  }

  MeshFile& file_;
  Looks& looks_;
  PolyMesh old_;
  std::vector<Vec3f> colours_;
};

}  // namespace

Looks looks_of_obj(MeshFile& file, std::vector<MeshPart>& parts, const std::filesystem::path* folder) {
  Looks looks = ObjLooks(file, folder).read();
  if (looks.materials.size() > 1 && parts_in_order(file, parts)) {
    for (const MeshPart& part : parts)
      looks.part_materials.push_back(static_cast<int>(file.face_materials[part.face_begin]));
  } else if (looks.materials.size() > 1) {
    file.mesh.normals.clear();
    parts = Splitter(file, looks).split();
    for (std::size_t m = 0; m < parts.size(); ++m) looks.part_materials.push_back(static_cast<int>(m));
  } else {
    MeshPart part;
    part.vertex_count = file.mesh.vertex_count();
    part.face_count = file.mesh.face_count();
    parts = {part};
    looks.part_materials = {looks.materials.empty() ? -1 : 0};
  }
  return looks;
}

}  // namespace sinew
