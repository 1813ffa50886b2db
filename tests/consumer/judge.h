// SPDX-License-Identifier: Apache-2.0
// What holds the consumer to its word; nothing that an engine would need.
#pragma once

#include <string>
#include <vector>

namespace sinew {
struct PolyMesh;
}

struct Vertex {
  float position[3], normal[3], uv[2];
};

long allocations();                       // of this thread so far
void judge(bool good);                    // what a thread found
int failed(const std::string& sentence);  // says it; 1
// Writes the vertices as an .obj; 0 where all threads were content.
int verdict(const sinew::PolyMesh& mesh, const std::vector<Vertex>& vertices, const char* file);
