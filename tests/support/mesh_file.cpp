// SPDX-License-Identifier: Apache-2.0
#include "support/mesh_file.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace sinew::test {
namespace {

// Words of a file, comments left out.
std::istringstream words_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line, text;
  while (std::getline(file, line)) text += line.substr(0, line.find('#')) + "\n";
  return std::istringstream(text);
}

// Vertices may carry normals or colours behind their three coordinates, faces colours behind their corners.
PolyMesh read_off(const std::filesystem::path& path) {
  auto in = words_of(path);
  std::string magic, line;
  std::size_t vertices = 0, faces = 0, edges = 0;
  in >> magic >> vertices >> faces >> edges;
  PolyMesh mesh;
  while (mesh.vertex_count() + mesh.face_count() < vertices + faces && std::getline(in, line)) {
    std::istringstream words(line);
    std::size_t count = 0;
    Vec3 p;
    if (mesh.vertex_count() < vertices) {
      if (words >> p.x() >> p.y() >> p.z()) mesh.positions.push_back(p);
    } else if (words >> count) {
      std::vector<std::uint32_t> corners(count);
      for (std::uint32_t& v : corners) words >> v;
      mesh.add_face(corners);
    }
  }
  return mesh;
}

// Only what the data holds: binary little-endian, three doubles a vertex, `uchar int` lists.
PolyMesh read_ply(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string word;
  std::size_t vertices = 0, faces = 0;
  while (in >> word && word != "end_header") {
    if (word != "element") continue;
    in >> word;
    in >> (word == "vertex" ? vertices : faces);
  }
  in.get();
  PolyMesh mesh;
  mesh.positions.resize(vertices);
  for (Vec3& p : mesh.positions) in.read(reinterpret_cast<char*>(p.data()), 3 * sizeof(double));
  for (std::size_t f = 0; f < faces; ++f) {
    std::vector<std::uint32_t> corners(static_cast<std::size_t>(in.get()));
    in.read(reinterpret_cast<char*>(corners.data()), static_cast<std::streamsize>(4 * corners.size()));
    mesh.add_face(corners);
  }
  return mesh;
}

PolyMesh read_obj(const std::filesystem::path& path) {
  std::ifstream in(path);
  PolyMesh mesh;
  std::string line, kind, corner;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    words >> kind;
    if (kind == "v") {
      Vec3 p;
      words >> p.x() >> p.y() >> p.z();
      mesh.positions.push_back(p);
    } else if (kind == "f") {
      std::vector<std::uint32_t> corners;
      while (words >> corner)
        corners.push_back(static_cast<std::uint32_t>(std::strtoul(corner.c_str(), nullptr, 10) - 1));
      mesh.add_face(corners);
    }
    kind.clear();
  }
  return mesh;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '|');) {
    const auto first = cell.find_first_not_of(" `"), last = cell.find_last_not_of(" `");
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
  }
  return cells;
}

}  // namespace

PolyMesh read_test_mesh(const std::filesystem::path& path) {
  if (path.extension() == ".off") return read_off(path);
  if (path.extension() == ".obj") return read_obj(path);
  if (path.extension() == ".ply") return read_ply(path);
  return {};
}

std::vector<std::filesystem::path> test_meshes(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto extension = entry.path().extension();
    if (extension == ".off" || extension == ".obj" || extension == ".ply") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

ReadmeTable readme_table(const std::filesystem::path& data, const std::string& group) {
  std::ifstream in(data / "README.md");
  std::string line;
  while (std::getline(in, line) && line != "## " + group) continue;
  while (std::getline(in, line) && line.rfind("| file", 0) != 0) continue;
  const std::vector<std::string> titles = cells_of(line);
  std::getline(in, line);
  ReadmeTable table;
  while (std::getline(in, line) && line.rfind("|", 0) == 0) {
    const std::vector<std::string> cells = cells_of(line);
    for (std::size_t k = 1; k < std::min(cells.size(), titles.size()); ++k)
      table[cells[1]][titles[k]] = cells[k];
  }
  return table;
}

}  // namespace sinew::test
