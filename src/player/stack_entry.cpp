// SPDX-License-Identifier: Apache-2.0
// One entry of a stack that may hold a step more than once: "keys", "keys#2".
#include <fmt/format.h>

#include <charconv>

#include "sinew/core/text.h"
#include "sinew/player/stack.h"

namespace sinew {
namespace {

const Descriptor* find_setting(std::span<const Descriptor> table, std::string_view name) {
  for (const Descriptor& one : table)
    if (one.name == name || one.option == name) return &one;
  return nullptr;
}

}  // namespace

Result<std::size_t> find_stack_entry(const Stack& stack, std::string_view address) {
  std::string_view step = address;
  std::size_t wanted = 1;
  if (const std::size_t mark = address.rfind('#'); mark != std::string_view::npos) {
    const std::string_view digits = address.substr(mark + 1);
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), wanted);
    if (failure == std::errc() && end == digits.data() + digits.size() && wanted > 0)
      step = address.substr(0, mark);
  }
  std::size_t seen = 0;
  for (std::size_t k = 0; k < stack.size(); ++k)
    if (stack[k].step == step && ++seen == wanted) return k;
  std::string names;
  for (const StackEntry& entry : stack) names += (names.empty() ? "" : ", ") + printable(entry.step);
  return usage_error(fmt::format("the stack has no step '{}' (it has {}): add the step to its order",
                                 printable(address), names.empty() ? "none" : names));
}

Result<void> set_entry_option(Stack& stack, std::string_view address, std::string_view name,
                              std::string_view text) {
  SINEW_TRY(const std::size_t k, find_stack_entry(stack, address));
  StackEntry& entry = stack[k];
  const auto put = [&](const Descriptor& descriptor, const Setting& usual) -> Result<void> {
    const auto held = entry.settings.find(descriptor.name);
    SINEW_TRY(const Setting value,
              parse_setting(descriptor, text, held == entry.settings.end() ? nullptr : &held->second));
    SINEW_CHECK(check_setting(descriptor, value));
    if (value == usual)
      entry.settings.erase(std::string(descriptor.name));
    else
      entry.settings[std::string(descriptor.name)] = value;
    return {};
  };
  if (entry.step == "skeleton") {
    if (name == "deformer") {
      SINEW_TRY(const DeformerMethod* named, find_deformer(text));
      entry.settings["deformer"] = std::string(named->name);
      return {};
    }
    SINEW_TRY(const DeformerMethod* method, find_deformer(entry.word("deformer", "lbs")));
    if (const Descriptor* one = find_setting(method->settings, name)) return put(*one, method->usual(*one));
  }
  for (const StackStep& step : stack_steps())
    if (step.name == entry.step)
      if (const Descriptor* one = find_setting(step.settings, name)) return put(*one, step.usual(*one));
  return usage_error(fmt::format("step '{}' has no setting '{}'", printable(address), printable(name)));
}

}  // namespace sinew
