// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "autorig/template_data.h"
#include "sinew/core/result.h"

namespace sinew::autorig {

// One way of a template (by the surface, or by rings) as lines of words and numbers, five digits each.
std::string to_text(const TemplateData& data);

// Words of a text, one after the other; lines that begin with # are passed over.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}
  std::string_view next();
  double number();      // fails where there is none
  std::size_t count();  // a whole number of at most kMost
  bool expect(std::string_view word);
  bool failed() const { return failed_; }
  bool at_end();

  static constexpr double kMost = 100'000;

 private:
  std::string_view rest_;
  bool failed_ = false;
};
// kBadInput where the words are no template or its parts contradict each other.
Result<std::shared_ptr<const TemplateData>> template_from(Words& words, const std::string& name);

// The text of src/autorig/templates/NAME.template; empty where there is none. Made by cmake.
std::string_view built_in_text(std::string_view name);

}  // namespace sinew::autorig
