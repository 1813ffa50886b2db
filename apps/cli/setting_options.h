// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/descriptor.h"
#include "verbs.h"

namespace sinew::cli {

// Options of a verb that come from tables of descriptors.
class SettingOptions {
 public:
  // `owners`: what reads it, "for curve: ..."; `usual`: shown as the default; empty: none. `heading`: of its
  // group in --help; empty: the verb's own options.
  void add(const Verb& verb, const Descriptor& descriptor, const std::string& owners,
           const std::string& usual, const std::string& heading);
  // A whole table; defaults that are 0 or empty stand in the help.
  template <class Options>
  void add_table(const Verb& verb, std::span<const Descriptor> table) {
    for (const Descriptor& one : table) {
      const std::string usual = setting_text(default_of<Options>(one));
      add(verb, one, "", usual == "0" ? "" : usual, "");
    }
  }
  // What the user gave, by the names of the options. kUsage: a value that does not fit.
  Result<Settings> given() const;

 private:
  struct One {
    Descriptor descriptor;
    std::vector<std::string> texts;
    bool flag = false;
    Option option{nullptr};
  };
  std::list<One> all_;
};

// Those who read an option, "arap and points", and what is usual: "30, 6 for points".
std::pair<std::string, std::string> owners_and_usual(
    const std::vector<std::pair<std::string_view, Setting>>& owners);

}  // namespace sinew::cli
