// SPDX-License-Identifier: Apache-2.0
// What must not matter to a weight method: where the mesh stands, how large it is, in which order its
// vertices are stored, which way its faces look.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <functional>
#include <numeric>
#include <random>

#include "bone_problem.h"
#include "sinew/weights/bone_heat.h"
#include "sinew/weights/endpoint.h"
#include "sinew/weights/envelope.h"
#include "sinew/weights/harmonic.h"
#include "sinew/weights/inverse_distance.h"

namespace sinew {
namespace {

using test::BoneProblem;

struct Method {
  const char* name;
  bool sees_orientation;  // flipped faces may matter
  std::function<Eigen::MatrixXd(const BindInput&)> run;
};

Eigen::MatrixXd by_heat(const BindInput& input, HeatSource source) {
  auto weights = bone_heat_weights(input, {.source = source});
  return weights.ok() ? weights->values : Eigen::MatrixXd();
}

Eigen::MatrixXd by_points(const BindInput& input, EndpointMethod method) {
  auto fields = endpoint_weights(input, {.method = method});
  return fields.ok() ? fields->values : Eigen::MatrixXd();
}

const std::array<Method, 9>& methods() {
  static const std::array<Method, 9> all = {
      Method{"envelope", false, [](const BindInput& in) { return envelope_weights(in).values; }},
      Method{"inverse distance", false,
             [](const BindInput& in) { return inverse_distance_weights(in).values; }},
      Method{"heat nearest", false, [](const BindInput& in) { return by_heat(in, HeatSource::kNearest); }},
      Method{"heat visible", false, [](const BindInput& in) { return by_heat(in, HeatSource::kVisible); }},
      Method{"heat blender", true, [](const BindInput& in) { return by_heat(in, HeatSource::kBlender); }},
      Method{"harmonic", false, [](const BindInput& in) { return harmonic_weights(in)->values; }},
      Method{"projection", false,
             [](const BindInput& in) { return by_points(in, EndpointMethod::kProjection); }},
      Method{"endpoint by distance", false,
             [](const BindInput& in) { return by_points(in, EndpointMethod::kInverseDistance); }},
      Method{"endpoint by heat", false,
             [](const BindInput& in) { return by_points(in, EndpointMethod::kHeat); }},
  };
  return all;
}

// A bumpy body without symmetry, so that no two bones are equally far from a vertex, and bones inside it.
struct Body {
  PolyMesh mesh;
  std::vector<Bone> bones;
};

Body random_body(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-0.35, 0.35);
  const auto place = [&] { return Vec3(unit(random), unit(random), unit(random)); };
  const Vec3 a = place(), b = place(), c = place(), d = place();
  return {test::random_blob(seed, 14, 8), {{0, a, b}, {1, b, c}, {2, b, d}}};
}

// Rows of the same vertices, where vertex i of `first` is vertex order[i] of `second`.
double difference(const Eigen::MatrixXd& first, const Eigen::MatrixXd& second,
                  const std::vector<std::size_t>& order) {
  if (first.rows() != second.rows() || first.cols() != second.cols() || first.size() == 0) return 1e9;
  double worst = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    worst = std::max(
        worst, (first.row(static_cast<Eigen::Index>(i)) - second.row(static_cast<Eigen::Index>(order[i])))
                   .cwiseAbs()
                   .maxCoeff());
  return worst;
}

std::vector<std::size_t> same_order(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

// A moved copy may see a ray that only grazes a vertex the other way: such bodies are not asked about.
void check_moved(std::uint32_t seed, const Affine3& transform, double tolerance) {
  const Body body = random_body(seed);
  const BoneProblem plain(body.mesh, body.bones),
      moved(test::transformed(body.mesh, transform), test::transformed_bones(body.bones, transform));
  RC_PRE(plain.welded.weld.positions.size() == moved.welded.weld.positions.size());
  for (const Method& method : methods()) {
    const double worst = difference(method.run(plain.input()), method.run(moved.input()),
                                    same_order(plain.welded.weld.positions.size()));
    if (!(worst < tolerance)) RC_FAIL(std::string(method.name) + " changes by " + std::to_string(worst));
  }
}

std::uint32_t any_seed() {
  return *rc::gen::inRange<std::uint32_t>(1, 100000);
}

RC_GTEST_PROP(Invariance, RigidMotion, ()) {
  const std::uint32_t seed = any_seed();
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-3, 3);
  const Vec3 axis(unit(random), unit(random), unit(random));
  Affine3 motion = Affine3::Identity();
  motion.translate(Vec3(unit(random), unit(random), unit(random)))
      .rotate(Eigen::AngleAxisd(unit(random), axis.normalized()));
  check_moved(seed, motion, 1e-6);
}

RC_GTEST_PROP(Invariance, UniformScale, ()) {
  const std::uint32_t seed = any_seed();
  const int exponent = *rc::gen::inRange(-6, 7);
  check_moved(seed, Affine3(Eigen::Scaling(std::pow(10.0, exponent))), 1e-6);
}

RC_GTEST_PROP(Invariance, OrderOfVertices, ()) {
  const std::uint32_t seed = any_seed();
  const Body body = random_body(seed);
  std::vector<std::size_t> order = same_order(body.mesh.vertex_count());
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  std::vector<Vec3> shuffled(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) shuffled[order[i]] = body.mesh.positions[i];
  // The same triangles: quads whose diagonals are alike are cut at their lowest vertex, which is another one
  // now.
  const TriangleView view = triangulate(body.mesh);
  std::vector<Triangle> triangles = view.triangles;
  for (Triangle& t : triangles)
    for (std::uint32_t& corner : t) corner = static_cast<std::uint32_t>(order[corner]);
  std::shuffle(triangles.begin(), triangles.end(), std::mt19937(seed + 1));
  // Not welded: rows then are in the order of the positions.
  for (const Method& method : methods()) {
    const double worst = difference(method.run({{body.mesh.positions, view.triangles}, body.bones}),
                                    method.run({{shuffled, triangles}, body.bones}), order);
    if (!(worst < 1e-6)) RC_FAIL(std::string(method.name) + " changes by " + std::to_string(worst));
  }
}

RC_GTEST_PROP(Invariance, FlippedFaces, ()) {
  const std::uint32_t seed = any_seed();
  const Body body = random_body(seed);
  const BoneProblem plain(body.mesh, body.bones), turned(test::flipped(body.mesh), body.bones);
  bool blender_differs = false;
  for (const Method& method : methods()) {
    const double worst = difference(method.run(plain.input()), method.run(turned.input()),
                                    same_order(plain.welded.weld.positions.size()));
    if (method.sees_orientation)
      blender_differs = worst > 1e-3;
    else if (!(worst < 1e-6))
      RC_FAIL(std::string(method.name) + " changes by " + std::to_string(worst));
  }
  RC_ASSERT(blender_differs);
}

}  // namespace
}  // namespace sinew
