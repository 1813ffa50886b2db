// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// The verbs and options that the program parses, as words: what completions and manual pages are made of.
namespace sinew::cli {

struct OptionWords {
  std::vector<std::string> names;    // "-o", "--output"; empty: a positional argument
  std::string positional;            // its name then
  std::string value;                 // what --help calls its value; empty: a flag
  std::vector<std::string> choices;  // the values that it can have, where these are known
  std::vector<std::string> help;     // lines; those behind the first are "  name  text", a table of values
  std::string usual;                 // the default, where --help shows one
  std::string group;
  bool repeatable = false, required = false;

  std::string brief() const;  // the first line of the help, up to a semicolon
};

// A verb; an action of a verb, its second word; or the program itself, whose actions are the verbs.
struct VerbWords {
  std::string name, summary, examples;
  std::vector<OptionWords> options;  // in the order of --help, without hidden ones
  std::vector<VerbWords> actions;
};

// Fills `choices`: "a|b|c" as the name of a value, or the rows of a table in the help.
void find_choices(OptionWords& option);

std::vector<std::string> split_at(std::string_view text, char separator);

// A script that completes verbs, options and values: bash, zsh or fish. Empty: another shell.
std::string completion_script(const VerbWords& program, std::string_view shell);

// A manual page in troff: sinew(1), or sinew-VERB(1). Empty: there is no such verb.
std::string manual_page(const VerbWords& program, std::string_view verb, std::string_view version);

}  // namespace sinew::cli
