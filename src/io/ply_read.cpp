// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "io/bytes.h"
#include "io/ply_header.h"
#include "io/text_input.h"
#include "sinew/core/text.h"
#include "sinew/io/mesh_files.h"

namespace sinew {
namespace {

using io::PlyElement;
using io::PlyProperty;
using io::PlyType;

// The data of a file behind one face: number after number. Each returns false at the end of the file, and NaN
// for a word that is no number; skipped numbers are not looked at.
class AsciiBody {
 public:
  explicit AsciiBody(std::string_view text) : words_(text) {}
  bool number(PlyType, double& value) {
    const std::string_view word = words_.next();
    if (word.empty()) return false;
    value = parse_double(word).value_or(std::nan(""));
    return true;
  }
  bool skip(PlyType, std::size_t count) {
    for (; count > 0; --count)
      if (words_.next().empty()) return false;
    return true;
  }
  std::size_t line() const { return words_.line(); }
  bool can_hold(PlyType, double count) const { return count <= static_cast<double>(words_.remaining()); }

 private:
  io::WordReader words_;
};

class BinaryBody {
 public:
  BinaryBody(std::string_view bytes, io::ByteOrder order) : bytes_(bytes), order_(order) {}
  bool number(PlyType type, double& value) {
    if (bytes_.size() < io::size_of(type)) return false;
    value = load(type);
    bytes_.remove_prefix(io::size_of(type));
    return true;
  }
  bool skip(PlyType type, std::size_t count) {
    if (count > bytes_.size() / io::size_of(type)) return false;
    bytes_.remove_prefix(count * io::size_of(type));
    return true;
  }
  std::size_t line() const { return 0; }
  bool can_hold(PlyType type, double count) const {
    return count <= static_cast<double>(bytes_.size() / io::size_of(type));
  }

 private:
  double load(PlyType type) const {
    const char* at = bytes_.data();
    switch (type) {
      case PlyType::kInt8:
        return io::load<std::int8_t>(at, order_);
      case PlyType::kUint8:
        return io::load<std::uint8_t>(at, order_);
      case PlyType::kInt16:
        return io::load<std::int16_t>(at, order_);
      case PlyType::kUint16:
        return io::load<std::uint16_t>(at, order_);
      case PlyType::kInt32:
        return io::load<std::int32_t>(at, order_);
      case PlyType::kUint32:
        return io::load<std::uint32_t>(at, order_);
      case PlyType::kFloat:
        return static_cast<double>(io::load<float>(at, order_));
      case PlyType::kDouble:
        return io::load<double>(at, order_);
    }
    return 0;
  }
  std::string_view bytes_;
  io::ByteOrder order_;
};

// Where a vertex property goes: 0-2 position, 3-5 normal, 6-7 texture coordinates, -1 nowhere.
int slot_of(const PlyProperty& property) {
  if (property.is_list) return -1;
  static constexpr std::string_view kNames[][2] = {{"x", "x"},   {"y", "y"},   {"z", "z"}, {"nx", "nx"},
                                                   {"ny", "ny"}, {"nz", "nz"}, {"s", "u"}, {"t", "v"}};
  for (int slot = 0; slot < 8; ++slot)
    if (property.name == kNames[slot][0] || property.name == kNames[slot][1]) return slot;
  if (property.name == "texture_u") return 6;
  if (property.name == "texture_v") return 7;
  return -1;
}

float tame(double value) {
  return std::abs(value) < 1e30 ? static_cast<float>(value) : 0.0f;
}

template <class Body>
class PlyReader {
 public:
  PlyReader(const io::PlyHeader& header, Body body, std::string_view name)
      : header_(header), body_(body), name_(name), builder_(file_.mesh) {}

  Result<MeshFile> read() {
    // Faces may come first, so the number of vertices is taken from the header.
    std::size_t lists = 0;
    for (const PlyElement& element : header_.elements)
      if (element.name == "vertex") {
        vertices_ = element.count;
        ++lists;
      }
    if (lists == 0) return io::error_in(name_, "it has no element 'vertex'");
    if (lists > 1) return io::error_in(name_, "it has more than one element 'vertex'");
    for (const PlyElement& element : header_.elements)
      if (element.name == "vertex")
        SINEW_CHECK(read_vertices(element));
      else
        SINEW_CHECK(read_others(element));
    SINEW_CHECK(builder_.finish(name_, file_.warnings));
    return std::move(file_);
  }

