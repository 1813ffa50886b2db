// SPDX-License-Identifier: Apache-2.0
#include "setting_options.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew::cli {
namespace {

std::string value_name(const Descriptor& descriptor) {
  switch (descriptor.kind) {
    case Descriptor::Kind::kNumber:
      return "NUMBER";
    case Descriptor::Kind::kWhole:
      return "N";
    case Descriptor::Kind::kNamedNumbers:
      return "NAME=NUMBER";
    case Descriptor::Kind::kNamedWords:
      return "NAME=WORD";
    default:
      return descriptor.words.empty() ? "WORD" : std::string(descriptor.words);
  }
}

}  // namespace

std::pair<std::string, std::string> owners_and_usual(
    const std::vector<std::pair<std::string_view, Setting>>& owners) {
  std::string names, first, usual;
  std::vector<std::string_view> each;  // arap is a deformer and a step: named once
  for (const auto& [owner, setting] : owners) {
    const bool known = std::find(each.begin(), each.end(), owner) != each.end();
    if (!known) each.push_back(owner);
    const std::string text = setting_text(setting);
    if (each.size() == 1)
      first = usual = text;
    else if (text != first && !known)
      usual += fmt::format(", {} for {}", text, owner);
  }
  for (std::size_t k = 0; k < each.size(); ++k)
    names += (k == 0 ? "" : k + 1 == each.size() ? " and " : ", ") + std::string(each[k]);
  return {names, usual};
}

void SettingOptions::add(const Verb& verb, const Descriptor& descriptor, const std::string& owners,
                         const std::string& usual, const std::string& heading) {
  using Kind = Descriptor::Kind;
  One& one = all_.emplace_back();
  one.descriptor = descriptor;
  const std::string flag = "--" + std::string(descriptor.option);
  std::string help = owners.empty() ? "" : "for " + owners + ": ";
  help += descriptor.help;
  if (descriptor.kind == Kind::kFlag) {
    one.option = verb.flag(flag, one.flag, help);
    if (!heading.empty()) one.option.group(heading);
    return;
  }
  const bool named = descriptor.kind == Kind::kNamedNumbers || descriptor.kind == Kind::kNamedWords;
  if (descriptor.kind == Kind::kNumber || descriptor.kind == Kind::kWhole)
    if (const std::string range = setting_range(descriptor); range != "a number" && !named)
      help += "; " + range;
  if (descriptor.kind == Kind::kNamedWords) help += ": " + std::string(descriptor.words);
  if (named) help += "; repeatable";
  one.option = verb.repeatable(flag, one.texts, help);
  one.option.value_name(value_name(descriptor));
  if (!named) one.option.last_one();
  if (!usual.empty()) one.option.show_default(usual);
  if (!heading.empty()) one.option.group(heading);
}

Result<Settings> SettingOptions::given() const {
  Settings settings;
  for (const One& one : all_) {
    if (!one.option.given()) continue;
    const std::string name(one.descriptor.option);
    if (one.descriptor.kind == Descriptor::Kind::kFlag) {
      settings[name] = one.flag;
      continue;
    }
    for (const std::string& text : one.texts) {
      const auto before = settings.find(name);
      SINEW_TRY(Setting value,
                parse_setting(one.descriptor, text, before == settings.end() ? nullptr : &before->second));
      settings[name] = std::move(value);
    }
  }
  return settings;
}

}  // namespace sinew::cli
