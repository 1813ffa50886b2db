// SPDX-License-Identifier: Apache-2.0
// Two passes over fixed pieces of the text, each parallel. The first counts `v`, `vt` and lines, so that the
// second knows where its vertices go, what negative indices mean and which line it is in; texture seams are
// cut at the end, in order.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <unordered_map>

#include "io/text_input.h"
#include "sinew/core/parallel.h"
#include "sinew/core/text.h"
#include "sinew/io/mesh_files.h"

namespace sinew {
namespace {

using io::error_at_line;
using io::WarningCount;

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kLongestName = 1024, kMostLibraries = 64;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Logical lines: one that ends in a backslash goes on in the next. Comments do not, since paths in them may
// end so.
class ObjLines {
 public:
  explicit ObjLines(std::string_view text) : lines_(text), words_(std::string_view()) {}

  bool next() {
    if (!lines_.next_line()) return false;
    number_ = lines_.line_number();
    std::string_view line = lines_.line();
    if (!line.empty() && line.back() == '\\' && !is_comment(line)) line = joined(line);
    words_ = LineReader(line);
    words_.next_line();
    return true;
  }
  // The next word, empty at the end of the line and from a # on.
  std::string_view word() {
    const std::string_view word = words_.next_word();
    if (!word.empty() && word[0] == '#') {
      words_ = LineReader(std::string_view());
      return {};
    }
    return word;
  }
  // What is left of the line, without blanks around it.
  std::string_view rest() {
    const std::string_view first = words_.next_word();
    if (first.empty()) return {};
    const std::string_view line = words_.line();
    std::string_view rest = line.substr(static_cast<std::size_t>(first.data() - line.data()));
    const std::size_t last = rest.find_last_not_of(" \t\r");
    return rest.substr(0, last == std::string_view::npos ? 0 : last + 1);
  }
  // Whether the line is in the text itself, so that what is read of it stays.
  bool lasts() const { return words_.line().data() != buffer_.data(); }
  std::size_t number() const { return number_; }
  std::size_t physical_lines() const { return lines_.line_number(); }

 private:
  static bool is_comment(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t");
    return first != std::string_view::npos && line[first] == '#';
  }
  std::string_view joined(std::string_view line) {
    buffer_.clear();
    for (;;) {
      const bool goes_on = !line.empty() && line.back() == '\\';
      buffer_ += goes_on ? line.substr(0, line.size() - 1) : line;
      buffer_ += ' ';
      if (!goes_on || !lines_.next_line()) return buffer_;
      line = lines_.line();
    }
  }

  LineReader lines_, words_;
  std::string buffer_;
  std::size_t number_ = 0;
};

struct Piece {
  std::string_view text;
  std::size_t vertices = 0, texcoords = 0, lines = 0;                // counted here
  std::size_t first_vertex = 0, first_texcoord = 0, first_line = 0;  // of all pieces before
  std::vector<std::uint32_t> sizes, corners, corner_texcoords;  // faces; texcoords kNone where there is none
  std::vector<std::array<std::uint32_t, 2>> edges;              // of `l` lines
  std::vector<std::pair<std::size_t, std::string_view>> materials;  // from which face of the piece on
  std::vector<std::string> libraries;
  std::vector<Vec3f> colours;  // empty, or one for each vertex; white where it has none
  WarningCount dropped, elements, bad_texcoords, missing_texcoords, odd_numbers;
  std::optional<Error> error;
};

// Cuts behind line ends that no backslash continues.
std::vector<Piece> cut(std::string_view text) {
  std::vector<Piece> pieces;
  while (!text.empty()) {
    std::size_t end = std::min(text.size(), kPieceBytes);
    for (; end < text.size(); ++end) {
      end = text.find('\n', end);
      if (end == std::string_view::npos) end = text.size() - 1;
      const std::size_t last = text.substr(0, end).find_last_not_of('\r');
      if (last == std::string_view::npos || text[last] != '\\') break;
    }
    end = std::min(text.size(), end + 1);
    pieces.emplace_back().text = text.substr(0, end);
    text.remove_prefix(end);
  }
  return pieces;
}

void count(Piece& piece) {
  ObjLines lines(piece.text);
  while (lines.next()) {
    const std::string_view word = lines.word();
    if (word == "v") ++piece.vertices;
    if (word == "vt") ++piece.texcoords;
  }
  piece.lines = lines.physical_lines();
}

// "3.1+e2" is 3.1e+2 with its sign in the wrong place; some exporters write it.
std::optional<double> parse_odd_number(std::string_view word) {
  const std::size_t at = word.find_first_of("eE");
  if (at == std::string_view::npos || at < 2 || word.size() > 64 ||
      (word[at - 1] != '+' && word[at - 1] != '-'))
    return {};
  std::string swapped(word);
  std::swap(swapped[at - 1], swapped[at]);
  return parse_double(swapped);
}

class PieceReader {
 public:
  PieceReader(Piece& piece, std::string_view name, PolyMesh& mesh, std::vector<Vec2f>& texcoords)
      : piece_(piece), name_(name), mesh_(mesh), texcoords_(texcoords), lines_(piece.text) {}

