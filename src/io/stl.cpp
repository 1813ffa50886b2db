// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/bytes.h"
#include "io/text_input.h"
#include "sinew/core/text.h"
#include "sinew/io/mesh_files.h"

namespace sinew {
namespace {

constexpr std::size_t kHeader = 84,
                      kFacet = 50;  // bytes of a binary file; the header ends with the number of facets

// Which vertex stands at a place: open addressing, since a general map takes three times as long.
class PlaceTable {
 public:
  // The index of `position` in `positions`, to which it is appended where it is new.
  std::uint32_t find_or_add(const Vec3& position, std::vector<Vec3>& positions) {
    if (2 * (positions.size() + 1) > slots_.size()) grow(positions);
    std::size_t slot = slot_of(position);
    for (; slots_[slot] != kFree; slot = (slot + 1) & (slots_.size() - 1))
      if (positions[slots_[slot]] == position) return slots_[slot];
    slots_[slot] = static_cast<std::uint32_t>(positions.size());
    positions.push_back(position);
    return slots_[slot];
  }

 private:
  static constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

  std::size_t slot_of(const Vec3& position) const {
    std::uint64_t bits[3], hash = 0;
    std::memcpy(bits, position.data(), sizeof bits);
    for (const std::uint64_t part : bits) {
      hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash) & (slots_.size() - 1);
  }
  void grow(const std::vector<Vec3>& positions) {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), kFree);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      std::size_t slot = slot_of(positions[i]);
      while (slots_[slot] != kFree) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<std::uint32_t>(i);
    }
  }

  std::vector<std::uint32_t> slots_;
};

// Facets become faces whose corners at one place are one vertex, numbered by first use.
class FacetMesh {
 public:
  FacetMesh() : builder_(file_.mesh) {}
  void add(std::span<const Vec3> facet, std::size_t line) {
    corners_.clear();
    for (const Vec3& corner : facet)
      corners_.push_back(places_.find_or_add(corner + Vec3::Zero(), file_.mesh.positions));  // -0 is 0
    builder_.add(corners_, line);
  }
  Result<MeshFile> finish(std::string_view name, std::vector<std::string> warnings) {
    file_.warnings = std::move(warnings);
    SINEW_CHECK(builder_.finish(name, file_.warnings));
    return std::move(file_);
  }

 private:
  MeshFile file_;
  io::FaceBuilder builder_;
  PlaceTable places_;
  std::vector<std::uint32_t> corners_;
};

Result<MeshFile> read_binary(std::string_view bytes, std::string_view name) {
  const std::size_t count = io::load<std::uint32_t>(bytes.data() + 80, io::ByteOrder::kLittle);
  const std::size_t held = (bytes.size() - kHeader) / kFacet;
  if (count > held)
    return io::error_in(name, "it says it has " + std::to_string(count) +
                                  " triangles but is cut short after " + std::to_string(held));
  std::vector<std::string> warnings;
  if (bytes.size() > kHeader + count * kFacet)
    warnings.push_back(std::to_string(bytes.size() - kHeader - count * kFacet) +
                       " bytes after the last triangle were left out");
  FacetMesh mesh;
  for (std::size_t t = 0; t < count; ++t) {
    const char* at = bytes.data() + kHeader + t * kFacet + 12;  // behind the normal
    std::array<Vec3, 3> facet;
    for (int k = 0; k < 9; ++k)
      facet[static_cast<std::size_t>(k / 3)][k % 3] =
          static_cast<double>(io::load<float>(at + 4 * k, io::ByteOrder::kLittle));
    for (const Vec3& corner : facet)
      if (!corner.allFinite())
        return io::error_in(name,
                            "triangle " + std::to_string(t) + " has a corner that is not a finite number");
    mesh.add(facet, 0);
  }
  return mesh.finish(name, std::move(warnings));
}

// Only `vertex`, `outer loop` and `endloop` carry meaning; names of solids may hold any word but stand in
// lines of their own.
Result<MeshFile> read_ascii(std::string_view text, std::string_view name) {
  io::WordReader words(text);
  FacetMesh mesh;
  std::vector<Vec3> facet;
  bool in_loop = false;
  while (words.next_line()) {
    const std::string_view word = words.next_in_line();
    if (equals_ignoring_case(word, "outer")) {
      facet.clear();
      in_loop = true;
    } else if (equals_ignoring_case(word, "vertex")) {
      if (!in_loop)
        return io::error_at_line(name, words.line(), "a vertex outside of 'outer loop' and 'endloop'");
      Vec3 corner;
      SINEW_CHECK(io::read_numbers(words, name, {corner.data(), 3}, [] { return std::string("a vertex"); }));
      facet.push_back(corner);
    } else if (equals_ignoring_case(word, "endloop")) {
      if (!in_loop) return io::error_at_line(name, words.line(), "'endloop' without 'outer loop'");
      mesh.add(facet, words.line());
      in_loop = false;
    }
  }
  if (in_loop) return io::error_at_line(name, words.line(), "the file ends within a facet; it is cut short");
  return mesh.finish(name, {});
}

}  // namespace

Result<MeshFile> read_stl(std::string_view bytes, std::string_view name) {
  // Binary files may begin with "solid" too; only their size tells, and no text has such a size by chance:
  // four letters are a count of at least half a billion.
  if (bytes.size() >= kHeader &&
      bytes.size() ==
          kHeader + kFacet * std::size_t{io::load<std::uint32_t>(bytes.data() + 80, io::ByteOrder::kLittle)})
    return read_binary(bytes, name);
  std::string storage;
  const std::string_view text = io::as_text(bytes, storage);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool solid = first != std::string_view::npos && equals_ignoring_case(text.substr(first, 5), "solid");
  if (solid && text.substr(0, 4096).find('\0') == std::string_view::npos) return read_ascii(text, name);
  if (bytes.size() >= kHeader) return read_binary(bytes, name);
  return io::error_in(name, "it is neither a text STL file ('solid ...') nor long enough for a binary one");
}

namespace {

// Places beyond the range of float, which the format is bound to, move to its end.
float to_float(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -kMost, kMost));
}

}  // namespace

std::string write_stl(const PolyMesh& mesh) {
  const TriangleView view = triangulate(mesh);
  std::string out = "binary STL made by sinew";
  out.resize(80, ' ');
  out.reserve(kHeader + view.triangles.size() * kFacet);
  const auto append = [&](auto value) { io::append(out, value, io::ByteOrder::kLittle); };
  append(static_cast<std::uint32_t>(view.triangles.size()));
  for (const Triangle& triangle : view.triangles) {
    const Vec3 &a = mesh.positions[triangle[0]], &b = mesh.positions[triangle[1]],
               &c = mesh.positions[triangle[2]];
    const Vec3f normal = (b - a).cross(c - a).stableNormalized().cast<float>();
    for (int axis = 0; axis < 3; ++axis) append(std::isfinite(normal[axis]) ? normal[axis] : 0.0f);
    for (const Vec3* corner : {&a, &b, &c})
      for (int axis = 0; axis < 3; ++axis) append(to_float((*corner)[axis]));
    append(std::uint16_t{0});
  }
  return out;
}

}  // namespace sinew
