// SPDX-License-Identifier: Apache-2.0
// The curves of the built-in characters against their own skeletons, which know where the limbs are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "autorig/ring_direction.h"
#include "sinew/autorig/iso_curves.h"
#include "sinew/characters/characters.h"
#include "sinew/math/segment.h"
#include "sinew/skeleton/pose.h"

namespace sinew {
namespace {

struct Case {
  std::string kind;
  std::vector<std::string> tips;  // joints whose tail lies at a tip
  std::size_t stretches = 0;      // parts that carry limbs and end at a seam
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"cylinder", {"Upper"}, 0},
      {"arm", {}, 0},
      {"hand", {}, 0},
      {"biped", {"Head", "LeftToeBase", "RightToeBase"}, 2},
      {"quadruped", {"LeftToeBase", "RightToeBase", "LeftHand", "RightHand", "Tail3"}, 0},
      {"bird", {}, 2},
      {"snake", {}, 0},
  };
  return all;
}

struct Made {
  Rig rig;
  std::vector<Bone> bones;
  IsoCurves curves;
};

Made make(const std::string& kind, int resolution) {
  Made made;
  made.rig = *make_character(kind, {resolution});
  made.bones =
      bones_of(made.rig.skeleton, global_transforms(made.rig.skeleton, rest_pose(made.rig.skeleton).local));
  auto curves = iso_curves(made.rig.mesh);
  EXPECT_TRUE(curves.ok()) << kind << " " << resolution;
  if (curves.ok()) made.curves = *std::move(curves);
  return made;
}

Vec3 ring_normal(const IsoCurves& curves, std::size_t r, const std::vector<Vec3>& positions,
                 const Vec3& centre) {
  const auto ring = curves.ring(r);
  Vec3 normal = Vec3::Zero();
  for (std::size_t k = 0; k < ring.size(); ++k)
    normal += (positions[ring[k]] - centre).cross(positions[ring[(k + 1) % ring.size()]] - centre);
  return normal.normalized();
}

// How well a ring goes around a bone that runs through it: cosine between its normal and the bone, the best
// of those within `reach` of its centre; 2 where there is none.
double alignment(const Made& made, const Vec3& centre, const Vec3& normal, double reach) {
  double best = -1;
  for (const Bone& bone : made.bones) {
    const Vec3 along = bone.tail - bone.head;
    if (along.norm() < 1e-9) continue;
    const double t = std::clamp((centre - bone.head).dot(along) / along.squaredNorm(), 0.0, 1.0);
    if ((bone.head + t * along - centre).norm() < reach)
      best = std::max(best, std::abs(normal.dot(along.normalized())));
  }
  return best < 0 ? 2 : best;
}

TEST(CharacterCurves, EveryVertexLiesOnOneRingAtEveryResolution) {
  for (const Case& c : cases())
    for (const int resolution : {1200, 4000, 12000}) {
      const Made made = make(c.kind, resolution);
      ASSERT_TRUE(validate(made.curves, made.rig.mesh.vertex_count()).ok()) << c.kind;
      EXPECT_EQ(made.curves.vertices.size(), made.rig.mesh.vertex_count()) << c.kind << " " << resolution;
    }
}

TEST(CharacterCurves, ATipLiesAtTheEndOfEveryLimb) {
  for (const Case& c : cases())
    for (const int resolution : {2000, 8000}) {
      const Made made = make(c.kind, resolution);
      for (const std::string& name : c.tips) {
        const auto joint = made.rig.skeleton.find(name);
        ASSERT_TRUE(joint.has_value()) << c.kind << " " << name;
        double nearest = 1e300;
        const Bone& bone = *std::find_if(made.bones.begin(), made.bones.end(),
                                         [&](const Bone& b) { return b.joint == *joint; });
        for (const IsoCurves::Limb& limb : made.curves.limbs)
          if (limb.has_tip())
            nearest = std::min(nearest, (made.rig.mesh.positions[limb.tip] - bone.tail).norm());
        const Box3 box = bounding_box(made.rig.mesh.positions);
        EXPECT_LT(nearest, 0.12 * box.diagonal().norm()) << c.kind << " " << resolution << " " << name;
      }
      std::size_t stretches = 0;
      for (const IsoCurves::Limb& limb : made.curves.limbs)
        stretches += !limb.has_tip() && limb.seam != kNoRing;
      EXPECT_GE(stretches, c.stretches) << c.kind << " " << resolution;
    }
}