  void read() {
    vertex_ = piece_.first_vertex;
    texcoord_ = piece_.first_texcoord;
    while (!piece_.error && lines_.next()) {
      const std::string_view word = lines_.word();
      if (word == "v") {
        read_vertex();
      } else if (word == "vt") {
        read_texcoord();
      } else if (word == "f" || word == "fo") {
        read_face();
      } else if (word == "l") {
        read_polyline();
      } else if (word == "usemtl") {
        // A name over several lines is no name.
        const std::string_view name = lines_.rest();
        if (lines_.lasts()) piece_.materials.emplace_back(piece_.sizes.size(), name.substr(0, kLongestName));
      } else if (word == "mtllib") {
        if (piece_.libraries.size() < kMostLibraries) piece_.libraries.emplace_back(lines_.rest());
      } else if (word == "p") {
        piece_.elements.see(line());
      }
    }
  }

 private:
  std::size_t line() const { return piece_.first_line + lines_.number(); }
  void fail(const std::string& what) { piece_.error = error_at_line(name_, line(), what); }

  void read_vertex() {
    Vec3& position = mesh_.positions[vertex_++];
    for (int axis = 0; axis < 3; ++axis) {
      const std::string_view word = lines_.word();
      std::optional<double> number = parse_double(word);
      if (!number && (number = parse_odd_number(word))) piece_.odd_numbers.see(line());
      if (!number) {
        if (word.empty()) return fail("a vertex needs three coordinates");
        return fail("'" + printable(word, 40) + "' is not a finite number; a vertex needs three of them");
      }
      position[axis] = *number;
    }
    if (const std::string_view word = lines_.word(); !word.empty()) read_colour(word);
  }

  // Three numbers behind the three of the place; one alone is a weight.
  void read_colour(std::string_view word) {
    Vec3f colour;
    for (int k = 0; k < 3; ++k) {
      const auto number = parse_double(k == 0 ? word : lines_.word());
      if (!number || *number < 0 || *number > 255) return;
      colour[k] = static_cast<float>(*number);
    }
    if (piece_.colours.empty()) piece_.colours.assign(piece_.vertices, Vec3f::Ones());
    piece_.colours[vertex_ - 1 - piece_.first_vertex] = colour;
  }

  void read_texcoord() {
    Vec2f value(0, 0);
    for (int axis = 0; axis < 2; ++axis) {
      const std::string_view word = lines_.word();
      if (word.empty() && axis == 1) break;
      const auto number = parse_double(word);
      if (!number || !(std::abs(*number) < 1e30)) {
        piece_.bad_texcoords.see(line());
        value = Vec2f(0, 0);
        break;
      }
      value[axis] = static_cast<float>(*number);
    }
    texcoords_[texcoord_++] = Vec2f(value.x(), 1 - value.y());
  }

