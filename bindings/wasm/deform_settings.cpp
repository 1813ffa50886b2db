// SPDX-License-Identifier: Apache-2.0
#include "deform_settings.h"

#include <cctype>
#include <cmath>

#include "values.h"

namespace sinew {
namespace {

using emscripten::val;
using Kind = Descriptor::Kind;

// "mush-passes" is mushPasses in JavaScript.
std::string camel_case(std::string_view option) {
  std::string name;
  for (std::size_t k = 0; k < option.size(); ++k)
    if (option[k] == '-' && k + 1 < option.size())
      name += static_cast<char>(std::toupper(static_cast<unsigned char>(option[++k])));
    else
      name += option[k];
  return name;
}

// An error of the library, with the name that JavaScript has for the parameter.
Error renamed(Error error) {
  if (!error.parameter.empty() && error.message.starts_with(error.parameter))
    error.message.replace(0, error.parameter.size(), camel_case(error.parameter));
  return error;
}

Error wrong(const Descriptor& descriptor) {
  return usage_error(camel_case(descriptor.option) + ": give " + setting_range(descriptor));
}

std::vector<std::string> names_of(const val& object) {
  return emscripten::vecFromJSArray<std::string>(val::global("Object").call<val>("keys", object));
}

Result<Setting> setting_of(const Descriptor& descriptor, const val& given) {
  switch (descriptor.kind) {
    case Kind::kFlag:
      if (given.isTrue() || given.isFalse()) return Setting(given.isTrue());
      break;
    case Kind::kNumber:
    case Kind::kWhole:
      if (given.isNumber()) return Setting(given.as<double>());
      break;
    case Kind::kWord:
      if (given.isString()) return Setting(given.as<std::string>());
      break;
    case Kind::kNamedNumbers: {
      if (given.typeOf().as<std::string>() != "object" || given.isNull()) break;
      NamedNumbers list;
      for (const std::string& name : names_of(given)) {
        if (!given[name].isNumber()) return wrong(descriptor);
        list[name] = given[name].as<double>();
      }
      return Setting(std::move(list));
    }
    case Kind::kNamedWords: {
      if (given.typeOf().as<std::string>() != "object" || given.isNull()) break;
      NamedWords list;
      for (const std::string& name : names_of(given)) {
        if (!given[name].isString()) return wrong(descriptor);
        list[name] = given[name].as<std::string>();
      }
      return Setting(std::move(list));
    }
  }
  return wrong(descriptor);
}

val value_of(const Setting& setting) {
  if (const bool* flag = std::get_if<bool>(&setting)) return val(*flag);
  if (const double* number = std::get_if<double>(&setting)) return val(*number);
  if (const std::string* word = std::get_if<std::string>(&setting)) return val(*word);
  val object = val::object();
  if (const NamedNumbers* list = std::get_if<NamedNumbers>(&setting))
    for (const auto& [name, number] : *list) object.set(name, number);
  if (const NamedWords* list = std::get_if<NamedWords>(&setting))
    for (const auto& [name, word] : *list) object.set(name, word);
  return object;
}

Result<void> read_held(const val& settings, std::vector<VertexTarget>& into) {
  const val given = settings["handles"];
  if (given.isUndefined()) return {};
  if (!given.isArray()) return usage_error("handles: give a list of {vertex, position}");
  into.clear();
  for (std::size_t k = 0; k < given["length"].as<std::size_t>(); ++k) {
    SINEW_TRY(const double vertex, number_of(given[k]["vertex"]));
    if (!(vertex >= 0 && vertex < 4294967296.0)) return usage_error("handles: give vertices by their number");
    SINEW_TRY(const Vec3 position, vector_of(given[k]["position"]));
    into.push_back({static_cast<std::uint32_t>(vertex), position});
  }
  return {};
}

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kFlag:
      return "flag";
    case Kind::kNumber:
      return "number";
    case Kind::kWhole:
      return "whole";
    case Kind::kWord:
      return "word";
    case Kind::kNamedNumbers:
      return "namedNumbers";
    case Kind::kNamedWords:
      return "namedWords";
  }
  return "";
}

}  // namespace

Result<DeformWish> wish_of(const val& settings, const Stack& stack) {
  if (settings["deformer"].isUndefined()) return usage_error("deformer: give the name of one");
  DeformWish wish{stack, {}};
  // The deformer comes first in the table: it may put a step into the stack that reads others.
  for (const StackOption& option : stack_options()) {
    const val given = settings[camel_case(option.descriptor.option)];
    if (given.isUndefined()) continue;
    if (option.descriptor.option == "remove" && given.isString() && given.as<std::string>().empty()) continue;
    SINEW_TRY(const Setting value, setting_of(option.descriptor, given));
    if (value == get_option(wish.stack, option)) continue;  // steps that come twice keep what each has
    if (auto set = set_option(wish.stack, option.descriptor.option, value); !set) return renamed(set.error());
  }
  SINEW_CHECK(read_held(settings, wish.held));
  return wish;
}

val settings_value(const Stack& stack) {
  val settings = val::object();
  for (const StackOption& option : stack_options())
    settings.set(camel_case(option.descriptor.option), value_of(get_option(stack, option)));
  return settings;
}

val setting_table() {
  val list = val::array();
  for (const StackOption& option : stack_options()) {
    if (option.descriptor.option == "subdivide") continue;  // frames are of the rig's own vertices
    val one = val::object(), words = val::array(), owners = val::object();
    one.set("name", camel_case(option.descriptor.option));
    one.set("help", std::string(option.descriptor.help));
    one.set("kind", std::string(kind_name(option.descriptor.kind)));
    if (std::isfinite(option.descriptor.least)) one.set("least", option.descriptor.least);
    if (std::isfinite(option.descriptor.most)) one.set("most", option.descriptor.most);
    for (int k = 0;; ++k) {
      const std::string_view word = detail::word_at(option.descriptor.words, k);
      if (word.empty()) break;
      words.call<void>("push", std::string(word));
    }
    for (const auto& [owner, usual] : option.owners) owners.set(std::string(owner), value_of(usual));
    one.set("words", words);
    one.set("owners", owners);
    list.call<void>("push", one);
  }
  return list;
}

}  // namespace sinew
