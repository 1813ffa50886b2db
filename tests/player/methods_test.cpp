// SPDX-License-Identifier: Apache-2.0
// The suites of deform (bits for any number of threads, instruction sets, no allocation in a frame) run over a list
// of their own, since they may not know the player. Whatever the player can build must be in it.
#include "deform/methods.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "sinew/player/deformers.h"

namespace sinew {
namespace {

// What a deformer of the player is called there.
const std::map<std::string, std::string> kInSuites = {{"flesh", "flesh"},
                                                      {"lbs", "lbs"},
                                                      {"dqs", "dqs"},
                                                      {"mix", "mix"},
                                                      {"decomposed", "decomposed"},
                                                      {"swing-twist", "swing_twist"},
                                                      {"joint-dqs", "joint_dqs"},
                                                      {"curve", "curve"},
                                                      {"stretch-lbs", "stretch_linear"},
                                                      {"stretch-dqs", "stretch_dual"},
                                                      {"volume", "volume"},
                                                      {"differential", "differential"},
                                                      {"arap", "arap"},
                                                      {"points", "points"},
                                                      {"points-lbs", "points_linear"},
                                                      {"points-dqs", "points_dual"}};
// Cages follow no joint; the elastic reference solves, and allocates, in every frame. Both have tests of their own.
const std::set<std::string> kElsewhere = {"cage", "elastic"};

TEST(Methods, TheSuitesOfDeformersHoldEveryOneOfThePlayer) {
  std::set<std::string> tested;
  for (const test::Method& method : test::all_methods()) tested.insert(method.name);
  for (const DeformerMethod& method : deformer_methods()) {
    const std::string name(method.name);
    if (kElsewhere.contains(name)) continue;
    ASSERT_TRUE(kInSuites.contains(name)) << name << " is in no suite of tests/deform/methods.h";
    EXPECT_TRUE(tested.contains(kInSuites.at(name))) << name;
  }
  EXPECT_EQ(deformer_methods().size(), kInSuites.size() + kElsewhere.size());
}

}  // namespace
}  // namespace sinew
