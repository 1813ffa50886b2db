// SPDX-License-Identifier: Apache-2.0
// Sections may come in any order, and those of later versions of the format are not known: what is not wanted
// is skipped up to the next word that is no number.
#include <algorithm>
#include <array>
#include <limits>

#include "io/text_input.h"
#include "sinew/core/text.h"
#include "sinew/io/mesh_files.h"

namespace sinew {
namespace {

using Corners = std::vector<std::uint32_t>;

constexpr std::size_t kMostMedit = std::numeric_limits<std::uint32_t>::max() - 1;

class MeditReader {
 public:
  MeditReader(std::string_view text, std::string_view name)
      : words_(text, '#'), name_(name), builder_(file_.mesh) {}

  Result<MeshFile> read() {
    if (words_.next() != "MeshVersionFormatted")
      return io::error_in(name_, "it does not begin with MeshVersionFormatted: not a Medit file in text");
    word_ = words_.next();  // the version
    for (skip(); !word_.empty() && !equals_ignoring_case(word_, "End"); skip()) SINEW_CHECK(read_section());
    if (file_.mesh.positions.empty())
      return io::error_in(name_, "it has no section Vertices, or an empty one");
    for (Face& face : faces_) SINEW_CHECK(add(face));
    if (faces_.empty()) SINEW_CHECK(add_hull());
    SINEW_CHECK(builder_.finish(name_, file_.warnings));
    return std::move(file_);
  }

 private:
  struct Face {
    Corners corners;
    std::size_t line;
  };

  Error fail(const std::string& what) const { return io::error_at_line(name_, words_.line(), what); }
  // To the next keyword.
  void skip() {
    while (!word_.empty() && parse_double(word_)) word_ = words_.next();
  }

  Result<void> read_section() {
    const std::string section(word_);
    word_ = words_.next();
    if (section == "Dimension") {
      if (word_ != "3") return fail("Dimension " + printable(word_, 40) + ": only meshes in space are read");
      word_ = words_.next();
    }
    if (section == "Vertices") return read_vertices();
    if (section == "Triangles") return read_cells(3, section, faces_);
    if (section == "Quadrilaterals") return read_cells(4, section, faces_);
    if (section == "Tetrahedra") return read_cells(4, section, tetrahedra_);
    return {};
  }

  // A count that what is left of the file can hold, at `least` bytes each.
  Result<std::size_t> read_count(const std::string& section, std::size_t least) {
    const auto count = parse_int(word_);
    if (!count || *count < 0) return fail("'" + printable(word_, 40) + "' is not the number of " + section);
    const auto number = static_cast<std::size_t>(*count);
    if (number > words_.remaining() / least + 1 || number > kMostMedit)
      return fail("the file says it has " + std::to_string(number) + " " + section +
                  " but is too short for them");
    return number;
  }

  Result<void> read_vertices() {
    SINEW_TRY(const std::size_t count, read_count("Vertices", 6));
    if (!file_.mesh.positions.empty()) return fail("there is a second section Vertices");
    file_.mesh.positions.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      SINEW_CHECK(io::read_numbers(words_, name_, {file_.mesh.positions[i].data(), 3}, [&] {
        return "vertex " + std::to_string(i + 1) + " of " + std::to_string(count);
      }));
      words_.next();  // its reference
    }
    word_ = words_.next();
    return {};
  }

  Result<void> read_cells(std::size_t corners, const std::string& section, std::vector<Face>& out) {
    SINEW_TRY(const std::size_t count, read_count(section, 2 * corners));
    for (std::size_t c = 0; c < count; ++c) {
      Face face{Corners(corners), 0};
      for (std::uint32_t& corner : face.corners) {
        const std::string_view word = words_.next();
        const auto index = parse_int(word);
        if (!index || *index < 1 || static_cast<std::size_t>(*index) > kMostMedit)
          return fail("'" + printable(word, 40) + "' is no vertex for " + section + " " +
                      std::to_string(c + 1) + " of " + std::to_string(count) + "; they are counted from 1");
        corner = static_cast<std::uint32_t>(*index - 1);
      }
      face.line = words_.line();
      words_.next();  // its reference
      out.push_back(std::move(face));
    }
    word_ = words_.next();
    return {};
  }

  Result<void> add(Face& face) {
    for (const std::uint32_t corner : face.corners)
      if (corner >= file_.mesh.positions.size())
        return io::error_at_line(name_, face.line,
                                 "vertex " + std::to_string(corner + 1) + " is named, but the file has " +
                                     std::to_string(file_.mesh.positions.size()));
    builder_.add(face.corners, face.line);
    return {};
  }

  // The sides that one tetrahedron alone has, facing outwards.
  Result<void> add_hull() {
    struct Side {
      std::array<std::uint32_t, 3> key;
      Face face;
    };
    std::vector<Side> sides;
    sides.reserve(4 * tetrahedra_.size());
    for (const Face& one : tetrahedra_) {
      constexpr int kSides[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
      for (const auto& side : kSides) {
        Face face{
            {one.corners[static_cast<std::size_t>(side[0])], one.corners[static_cast<std::size_t>(side[1])],
             one.corners[static_cast<std::size_t>(side[2])]},
            one.line};
        std::array<std::uint32_t, 3> key = {face.corners[0], face.corners[1], face.corners[2]};
        std::sort(key.begin(), key.end());
        sides.push_back({key, std::move(face)});
      }
    }
    std::stable_sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) { return a.key < b.key; });
    for (std::size_t k = 0; k < sides.size();) {
      std::size_t next = k + 1;
      while (next < sides.size() && sides[next].key == sides[k].key) ++next;
      if (next == k + 1) SINEW_CHECK(add(sides[k].face));
      k = next;
    }
    return {};
  }

  io::WordReader words_;
  std::string_view name_, word_;
  MeshFile file_;
  io::FaceBuilder builder_;
  std::vector<Face> faces_, tetrahedra_;
};

}  // namespace

Result<MeshFile> read_medit(std::string_view bytes, std::string_view name) {
  std::string storage;
  return MeditReader(io::as_text(bytes, storage), name).read();
}

}  // namespace sinew
