// SPDX-License-Identifier: Apache-2.0
// Kinds of bodies that no template and no rule was made with: what a user needs of a skeleton holds for them, too.
// SINEW_BODIES=DIR also writes their meshes there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "sinew/pipeline/auto_rig.h"
#include "sinew/skeleton/pose.h"
#include "support/implicit_body.h"

namespace sinew {
namespace {

using test::BodyPart;
constexpr double kBlend = 0.01;

struct Body {
  const char* name;
  std::vector<const char*> like;  // templates that may be taken
  std::vector<BodyPart> parts;
  void add(BodyPart part) { parts.push_back(std::move(part)); }
  void add_pair(const BodyPart& left) {
    for (BodyPart& one : test::both_sides(left)) parts.push_back(std::move(one));
  }
};

Body octopus() {
  Body body{"octopus", {"none"}, {}};
  body.add({"", {{{0, .25, 0}, .16}, {{0, .5, -.08}, .2}, {{0, .68, -.16}, .14}}});
  for (const double turn : {.4, 1.2, 1.95, 2.75}) {
    const Vec3 out(std::sin(turn), 0, std::cos(turn));
    body.add_pair({"Arm",
                   {{.1 * out + Vec3(0, .2, 0), .07},
                    {.35 * out + Vec3(0, .1, 0), .055},
                    {.7 * out + Vec3(0, .05, 0), .04},
                    {1.05 * out + Vec3(0, .06, 0), .022}}});
  }
  return body;
}

// Trunk, four legs and a tail.
Body four_legs(const char* name, std::vector<const char*> like, double leg = .5) {
  Body body{name, std::move(like), {}};
  body.add({"", {{{0, leg + .1, .35}, .15}, {{0, leg + .12, 0}, .14}, {{0, leg + .12, -.35}, .15}}});
  body.add_pair({"ForeLeg",
                 {{{.1, leg + .02, .38}, .075},
                  {{.11, leg / 2, .36}, .05},
                  {{.11, .05, .38}, .04},
                  {{.11, .03, .43}, .03}}});
  body.add_pair({"HindLeg",
                 {{{.1, leg + .05, -.36}, .09},
                  {{.11, leg * .6, -.3}, .055},
                  {{.11, leg * .3, -.42}, .04},
                  {{.11, .05, -.38}, .035},
                  {{.11, .03, -.33}, .03}}});
  body.add(
      {"Tail", {{{0, leg + .16, -.48}, .04}, {{0, leg + .02, -.66}, .035}, {{0, leg - .2, -.72}, .025}}});
  return body;
}

Body centaur() {
  Body body = four_legs("centaur", {"none", "quadruped", "biped"});
  body.add({"", {{{0, .65, .4}, .13}, {{0, .85, .44}, .11}, {{0, 1.08, .44}, .13}, {{0, 1.22, .44}, .05}}});
  body.add({"Head", {{{0, 1.25, .44}, .06}, {{0, 1.4, .46}, .09}}});
  body.add_pair({"Arm", {{{.14, 1.12, .44}, .055}, {{.36, .95, .46}, .04}, {{.52, .8, .56}, .03}}});
  return body;
}

Body giraffe() {
  Body body = four_legs("giraffe", {"quadruped"}, .8);
  body.add({"Neck", {{{0, 1, .42}, .11}, {{0, 1.5, .62}, .07}, {{0, 1.85, .74}, .06}}});
  body.add({"Head", {{{0, 1.88, .74}, .075}, {{0, 1.82, .92}, .05}}});
  return body;
}

Body dragon() {
  Body body = four_legs("dragon", {"none", "quadruped"}, .45);
  body.add({"Neck", {{{0, .6, .42}, .09}, {{0, .85, .62}, .06}, {{0, .98, .8}, .055}}});
  body.add({"Head", {{{0, 1, .82}, .07}, {{0, .97, 1.02}, .045}}});
  body.add_pair({"Wing", {{{.1, .68, .15}, .05}, {{.45, .98, .1}, .035}, {{.9, .92, -.1}, .025}}});
  body.add({"LongTail", {{{0, .3, -.74}, .035}, {{0, .15, -1.05}, .03}, {{0, .12, -1.35}, .02}}});
  return body;
}

Body kangaroo() {
  Body body{"kangaroo", {"none", "biped", "quadruped"}, {}};
  body.add({"", {{{0, .45, -.05}, .2}, {{0, .75, .08}, .14}, {{0, .92, .14}, .1}}});
  body.add({"Head", {{{0, .95, .15}, .06}, {{0, 1.1, .18}, .075}, {{0, 1.06, .33}, .04}}});
  body.add_pair({"Ear", {{{.04, 1.15, .16}, .03}, {{.07, 1.34, .13}, .018}}});
  body.add(
      {"Tail", {{{0, .38, -.2}, .13}, {{0, .16, -.5}, .09}, {{0, .06, -.8}, .06}, {{0, .05, -1.05}, .035}}});
  body.add_pair(
      {"HindLeg",
       {{{.14, .42, 0}, .12}, {{.18, .3, .2}, .075}, {{.18, .1, -.02}, .05}, {{.18, .04, .3}, .04}}});
  body.add_pair({"Arm", {{{.1, .82, .16}, .05}, {{.15, .66, .24}, .035}, {{.13, .6, .4}, .025}}});
  return body;
}

Body crab() {
  Body body{"crab", {"none"}, {}};
  body.add({"", {{{-.22, .3, 0}, .15}, {{0, .32, 0}, .19}, {{.22, .3, 0}, .15}}});
  for (const double z : {.08, -.02, -.12, -.2})
    body.add_pair(
        {"Leg", {{{.3, .3, .7 * z}, .045}, {{.62, .42, 1.8 * z}, .035}, {{.8, .03, 2.6 * z}, .02}}});
  body.add_pair(
      {"Claw",
       {{{.28, .3, .12}, .05}, {{.5, .32, .36}, .045}, {{.38, .33, .62}, .075}, {{.3, .33, .76}, .04}}});
  return body;
}

Body fish() {
  Body body{"fish", {"none", "snake"}, {}};
  body.add(
      {"",
       {{{0, 0, .5}, .07}, {{0, 0, .25}, .16}, {{0, 0, -.1}, .15}, {{0, 0, -.5}, .05}, {{0, 0, -.62}, .04}}});
  body.add({"", {{{0, 0, -.6}, .035}, {{0, .22, -.82}, .025}}});
  body.add({"", {{{0, 0, -.6}, .035}, {{0, -.2, -.8}, .025}}});
  body.add({"", {{{0, .12, .1}, .03}, {{0, .26, -.05}, .025}, {{0, .12, -.2}, .03}}});
  body.add_pair({"", {{{.12, -.05, .2}, .03}, {{.34, -.14, .05}, .02}}});
  return body;
}

Body seahorse() {
  Body body{"seahorse", {"none", "snake"}, {}};
  body.add({"", {{{0, 1.1, .02}, .07}, {{0, .9, -.06}, .08}, {{0, .6, .02}, .13}, {{0, .35, -.04}, .08}}});
  body.add({"Tail",
            {{{0, .35, -.04}, .075},
             {{0, .1, -.14}, .055},
             {{0, -.1, -.05}, .045},
             {{0, -.14, .1}, .035},
             {{0, -.03, .18}, .028}}});
  body.add({"Snout", {{{0, 1.12, .04}, .07}, {{0, 1.04, .3}, .03}}});
  return body;
}

Body bust() {
  Body body{"bust", {"none"}, {}};
  body.add({"", {{{-.3, .1, 0}, .13}, {{0, .14, 0}, .17}, {{.3, .1, 0}, .13}}});
  body.add({"Head", {{{0, .25, 0}, .08}, {{0, .4, 0}, .075}, {{0, .58, .02}, .13}, {{0, .7, .02}, .12}}});
  return body;
}

Body tree() {
  Body body{"tree", {"none"}, {}};
  body.add({"", {{{0, 0, 0}, .12}, {{.02, .5, .01}, .08}, {{0, .95, 0}, .06}}});
  body.add({"Branch1", {{{.02, .5, 0}, .05}, {{.4, .8, .12}, .035}, {{.62, 1.12, .1}, .02}}});
  body.add({"Branch2", {{{0, .7, 0}, .05}, {{-.35, .95, .2}, .03}, {{-.6, 1.05, .35}, .02}}});
  body.add({"Branch3", {{{0, .9, 0}, .05}, {{.08, 1.25, -.25}, .03}, {{.05, 1.55, -.3}, .02}}});
  body.add({"Branch4", {{{0, .9, 0}, .05}, {{-.1, 1.3, .12}, .035}, {{.02, 1.7, .22}, .02}}});
  return body;
}

Body man(const char* name, std::vector<const char*> like) {
  Body body{name, std::move(like), {}};
  body.add({"", {{{0, .95, 0}, .13}, {{0, 1.15, .01}, .11}, {{0, 1.38, 0}, .14}}});
  body.add_pair(
      {"Leg",
       {{{.1, .88, 0}, .085}, {{.11, .48, .01}, .06}, {{.11, .08, -.02}, .045}, {{.12, .04, .12}, .035}}});
  body.add_pair(
      {"Arm",
       {{{.18, 1.42, 0}, .055}, {{.45, 1.4, -.02}, .042}, {{.72, 1.39, 0}, .03}, {{.85, 1.38, .01}, .03}}});
  return body;
}

Body two_heads() {
  Body body = man("two_heads", {"none", "biped"});
  body.add_pair({"Head", {{{.06, 1.45, 0}, .05}, {{.14, 1.62, .01}, .05}, {{.18, 1.78, .02}, .1}}});
  return body;
}

Body demon() {
  Body body = man("demon", {"biped"});
  body.add({"Head", {{{0, 1.5, 0}, .05}, {{0, 1.68, .02}, .1}}});
  body.add_pair({"Horn", {{{.07, 1.74, .02}, .03}, {{.16, 1.9, 0}, .02}, {{.14, 2.02, 0}, .014}}});
  body.add({"Tail", {{{0, .92, -.1}, .04}, {{0, .6, -.4}, .03}, {{0, .55, -.75}, .022}}});
  return body;
}

Body six_arms() {
  Body body = man("six_arms", {"none", "biped"});
  body.add({"Head", {{{0, 1.5, 0}, .05}, {{0, 1.68, .02}, .1}}});
  body.add_pair({"UpperArm", {{{.16, 1.5, -.02}, .05}, {{.4, 1.68, -.02}, .04}, {{.62, 1.86, 0}, .03}}});
  body.add_pair({"LowerArm", {{{.15, 1.28, 0}, .05}, {{.4, 1.12, .02}, .04}, {{.6, .98, .06}, .03}}});
  return body;
}

Body starfish() {
  Body body{"starfish", {"none", "biped"}, {}};
  for (const double turn : {0.0, 1.2566, 2.5133}) {
    const Vec3 out(std::sin(turn), 0, std::cos(turn));
    const BodyPart arm{"Arm", {{.05 * out, .12}, {.4 * out, .09}, {.8 * out, .045}}};
    if (turn > 0)
      body.add_pair(arm);
    else
      body.add(arm);
  }
  return body;
}

Body ostrich() {
  Body body{"ostrich", {"none", "bird", "biped"}, {}};
  body.add({"", {{{0, .95, .18}, .17}, {{0, .98, -.1}, .2}, {{0, 1.02, -.35}, .09}}});
  body.add({"Neck", {{{0, 1.02, .3}, .07}, {{0, 1.3, .42}, .045}, {{0, 1.65, .4}, .04}}});
  body.add({"Head", {{{0, 1.68, .42}, .06}, {{0, 1.66, .56}, .03}}});
  body.add_pair(
      {"Leg",
       {{{.12, .85, 0}, .09}, {{.13, .55, .08}, .05}, {{.13, .1, -.02}, .035}, {{.13, .04, .14}, .03}}});
  return body;
}

Body turtle() {
  Body body{"turtle", {"none", "quadruped", "biped"}, {}};
  body.add({"",
            {{{0, .2, .3}, .15},
             {{.12, .2, 0}, .17},
             {{0, .2, -.3}, .14},
             {{-.12, .2, 0}, .17},
             {{0, .2, .3}, .15}}});
  body.add({"Head", {{{0, .2, .4}, .07}, {{0, .26, .62}, .075}}});
  body.add_pair({"Flipper", {{{.22, .16, .24}, .06}, {{.5, .12, .36}, .045}, {{.78, .08, .2}, .03}}});
  body.add_pair({"HindFlipper", {{{.18, .15, -.3}, .06}, {{.34, .1, -.5}, .04}, {{.38, .08, -.66}, .03}}});
  return body;
}

const std::vector<Body>& bodies() {
  static const std::vector<Body> all = {octopus(),  centaur(),  giraffe(), dragon(), kangaroo(),  crab(),
                                        fish(),     seahorse(), bust(),    tree(),   two_heads(), demon(),
                                        six_arms(), starfish(), ostrich(), turtle()};
  return all;
}

class UnlikeBodies : public testing::TestWithParam<std::size_t> {};

// Distance from a point to a bone, up to where it ends.
double distance_to(const Bone& bone, const Vec3& p) {
  double least = std::numeric_limits<double>::infinity();
  const std::vector<Vec3> ends = bone.ends.empty() ? std::vector<Vec3>{bone.tail} : bone.ends;
  for (const Vec3& end : ends) {
    const Vec3 way = end - bone.head;
    const double t = way.norm() > 0 ? std::clamp((p - bone.head).dot(way) / way.squaredNorm(), 0.0, 1.0) : 0;
    least = std::min(least, (bone.head + t * way - p).norm());
  }
  return least;
}

std::string image_of(std::string name) {
  for (const auto& [one, other] : {std::pair("Left", "Right"), std::pair("Right", "Left")})
    if (const auto at = name.find(one); at != std::string::npos)
      return name.replace(at, std::string(one).size(), other);
  return name;
}

TEST_P(UnlikeBodies, GetABoneInEveryLongLimbAndJointsInsideAlikeOnBothSides) {
  const Body& body = bodies()[GetParam()];
  const PolyMesh mesh = test::surface_of(body.parts, kBlend);
  const double size = bounding_box(mesh.positions).sizes().maxCoeff();
  if (const char* folder = std::getenv("SINEW_BODIES")) {
    std::ofstream out(std::string(folder) + "/" + body.name + ".obj");
    for (const Vec3& p : mesh.positions) out << "v " << p.x() << ' ' << p.y() << ' ' << p.z() << '\n';
    for (std::size_t f = 0; f < mesh.face_count(); ++f) {
      out << 'f';
      for (const std::uint32_t v : mesh.face(f)) out << ' ' << v + 1;
      out << '\n';
    }
  }
  const PolyMesh* one = &mesh;
  const auto found = auto_skeleton({&one, 1}, {});
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_NE(std::find(body.like.begin(), body.like.end(), found->name), body.like.end()) << found->name;
  const Skeleton& skeleton = found->skeleton;
  const auto globals = global_transforms(skeleton, rest_pose(skeleton).local);
  const std::vector<Bone> bones = bones_of(skeleton, globals);
  for (const BodyPart& part : body.parts) {
    if (part.name.empty() || part.length() < .2 * size) continue;
    for (const double share : {.5, .75}) {
      double nearest = size;
      for (const Bone& bone : bones) nearest = std::min(nearest, distance_to(bone, part.at(share)));
      EXPECT_LT(nearest, 1.5 * part.depth(part.at(share))) << part.name << " at " << share;
    }
  }
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const Vec3 head = globals[j].translation();
    EXPECT_GT(test::depth_in(body.parts, head, kBlend), -.01 * size) << skeleton[j].name;
    const auto image = skeleton.find(image_of(skeleton[j].name));
    ASSERT_TRUE(image.has_value()) << skeleton[j].name;
    const Vec3 other = globals[*image].translation();
    const Vec3 wanted = image == j ? other : Vec3(-head.x(), head.y(), head.z());
    EXPECT_LT((other - wanted).norm(), .03 * size) << skeleton[j].name;
  }
}

INSTANTIATE_TEST_SUITE_P(AutoRig, UnlikeBodies, testing::Range(std::size_t{0}, bodies().size()),
                         [](const auto& one) { return std::string(bodies()[one.param].name); });

}  // namespace
}  // namespace sinew
