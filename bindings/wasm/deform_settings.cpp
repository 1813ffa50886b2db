// SPDX-License-Identifier: Apache-2.0
#include "deform_settings.h"

#include <cmath>

#include "values.h"

namespace sinew {
namespace {

using emscripten::val;

Error wrong(const char* name, const char* what) {
  return usage_error(std::string(name) + ": give " + what);
}

Result<void> read(const val& settings, const char* name, std::string& into) {
  const val given = settings[name];
  if (given.isUndefined()) return {};
  if (!given.isString()) return wrong(name, "a text");
  into = given.as<std::string>();
  return {};
}

Result<void> read(const val& settings, const char* name, double& into) {
  const val given = settings[name];
  if (given.isUndefined()) return {};
  if (!given.isNumber()) return wrong(name, "a number");
  into = given.as<double>();
  return {};
}

Result<void> read(const val& settings, const char* name, int& into) {
  double number = into;
  SINEW_CHECK(read(settings, name, number));
  if (!(std::abs(number) <= 1e9) || number != std::floor(number)) return wrong(name, "a whole number");
  into = static_cast<int>(number);
  return {};
}

Result<void> read(const val& settings, const char* name, bool& into) {
  const val given = settings[name];
  if (given.isUndefined()) return {};
  if (!given.isTrue() && !given.isFalse()) return wrong(name, "true or false");
  into = given.isTrue();
  return {};
}

// {name: value}.
template <class Value, class Read>
Result<void> read_map(const val& settings, const char* name, std::vector<std::pair<std::string, Value>>& into,
                      Read&& read_one) {
  const val given = settings[name];
  if (given.isUndefined()) return {};
  into.clear();
  const val names = val::global("Object").call<val>("keys", given);
  for (std::size_t k = 0; k < names["length"].as<std::size_t>(); ++k) {
    const auto key = names[k].as<std::string>();
    SINEW_TRY(Value value, read_one(given[key]));
    into.emplace_back(key, std::move(value));
  }
  return {};
}

Result<void> read_handles(const val& settings, std::vector<VertexTarget>& into) {
  const val given = settings["handles"];
  if (given.isUndefined()) return {};
  if (!given.isArray()) return wrong("handles", "a list of {vertex, position}");
  into.clear();
  for (std::size_t k = 0; k < given["length"].as<std::size_t>(); ++k) {
    SINEW_TRY(const double vertex, number_of(given[k]["vertex"]));
    if (!(vertex >= 0 && vertex < 4294967296.0)) return wrong("handles", "vertices by their number");
    SINEW_TRY(const Vec3 position, vector_of(given[k]["position"]));
    into.push_back({static_cast<std::uint32_t>(vertex), position});
  }
  return {};
}

// Calls visit(name, field) for each plain field: what is read and what is told stand in one list.
template <class Request, class Visit>
Result<void> each_field(Request& request, Visit&& visit) {
  SINEW_CHECK(visit("deformer", request.deformer));
  SINEW_CHECK(visit("mix", request.mix));
  SINEW_CHECK(visit("blend", request.blend));
  SINEW_CHECK(visit("fastTwist", request.fast_twist));
  SINEW_CHECK(visit("stiffnessAttribute", request.stiffness_attribute));
  SINEW_CHECK(visit("segments", request.segments));
  SINEW_CHECK(visit("ease", request.ease));
  SINEW_CHECK(visit("amount", request.amount));
  SINEW_CHECK(visit("mushPasses", request.mush_passes));
  SINEW_CHECK(visit("mushStep", request.mush_step));
  SINEW_CHECK(visit("keySpace", request.key_space));
  SINEW_CHECK(visit("place", request.place));
  SINEW_CHECK(visit("springs", request.springs));
  SINEW_CHECK(visit("remove", request.remove));
  SINEW_CHECK(visit("voxels", request.voxels));
  return visit("iterations", request.iterations);
}

}  // namespace

Result<DeformRequest> request_of(const val& settings, DeformRequest usual) {
  if (settings["deformer"].isUndefined()) return usage_error("deformer: give the name of one");
  SINEW_CHECK(each_field(usual, [&](const char* name, auto& field) { return read(settings, name, field); }));
  SINEW_CHECK(read_map(settings, "jointBlends", usual.joint_blends, text_of));
  SINEW_CHECK(read_map(settings, "stiffness", usual.stiffness, number_of));
  SINEW_CHECK(read_handles(settings, usual.handles));
  return usual;
}

val settings_value(const DeformRequest& request) {
  val settings = val::object();
  const auto told = each_field(request, [&](const char* name, const auto& field) -> Result<void> {
    settings.set(name, field);
    return {};
  });
  static_cast<void>(told.ok());
  return settings;
}

}  // namespace sinew
