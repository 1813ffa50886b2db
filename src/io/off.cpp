// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "io/text_input.h"
#include "sinew/core/text.h"
#include "sinew/io/mesh_files.h"

namespace sinew {
namespace {

using io::error_at_line;

constexpr std::size_t kMaxCount = std::numeric_limits<std::uint32_t>::max() - 1;

struct OffHeader {
  bool texcoords = false, colors = false, normals = false;
  std::size_t vertices = 0, faces = 0;
};

class OffReader {
 public:
  OffReader(std::string_view text, std::string_view name)
      : words_(text, '#'), name_(name), builder_(file_.mesh) {}

  Result<MeshFile> read() {
    SINEW_CHECK(read_header());
    SINEW_CHECK(read_vertices());
    SINEW_CHECK(read_faces());
    SINEW_CHECK(builder_.finish(name_, file_.warnings));
    return std::move(file_);
  }

 private:
  Error fail(const std::string& what) const { return error_at_line(name_, words_.line(), what); }

  // [ST][C][N]OFF; the word may be missing, then the counts come first.
  Result<void> read_header() {
    std::string_view word = words_.next();
    if (word.empty()) return io::error_in(name_, "it is empty, not an OFF file");
    if (!parse_int(word)) {
      SINEW_CHECK(read_keyword(word));
      word = words_.next();
    }
    SINEW_TRY(header_.vertices, read_count(word, "vertices", 6));
    SINEW_TRY(header_.faces, read_count(words_.next(), "faces", 2));
    words_.next_line();  // the number of edges, which nobody needs and some leave out
    return {};
  }

  Result<void> read_keyword(std::string_view word) {
    const std::string_view whole = word;
    const auto take = [&](std::string_view prefix) {
      if (word.substr(0, prefix.size()) != prefix) return false;
      word.remove_prefix(prefix.size());
      return true;
    };
    header_.texcoords = take("ST");
    header_.colors = take("C");
    header_.normals = take("N");
    if (word == "4OFF" || word == "nOFF" || word == "4nOFF")
      return fail("'" + std::string(whole) +
                  "' has vertices that are not three-dimensional; export it as OFF");
    if (word != "OFF") return fail("'" + printable(whole, 40) + "' does not open an OFF file");
    return {};
  }

  // A count that what is left of the file can hold, at `least` bytes each.
  Result<std::size_t> read_count(std::string_view word, const char* what, std::size_t least) {
    if (equals_ignoring_case(word, "BINARY")) return fail("binary OFF files are not read; export it as text");
    const auto count = parse_int(word);
    if (!count || *count < 0) return fail("'" + printable(word, 40) + "' is not a number of " + what);
    const auto number = static_cast<std::size_t>(*count);
    if (number > words_.remaining() / least + 1 || number > kMaxCount)
      return fail("the file says it has " + std::to_string(number) + " " + what +
                  " but is too short for them");
    return number;
  }

  Result<void> read_vertices() {
    PolyMesh& mesh = file_.mesh;
    mesh.positions.resize(header_.vertices);
    if (header_.normals) mesh.normals.resize(header_.vertices);
    if (header_.texcoords) mesh.texcoords.resize(header_.vertices);
    for (std::size_t i = 0; i < header_.vertices; ++i) {
      const auto where = [&] {
        return "vertex " + std::to_string(i) + " of " + std::to_string(header_.vertices);
      };
      SINEW_CHECK(io::read_numbers(words_, name_, {mesh.positions[i].data(), 3}, where));
      if (header_.normals) {
        Vec3 normal;
        SINEW_CHECK(io::read_numbers(words_, name_, {normal.data(), 3}, where));
        mesh.normals[i] = normal.stableNormalized().cast<float>();
      }
      if (header_.texcoords) mesh.texcoords[i] = last_two_in_line();
      words_.next_line();  // colours, in any number
    }
    return {};
  }

  // Texture coordinates stand behind a colour of three or four numbers: they are the last two of the line.
  Vec2f last_two_in_line() {
    double last[2] = {0, 0};
    for (std::string_view word = words_.next_in_line(); !word.empty(); word = words_.next_in_line()) {
      last[0] = last[1];
      last[1] = parse_double(word).value_or(0);
    }
    const auto limited = [](double value) {
      return std::abs(value) < 1e30 ? static_cast<float>(value) : 0.0f;
    };
    return {limited(last[0]), 1 - limited(last[1])};
  }

  Result<void> read_faces() {
    std::vector<std::uint32_t> corners;
    for (std::size_t f = 0; f < header_.faces; ++f) {
      const std::string_view word = words_.next();
      const auto where = [&] { return "face " + std::to_string(f) + " of " + std::to_string(header_.faces); };
      if (word.empty()) return io::not_a_number(name_, words_.line(), word, where());
      const auto size = parse_int(word);
      if (!size || *size < 0 || static_cast<std::size_t>(*size) > words_.remaining())
        return fail("'" + printable(word, 40) + "' is not the number of corners of " + where());
      const std::size_t line = words_.line();
      corners.clear();
      for (std::int64_t k = 0; k < *size; ++k) {
        const std::string_view corner = words_.next();
        if (corner.empty()) return io::not_a_number(name_, words_.line(), corner, where());
        const auto index = parse_int(corner);
        if (!index || *index < 0 || static_cast<std::size_t>(*index) >= header_.vertices)
          return fail(where() + " names vertex '" + printable(corner, 40) + "', but the file has " +
                      std::to_string(header_.vertices) + " vertices, counted from 0");
        corners.push_back(static_cast<std::uint32_t>(*index));
      }
      builder_.add(corners, line);
      words_.next_line();  // colours
    }
    return {};
  }

  io::WordReader words_;
  std::string_view name_;
  OffHeader header_;
  MeshFile file_;
  io::FaceBuilder builder_;
};

}  // namespace

Result<MeshFile> read_off(std::string_view bytes, std::string_view name) {
  std::string storage;
  return OffReader(io::as_text(bytes, storage), name).read();
}

std::string write_off(const PolyMesh& mesh) {
  std::string out =
      "OFF\n" + std::to_string(mesh.vertex_count()) + " " + std::to_string(mesh.face_count()) + " 0\n";
  for (const Vec3& position : mesh.positions) {
    for (int axis = 0; axis < 3; ++axis) {
      append_number(out, position[axis]);
      out += axis < 2 ? ' ' : '\n';
    }
  }
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    out += std::to_string(mesh.face(f).size());
    for (const std::uint32_t corner : mesh.face(f)) {
      out += ' ';
      out += std::to_string(corner);
    }
    out += '\n';
  }
  return out;
}

}  // namespace sinew
