// SPDX-License-Identifier: Apache-2.0
// Only for command_line.cpp, the one source that sees CLI11.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.h"
#include "sinew/core/suggest.h"
#include "sinew/core/text.h"
#include "verb_words.h"

namespace sinew::cli {

// The pages of the verbs. The summary of a verb in the list of verbs is its last line: examples belong to its
// own page. Groups of settings, which many verbs share, are one line unless --help-all asks for them.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    all_ = mode == CLI::AppFormatMode::All;
    verb_ = app->get_name();
    return CLI::Formatter::make_help(app, std::move(name), mode);
  }

  std::string make_subcommand(const CLI::App* sub) const override {
    const std::string text = sub->get_description();
    return fmt::format("  {:<12}{}\n", sub->get_name(), text.substr(text.rfind('\n') + 1));
  }

  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (all_ || (group != kDeformerSettings && group != kWeightSettings))
      return CLI::Formatter::make_group(group, is_positional, options);
    return fmt::format(
        "\n{}:\n  {} options, {} to {}: 'sinew {} --help-all' lists them, docs/settings.md explains them\n",
        group, options.size(), options.front()->get_name(), options.back()->get_name(), verb_);
  }

 private:
  mutable bool all_ = false;
  mutable std::string verb_;
};

// The words of a program or a verb.
inline VerbWords words_of(const CLI::App& app) {
  VerbWords words;
  words.name = app.get_name();
  const std::string text = app.get_description();  // "Examples:\n...\nsummary", or the summary alone
  const std::size_t last = text.rfind('\n');
  words.summary = text.substr(last == std::string::npos ? 0 : last + 1);
  constexpr std::string_view kBegin = "Examples:\n";
  if (text.starts_with(kBegin) && last > kBegin.size())
    words.examples = text.substr(kBegin.size(), last - kBegin.size());
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    OptionWords& one = words.options.emplace_back();
    for (const std::string& name : option->get_snames()) one.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) one.names.push_back("--" + name);
    if (one.names.empty()) one.positional = option->get_name(true);
    if (option->get_items_expected_max() > 0) {
      const std::string type = option->get_type_name();
      one.value = type.empty() ? "VALUE" : type;
    }
    one.help = split_at(option->get_description(), '\n');
    one.usual = option->get_default_str();
    one.group = option->get_group();
    one.repeatable = option->get_expected_max() > 1;
    one.required = option->get_required();
    find_choices(one);
  }
  for (const CLI::App* action : app.get_subcommands([](const CLI::App*) { return true; }))
    words.actions.push_back(words_of(*action));
  return words;
}

// What was meant by a word that the program does not know, to stand behind a message; empty: nothing is
// alike.
inline std::string verb_hint(const CLI::App& app, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  return did_you_mean(word, std::vector<std::string_view>(names.begin(), names.end()));
}

inline bool has_verb(const CLI::App& app, const std::string& word) {
  return !app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == word; }).empty();
}

inline std::string option_hint(const CLI::App& verb, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return did_you_mean(word.substr(0, word.find('=')),
                      std::vector<std::string_view>(names.begin(), names.end()));
}

// Two parts of a message, the first of which may end with a question.
inline std::string then(const std::string& text, const std::string& more) {
  return text + (text.ends_with('?') ? " " : "; ") + more;
}

// What is wrong with a call, in a sentence.
inline std::string misuse(const CLI::App& app, const CLI::ParseError& problem) {
  const CLI::App* verb = &app;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().front();
  std::string call = verb == &app ? "" : " " + verb->get_name();
  if (const CLI::App* parent = verb->get_parent(); parent && parent != &app)
    call = " " + parent->get_name() + call;
  const std::string see =
      fmt::format("'sinew{} --help' lists {}", call, call.empty() ? "all verbs" : "its options");
  const std::vector<std::string> words = verb->remaining(true);
  if (verb != &app && !words.empty() && !words.front().starts_with("-") && !verb->get_subcommands({}).empty())
    return then(fmt::format("unknown action '{} {}'{}", verb->get_name(), printable(words.front(), 60),
                            verb_hint(*verb, words.front())),
                see);
  const std::vector<std::string> all = words.empty() ? app.remaining(true) : words;
  if (!dynamic_cast<const CLI::ExtrasError*>(&problem) || all.empty()) return then(problem.what(), see);
  const std::string& word = all.front();
  if (!word.starts_with("-")) return then(fmt::format("unexpected argument '{}'", printable(word, 60)), see);
  return then(fmt::format("unknown option '{}'{}", printable(word.substr(0, word.find('=')), 60),
                          option_hint(*verb, word)),
              see);
}

}  // namespace sinew::cli
