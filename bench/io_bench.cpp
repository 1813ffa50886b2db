// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "registry.h"
#include "sinew/core/file.h"
#include "sinew/io/gltf.h"
#include "synthetic_rig.h"

namespace sinew {
namespace {

constexpr std::size_t kSide = 1000;  // kSide x kSide vertices

// The synthetic rig as a sheet of quads with normals, so that a file of it has all that a character's has.
Rig make_sheet() {
  SyntheticFrame frame = make_synthetic_frame({.vertices = kSide * kSide});
  Rig rig = std::move(frame.rig);
  rig.mesh.normals = std::move(frame.normals);
  for (std::uint32_t row = 0; row + 1 < kSide; ++row)
    for (std::uint32_t column = 0; column + 1 < kSide; ++column) {
      const auto corner = static_cast<std::uint32_t>(row * kSide + column),
                 below = corner + std::uint32_t{kSide};
      rig.mesh.add_face({corner, corner + 1, below + 1, below});
    }
  MeshPart part;
  part.vertex_count = rig.mesh.vertex_count();
  part.face_count = rig.mesh.face_count();
  part.skinned = true;
  rig.parts.push_back(std::move(part));
  return rig;
}

// A rig, its bytes and a file of them, made for the first case that asks and gone with the last.
class Sheet {
 public:
  Sheet() : path_(std::filesystem::temp_directory_path() / fmt::format("sinew-bench-{}.glb", getpid())) {
    auto written = write_gltf(rig, nullptr);
    if (written.ok()) bytes = *std::move(written);
  }
  ~Sheet() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  Sheet(const Sheet&) = delete;
  Sheet& operator=(const Sheet&) = delete;

  bool save() const { return write_file(path_, bytes, Overwrite::kYes).ok(); }
  bool load() const {
    const auto read = read_file(path_);
    return read.ok() && read_gltf(*read, path_).ok();
  }

  const Rig rig = make_sheet();
  std::string bytes;

 private:
  std::filesystem::path path_;
};

BenchResult seconds_of(const Sheet& sheet, const char* what, double seconds) {
  return {"", fmt::format("{} vertices, {} MB, {}", kSide * kSide, sheet.bytes.size() / 1000000, what),
          seconds, "s"};
}

}  // namespace

void add_io_benches(std::vector<BenchCase>& cases) {
  const auto made = std::make_shared<std::optional<Sheet>>();
  const auto sheet = [made]() -> const Sheet& { return *made ? **made : made->emplace(); };
  cases.push_back({"io/glb/read", [sheet] {
                     const Sheet& s = sheet();
                     bool good = s.save();
                     const double seconds = best_seconds([&] { good = good && s.load(); });
                     return seconds_of(s, good ? "from the page cache" : "FAILED", seconds);
                   }});
  cases.push_back({"io/glb/write", [sheet] {
                     const Sheet& s = sheet();
                     bool good = true;
                     const double seconds =
                         best_seconds([&] { good = good && write_gltf(s.rig, nullptr).ok(); });
                     return seconds_of(s, good ? "to memory" : "FAILED", seconds);
                   }});
  cases.push_back({"io/glb/write/sync", [sheet] {
                     const Sheet& s = sheet();
                     bool good = true;
                     const double seconds = best_seconds([&] { good = good && s.save(); });
                     return seconds_of(s, good ? "from memory to the disk, synced" : "FAILED", seconds);
                   }});
}

}  // namespace sinew
