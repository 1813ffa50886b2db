// SPDX-License-Identifier: Apache-2.0
#include "pipeline/export_places.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

// Six vertices at two points: 0, 2 and 4 move alike, 5 has other weights, 1 and 3 part in the second frame.
SkinSequence six_vertices(SkinWeights& rows) {
  SkinSequence sequence;
  sequence.joints = 2;
  sequence.frames = 2;
  const Vec3 a(1, 0, 0), b(0, 1, 0);
  sequence.rest = {a, b, a, b, a, a};
  for (std::size_t i = 0; i < 6; ++i) {
    sequence.shapes.push_back(sequence.rest[i].cast<float>());
    sequence.shapes.push_back(sequence.rest[i].cast<float>() + Vec3f(0, 0, i == 3 ? 2.0f : 1.0f));
    rows.add_row(std::vector<Influence>{{i == 5 ? 1u : 0u, 1.0}});
  }
  sequence.morphs.push_back({std::vector<Vec3f>(6, Vec3f::Ones()), {0, 1}});
  return sequence;
}

TEST(ExportPlaces, VerticesOfOnePlaceWeightsAndMotionAreOne) {
  SkinWeights rows;
  SkinSequence sequence = six_vertices(rows);
  EXPECT_EQ(export_places(sequence, rows, {}).to_place, (std::vector<std::uint32_t>{0, 1, 0, 2, 0, 3}));
  const std::vector<std::uint8_t> fixed = {0, 0, 0, 0, 1, 0};
  EXPECT_EQ(export_places(sequence, rows, fixed).to_place, (std::vector<std::uint32_t>{0, 1, 0, 2, 3, 4}));
  sequence.morphs[0].deltas[2] = Vec3f::Zero();
  EXPECT_EQ(export_places(sequence, rows, {}).to_place, (std::vector<std::uint32_t>{0, 1, 2, 3, 0, 4}));
}

TEST(ExportPlaces, WhatIsTakenOnceComesBackForAll) {
  SkinWeights rows;
  const SkinSequence sequence = six_vertices(rows);
  const ExportPlaces places = export_places(sequence, rows, {});
  const SkinSequence once = places.one_each(sequence);
  ASSERT_EQ(once.vertices(), 4u);
  ASSERT_EQ(once.shapes.size(), 8u);
  const SkinWeights again = places.all(places.one_each(rows));
  const std::vector<Vec3f> deltas = places.all(once.morphs[0].deltas);
  for (std::size_t i = 0; i < 6; ++i) {
    const std::uint32_t place = places.to_place[i];
    EXPECT_EQ(once.rest[place], sequence.rest[i]);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(once.shapes[2 * place + k], sequence.shapes[2 * i + k]);
    EXPECT_EQ(again.row(i)[0].joint, rows.row(i)[0].joint);
    EXPECT_EQ(deltas[i], sequence.morphs[0].deltas[i]);
  }
}

}  // namespace
}  // namespace sinew
