// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include <algorithm>

#include "help_formatter.h"
#include "sinew/core/version.h"
#include "sinew/deform/simd.h"

namespace sinew::cli {
const Option& Option::required() const {
  option_->required();
  return *this;
}

namespace {

// A check that --help describes in the text of the option, and not in the name of its value.
template <class Number>
void check_range(CLI::Option* option, Number least, Number most) {
  option->check(CLI::Range(least, most).description(""));
  option->description(fmt::format("{} ({:g} to {:g})", option->get_description(), static_cast<double>(least),
                                  static_cast<double>(most)));
}

// Names the value of an option of text: FILE for the output; what stands before a colon, as in "JOINT=X,Y,Z: rotate a
// joint"; nothing for a positional argument, which has a name.
CLI::Option* name_value(CLI::Option* option) {
  const std::string help = option->get_description();
  const std::size_t colon = help.find(": ");
  const std::string value = help.substr(0, colon == std::string::npos ? 0 : colon);
  const bool capitals = !value.empty() && value[0] != '|' &&
                        value.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ=,:|") == std::string::npos;
  if (option->get_positional()) {
    option->type_name("");
  } else if (option->check_name("--output")) {
    option->type_name("FILE");
  } else if (capitals) {
    option->type_name(value);
    option->description(help.substr(colon + 2));
  }
  return option;
}

}  // namespace

const Option& Option::range(int least, int most) const {
  check_range(option_, least, most);
  return *this;
}

const Option& Option::range(double least, double most) const {
  check_range(option_, least, most);
  return *this;
}

const Option& Option::one_of(std::initializer_list<int> values) const {
  option_->check(CLI::IsMember(std::vector<int>(values)).description(""));
  return *this;
}

const Option& Option::needs(const std::string& option) const {
  option_->needs(option);
  return *this;
}

const Option& Option::values(int least, int most) const {
  option_->expected(least, most);
  return *this;
}

const Option& Option::one_each() const {
  option_->allow_extra_args(false);
  return *this;
}

const Option& Option::group(const std::string& heading) const {
  option_->group(heading);
  return *this;
}

const Option& Option::show_default() const {
  option_->capture_default_str();
  return *this;
}

const Option& Option::show_default(const std::string& text) const {
  option_->default_str(text);
  return *this;
}

const Option& Option::value_name(const std::string& text) const {
  option_->type_name(text);
  return *this;
}

const Option& Option::last_one() const {
  option_->expected(1)->take_last();
  return *this;
}

bool Option::given() const {
  return option_->count() > 0;
}

Option Verb::option(const std::string& names, std::string& value, const std::string& help) const {
  return Option(name_value(app_->add_option(names, value, help)));
}

Option Verb::option(const std::string& names, int& value, const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

Option Verb::option(const std::string& names, std::uint16_t& value, const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

Option Verb::option(const std::string& names, std::size_t& value, const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

Option Verb::option(const std::string& names, double& value, const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

Option Verb::option(const std::string& names, std::vector<std::string>& values,
                    const std::string& help) const {
  return Option(name_value(app_->add_option(names, values, help)));
}

Option Verb::option(const std::string& names, std::vector<std::size_t>& values,
                    const std::string& help) const {
  return Option(app_->add_option(names, values, help));
}

Option Verb::flag(const std::string& names, bool& value, const std::string& help) const {
  return Option(app_->add_flag(names, value, help));
}

Option Verb::repeatable(const std::string& names, std::vector<std::string>& values,
                        const std::string& help) const {
  return Option(name_value(app_->add_option(names, values, help)->allow_extra_args(false)->take_all()));
}

Verb Verb::action(const std::string& name, const std::string& summary) const {
  app_->require_subcommand(1);
  CLI::App* action = app_->add_subcommand(name, summary);
  action->fallthrough();
  return Verb(program_, action);
}

void Verb::rest(std::vector<std::string>& words) const {
  program_->rest[app_->get_name()] = &words;
}

void Verb::footer(const std::string& text) const {
  app_->footer(text);
}

void Verb::runs(std::function<Result<void>()> job) const {
  app_->callback([program = program_, job = std::move(job)] { program->run = job; });
}

Program::Program() : app(std::make_unique<CLI::App>()) {
  app->description("sinew turns a character mesh into a rig that deforms well, and plays the rig.");
  app->name("sinew");
  auto formatter = std::make_shared<HelpFormatter>();
  formatter->label("REQUIRED", "(required)");
  app->formatter(formatter);
  app->set_help_flag("-h,--help", "print this help and exit");
  app->set_help_all_flag("--help-all", "print this help with all settings and exit");
  app->set_version_flag("--version",
                        fmt::format("sinew {}, commit {}, SIMD {}", version(), commit(), simd_target()),
                        "print version, commit and SIMD instruction set and exit");
  app->add_option("--completion", "print a completion script: bash, zsh or fish")->type_name("bash|zsh|fish");
  app->add_option("--man", "print the manual page of a verb, or of the program")->type_name("VERB");
  app->require_subcommand(1);
  app->footer(
      "'sinew VERB --help' shows a verb's options, with examples.\nExit codes: 0 success, 1 internal error, "
      "2 usage error, 3 bad input, 4 cannot be done, 5 I/O error, 6 limit reached, 130/143 interrupted.");
}

Program::~Program() = default;

VerbWords Program::words() const {
  return words_of(*app);
}

std::optional<int> Program::parse(int argc, const char* const* argv) {
  const int usage = static_cast<int>(ErrorCode::kUsage);
  if (argc < 2) {
    print_error(app->help());
    return usage;
  }
  const std::string word = argv[1];
  if (!word.starts_with("-") && !has_verb(*app, word)) {
    print_error("sinew: " +
                then(fmt::format("unknown verb '{}'{}", printable(word, 60), verb_hint(*app, word)),
                     "'sinew --help' lists them\n"));
    return usage;
  }
  if (argc == 3 && (word == "--completion" || word == "--man")) {
    const VerbWords all = words();
    const std::string text =
        word == "--man" ? manual_page(all, argv[2], version()) : completion_script(all, argv[2]);
    if (!text.empty()) {
      std::cout << text;
      return 0;
    }
    print_error(fmt::format("sinew: {} takes {}, not '{}'\n", word,
                            word == "--man" ? "a verb, or sinew" : "bash, zsh or fish",
                            printable(argv[2], 60)));
    return usage;
  }
  if (const auto passed_on = rest.find(word); passed_on != rest.end()) {
    const char* const* const mark =
        std::find_if(argv + 2, argv + argc, [](const char* text) { return std::string_view(text) == "--"; });
    if (mark != argv + argc) passed_on->second->assign(mark + 1, argv + argc);
    argc = static_cast<int>(mark - argv);
  }
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    // CLI11 gives help and version the code 0; every misuse is ours to number.
    if (problem.get_exit_code() == 0) return app->exit(problem);
    print_error(fmt::format("sinew: {}\n", misuse(*app, problem)));
    return usage;
  }
  return std::nullopt;
}

Verb add_verb(Program& program, const std::string& name, const std::string& summary,
              const std::string& examples) {
  CLI::App* app = program.app->add_subcommand(name, summary);
  app->description(fmt::format("Examples:\n{}\n{}", examples, summary));
  const Verb verb(&program, app);
  Console& console = program.console;
  verb.flag("--json", console.json, "print one JSON document to stdout").group("Common");
  verb.flag("--force", console.force, "overwrite existing files").group("Common");
  verb.flag("--quiet", console.quiet, "print no warnings, messages or progress bar").group("Common");
  verb.flag("--progress", console.progress_lines,
            "print progress to stderr in lines, for other programs: 'progress: FRACTION STAGE'")
      .group("Common");
  verb.option("--threads", console.threads,
              "threads to use (default: all cores); results do not depend on it")
      .range(1, 1024)
      .group("Common");
  // Those read no mesh, and this has an --up of its own, for the picture.
  if (name == "make" || name == "bench" || name == "render" || name == "batch") return verb;
  verb.option("--up", console.facing.up,
              "up axis of meshes, motions and skeletons that are not glTF: x, y, z, -x, -y or -z; they are "
              "rotated to y up, z forward (default: y)")
      .group("Common");
  verb.option("--forward", console.facing.front, "forward axis of these files (default: z; -y where z is up)")
      .group("Common");
  return verb;
}

}  // namespace sinew::cli
