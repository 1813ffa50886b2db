// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "console.h"
#include "sinew/core/result.h"

namespace sinew::cli {

// The program: its parser, its console, and the verb that the command line chose.
struct Program {
  CLI::App app;
  Console console;
  std::function<Result<void>()> run;
};

// A verb with the options that all have; `examples` comes first in its --help.
CLI::App* add_verb(Program& program, const std::string& name, const std::string& summary,
                   const std::string& examples);

// An option that may be given several times, one value each.
CLI::Option* add_repeatable(CLI::App* verb, const std::string& name, std::vector<std::string>& values,
                            const std::string& help);

// One file a verb; each registers itself and its options.
void add_make(Program& program);
void add_info(Program& program);
void add_convert(Program& program);
void add_pose(Program& program);
void add_bake(Program& program);
void add_render(Program& program);
void add_weights(Program& program);
void add_reweight(Program& program);
void add_skeleton(Program& program);
void add_rig(Program& program);
void add_compare(Program& program);
void add_stack(Program& program);
void add_inbetween(Program& program);
void add_keys(Program& program);
void add_unpose(Program& program);
void add_cage(Program& program);
void add_handles(Program& program);
void add_studio(Program& program);
void add_bench(Program& program);

}  // namespace sinew::cli
