// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sinew/core/result.h"
#include "sinew/core/settings.h"

namespace sinew {

/// One member of an options struct, described once: command line, rig file, WebAssembly, page and documents
/// are made from tables of these. A new option is one member and one line in a table.
struct Descriptor {
  enum class Kind : std::uint8_t { kFlag, kNumber, kWhole, kWord, kNamedNumbers, kNamedWords };

  std::string_view name;    ///< in files: "passes"
  std::string_view option;  ///< for users, unique among all tables of an interface: "mush-passes"
  std::string_view help;    ///< in words, for all interfaces
  Kind kind = Kind::kNumber;
  double least = -std::numeric_limits<double>::infinity();  ///< of numbers
  double most = std::numeric_limits<double>::infinity();
  std::string_view words = {};  ///< of words: "polar|explog"; empty: any
  Setting (*get)(const void* options) = nullptr;
  void (*set)(void* options, const Setting& value) = nullptr;  ///< of a value that fits

  constexpr Descriptor as(std::string_view option_name) const {
    Descriptor renamed = *this;
    renamed.option = option_name;
    return renamed;
  }
};

namespace detail {

template <class Member>
struct MemberTraits;
template <class Class, class Value>
struct MemberTraits<Value Class::*> {
  using Owner = Class;
  using Type = Value;
};

/// Where a word stands in "polar|explog"; -1: nowhere.
int word_index(std::string_view words, std::string_view word);
std::string_view word_at(std::string_view words, int index);

}  // namespace detail

/// Describes a number, flag, word or list of named values by its member.
template <auto Member>
constexpr Descriptor setting(std::string_view name, std::string_view help,
                             double least = -std::numeric_limits<double>::infinity(),
                             double most = std::numeric_limits<double>::infinity()) {
  using Owner = typename detail::MemberTraits<decltype(Member)>::Owner;
  using Type = typename detail::MemberTraits<decltype(Member)>::Type;
  using Kind = Descriptor::Kind;
  Descriptor made{name, name, help, Kind::kNumber, least, most, {}, nullptr, nullptr};
  made.kind = std::is_same_v<Type, bool>           ? Kind::kFlag
              : std::is_integral_v<Type>           ? Kind::kWhole
              : std::is_floating_point_v<Type>     ? Kind::kNumber
              : std::is_same_v<Type, NamedNumbers> ? Kind::kNamedNumbers
              : std::is_same_v<Type, NamedWords>   ? Kind::kNamedWords
                                                   : Kind::kWord;
  if constexpr (std::is_integral_v<Type> && !std::is_same_v<Type, bool>) {
    made.get = [](const void* owner) {
      return Setting(static_cast<double>(static_cast<const Owner*>(owner)->*Member));
    };
    made.set = [](void* owner, const Setting& value) {
      static_cast<Owner*>(owner)->*Member = static_cast<Type>(std::get<double>(value));
    };
  } else {
    made.get = [](const void* owner) { return Setting(static_cast<const Owner*>(owner)->*Member); };
    made.set = [](void* owner, const Setting& value) {
      static_cast<Owner*>(owner)->*Member = std::get<Type>(value);
    };
  }
  return made;
}

/// Describes an enumeration by its words, in the order of the enumerators, or words of a list.
template <auto Member>
constexpr Descriptor choice(std::string_view name, std::string_view words, std::string_view help) {
  using Owner = typename detail::MemberTraits<decltype(Member)>::Owner;
  using Type = typename detail::MemberTraits<decltype(Member)>::Type;
  Descriptor made{name, name, help, Descriptor::Kind::kWord, 0, 0, words, nullptr, nullptr};
  if constexpr (std::is_enum_v<Type>) {
    // The words are needed where a value is read and written, but a plain function knows no descriptor: they
    // are looked up by number, and put() turns the word into one before.
    made.get = [](const void* owner) {
      return Setting(static_cast<double>(static_cast<int>(static_cast<const Owner*>(owner)->*Member)));
    };
    made.set = [](void* owner, const Setting& value) {
      static_cast<Owner*>(owner)->*Member = static_cast<Type>(static_cast<int>(std::get<double>(value)));
    };
  } else {
    made.get = setting<Member>(name, help).get;
    made.set = setting<Member>(name, help).set;
    made.kind = setting<Member>(name, help).kind;
  }
  return made;
}

/// The default: the member of a new struct.
template <class Options>
Setting default_of(const Descriptor& descriptor);

/// Whether a value may be given for it; the error begins with the option's name.
Result<void> check_setting(const Descriptor& descriptor, const Setting& value);

/// A value as users type it: "0.5", "explog"; named values one at a time, "LeftArm=0.5", which may be given
/// again and again: `before` is what was given so far.
Result<Setting> parse_setting(const Descriptor& descriptor, std::string_view text,
                              const Setting* before = nullptr);
/// "0.5", "explog", "LeftArm=0.5,RightArm=1".
std::string setting_text(const Setting& value);
/// "a number from 0 to 1", "polar or explog".
std::string setting_range(const Descriptor& descriptor);

/// The value of a member, and putting one there that check_setting let through.
Setting get_setting(const Descriptor& descriptor, const void* options);
void put_setting(const Descriptor& descriptor, void* options, const Setting& value);

/// An options struct from name-value pairs; names that the table does not have are left alone. Fails as
/// check_setting does.
Result<void> read_settings(std::span<const Descriptor> table, const Settings& settings, void* options);
template <class Options>
Result<Options> read_settings(std::span<const Descriptor> table, const Settings& settings,
                              Options options = {}) {
  if (auto read = read_settings(table, settings, static_cast<void*>(&options)); !read) return read.error();
  return options;
}

template <class Options>
Setting default_of(const Descriptor& descriptor) {
  const Options usual{};
  return get_setting(descriptor, &usual);
}

}  // namespace sinew