// Rings on limbs stand across the bone that they surround; near a cap and where limbs part, they may not.
TEST(CharacterCurves, RingsOfLimbsStandAcrossTheirBones) {
  for (const Case& c : cases())
    for (const int resolution : {2000, 8000}) {
      const Made made = make(c.kind, resolution);
      const auto& positions = made.rig.mesh.positions;
      const auto centres = ring_centres(made.curves, positions);
      const auto lengths = ring_lengths(made.curves, positions);
      for (std::size_t l = 0; l < made.curves.limbs.size(); ++l) {
        const IsoCurves::Limb& limb = made.curves.limbs[l];
        if (!limb.has_tip() && limb.seam == kNoRing) continue;
        std::size_t closed = 0, across = 0;
        for (std::uint32_t r = limb.first_ring; r < limb.ring_end; ++r) {
          if (!made.curves.is_closed(r)) continue;
          ++closed;
          const Vec3 normal = ring_normal(made.curves, r, positions, centres[r]);
          across += alignment(made, centres[r], normal, lengths[r] / 10) > 0.6;
        }
        EXPECT_GE(closed, 3u) << c.kind << " limb " << l;
        EXPECT_GE(static_cast<double>(across), 0.7 * static_cast<double>(closed))
            << c.kind << " " << resolution << " limb " << l << ": " << across << " of " << closed;
      }
    }
}

// The paper's test of the direction, at quads all along every limb.
TEST(CharacterCurves, RaysTellTheDirectionAroundEveryLimb) {
  for (const Case& c : cases()) {
    const Made made = make(c.kind, 4000);
    const PolyMesh& mesh = made.rig.mesh;
    std::vector<std::uint32_t> faces(mesh.face_count());
    for (std::uint32_t f = 0; f < faces.size(); ++f) faces[f] = f;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> face_at;  // by a directed edge
    for (std::uint32_t f = 0; f < mesh.face_count(); ++f)
      for (std::size_t k = 0; k < 4; ++k) face_at[{mesh.face(f)[k], mesh.face(f)[(k + 1) % 4]}] = f;
    for (std::size_t l = 0; l < made.curves.limbs.size(); ++l) {
      const IsoCurves::Limb& limb = made.curves.limbs[l];
      if (!limb.has_tip()) continue;
      // The middle third of the limb: a tip's cap has no direction.
      int right = 0, asked = 0;
      for (std::uint32_t r = limb.first_ring + limb.size() / 3; r < limb.first_ring + 2 * limb.size() / 3;
           ++r) {
        if (!made.curves.is_closed(r)) continue;
        const auto ring = made.curves.ring(r);
        for (std::size_t k = 0; k < ring.size(); k += ring.size() / 4) {
          const auto found = face_at.find({ring[k], ring[(k + 1) % ring.size()]});
          if (found == face_at.end()) continue;
          const auto direction = autorig::ring_direction(mesh, faces, found->second, ring[k]);
          if (!direction) continue;
          ++asked;
          right += direction->leaving_is_around();
        }
      }
      // On a head, as wide as long, single answers may err.
      EXPECT_GT(2 * right, asked) << c.kind << " limb " << l << ": " << right << " of " << asked;
    }
  }
}

TEST(CharacterCurves, MirroredLimbsHaveAsManyRings) {
  for (const std::string kind : {"biped", "quadruped", "bird"}) {
    const Made made = make(kind, 8000);
    const auto& positions = made.rig.mesh.positions;
    const auto centres = ring_centres(made.curves, positions);
    std::multimap<std::size_t, int> sides;
    int left = 0, right = 0;
    std::vector<std::pair<Vec3, std::uint32_t>> ends;
    for (const IsoCurves::Limb& limb : made.curves.limbs)
      if (limb.seam != kNoRing) ends.emplace_back(centres[limb.seam], limb.size());
    for (const auto& [end, size] : ends) {
      (end.x() > 0 ? left : right) += std::abs(end.x()) > 0.01;
      double nearest = 1e300;
      std::uint32_t mirror = 0;
      for (const auto& [other, other_size] : ends) {
        const double d = (Vec3(-end.x(), end.y(), end.z()) - other).norm();
        if (d < nearest) nearest = d, mirror = other_size;
      }
      EXPECT_NEAR(size, mirror, 1) << kind << " at " << end.transpose();
    }
    EXPECT_EQ(left, right) << kind;
  }
}

TEST(CharacterCurves, MovingAndScalingTheMeshChangesNoLimb) {
  for (const Case& c : cases()) {
    const Made made = make(c.kind, 2000);
    PolyMesh moved = made.rig.mesh;
    const Affine3 motion = Eigen::Translation3d(3, -7, 2) *
                           Eigen::AngleAxisd(1.1, Vec3(1, 2, -0.5).normalized()) * Eigen::Scaling(250.0);
    for (Vec3& p : moved.positions) p = motion * p;
    const auto curves = iso_curves(moved);
    ASSERT_TRUE(curves.ok());
    std::size_t before = 0, after = 0;
    for (const auto& limb : made.curves.limbs) before += limb.has_tip();
    for (const auto& limb : curves->limbs) after += limb.has_tip();
    EXPECT_EQ(before, after) << c.kind;
    EXPECT_EQ(curves->vertices.size(), moved.vertex_count());
  }
}

}  // namespace
}  // namespace sinew
