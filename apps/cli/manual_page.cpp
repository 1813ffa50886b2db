// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "verb_words.h"

namespace sinew::cli {
namespace {

// Text of one line in troff.
std::string troff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string bold(std::string_view text) {
  return "\\fB" + troff(text) + "\\fR";
}

// A row "  name   text" of a table in the help.
std::string table_row(const std::string& row) {
  const std::size_t begin = row.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  const std::size_t end = std::min(row.find(' ', begin), row.size());
  const std::size_t text = row.find_first_not_of(' ', end);
  return fmt::format(".br\n{}{}\n", bold(row.substr(begin, end - begin)),
                     text == std::string::npos ? "" : "  " + troff(row.substr(text)));
}

std::string option_entry(const OptionWords& option) {
  std::string names = option.positional.empty() ? "" : "\\fI" + troff(option.positional) + "\\fR";
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + bold(name);
  if (!option.value.empty() && option.positional.empty()) names += " \\fI" + troff(option.value) + "\\fR";
  std::string text = ".TP\n" + names + "\n" + troff(option.help.empty() ? "" : option.help[0]);
  if (option.required) text += " (required)";
  if (!option.usual.empty()) text += fmt::format(" [default: {}]", troff(option.usual));
  text += "\n";
  for (std::size_t k = 1; k < option.help.size(); ++k) text += table_row(option.help[k]);
  return text;
}

std::string option_list(const std::vector<OptionWords>& options) {
  std::vector<std::string> groups;
  for (const OptionWords& option : options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  std::string text;
  for (const std::string& group : groups) {
    text += group == "Options" ? "" : ".SS " + troff(group) + "\n";
    for (const OptionWords& option : options)
      if (option.group == group) text += option_entry(option);
  }
  return text;
}

std::string opening(const std::string& name, const std::string& summary, std::string_view version) {
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".TH {} 1 \"\" \"sinew {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", troff(upper),
                     version, troff(name), troff(summary));
}

std::string preformatted(const std::string& lines) {
  std::string text = ".nf\n";
  std::string line;
  for (const char c : lines + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    if (!line.empty()) text += troff(line) + "\n";
    line.clear();
  }
  return text + ".fi\n";
}

constexpr const char* kExitStatus =
    ".SH EXIT STATUS\n0 success, 1 internal error, 2 usage error, 3 bad input, 4 cannot be done, 5 I/O "
    "error, 6 limit reached, 130 or 143 interrupted.\n";

std::string program_page(const VerbWords& program, std::string_view version) {
  std::string text = opening("sinew", "rig, weight, pose and compare character meshes", version);
  text += ".SH SYNOPSIS\n.B sinew\n\\fIVERB\\fR [\\fIOPTIONS\\fR] \\fIFILE\\fR ...\n.SH DESCRIPTION\n" +
          troff(program.summary) + "\n.SH VERBS\n";
  std::string also;
  for (const VerbWords& verb : program.actions) {
    text += fmt::format(".TP\n.BR sinew\\-{} (1)\n{}\n", verb.name, troff(verb.summary));
    also += fmt::format("{}.BR sinew\\-{} (1)", also.empty() ? "" : ",\n", verb.name);
  }
  return text + ".SH OPTIONS\n" + option_list(program.options) + kExitStatus + ".SH SEE ALSO\n" + also + "\n";
}

std::string verb_page(const VerbWords& verb, std::string_view version) {
  std::string text = opening("sinew-" + verb.name, verb.summary, version);
  text += fmt::format(".SH SYNOPSIS\n.B sinew {}\n[\\fIOPTIONS\\fR]", verb.name);
  if (!verb.actions.empty()) text += " \\fIACTION\\fR";
  for (const OptionWords& option : verb.options)
    if (!option.positional.empty())
      text += fmt::format(" \\fI{}\\fR{}", troff(option.positional), option.repeatable ? " ..." : "");
  text += "\n.SH EXAMPLES\n" + preformatted(verb.examples) + ".SH OPTIONS\n" + option_list(verb.options);
  for (const VerbWords& action : verb.actions)
    text += fmt::format(".SH ACTION {}\n{}\n{}", troff(action.name), troff(action.summary),
                        option_list(action.options));
  return text + kExitStatus + ".SH SEE ALSO\n.BR sinew (1)\n";
}

}  // namespace

std::string manual_page(const VerbWords& program, std::string_view verb, std::string_view version) {
  if (verb == program.name) return program_page(program, version);
  for (const VerbWords& candidate : program.actions)
    if (candidate.name == verb) return verb_page(candidate, version);
  return {};
}

}  // namespace sinew::cli