  // 0-based from the 1-based or negative index of the file; nullopt where there is no such line.
  static std::optional<std::uint32_t> resolve(std::int64_t index, std::size_t so_far, std::size_t all) {
    if (index > 0 && index <= static_cast<std::int64_t>(all)) return static_cast<std::uint32_t>(index - 1);
    if (index < 0 && index >= -static_cast<std::int64_t>(so_far))
      return static_cast<std::uint32_t>(static_cast<std::int64_t>(so_far) + index);
    return std::nullopt;
  }

  bool read_corner(std::string_view word) {
    const std::size_t slash = word.find('/');
    const auto index = parse_int(word.substr(0, slash));
    std::int64_t texture = 0;
    if (slash != std::string_view::npos) {
      const std::string_view rest = word.substr(slash + 1);
      const std::string_view text = rest.substr(0, rest.find('/'));
      const auto number = text.empty() ? std::optional<std::int64_t>(0) : parse_int(text);
      if (!number)
        return fail("'" + printable(word, 40) + "' is not a face corner such as 7, 7/3 or 7/3/5"), false;
      texture = *number;
    }
    if (!index)
      return fail("'" + printable(word, 40) + "' is not a face corner such as 7, 7/3 or 7/3/5"), false;
    const auto vertex = resolve(*index, vertex_, mesh_.positions.size());
    if (!vertex) {
      fail("a face names vertex " + std::to_string(*index) + ", but " +
           (*index < 0 ? "only " + std::to_string(vertex_) + " stand before it"
                       : "the file has vertices 1 to " + std::to_string(mesh_.positions.size())));
      return false;
    }
    const auto texcoord = resolve(texture, texcoord_, texcoords_.size());
    if (texture != 0 && !texcoord) piece_.missing_texcoords.see(line());
    corners_.push_back(*vertex);
    corner_texcoords_.push_back(texcoord.value_or(kNone));
    return true;
  }

  // What names no vertex is left out: lines are an extra, and a mesh is whole without them.
  void read_polyline() {
    std::optional<std::uint32_t> before;
    for (std::string_view word = lines_.word(); !word.empty(); word = lines_.word()) {
      const auto index = parse_int(word.substr(0, word.find('/')));
      const auto vertex = index ? resolve(*index, vertex_, mesh_.positions.size()) : std::nullopt;
      if (!vertex) return piece_.elements.see(line());
      if (before && *before != *vertex) piece_.edges.push_back({*before, *vertex});
      before = vertex;
    }
  }

  void read_face() {
    corners_.clear();
    corner_texcoords_.clear();
    for (std::string_view word = lines_.word(); !word.empty(); word = lines_.word())
      if (!read_corner(word)) return;
    tidied_ = corners_;
    if (!io::tidy_face(tidied_)) return piece_.dropped.see(line());
    piece_.sizes.push_back(static_cast<std::uint32_t>(tidied_.size()));
    // The tidied corners are a subsequence: each keeps the texture coordinate of its first mention.
    for (std::size_t i = 0, at = 0; i < tidied_.size(); ++i, ++at) {
      while (corners_[at] != tidied_[i]) ++at;
      piece_.corners.push_back(tidied_[i]);
      piece_.corner_texcoords.push_back(corner_texcoords_[at]);
    }
  }

  Piece& piece_;
  std::string_view name_;
  PolyMesh& mesh_;
  std::vector<Vec2f>& texcoords_;
  ObjLines lines_;
  std::size_t vertex_ = 0, texcoord_ = 0;
  std::vector<std::uint32_t> corners_, corner_texcoords_, tidied_;
};

struct CornerKey {
  std::uint32_t vertex;
  std::array<std::uint32_t, 2> texcoord;
  bool operator==(const CornerKey&) const = default;
};
struct CornerHash {
  std::size_t operator()(const CornerKey& key) const {
    std::uint64_t hash = key.vertex;
    for (const std::uint32_t part : key.texcoord) hash = (hash ^ part) * 0x9E3779B97F4A7C15u + (hash >> 29);
    return static_cast<std::size_t>(hash ^ (hash >> 32));
  }
};

// Gives every vertex its texture coordinate. The first one that a face names stays with the vertex itself;
// each other value makes a copy behind the last vertex. Corners without one take what the vertex has.
class SeamCutter {
 public:
  SeamCutter(PolyMesh& mesh, const std::vector<Vec2f>& texcoords)
      : mesh_(mesh), texcoords_(texcoords), named_(mesh.positions.size(), false) {
    mesh_.texcoords.assign(mesh.positions.size(), Vec2f::Zero());
  }

