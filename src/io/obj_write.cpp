// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/core/text.h"
#include "sinew/io/looks.h"

namespace sinew {
namespace {

constexpr std::size_t kLineGrain = 1 << 14;
// Texture coordinates and normals are floats: more digits would show their rounding.
constexpr int kFloatDigits = 7;

// Nine digits of the mesh's size, and those that its distance from the origin takes.
int position_digits(const PolyMesh& mesh) {
  const Box3 box = bounding_box(mesh.positions);
  if (box.isEmpty()) return 9;
  const double size = box.diagonal().norm();
  const double far = std::max(box.min().cwiseAbs().maxCoeff(), box.max().cwiseAbs().maxCoeff());
  if (!(size > 0) || !(far > 10 * size)) return 9;
  return static_cast<int>(std::min(17.0, 9 + std::ceil(std::log10(far / size))));
}

void append_index(std::string& out, std::uint64_t index) {
  char text[20];
  char* const end = text + sizeof text;
  char* begin = end;
  do {
    *--begin = static_cast<char>('0' + index % 10);
    index /= 10;
  } while (index > 0);
  out.append(begin, end);
}

// "keyword a b c\n"
template <class Vector>
void append_line(std::string& out, std::string_view keyword, const Vector& values, int digits) {
  out += keyword;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    out += ' ';
    append_number(out, static_cast<double>(values[i]), digits);
  }
  out += '\n';
}

void append_face(std::string& out, const PolyMesh& mesh, std::size_t f) {
  out += 'f';
  for (const std::uint32_t corner : mesh.face(f)) {
    const std::uint64_t index = std::uint64_t{corner} + 1;
    out += ' ';
    append_index(out, index);
    if (!mesh.texcoords.empty() || !mesh.normals.empty()) out += '/';
    if (!mesh.texcoords.empty()) append_index(out, index);
    if (!mesh.normals.empty()) {
      out += '/';
      append_index(out, index);
    }
  }
  out += '\n';
}

// Linear to what programs paint with.
Vec3f painted(const Vec3f& linear) {
  return linear.unaryExpr([](float value) {
    return value <= 0.0031308f ? 12.92f * value : 1.055f * std::pow(value, 1 / 2.4f) - 0.055f;
  });
}

// Lines made in pieces by all threads, joined in order.
template <class AppendOne>
void append_lines(std::string& out, std::size_t count, AppendOne&& append_one) {
  const std::size_t pieces = (count + kLineGrain - 1) / kLineGrain;
  std::vector<std::string> parts(pieces);
  parallel_for(count, kLineGrain, [&](std::size_t begin, std::size_t end) {
    std::string& part = parts[begin / kLineGrain];
    part.reserve((end - begin) * 40);
    for (std::size_t i = begin; i < end; ++i) append_one(part, i);
  });
  std::size_t size = out.size();
  for (const std::string& part : parts) size += part.size();
  out.reserve(size);
  for (const std::string& part : parts) out += part;
}

}  // namespace

std::string write_obj(const PolyMesh& mesh) {
  return write_obj(mesh, {}, {}, {});
}

std::string write_obj(const PolyMesh& mesh, std::span<const MeshPart> parts, const Looks& looks,
                      std::string_view library) {
  assert(mesh.texcoords.empty() || mesh.texcoords.size() == mesh.vertex_count());
  assert(mesh.normals.empty() || mesh.normals.size() == mesh.vertex_count());
  assert(looks.colours.empty() || looks.colours.size() == mesh.vertex_count());
  std::string out;
  const int digits = position_digits(mesh);
  if (!library.empty()) out = "mtllib " + std::string(library) + "\n";
  append_lines(out, mesh.vertex_count(), [&](std::string& part, std::size_t i) {
    append_line(part, "v", mesh.positions[i], digits);
    if (looks.colours.empty()) return;
    part.pop_back();
    append_line(part, "", painted(looks.colours[i]), 5);
  });
  append_lines(out, mesh.texcoords.size(), [&](std::string& part, std::size_t i) {
    append_line(part, "vt", Vec2f(mesh.texcoords[i].x(), 1 - mesh.texcoords[i].y()), kFloatDigits);
  });
  append_lines(out, mesh.normals.size(), [&](std::string& part, std::size_t i) {
    append_line(part, "vn", mesh.normals[i], kFloatDigits);
  });
  if (looks.materials.empty()) {
    append_lines(out, mesh.face_count(),
                 [&](std::string& part, std::size_t f) { append_face(part, mesh, f); });
    return out;
  }
  int current = -1;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const int material = p < looks.part_materials.size() ? looks.part_materials[p] : -1;
    if (material >= 0 && material != current)
      out += "usemtl " + looks.materials[static_cast<std::size_t>(material)].name + "\n";
    if (material >= 0) current = material;
    append_lines(out, parts[p].face_count,
                 [&](std::string& text, std::size_t f) { append_face(text, mesh, parts[p].face_begin + f); });
  }
  return out;
}

}  // namespace sinew
