// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "console.h"
#include "sinew/core/result.h"
#include "verb_words.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

// All that the verbs know of the command line's parser. CLI11 is seen by command_line.cpp alone: its
// templates took longer to compile than every verb together.
namespace sinew::cli {

// Headings of options that many verbs share: one line in --help, all of them in --help-all.
inline constexpr const char* kDeformerSettings = "Deformer settings";
inline constexpr const char* kWeightSettings = "Weight settings";

// An option of a verb. The rules return the option, so that they can be chained.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  const Option& required() const;
  const Option& range(int least, int most) const;
  const Option& range(double least, double most) const;
  const Option& one_of(std::initializer_list<int> values) const;
  const Option& needs(
      const std::string& option) const;             // only together with that one, which was added before
  const Option& values(int least, int most) const;  // how many a list takes
  const Option& one_each() const;                   // a list takes one value each time it is given
  const Option& group(const std::string& heading) const;
  const Option& show_default() const;                         // --help says what the variable holds now
  const Option& show_default(const std::string& text) const;  // or these words
  const Option& value_name(const std::string& text) const;    // what --help calls its value
  const Option& last_one() const;                             // of several, the last one counts
  bool given() const;                                         // after parsing

 private:
  CLI::Option* option_;
};

// The commit that the program was built from, with "-dirty" behind it where files differed; or "unknown".
std::string_view commit();

struct Program;

// A verb. Options write into variables of the caller, which must live as long as the program's `run`.
class Verb {
 public:
  Verb(Program* program, CLI::App* app) : program_(program), app_(app) {}
  // names: "-o,--output", or without dashes a positional argument.
  Option option(const std::string& names, std::string& value, const std::string& help) const;
  Option option(const std::string& names, int& value, const std::string& help) const;
  Option option(const std::string& names, std::uint16_t& value, const std::string& help) const;
  Option option(const std::string& names, std::size_t& value, const std::string& help) const;
  Option option(const std::string& names, double& value, const std::string& help) const;
  Option option(const std::string& names, std::vector<std::string>& values, const std::string& help) const;
  Option option(const std::string& names, std::vector<std::size_t>& values, const std::string& help) const;
  // "!--no-tips" sets its variable to false.
  Option flag(const std::string& names, bool& value, const std::string& help) const;
  // May be given several times, one value each.
  Option repeatable(const std::string& names, std::vector<std::string>& values,
                    const std::string& help) const;
  // A second word behind the verb, which takes the verb's own options too; one of them must be given.
  Verb action(const std::string& name, const std::string& summary) const;
  // Words behind "--" go there as they are.
  void rest(std::vector<std::string>& words) const;
  // Words at the end of --help.
  void footer(const std::string& text) const;
  // What the program does if this verb was chosen.
  void runs(std::function<Result<void>()> job) const;

 private:
  Program* program_;
  CLI::App* app_;
};

// The program: its parser, its console, and what the verb on the command line does.
struct Program {
  Program();
  ~Program();
  // nullopt: go on with `run`. Else the exit code: 0 after help or version, kUsage after a misuse; said to
  // the user either way.
  std::optional<int> parse(int argc, const char* const* argv);
  VerbWords words() const;  // the verbs and their options

  Console console;
  std::function<Result<void>()> run;
  std::unique_ptr<CLI::App> app;
  std::map<std::string, std::vector<std::string>*> rest;  // where words behind "--" go, by verb
};

// A verb with the options that all have; `examples` comes first in its --help.
Verb add_verb(Program& program, const std::string& name, const std::string& summary,
              const std::string& examples);

}  // namespace sinew::cli
