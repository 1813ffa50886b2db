// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/file.h"
#include "sinew/mesh/poly_mesh.h"

namespace sinew {

/// A mesh from a text or simple binary format, and what was repaired in it.
struct MeshFile {
  PolyMesh mesh;
  std::vector<std::string> warnings;
  std::vector<std::array<std::uint32_t, 2>> edges = {};  ///< that no face need have: `l` lines of .obj
  /// Of .obj alone: files of materials as they are named, names of materials in the order of first use ("":
  /// faces before any), the material of each face (empty: one for all), and colours as stored, 0 to 1, per
  /// vertex (or empty).
  std::vector<std::string> libraries = {}, materials = {};
  std::vector<std::uint32_t> face_materials = {};
  std::vector<Vec3f> colours = {};
};

/// `name` is the file's name for messages; all failures are kBadInput and say the line (or element) and what
/// to do: positions that are not finite numbers, indices out of range, files that are cut short or whose
/// counts cannot be true (checked before memory is taken). Text may be UTF-8 or UTF-16 with a byte order mark;
/// lines end as they like. In every format corners that repeat a vertex of their face are removed, and faces
/// with fewer than three are left out and noted.

/// Vertex i is the i-th `v` line; a vertex with several texture coordinates gets copies behind the last.
/// Normals are not read (they would split vertices), nor are groups and points. A
/// file without `v` lines fails. Reads about 1 M vertices a second on one core, more on several.
Result<MeshFile> read_obj(std::string_view bytes, std::string_view name);
/// Ascii, binary little and big endian; vertex x, y, z, nx, ny, nz, s, t (also u, v) and face vertex_indices
/// (also vertex_index) are read, all else is skipped.
Result<MeshFile> read_ply(std::string_view bytes, std::string_view name);
/// OFF, and with the prefixes ST, C, N; colours are skipped. 4OFF, nOFF and BINARY fail.
Result<MeshFile> read_off(std::string_view bytes, std::string_view name);
/// Ascii and binary; equal corners are one vertex, numbered by first use.
Result<MeshFile> read_stl(std::string_view bytes, std::string_view name);
/// Medit .mesh in text, in space: vertices, triangles and quadrilaterals; of tetrahedra alone their hull. All
/// else is skipped.
Result<MeshFile> read_medit(std::string_view bytes, std::string_view name);

/// One `v` line a vertex, nine digits; vt and vn (seven digits) only where the mesh has them, with the
/// vertex's own index.
std::string write_obj(const PolyMesh& mesh);
/// Binary little endian; positions as float where it can hold them, else as double.
std::string write_ply(const PolyMesh& mesh);
std::string write_off(const PolyMesh& mesh);
/// Binary, triangles, float.
std::string write_stl(const PolyMesh& mesh);

/// Vertex caches: frames[k][i]. kUsage where frames differ in size, there are none, or fps is not positive.
Result<std::string> write_pc2(const std::vector<std::vector<Vec3f>>& frames, double fps);
Result<std::string> write_mdd(const std::vector<std::vector<Vec3f>>& frames, double fps);

}  // namespace sinew
