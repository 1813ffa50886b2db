// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/file.h"
#include "sinew/mesh/poly_mesh.h"

namespace sinew {

// A mesh from a text or simple binary format, and what was untidy in it.
struct MeshFile {
  PolyMesh mesh;
  std::vector<std::string> notes;
};

// `name` is the file's name for messages; all failures are kBadInput and say the line (or byte) and what to do.
Result<MeshFile> read_obj(std::string_view bytes, std::string_view name);
Result<MeshFile> read_ply(std::string_view bytes, std::string_view name);  // ascii, binary little and big endian
Result<MeshFile> read_off(std::string_view bytes, std::string_view name);  // OFF, COFF, NOFF, STOFF
Result<MeshFile> read_stl(std::string_view bytes, std::string_view name);  // ascii and binary; equal corners are one vertex

// One `v` line a vertex, nine digits; vt and vn only where the mesh has them.
std::string write_obj(const PolyMesh& mesh);
std::string write_ply(const PolyMesh& mesh);  // binary little endian, float
std::string write_off(const PolyMesh& mesh);
std::string write_stl(const PolyMesh& mesh);  // binary, triangles

// Vertex caches: frames[k][i]. kUsage where frames differ in size.
Result<std::string> write_pc2(const std::vector<std::vector<Vec3f>>& frames, double fps);
Result<std::string> write_mdd(const std::vector<std::vector<Vec3f>>& frames, double fps);

}  // namespace sinew
