// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew::test {

// A well-formed .off, .obj or .ply of the test data, vertices and faces as stored. For tests of modules
// below io. An empty mesh where the kind is not known.
PolyMesh read_test_mesh(const std::filesystem::path& path);

// The meshes of a folder of the test data that read_test_mesh knows, by name.
std::vector<std::filesystem::path> test_meshes(const std::filesystem::path& folder);

// One table of the data's README: file name -> column title -> text of the cell.
using ReadmeTable = std::map<std::string, std::map<std::string, std::string>>;
ReadmeTable readme_table(const std::filesystem::path& data, const std::string& group);

}  // namespace sinew::test
