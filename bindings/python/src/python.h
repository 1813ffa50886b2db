// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "sinew/core/descriptor.h"
#include "sinew/core/result.h"

namespace sinew::python {

namespace nb = nanobind;

/// Throws the exception that sinew._errors has for the error's code. Its parameter is named as Python does:
/// mush_passes.
[[noreturn]] void raise(Error error);

template <class T>
T value_of(Result<T>&& result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// A report as dict, list, str, int, float, bool and None.
nb::object to_python(const nlohmann::ordered_json& document);

/// "mush_passes" for "mush-passes", and back.
std::string python_name(std::string_view option);
std::string option_name(std::string_view name);

/// What Python gives for a setting: a bool, a number, a word, a dict of numbers or words; text is read as the
/// command line reads it. Raises as check_setting and parse_setting fail.
Setting setting_of(const Descriptor& descriptor, nb::handle value);
nb::object to_python(const Setting& value);

/// What is given of a table, by option; None counts for nothing. `of`: whose settings they are, for the sentence
/// about a name that the table has not.
Settings settings_of(std::span<const Descriptor> table, const nb::dict& given, const char* of);

/// One entry of what sinew.settings() lists.
nb::dict describe(const Descriptor& descriptor, const std::string& owner, const Setting& usual);

/// The value of a keyword, where the dict has one that is not None; a value of another type raises, naming it.
template <class T>
bool take(const nb::dict& from, const char* name, T& value) {
  if (!from.contains(name)) return false;
  const nb::object given = from[name];
  if (given.is_none()) return false;
  if (!nb::try_cast(given, value))
    raise(parameter_error(name, std::string("cannot be ") + nb::repr(given).c_str() + ": " +
                                    (std::is_same_v<T, bool>          ? "give True or False"
                                     : std::is_integral_v<T>          ? "give a whole number"
                                     : std::is_floating_point_v<T>    ? "give a number"
                                     : std::is_same_v<T, std::string> ? "give a word"
                                                                      : "give a list")));
  return true;
}

void add_nouns(nb::module_& module);
void add_files(nb::module_& module);
void add_poses(nb::module_& module);
void add_binding(nb::module_& module);
void add_edits(nb::module_& module);
void add_reports(nb::module_& module);
void add_pictures(nb::module_& module);
void add_player(nb::module_& module);
void add_device(nb::module_& module);
void add_batch(nb::module_& module);

}  // namespace sinew::python
