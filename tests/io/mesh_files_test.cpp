// SPDX-License-Identifier: Apache-2.0
// Every real and every hostile file of the data folder through the readers of simple formats.
#include "sinew/io/mesh_files.h"

#include <gtest/gtest.h>

#include <map>

#include "sinew/core/file.h"
#include "sinew/core/text.h"
#include "sinew/io/skeleton_files.h"
#include "support/data.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

std::optional<Result<MeshFile>> read_mesh(const fs::path& path) {
  const auto bytes = read_file(path);
  if (!bytes.ok()) return Result<MeshFile>(bytes.error());
  const std::string name = path.filename().string(), ending = path.extension().string();
  if (ending == ".obj") return read_obj(*bytes, name);
  if (ending == ".off") return read_off(*bytes, name);
  if (ending == ".ply") return read_ply(*bytes, name);
  if (ending == ".stl") return read_stl(*bytes, name);
  return std::nullopt;
}

struct Row {
  std::string file;
  std::vector<std::string> cells;
};

// The rows "| `file` | ... |" of one section of the data's README.
std::vector<Row> table(const fs::path& data, const std::string& section) {
  std::vector<Row> rows;
  const auto readme = read_file(data / "README.md");
  if (!readme.ok()) return rows;
  LineReader lines(*readme);
  bool inside = false;
  while (lines.next_line()) {
    const std::string_view line = lines.line();
    if (line.substr(0, 3) == "## ") inside = line.substr(3) == section;
    if (!inside || line.substr(0, 3) != "| `") continue;
    Row row;
    std::size_t begin = 2;
    for (std::size_t end = line.find(" | ", begin); end != std::string_view::npos;
         end = line.find(" | ", begin)) {
      row.cells.emplace_back(line.substr(begin, end - begin));
      begin = end + 3;
    }
    row.file = row.cells[0].substr(1, row.cells[0].find('`', 1) - 1);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::size_t leading_number(const std::string& text) {
  return std::stoul(text);
}

class DataTest : public ::testing::TestWithParam<const char*> {};

TEST_P(DataTest, EveryMeshHasTheVerticesAndFacesOfItsTable) {
  SINEW_REQUIRE_DATA(data);
  const std::string section = GetParam();
  std::size_t checked = 0;
  for (const Row& row : table(data, section)) {
    const auto file = read_mesh(data / section / row.file);
    if (!file) continue;  // tetrahedra, rigs
    ASSERT_TRUE(file->ok()) << file->error().message;
    const PolyMesh& mesh = (*file)->mesh;
    const std::size_t vertices = leading_number(row.cells[2]);
    EXPECT_EQ(mesh.face_count(), leading_number(row.cells[3])) << row.file;
    // Only texture seams add vertices, and only copies.
    if (mesh.texcoords.empty()) {
      EXPECT_EQ(mesh.vertex_count(), vertices) << row.file;
    } else {
      EXPECT_GE(mesh.vertex_count(), vertices) << row.file;
    }
    std::map<std::array<double, 3>, int> stored;
    for (std::size_t i = 0; i < mesh.vertex_count(); ++i) {
      const Vec3& p = mesh.positions[i];
      ASSERT_TRUE(p.allFinite());
      if (i < vertices)
        ++stored[{p.x(), p.y(), p.z()}];
      else
        ASSERT_TRUE(stored.count({p.x(), p.y(), p.z()})) << row.file << " vertex " << i;
    }
    for (const std::uint32_t corner : mesh.face_vertices) ASSERT_LT(corner, mesh.vertex_count());
    // And all of them survive each writer.
    for (const auto& back :
         {read_obj(write_obj(mesh), "b"), read_off(write_off(mesh), "b"), read_ply(write_ply(mesh), "b")}) {
      ASSERT_TRUE(back.ok()) << row.file << back.error().message;
      EXPECT_EQ(back->mesh.face_offsets, mesh.face_offsets) << row.file;
      EXPECT_EQ(back->mesh.face_vertices, mesh.face_vertices) << row.file;
    }
    ++checked;
  }
  EXPECT_GT(checked, 1u);
}

INSTANTIATE_TEST_SUITE_P(Sections, DataTest,
                         ::testing::Values("static_tri", "quad", "pose_pairs", "dirty_mesh"),
                         [](const auto& section) { return std::string(section.param); });

TEST(DataFiles, OddObjFilesLoadOrAreRefusedWithTheirNameAndLine) {
  SINEW_REQUIRE_DATA(data);
  struct Expected {
    const char* file;
    std::size_t vertices, faces;  // 0, 0: refused
  };
  for (const Expected& expected :
       std::initializer_list<Expected>{{"assimp_OutOfMemory.off", 0, 0},
                                       {"assimp_box_UTF16BE.obj", 8, 6},
                                       {"assimp_box_longline.obj", 8, 6},
                                       {"assimp_concave_polygon.obj", 64, 1},
                                       {"assimp_empty.obj", 0, 0},
                                       {"assimp_malformed.obj", 0, 0},
                                       {"assimp_number_formats.obj", 15, 1},
                                       {"assimp_testmixed.obj", 8, 6},
                                       {"catmark_torus_creases0.obj", 128, 32},
                                       {"cube-vertexcol.obj", 8, 6},
                                       {"invalid-face-definition.obj", 8, 0},
                                       {"issue-140-zero-face-idx.obj", 0, 0},
                                       {"issue-161-inconsistent-f.obj", 19, 12},
                                       {"issue-295-trianguation-failure.obj", 44, 14},
                                       {"issue-92.obj", 3, 1},
                                       {"leading-decimal-dot-issue-201.obj", 3, 1},
                                       {"leading-zero-in-exponent-notation-issue-210.obj", 3, 1},
                                       {"line-prim.obj", 8, 0},
                                       {"no_material.obj", 76, 18},
                                       {"points-prim.obj", 8, 0},
                                       {"skin-weight.obj", 8, 6},
                                       {"test-nan.obj", 0, 0}}) {
    const auto file = read_mesh(data / "obj_edge_cases" / expected.file);
    ASSERT_TRUE(file.has_value());
    ASSERT_EQ(file->ok(), expected.vertices > 0) << expected.file;
    if (file->ok()) {
      EXPECT_EQ((*file)->mesh.vertex_count(), expected.vertices) << expected.file;
      EXPECT_EQ((*file)->mesh.face_count(), expected.faces) << expected.file;
    } else {
      EXPECT_EQ(file->error().code, ErrorCode::kBadInput);
      EXPECT_NE(file->error().message.find(expected.file), std::string::npos) << file->error().message;
    }
  }
}

TEST(DataFiles, EveryMotionHasTheJointsAndFramesOfItsTable) {
  SINEW_REQUIRE_DATA(data);
  std::size_t checked = 0;
  for (const Row& row : table(data, "bvh")) {
    const auto bytes = read_file(data / "bvh" / row.file);
    ASSERT_TRUE(bytes.ok());
    const auto file = read_bvh(*bytes, row.file);
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(file->skeleton.size(), leading_number(row.cells[2])) << row.file;
    ASSERT_EQ(file->clips.size(), 1u);
    EXPECT_EQ(file->clips[0].channels[0].times.size(), leading_number(row.cells[4])) << row.file;
    const double frame_time = std::stod(row.cells[5]);
    EXPECT_NEAR(file->clips[0].duration(), frame_time * static_cast<double>(leading_number(row.cells[4]) - 1),
                1e-3);
    EXPECT_TRUE(file->warnings.empty()) << row.file << file->warnings[0];
    ++checked;
  }
  EXPECT_EQ(checked, 10u);
}

TEST(DataFiles, BrokenMotionsGiveWhatTheirTableExpects) {
  SINEW_REQUIRE_DATA(data);
  const auto expected = read_file(data / "bvh" / "edge_cases" / "expected.tsv");
  ASSERT_TRUE(expected.ok());
  LineReader lines(*expected);
  lines.next_line();
  while (lines.next_line()) {
    const std::string file(lines.next_word()), outcome(lines.next_word());
    const bool free_choice = lines.next_word() == "or";
    const auto bytes = read_file(data / "bvh" / "edge_cases" / file);
    ASSERT_TRUE(bytes.ok());
    const auto result = read_bvh(*bytes, file);
    if (!free_choice) {
      EXPECT_EQ(result.ok(), outcome == "load") << file;
    }
    if (!result.ok()) {
      EXPECT_NE(result.error().message.find(file), std::string::npos);
    }
  }
}

TEST(DataFiles, SkeletonsHaveTheBonesOfTheirTables) {
  SINEW_REQUIRE_DATA(data);
  for (const Row& row : table(data, "skeletons_weights")) {
    if (row.file.find(".tgf") == std::string::npos) continue;
    const auto bytes = read_file(data / "skeletons_weights" / row.file);
    ASSERT_TRUE(bytes.ok());
    const auto file = read_tgf(*bytes, row.file);
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(file->skeleton.deforming_count(),
              leading_number(row.cells[2].substr(row.cells[2].find(", ") + 2)))
        << row.file;
  }
  std::size_t rigs = 0;
  for (const Row& row : table(data, "quad")) {
    if (row.file.find(".rig.json") == std::string::npos) continue;
    const auto bytes = read_file(data / "quad" / row.file);
    ASSERT_TRUE(bytes.ok());
    const auto file = read_skeleton_json(*bytes, row.file);
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(file->skeleton.size(), leading_number(row.cells[2])) << row.file;
    ++rigs;
  }
  EXPECT_EQ(rigs, 5u);
}

}  // namespace
}  // namespace sinew
