// SPDX-License-Identifier: Apache-2.0
// docs/settings.md is made from the tables of descriptors. SINEW_WRITE_DOCS=1 writes it anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "sinew/binding/weight_methods.h"
#include "sinew/core/file.h"
#include "sinew/player/stack.h"
#include "support/data.h"

namespace sinew {
namespace {

std::string row_of(const Descriptor& descriptor, const Setting& usual) {
  const std::string value = setting_text(usual);
  return fmt::format("| `{}` | {} | {} | {} |\n", descriptor.option, descriptor.help,
                     setting_range(descriptor), value.empty() ? "" : "`" + value + "`");
}

// One heading a method or step that has settings.
template <class Table>
std::string sections_of(const Table& table) {
  std::string text;
  for (const auto& method : table) {
    text += fmt::format("\n### {}\n\n{}.\n", method.name, method.summary);
    if (method.settings.empty()) continue;
    text += "\n| setting | what it is | takes | default |\n|---|---|---|---|\n";
    for (const Descriptor& one : method.settings) text += row_of(one, method.usual(one));
  }
  return text;
}

std::string settings_page() {
  return "# Settings\n\n"
         "Made from the tables that the command line, the rig file, WebAssembly and the page are made from. "
         "On the command line\n"
         "a setting is a flag (`--mush-passes 3`), in JavaScript a member (`mushPasses: 3`), in C++ a name "
         "in `stack_with` or\n"
         "`BindRequest::settings`. Settings of single joints are given as often as there are joints: "
         "`--joint LeftArm=dqs`.\n"
         "\n## Deformers\n" +
         sections_of(deformer_methods()) + "\n## Steps of a stack\n" + sections_of(stack_steps()) +
         "\n## Weights\n" + sections_of(weight_methods());
}

TEST(SettingsPage, IsWhatTheTablesSay) {
  const std::filesystem::path file = test::source_folder() / "docs/settings.md";
  if (std::getenv("SINEW_WRITE_DOCS")) {
    ASSERT_TRUE(write_file(file, settings_page(), Overwrite::kYes).ok());
  }
  const auto written = read_file(file);
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(*written, settings_page()) << "SINEW_WRITE_DOCS=1 build/release/test_pipeline "
                                          "--gtest_filter=SettingsPage.* writes it anew";
}

}  // namespace
}  // namespace sinew
