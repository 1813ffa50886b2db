// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "deform/methods.h"
#include "deform/rig_samples.h"

namespace {
std::atomic<int> allocations{0};
}

// The whole program's allocations are counted; only differences are looked at.
__attribute__((noinline)) void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
__attribute__((noinline)) void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
__attribute__((noinline)) void operator delete(void* memory) noexcept {
  std::free(memory);
}
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace sinew {
namespace {

class PerFrame : public testing::TestWithParam<test::Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, PerFrame, testing::ValuesIn(test::all_methods()), test::method_name);

TEST_P(PerFrame, NothingIsAllocated) {
  const test::Sample sample = GetParam().sample(5003, 20, 9);
  const std::size_t n = sample.positions.size();
  set_thread_count(1);
  const auto deformer = GetParam().build(sample.rig);
  ASSERT_TRUE(deformer.ok());
  const auto workspace = (*deformer)->make_workspace();
  std::vector<Vec3f> positions(n), normals(n);
  const int before = allocations;
  (*deformer)->deform(sample.input(), *workspace, positions, normals);
  EXPECT_EQ(allocations - before, 0);
  set_thread_count(0);
}

}  // namespace
}  // namespace sinew
