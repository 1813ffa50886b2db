// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/descriptor.h"

#include <fmt/format.h>

#include <cmath>

#include "sinew/core/text.h"

namespace sinew {
namespace {

using Kind = Descriptor::Kind;

// An enumeration holds its number; users and files hold its word.
bool is_enumeration(const Descriptor& descriptor, const Setting& held) {
  return descriptor.kind == Kind::kWord && std::holds_alternative<double>(held);
}

std::string list_of_words(std::string_view words) {
  std::string list;
  for (int k = 0;; ++k) {
    const std::string_view word = detail::word_at(words, k);
    if (word.empty()) return list;
    const bool last = detail::word_at(words, k + 1).empty();
    list += (k == 0 ? "" : last ? " or " : ", ") + std::string(word);
  }
}

bool number_fits(const Descriptor& descriptor, double number) {
  return number >= descriptor.least && number <= descriptor.most && std::isfinite(number);
}

Error wrong_setting(const Descriptor& descriptor, const std::string& what) {
  return parameter_error(std::string(descriptor.option),
                         fmt::format("is {}: give {}", what, setting_range(descriptor)));
}

// "LeftArm=0.5", put to what was given before.
Result<Setting> named_value(const Descriptor& descriptor, std::string_view text, const Setting* before) {
  const bool numbers = descriptor.kind == Kind::kNamedNumbers;
  const std::size_t equals = text.rfind('=');
  const std::string_view said = text.substr(equals + 1);  // all of it, where there is no '='
  const auto number = parse_double(said);
  if (equals == 0 || equals == std::string_view::npos || (numbers && !number))
    return wrong_setting(descriptor, "'" + printable(text) + "'");
  const std::string name(text.substr(0, equals));
  if (numbers) {
    NamedNumbers list = before ? std::get<NamedNumbers>(*before) : NamedNumbers();
    list[name] = *number;
    return Setting(std::move(list));
  }
  NamedWords list = before ? std::get<NamedWords>(*before) : NamedWords();
  list[name] = std::string(said);
  return Setting(std::move(list));
}

Setting plain_value(const Descriptor& descriptor, std::string_view text) {
  if (descriptor.kind == Kind::kFlag && (text == "true" || text == "false")) return Setting(text == "true");
  if (descriptor.kind == Kind::kNumber || descriptor.kind == Kind::kWhole)
    if (const auto number = parse_double(text)) return Setting(*number);
  return Setting(std::string(text));
}

}  // namespace

namespace detail {

std::string_view word_at(std::string_view words, int index) {
  for (; index > 0; --index) {
    const std::size_t bar = words.find('|');
    if (bar == std::string_view::npos) return {};
    words.remove_prefix(bar + 1);
  }
  return words.substr(0, words.find('|'));
}

int word_index(std::string_view words, std::string_view word) {
  for (int k = 0;; ++k) {
    const std::string_view one = word_at(words, k);
    if (one.empty()) return -1;
    if (one == word) return k;
  }
}

}  // namespace detail

std::string setting_range(const Descriptor& descriptor) {
  const auto numbers = [&](const char* one) -> std::string {
    if (std::isfinite(descriptor.least) && std::isfinite(descriptor.most))
      return fmt::format("{} from {:g} to {:g}", one, descriptor.least, descriptor.most);
    if (std::isfinite(descriptor.least)) return fmt::format("{} not below {:g}", one, descriptor.least);
    if (std::isfinite(descriptor.most)) return fmt::format("{} not above {:g}", one, descriptor.most);
    return one;
  };
  const std::string words = descriptor.words.empty() ? "a word" : list_of_words(descriptor.words);
  switch (descriptor.kind) {
    case Kind::kFlag:
      return "true or false";
    case Kind::kNumber:
      return numbers("a number");
    case Kind::kWhole:
      return numbers("a whole number");
    case Kind::kWord:
      return words;
    case Kind::kNamedNumbers:
      return "NAME=VALUE, " + numbers("a number");
    case Kind::kNamedWords:
      return "NAME=VALUE, " + words;
  }
  return "";
}

Result<void> check_setting(const Descriptor& descriptor, const Setting& value) {
  const auto word_fits = [&](const std::string& word) {
    return descriptor.words.empty() || detail::word_index(descriptor.words, word) >= 0;
  };
  bool fits = false;
  switch (descriptor.kind) {
    case Kind::kFlag:
      fits = std::holds_alternative<bool>(value);
      break;
    case Kind::kNumber:
    case Kind::kWhole:
      if (const double* number = std::get_if<double>(&value))
        fits = number_fits(descriptor, *number) &&
               (descriptor.kind == Kind::kNumber || *number == std::floor(*number)) &&
               (descriptor.kind == Kind::kNumber || std::abs(*number) <= 1e9);
      break;
    case Kind::kWord:
      if (const std::string* word = std::get_if<std::string>(&value)) fits = word_fits(*word);
      break;
    case Kind::kNamedNumbers:
      if (const NamedNumbers* list = std::get_if<NamedNumbers>(&value)) {
        fits = true;
        for (const auto& [name, number] : *list)
          if (!number_fits(descriptor, number))
            return wrong_setting(descriptor, fmt::format("{:g} for '{}'", number, printable(name)));
      }
      break;
    case Kind::kNamedWords:
      if (const NamedWords* list = std::get_if<NamedWords>(&value)) {
        fits = true;
        for (const auto& [name, word] : *list)
          if (!word_fits(word))
            return wrong_setting(descriptor, fmt::format("'{}' for '{}'", printable(word), printable(name)));
      }
      break;
  }
  if (fits) return {};
  const bool text = std::holds_alternative<std::string>(value);
  const std::string what = printable(setting_text(value));
  return wrong_setting(descriptor, text ? "'" + what + "'" : what);
}

Result<Setting> parse_setting(const Descriptor& descriptor, std::string_view text, const Setting* before) {
  const bool named = descriptor.kind == Kind::kNamedNumbers || descriptor.kind == Kind::kNamedWords;
  SINEW_TRY(const Setting value,
            named ? named_value(descriptor, text, before) : Result<Setting>(plain_value(descriptor, text)));
  SINEW_CHECK(check_setting(descriptor, value));
  return value;
}

std::string setting_text(const Setting& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{:g}", *number);
  if (const std::string* word = std::get_if<std::string>(&value)) return *word;
  std::string text;
  const auto add = [&](const std::string& name, const std::string& one) {
    text += (text.empty() ? "" : ",") + name + "=" + one;
  };
  if (const NamedNumbers* list = std::get_if<NamedNumbers>(&value))
    for (const auto& [name, number] : *list) add(name, fmt::format("{:g}", number));
  if (const NamedWords* list = std::get_if<NamedWords>(&value))
    for (const auto& [name, word] : *list) add(name, word);
  return text;
}

Setting get_setting(const Descriptor& descriptor, const void* options) {
  Setting held = descriptor.get(options);
  if (!is_enumeration(descriptor, held)) return held;
  return std::string(detail::word_at(descriptor.words, static_cast<int>(std::get<double>(held))));
}

void put_setting(const Descriptor& descriptor, void* options, const Setting& value) {
  if (is_enumeration(descriptor, descriptor.get(options)))
    descriptor.set(options,
                   static_cast<double>(detail::word_index(descriptor.words, std::get<std::string>(value))));
  else
    descriptor.set(options, value);
}

Result<void> read_settings(std::span<const Descriptor> table, const Settings& settings, void* options) {
  for (const Descriptor& descriptor : table) {
    const auto given = settings.find(descriptor.name);
    if (given == settings.end()) continue;
    SINEW_CHECK(check_setting(descriptor, given->second));
    put_setting(descriptor, options, given->second);
  }
  return {};
}

}  // namespace sinew