  std::uint32_t corner(std::uint32_t vertex, std::uint32_t index) {
    if (index == kNone) return vertex;
    const Vec2f value = texcoords_[index] + Vec2f::Zero();  // -0 becomes 0
    if (!named_[vertex]) {
      named_[vertex] = true;
      mesh_.texcoords[vertex] = value;
      return vertex;
    }
    if (mesh_.texcoords[vertex] == value) return vertex;
    CornerKey key{vertex, {}};
    std::memcpy(key.texcoord.data(), value.data(), sizeof key.texcoord);
    const auto [place, is_new] = copies_.try_emplace(key, static_cast<std::uint32_t>(mesh_.positions.size()));
    if (is_new) {
      origins_.push_back(vertex);
      mesh_.positions.push_back(Vec3(mesh_.positions[vertex]));
      mesh_.texcoords.push_back(value);
    }
    return place->second;
  }

  // The vertices that the copies behind the last are copies of.
  std::span<const std::uint32_t> origins() const { return origins_; }

 private:
  PolyMesh& mesh_;
  const std::vector<Vec2f>& texcoords_;
  std::vector<std::uint32_t> origins_;
  std::vector<bool> named_;
  std::unordered_map<CornerKey, std::uint32_t, CornerHash> copies_;
};

// Returns the vertices that copies were made of.
std::vector<std::uint32_t> join_faces(const std::vector<Piece>& pieces, const std::vector<Vec2f>& texcoords,
                                      PolyMesh& mesh) {
  std::size_t faces = 0, corners = 0;
  bool textured = false;
  for (const Piece& piece : pieces) {
    faces += piece.sizes.size();
    corners += piece.corners.size();
    textured = textured || std::any_of(piece.corner_texcoords.begin(), piece.corner_texcoords.end(),
                                       [](std::uint32_t index) { return index != kNone; });
  }
  if (faces == 0) return {};
  mesh.face_offsets.reserve(faces + 1);
  mesh.face_offsets.push_back(0);
  mesh.face_vertices.reserve(corners);
  std::optional<SeamCutter> cutter;
  if (textured) cutter.emplace(mesh, texcoords);
  for (const Piece& piece : pieces) {
    for (const std::uint32_t size : piece.sizes) mesh.face_offsets.push_back(mesh.face_offsets.back() + size);
    for (std::size_t i = 0; i < piece.corners.size(); ++i)
      mesh.face_vertices.push_back(cutter ? cutter->corner(piece.corners[i], piece.corner_texcoords[i])
                                          : piece.corners[i]);
  }
  if (!cutter) return {};
  return {cutter->origins().begin(), cutter->origins().end()};
}

// Colours of all vertices, of copies too; numbers up to 255 are told from those up to 1 by the largest.
void join_colours(const std::vector<Piece>& pieces, std::span<const std::uint32_t> origins, MeshFile& file) {
  float largest = 0;
  for (const Piece& piece : pieces)
    for (const Vec3f& colour : piece.colours) largest = std::max(largest, colour.maxCoeff());
  if (std::none_of(pieces.begin(), pieces.end(), [](const Piece& p) { return !p.colours.empty(); })) return;
  file.colours.assign(file.mesh.vertex_count() - origins.size(), Vec3f::Ones());
  for (const Piece& piece : pieces)
    std::copy(piece.colours.begin(), piece.colours.end(),
              file.colours.begin() + static_cast<std::ptrdiff_t>(piece.first_vertex));
  if (largest > 1)
    for (Vec3f& colour : file.colours)
      if (colour != Vec3f::Ones()) colour /= 255;
  for (const std::uint32_t origin : origins) file.colours.push_back(Vec3f(file.colours[origin]));
}

// The material of each face, by number in the order of first use.
void join_materials(const std::vector<Piece>& pieces, MeshFile& file) {
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  std::string_view current;
  std::uint32_t number = kNone;
  for (const Piece& piece : pieces) {
    std::size_t next = 0;
    for (std::size_t f = 0; f < piece.sizes.size(); ++f) {
      for (; next < piece.materials.size() && piece.materials[next].first <= f; ++next)
        current = piece.materials[next].second, number = kNone;
      if (number == kNone) {
        const auto [place, is_new] = numbers.try_emplace(current, static_cast<std::uint32_t>(numbers.size()));
        if (is_new) file.materials.emplace_back(current);
        number = place->second;
      }
      file.face_materials.push_back(number);
    }
    for (; next < piece.materials.size(); ++next) current = piece.materials[next].second, number = kNone;
  }
  if (file.materials.size() == 1) file.face_materials.clear();
  if (file.materials.size() == 1 && file.materials[0].empty()) file.materials.clear();
}

void add_notes(const std::vector<Piece>& pieces, std::vector<std::string>& warnings) {
  WarningCount dropped, elements, bad_texcoords, missing_texcoords, odd_numbers;
  for (const Piece& piece : pieces) {
    dropped.add(piece.dropped);
    elements.add(piece.elements);
    bad_texcoords.add(piece.bad_texcoords);
    missing_texcoords.add(piece.missing_texcoords);
    odd_numbers.add(piece.odd_numbers);
  }
  io::warn(warnings, dropped, io::kDroppedFaces);
  io::warn(warnings, elements, "lines of points, or of vertices that do not exist, were left out");
  io::warn(warnings, bad_texcoords, "texture coordinates are not numbers and were read as 0");
  io::warn(warnings, missing_texcoords, "face corners name a texture coordinate that does not exist");
  io::warn(warnings, odd_numbers, "numbers such as 3.1+e2 were read as 3.1e+2");
}

// Counts every piece and tells it what stands before it; the totals are those behind the last.
Piece count_all(std::vector<Piece>& pieces) {
  parallel_for(pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) count(pieces[i]);
  });
  Piece total;
  for (Piece& piece : pieces) {
    piece.first_vertex = total.vertices;
    piece.first_texcoord = total.texcoords;
    piece.first_line = total.lines;
    total.vertices += piece.vertices;
    total.texcoords += piece.texcoords;
    total.lines += piece.lines;
  }
  return total;
}

}  // namespace

