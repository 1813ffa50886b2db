// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "io/bytes.h"
#include "sinew/io/mesh_files.h"

namespace sinew {
namespace {

std::string header_of(const PolyMesh& mesh, bool wide, bool large_faces) {
  std::string out = "ply\nformat binary_little_endian 1.0\ncomment made by sinew\nelement vertex " +
                    std::to_string(mesh.vertex_count()) + "\n";
  for (const char* axis : {"x\n", "y\n", "z\n"})
    out += std::string(wide ? "property double " : "property float ") + axis;
  if (!mesh.normals.empty()) out += "property float nx\nproperty float ny\nproperty float nz\n";
  if (!mesh.texcoords.empty()) out += "property float s\nproperty float t\n";
  out += "element face " + std::to_string(mesh.face_count()) + "\nproperty list ";
  out += large_faces ? "uint" : "uchar";
  out += " uint vertex_indices\nend_header\n";
  return out;
}

}  // namespace

std::string write_ply(const PolyMesh& mesh) {
  constexpr auto kOrder = io::ByteOrder::kLittle;
  bool wide = false, large_faces = false;  // what floats cannot hold is written as doubles
  for (const Vec3& position : mesh.positions)
    wide = wide || position.cwiseAbs().maxCoeff() > std::numeric_limits<float>::max();
  for (std::size_t f = 0; f < mesh.face_count(); ++f) large_faces = large_faces || mesh.face(f).size() > 255;
  std::string out = header_of(mesh, wide, large_faces);
  out.reserve(out.size() + 32 * mesh.vertex_count() + 4 * mesh.face_vertices.size() + 4 * mesh.face_count());
  const auto append = [&](auto value) { io::append(out, value, kOrder); };
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      if (wide) {
        append(mesh.positions[i][axis]);
      } else {
        append(static_cast<float>(mesh.positions[i][axis]));
      }
    }
    for (int axis = 0; axis < 3 && !mesh.normals.empty(); ++axis) append(mesh.normals[i][axis]);
    if (mesh.texcoords.empty()) continue;
    append(mesh.texcoords[i].x());
    append(1 - mesh.texcoords[i].y());
  }
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    const auto size = static_cast<std::uint32_t>(mesh.face(f).size());
    if (large_faces) {
      append(size);
    } else {
      append(static_cast<std::uint8_t>(size));
    }
    for (const std::uint32_t corner : mesh.face(f)) append(corner);
  }
  return out;
}

}  // namespace sinew
