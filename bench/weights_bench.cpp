// SPDX-License-Identifier: Apache-2.0
// Weights of made meshes as large as those that Blender was measured on, and of a fine character.
#include "registry.h"
#include "sinew/characters/characters.h"
#include "sinew/core/parallel.h"
#include "sinew/mesh/weld.h"
#include "sinew/weights/bone_heat.h"
#include "sinew/weights/geodesic.h"

namespace sinew {
namespace {

constexpr double kTwoPi = 6.283185307179586;

// A closed tube along x with `bones` bones in a row, `around` times `rings` vertices.
struct Tube {
  std::vector<Vec3> positions;
  std::vector<Triangle> triangles;
  std::vector<Bone> bones;

  Tube(std::uint32_t around, std::uint32_t rings, std::size_t count) {
    const double length = 10;
    for (std::uint32_t r = 0; r < rings; ++r)
      for (std::uint32_t a = 0; a < around; ++a) {
        // Uneven, as characters are.
        const double t = static_cast<double>(r) / (rings - 1), angle = kTwoPi * a / around;
        const double radius = 0.5 + 0.1 * std::sin(9 * t) + 0.05 * std::cos(3 * angle);
        positions.emplace_back(length * t, radius * std::cos(angle), radius * std::sin(angle));
      }
    for (std::uint32_t r = 0; r + 1 < rings; ++r)
      for (std::uint32_t a = 0; a < around; ++a) {
        const std::uint32_t b = (a + 1) % around, low = r * around, high = low + around;
        triangles.push_back({low + a, low + b, high + b});
        triangles.push_back({low + a, high + b, high + a});
      }
    for (std::size_t j = 0; j < count; ++j) {
      const double step = length / static_cast<double>(count);
      bones.push_back(
          {j, Vec3(step * static_cast<double>(j), 0, 0), Vec3(step * static_cast<double>(j + 1), 0, 0)});
    }
  }
  BindInput input() const { return {{positions, triangles}, bones}; }
};

BenchResult measure_heat(const Tube& tube, const std::string& size) {
  const double seconds = best_seconds([&] { (void)bone_heat_weights(tube.input()).ok(); });
  return {"", size, 1e3 * seconds, "ms"};
}

// The biped, subdivided: once, since it takes long.
template <class Method>
BenchResult measure_fine(Method&& method) {
  auto rig = make_character("biped", {.resolution = 400000});
  if (!rig.ok()) return {"", "no biped", 0, "s"};
  const TriangleView view = triangulate(rig->mesh);
  const WeldedTriangles welded = weld_triangles({rig->mesh.positions, view.triangles});
  const std::vector<Bone> bones = bones_of(rig->skeleton, bind_transforms(*rig));
  set_thread_count(0);
  const auto start = std::chrono::steady_clock::now();
  method(BindInput{welded.view(), bones});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {"",
          std::to_string(welded.weld.positions.size()) + " vertices, " + std::to_string(bones.size()) +
              " bones, all threads",
          seconds, "s"};
}

}  // namespace

void add_weights_benches(std::vector<BenchCase>& cases) {
  cases.push_back({"weights/heat 6034x24",
                   [] { return measure_heat(Tube(32, 189, 24), "6,048 vertices, 24 bones, 1 thread"); }});
  cases.push_back({"weights/heat 8311x4",
                   [] { return measure_heat(Tube(40, 208, 4), "8,320 vertices, 4 bones, 1 thread"); }});
  cases.push_back({"scaling/weights heat", [] {
                     return measure_fine([](const BindInput& input) { (void)bone_heat_weights(input).ok(); });
                   }});
  cases.push_back({"scaling/weights geodesic", [] {
                     return measure_fine([](const BindInput& input) { (void)geodesic_weights(input).ok(); });
                   }});
}

}  // namespace sinew
