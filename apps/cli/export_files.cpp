// SPDX-License-Identifier: Apache-2.0
#include "export_files.h"

#include <fmt/format.h>

#include <filesystem>

#include "sinew/io/write_mesh.h"
#include "sinew/pipeline/lods.h"
#include "words.h"

namespace sinew::cli {

Result<std::size_t> ExportFile::save(const Rig& rig, const GltfDocument* document,
                                     const std::string& out) const {
  if (const FileKind kind = kind_of(out); kind == FileKind::kUsda) {
    SINEW_CHECK(save_usda(rig, *write.looks, out, overwrite, fps));
  } else {
    GltfWriteOptions options = write;
    options.binary = kind == FileKind::kGlb;
    SINEW_TRY(const std::string bytes, write_gltf(rig, document, options));
    SINEW_CHECK(write_file(out, bytes, overwrite));
  }
  return static_cast<std::size_t>(std::filesystem::file_size(out));
}

std::string level_file(const std::string& file, std::size_t level) {
  std::filesystem::path path(file);
  const std::string name = fmt::format("{}_LOD{}{}", path.stem().string(), level, path.extension().string());
  return path.replace_filename(name).string();
}

Result<Json> save_lods(const Console& console, const Rig& rig, const ExportFile& file, std::size_t count,
                       const std::string& out) {
  SINEW_TRY(const std::vector<Lod> levels, make_lods(rig, count));
  Json list = Json::array();
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const Lod& lod = levels[k];
    const std::string name = level_file(out, k + 1);
    Looks looks = *file.write.looks;
    if (!looks.colours.empty()) {
      looks.colours.clear();
      for (const std::uint32_t i : lod.vertices) looks.colours.push_back(file.write.looks->colours[i]);
    }
    ExportFile level = file;
    level.write.looks = &looks;
    SINEW_TRY(const std::size_t bytes, level.save(lod.rig, nullptr, name));
    list.push_back({{"file", name},
                    {"triangles", lod.triangles},
                    {"vertices", lod.rig.mesh.vertex_count()},
                    {"across_seams", lod.across_seams},
                    {"rms", lod.rms},
                    {"max", lod.max},
                    {"clip_rms", lod.clip_rms},
                    {"clip_max", lod.clip_max},
                    {"bytes", bytes}});
    console.note(fmt::format("{}: {}{}; error {:.2f} % of the diagonal (rms), {:.2f} % at most", name,
                             counted(lod.triangles, "triangle"),
                             lod.across_seams ? ", simplified across seams" : "",
                             100 * std::max(lod.rms, lod.clip_rms), 100 * std::max(lod.max, lod.clip_max)));
  }
  return list;
}

}  // namespace sinew::cli
