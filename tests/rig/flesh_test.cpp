// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/flesh.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/rig/rig.h"

namespace sinew {
namespace {

// The products of pair_factors as its header lists them, written out one by one, with their harmonics.
TurnValues listed(const Vec3& own, const Vec3& partner, double share) {
  const double a = std::hypot(own.x(), own.y()), b = std::atan2(own.y(), own.x()) - share * own.z();
  const double c = own.z(), big = std::hypot(partner.x(), partner.y()),
               to = std::atan2(partner.y(), partner.x());
  const double x = std::sin(big) * std::cos(to), y = std::sin(big) * std::sin(to), u = 1 - std::cos(big);
  const double z = std::sin(partner.z()), w = 1 - std::cos(partner.z());
  const double s = std::sin(a), r = 1 - std::cos(a);
  TurnValues values{};
  const auto pair = [&](std::size_t at, int n, double factor) {
    values[at] = factor * std::cos(n * b);
    values[at + 1] = factor * std::sin(n * b);
  };
  pair(0, 1, s * x), pair(2, 1, s * y), pair(16, 1, s * u), pair(18, 1, s * z), pair(22, 1, s * w);
  pair(24, 1, s * std::sin(c) * z);
  pair(6, 2, r * x), pair(8, 2, r * y), pair(26, 2, r * u), pair(28, 2, r * z), pair(10, 3, r * s * u);
  values[4] = r * x, values[5] = r * y, values[20] = r * u, values[21] = r * z;
  values[12] = std::sin(c) * x, values[13] = std::sin(c) * y;
  values[14] = std::sin(c) * z, values[15] = std::sin(c) * u;
  return values;
}

Flesh one_field() {
  Flesh flesh;
  flesh.weights.offsets = {0};
  FleshField field;
  field.joint = 1;
  field.partner = FleshPartner{0, {1.0, 0.8}};
  for (std::size_t k = 0; k < 2 * kTurnFunctions; ++k)
    field.mixes.push_back(0.1f * static_cast<float>(k % 13) - 0.6f);
  field.steps = {0.01f, 0.02f};
  field.vertices = {0, 1};
  field.twist = {0.25f, 0.75f};
  field.values = {10, -20, 30, 40, 50, -60, 1, 2, 3, -4, 5, 6};
  flesh.fields.push_back(field);
  return flesh;
}

std::vector<JointMove> moves_at(const Vec3& partner, const Vec3& own) {
  std::vector<JointMove> moves(2);
  moves[0].turn = partner;
  moves[1].turn = own;
  for (JointMove& move : moves) move.still = move.turn.isZero(0);
  return moves;
}

TEST(PairField, IsTheSumOfItsModesOverTheListedProducts) {
  const Flesh flesh = one_field();
  const FleshField& field = flesh.fields[0];
  for (const auto& [partner, own] :
       {std::pair(Vec3(0.4, -0.3, 0.5), Vec3(-0.7, 0.2, 0.9)), std::pair(Vec3(0, 0, -0.6), Vec3(0.3, 0.8, 0)),
        std::pair(Vec3(2, -1, 2), Vec3(0.1, 0, -0.4))}) {
    std::vector<Vec3> moved{Vec3(1, 2, 3), Vec3(-1, 0, 5)};
    const std::vector<Vec3> rest = moved;
    add_flesh_fields(flesh, {}, moves_at(partner, own), moved, {});
    for (std::size_t v = 0; v < 2; ++v) {
      const TurnValues functions =
          listed(own, field.partner->range.clamp(partner), static_cast<double>(field.twist[v]));
      Vec3 shift = Vec3::Zero();
      for (std::size_t m = 0; m < 2; ++m) {
        double amount = 0;
        for (std::size_t f = 0; f < kTurnFunctions; ++f)
          amount += static_cast<double>(field.mixes[m * kTurnFunctions + f]) * functions[f];
        const std::int8_t* value = &field.values[3 * (2 * v + m)];
        shift += amount * static_cast<double>(field.steps[m]) * Vec3(value[0], value[1], value[2]);
      }
      EXPECT_GT(shift.norm(), 1e-3);
      EXPECT_LT((moved[v] - rest[v] - shift).norm(), 1e-12);
    }
  }
}

TEST(PairField, DoesNothingAtAllWhereOneOfTheTwoRests) {
  const Flesh flesh = one_field();
  for (const auto& [partner, own] :
       {std::pair(Vec3(0, 0, 0), Vec3(-0.7, 0.2, 0.9)), std::pair(Vec3(0.4, -0.3, 0.5), Vec3(0, 0, 0))}) {
    std::vector<Vec3> moved{Vec3(1, 2, 3), Vec3(-1, 0, 5)};
    const std::vector<Vec3> rest = moved;
    for (const bool still : {true, false}) {  // whether or not it is known
      std::vector<JointMove> moves = moves_at(partner, own);
      if (!still) moves[0].still = moves[1].still = false;
      add_flesh_fields(flesh, {}, moves, moved, {});
      EXPECT_EQ(moved, rest);
    }
    for (const double factor : pair_factors(own, partner)) EXPECT_EQ(factor, 0);
  }
}

TEST(PairField, IsRefusedWithAPartnerThatIsNotThere) {
  Rig rig;
  Joint above, below;
  above.name = "above", below.name = "below", below.parent = 0;
  rig.skeleton = *Skeleton::create({above, below});
  rig.inverse_bind.resize(2, Affine3::Identity());
  rig.mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0)};
  rig.parts.resize(1);
  rig.parts[0].vertex_count = 2;
  for (int i = 0; i < 2; ++i) rig.weights.add_row(std::vector<Influence>{{0, 1.0}});
  rig.flesh = one_field();
  rig.flesh.weights = {{-1, -1}, {0, 0, 0}, {}};
  const auto good = validate(rig);
  EXPECT_TRUE(good.ok()) << good.error().message;
  for (const std::uint32_t joint : {1u, 2u, 4000000000u}) {
    rig.flesh.fields[0].partner->joint = joint;
    EXPECT_FALSE(validate(rig).ok()) << joint;
  }
}

}  // namespace
}  // namespace sinew
