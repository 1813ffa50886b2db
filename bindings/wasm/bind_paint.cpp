// SPDX-License-Identifier: Apache-2.0
// Painting and looks of sinew.d.ts.
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include "guarded.h"
#include "session.h"
#include "sinew/io/surface_looks.h"
#include "values.h"

namespace sinew {

using emscripten::val;

namespace {

template <class Value>
Result<Value> one_of(const val& stroke, const char* key,
                     std::initializer_list<std::pair<const char*, Value>> names) {
  SINEW_TRY(const std::string text, text_of(stroke[key]));
  std::string list;
  for (const auto& [name, value] : names) {
    if (text == name) return value;
    list += std::string(list.empty() ? "" : ", ") + name;
  }
  return usage_error("a stroke's " + std::string(key) + " is one of " + list + ", not '" + text + "'");
}

Result<Stroke> stroke_of(const val& value, const Rig& rig) {
  Stroke stroke;
  SINEW_TRY(stroke.stiffness, one_of<bool>(value, "kind", {{"weight", false}, {"stiffness", true}}));
  SINEW_TRY(const double joint, number_of(value["joint"]));
  if (!stroke.stiffness && !(joint >= 0 && joint < static_cast<double>(rig.skeleton.size())))
    return usage_error("there is no such joint to paint");
  if (!stroke.stiffness) stroke.joint = static_cast<std::uint32_t>(joint);
  SINEW_TRY(stroke.brush.mode, one_of<BrushMode>(value, "mode",
                                                 {{"add", BrushMode::kAdd},
                                                  {"replace", BrushMode::kReplace},
                                                  {"smooth", BrushMode::kSmooth}}));
  SINEW_TRY(stroke.falloff, one_of<Falloff>(value, "falloff",
                                            {{"smooth", Falloff::kSmooth},
                                             {"linear", Falloff::kLinear},
                                             {"sphere", Falloff::kSphere},
                                             {"constant", Falloff::kConstant}}));
  SINEW_TRY(stroke.brush.value, number_of(value["value"]));
  SINEW_TRY(stroke.radius, number_of(value["radius"]));
  SINEW_TRY(stroke.strength, number_of(value["strength"]));
  stroke.mirror = value["mirror"].isTrue();
  stroke.flood = value["flood"].isTrue();
  SINEW_TRY(const std::vector<std::uint32_t> locked, numbers_of<std::uint32_t>(value["locked"]));
  stroke.locked.assign(rig.skeleton.size(), 0);
  for (const std::uint32_t j : locked)
    if (j < stroke.locked.size()) stroke.locked[j] = 1;
  return stroke;
}

void paint(Session& session, const val& value, const val& numbers, bool begin) {
  guarded([&]() -> Result<void> {
    SINEW_TRY(const Stroke stroke, stroke_of(value, session.rig()));
    SINEW_TRY(const std::vector<double> list, numbers_of<double>(numbers));
    if (list.size() % 5 != 0) return usage_error("a dab has five numbers: vertex, x, y, z, pressure");
    std::vector<Dab> dabs;
    for (std::size_t k = 0; k < list.size(); k += 5) {
      if (!(list[k] >= 0 && list[k] < 4e9)) return usage_error("there is no such vertex");
      dabs.push_back(
          {static_cast<std::uint32_t>(list[k]), {list[k + 1], list[k + 2], list[k + 3]}, list[k + 4]});
    }
    return session.paint(stroke, dabs, begin);
  });
}

void paint_to(Session& session, int strokes) {
  guarded([&] { return session.paint_to(strokes); });
}

val looks(const Session& session) {
  return guarded([&]() -> Result<val> {
    const SurfaceLooks found = read_surface_looks(session.asset());
    if (found.empty()) return val::null();
    val result = val::object(), materials = val::array();
    for (const SurfaceLooks::Material& material : found.materials)
      materials.call<void>("push", material.index);
    result.set("materials", materials);
    // The page draws triangles: each is of its face's material.
    const TriangleView view = triangulate(session.rig().mesh);
    std::vector<std::uint32_t> of_triangle;
    for (const std::uint32_t face : view.face) of_triangle.push_back(found.of_face[face]);
    result.set("ofTriangle", copy_of(of_triangle.data(), of_triangle.size()));
    const auto floats = [](const auto& list) {
      return list.empty() ? val::null()
                          : copy_of(list[0].data(), list.size() * static_cast<std::size_t>(list[0].size()));
    };
    val sets = val::array();
    for (const std::vector<Vec2f>& set : found.stored) sets.call<void>("push", floats(set));
    result.set("texcoords", sets);
    result.set("colours", floats(found.colours));
    result.set("warnings", list_of(found.warnings));
    return result;
  });
}

}  // namespace

// Called where the class is declared.
void bind_paint(emscripten::class_<Session>& session) {
  session.function("paint", &paint)
      .function("paintTo", &paint_to)
      .function("strokes", &Session::strokes)
      .function("looks", &looks);
}

}  // namespace sinew
