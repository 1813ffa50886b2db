// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "verb_words.h"

namespace sinew::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// The options of a verb and of what stands behind it as a second word, which takes both.
std::vector<OptionWords> options_with_actions(const VerbWords& verb) {
  std::vector<OptionWords> all = verb.options;
  for (const VerbWords& action : verb.actions)
    for (const OptionWords& option : action.options) {
      const auto same = [&](const OptionWords& other) {
        return option.positional.empty() && other.names == option.names;
      };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(option);
    }
  return all;
}

std::string escaped(const std::string& text, std::string_view marked) {
  std::string out;
  for (const char c : text) {
    if (marked.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// In single quotes, for a shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// --- bash ---

std::string bash_verb(const VerbWords& verb) {
  std::vector<std::string> names;
  std::string values, files;
  for (const VerbWords& action : verb.actions) names.push_back(action.name);
  for (const OptionWords& option : options_with_actions(verb)) {
    std::string pattern;
    for (const std::string& name : option.names) {
      names.push_back(name);
      pattern += (pattern.empty() ? "" : "|") + name;
    }
    if (option.value.empty()) continue;
    if (pattern.empty())
      names.insert(names.end(), option.choices.begin(), option.choices.end());
    else if (!option.choices.empty())
      values += fmt::format("        {}) words=\"{}\" ;;\n", pattern, joined(option.choices));
    else
      files += (files.empty() ? "" : "|") + pattern;
  }
  if (!files.empty()) values += fmt::format("        {}) return ;;\n", files);
  return fmt::format("    {})\n      words=\"{}\"\n      case $before in\n{}      esac ;;\n", verb.name,
                     joined(names), values);
}

std::string bash_script(const VerbWords& program) {
  std::vector<std::string> first;
  std::string cases;
  for (const VerbWords& verb : program.actions) {
    first.push_back(verb.name);
    cases += bash_verb(verb);
  }
  for (const OptionWords& option : program.options)
    for (const std::string& name : option.names) first.push_back(name);
  return fmt::format(
      "# Completion of sinew in bash; made by 'sinew --completion bash'.\n_sinew() {{\n  local "
      "word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=\n  COMPREPLY=()\n  if "
      "((COMP_CWORD == 1)); then\n    mapfile -t COMPREPLY < <(compgen -W \"{}\" -- \"$word\")\n    return\n "
      " fi\n  case ${{COMP_WORDS[1]}} in\n{}  esac\n  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- "
      "\"$word\")\n}}\n# Complete file names where no word fits.\ncomplete -o bashdefault -o default -F "
      "_sinew sinew\n",
      joined(first), cases);
}

// --- zsh ---

std::string zsh_value(const OptionWords& option) {
  if (option.value.empty()) return "";
  const std::string what = option.choices.empty() ? "_files" : "(" + joined(option.choices) + ")";
  return fmt::format(":{}:{}", escaped(option.value, ":[]\\"), what);
}

std::string zsh_verb(const VerbWords& verb) {
  std::string specs, actions;
  for (const VerbWords& action : verb.actions) actions += (actions.empty() ? "" : " ") + action.name;
  for (const OptionWords& option : options_with_actions(verb)) {
    if (!option.positional.empty()) {
      if (!option.choices.empty()) actions += (actions.empty() ? "" : " ") + joined(option.choices);
      continue;
    }
    for (const std::string& name : option.names)
      specs += " \\\n        " + quoted(fmt::format("{}{}[{}]{}", option.repeatable ? "*" : "", name,
                                                    escaped(option.brief(), "[]\\"), zsh_value(option)));
  }
  if (!actions.empty()) specs += " \\\n        " + quoted(fmt::format("1:what:({})", actions));
  specs += " \\\n        '*:file:_files'";
  return fmt::format("    {})\n      _arguments{} ;;\n", verb.name, specs);
}

std::string zsh_script(const VerbWords& program) {
  std::string verbs, cases, first;
  for (const VerbWords& verb : program.actions) {
    verbs += "    " + quoted(verb.name + ":" + escaped(verb.summary, ":\\")) + "\n";
    cases += zsh_verb(verb);
  }
  for (const OptionWords& option : program.options)
    for (const std::string& name : option.names)
      first += " " + quoted(fmt::format("{}:{}", name, escaped(option.brief(), ":\\")));
  return fmt::format(
      "#compdef sinew\n"
      "# Completion of sinew in zsh; made by 'sinew --completion zsh'.\n"
      "_sinew() {{\n"
      "  local -a verbs options\n"
      "  verbs=(\n{}  )\n"
      "  options=({})\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe verb verbs\n"
      "    _describe option options\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $words[1] in\n"
      "{}"
      "  esac\n"
      "}}\n"
      "if [[ $funcstack[1] == _sinew ]]; then _sinew \"$@\"; else compdef _sinew sinew; fi\n",
      verbs, first, cases);
}

// --- fish ---

std::string fish_option(const OptionWords& option, const std::string& when) {
  std::string line = "complete -c sinew -n " + quoted(when);
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.positional.empty()) {
    if (option.choices.empty()) return "";
    line += " -a " + quoted(joined(option.choices));
  } else if (!option.choices.empty()) {
    line += " -x -a " + quoted(joined(option.choices));
  } else if (!option.value.empty()) {
    line += " -r";
  }
  return line + " -d " + quoted(escaped(option.brief(), "\\")) + "\n";
}

std::string fish_script(const VerbWords& program) {
  std::string text = "# Completion of sinew in fish; made by 'sinew --completion fish'.\n";
  for (const OptionWords& option : program.options) text += fish_option(option, "__fish_use_subcommand");
  for (const VerbWords& verb : program.actions) {
    text += fmt::format("complete -c sinew -f -n __fish_use_subcommand -a {} -d {}\n", verb.name,
                        quoted(verb.summary));
    const std::string when = "__fish_seen_subcommand_from " + verb.name;
    for (const VerbWords& action : verb.actions)
      text += fmt::format("complete -c sinew -n {} -a {} -d {}\n", quoted(when), action.name,
                          quoted(action.summary));
    for (const OptionWords& option : options_with_actions(verb)) text += fish_option(option, when);
  }
  return text;
}

}  // namespace

std::string completion_script(const VerbWords& program, std::string_view shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  if (shell == "fish") return fish_script(program);
  return {};
}

}  // namespace sinew::cli