 private:
  Error fail(const PlyElement& element, std::size_t index, const std::string& what) const {
    const std::string place = printable(element.name, 40) + " " + std::to_string(index);
    return body_.line() > 0 ? io::error_at_line(name_, body_.line(), place + " " + what)
                            : io::error_in(name_, place + " " + what);
  }
  Error cut_short(const PlyElement& element, std::size_t index) const {
    return fail(element, index, "of " + std::to_string(element.count) + " is cut short");
  }

  // False where the file ends.
  bool skip(const PlyProperty& property) {
    if (!property.is_list) return body_.skip(property.type, 1);
    double count = 0;
    if (!body_.number(property.count_type, count) || !(count >= 0) || !body_.can_hold(property.type, count))
      return false;
    return body_.skip(property.type, static_cast<std::size_t>(count));
  }

  Result<void> read_vertices(const PlyElement& element) {
    std::vector<int> slots;
    bool present[8] = {};
    for (const PlyProperty& property : element.properties) {
      slots.push_back(slot_of(property));
      if (slots.back() >= 0) present[slots.back()] = true;
    }
    if (!present[0] || !present[1] || !present[2]) return io::error_in(name_, "its vertices lack x, y or z");
    const bool normals = present[3] && present[4] && present[5], texcoords = present[6] && present[7];
    PolyMesh& mesh = file_.mesh;
    mesh.positions.resize(element.count);
    if (normals) mesh.normals.resize(element.count);
    if (texcoords) mesh.texcoords.resize(element.count);
    for (std::size_t i = 0; i < element.count; ++i) {
      double values[8] = {};
      for (std::size_t p = 0; p < slots.size(); ++p) {
        const PlyProperty& property = element.properties[p];
        if (slots[p] < 0 ? !skip(property) : !body_.number(property.type, values[slots[p]]))
          return cut_short(element, i);
      }
      mesh.positions[i] = Vec3(values[0], values[1], values[2]);
      if (!mesh.positions[i].allFinite())
        return fail(element, i, "has a position that is not a finite number");
      if (normals) mesh.normals[i] = Vec3f(tame(values[3]), tame(values[4]), tame(values[5]));
      if (texcoords) mesh.texcoords[i] = Vec2f(tame(values[6]), 1 - tame(values[7]));
    }
    return {};
  }

  Result<void> read_others(const PlyElement& element) {
    if (element.properties.empty()) return {};
    if (element.name == "tristrips" && element.count > 0)
      file_.warnings.push_back("triangle strips were left out; export the mesh as faces");
    for (std::size_t i = 0; i < element.count; ++i) {
      for (const PlyProperty& property : element.properties) {
        const bool corners = element.name == "face" && property.is_list &&
                             (property.name == "vertex_indices" || property.name == "vertex_index");
        if (corners) {
          SINEW_CHECK(read_face(element, i, property));
        } else if (!skip(property)) {
          return cut_short(element, i);
        }
      }
    }
    return {};
  }

  Result<void> read_face(const PlyElement& element, std::size_t face, const PlyProperty& property) {
    double count = 0;
    if (!body_.number(property.count_type, count)) return cut_short(element, face);
    if (!(count >= 0)) return fail(element, face, "has no valid number of corners");
    if (!body_.can_hold(property.type, count)) return cut_short(element, face);
    corners_.clear();
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      double index = 0;
      if (!body_.number(property.type, index)) return cut_short(element, face);
      if (!(index >= 0 && index < static_cast<double>(vertices_)) || index != std::floor(index))
        return fail(element, face, "names a vertex that is not one of the " + std::to_string(vertices_));
      corners_.push_back(static_cast<std::uint32_t>(index));
    }
    builder_.add(corners_, body_.line());
    return {};
  }

  const io::PlyHeader& header_;
  Body body_;
  std::string_view name_;
  std::size_t vertices_ = 0;
  MeshFile file_;
  io::FaceBuilder builder_;
  std::vector<std::uint32_t> corners_;
};

}  // namespace

Result<MeshFile> read_ply(std::string_view bytes, std::string_view name) {
  SINEW_TRY(const io::PlyHeader header, io::read_ply_header(bytes, name));
  const std::string_view body = bytes.substr(header.body);
  if (header.format == io::PlyFormat::kAscii) return PlyReader(header, AsciiBody(body), name).read();
  const auto order =
      header.format == io::PlyFormat::kBigEndian ? io::ByteOrder::kBig : io::ByteOrder::kLittle;
  return PlyReader(header, BinaryBody(body, order), name).read();
}

}  // namespace sinew
