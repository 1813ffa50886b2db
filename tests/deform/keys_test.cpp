// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/keys.h"

#include <gtest/gtest.h>

#include "support/shapes.h"

namespace sinew {
namespace {

TEST(Keys, AddTheirDeltasTimesTheirWeightsToWhatComesIn) {
  Rig rig;
  rig.mesh = test::box(Vec3(-1, -1, -1), Vec3(1, 1, 1));
  const std::size_t n = rig.mesh.vertex_count();
  rig.keys = {{"a", std::vector<Vec3f>(n, Vec3f(2, 0, 0)), {}, 0.25},
              {"b", std::vector<Vec3f>(n, Vec3f(0, 1, 0)), std::vector<Vec3f>(n, Vec3f(0, 3, 4)), 0}};
  auto keys = build_keys(rig);
  ASSERT_TRUE(keys.ok());
  const std::vector<Vec3f> in(n, Vec3f(5, 6, 7)), normals(n, Vec3f(0, 0, 1));
  std::vector<Vec3f> out(n), out_normals(n);
  const auto workspace = (*keys)->make_workspace();
  const std::vector<double> weights = {-1, 3};
  (*keys)->deform({in, normals, {}, {}, {}, weights}, *workspace, out, out_normals);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(out[i], Vec3f(3, 9, 7));
    EXPECT_LT((out_normals[i] - Vec3f(0, 9, 13).normalized()).norm(), 1e-6f);
  }
  (*keys)->deform({in, normals, {}, {}, {}}, *workspace, out, out_normals);  // the defaults
  EXPECT_EQ(out[0], Vec3f(5.5f, 6, 7));
  EXPECT_EQ(out_normals[0], Vec3f(0, 0, 1));
}

}  // namespace
}  // namespace sinew
