// SPDX-License-Identifier: Apache-2.0
#include "judge.h"

#include <sinew/io/write_mesh.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

static thread_local long count = 0;
static std::atomic<int> good_threads{0}, bad_threads{0};

long allocations() {
  return count;
}

void judge(bool good) {
  ++(good ? good_threads : bad_threads);
}

int failed(const std::string& sentence) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
  return 1;
}

int verdict(const sinew::PolyMesh& rest, const std::vector<Vertex>& vertices, const char* file) {
  if (bad_threads > 0 || good_threads == 0) return failed("a thread allocated, or a frame failed");
  sinew::PolyMesh mesh = rest;
  mesh.normals.resize(vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    mesh.positions[i] = sinew::Vec3f(vertices[i].position).cast<double>();
    mesh.normals[i] = sinew::Vec3f(vertices[i].normal);
    if (vertices[i].uv[0] != 0 || vertices[i].uv[1] != 0) return failed("what lies between was written to");
  }
  return sinew::save_mesh(mesh, file, sinew::Overwrite::kYes) ? 0 : failed("the mesh could not be written");
}

void* operator new(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  ++count;
  const auto align = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(align, (size + align - 1) / align * align)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