Result<MeshFile> read_obj(std::string_view bytes, std::string_view name) {
  std::string storage;
  std::vector<Piece> pieces = cut(io::as_text(bytes, storage));
  const Piece total = count_all(pieces);
  if (total.vertices == 0)
    return io::error_in(name, "it has no vertices ('v' lines); it is empty or not an OBJ file");
  // Also bounds the copies: each needs a corner of its own.
  if (bytes.size() / 2 > kNone) return io::error_in(name, "it is larger than 8 GB; split it into parts");
  MeshFile file;
  file.mesh.positions.resize(total.vertices);
  std::vector<Vec2f> texcoords(total.texcoords);
  parallel_for(pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) PieceReader(pieces[i], name, file.mesh, texcoords).read();
  });
  for (const Piece& piece : pieces)
    if (piece.error) return *piece.error;
  join_colours(pieces, join_faces(pieces, texcoords, file.mesh), file);
  if (std::any_of(pieces.begin(), pieces.end(), [](const Piece& p) { return !p.materials.empty(); }))
    join_materials(pieces, file);
  for (const Piece& piece : pieces)
    file.libraries.insert(file.libraries.end(), piece.libraries.begin(), piece.libraries.end());
  for (const Piece& piece : pieces)
    file.edges.insert(file.edges.end(), piece.edges.begin(), piece.edges.end());
  add_notes(pieces, file.warnings);
  return file;
}

}  // namespace sinew
