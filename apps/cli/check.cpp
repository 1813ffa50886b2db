// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "setting_options.h"
#include "sinew/core/text.h"
#include "sinew/report/check_page.h"
#include "sinew/report/report_json.h"
#include "verbs.h"
#include "words.h"

namespace sinew::cli {
namespace {

struct CheckArguments {
  std::string in, against, out;
  std::size_t pictures = 6;
  bool strict = false;
  SettingOptions settings;
};

std::string table_of(const CheckReport& report, const std::string& file) {
  std::string text = fmt::format("{}: grade {}\n", file, letter_of(report.grade));
  std::size_t longest = 0;
  for (const JointCheck& joint : report.joints)
    if (!joint.reasons.empty()) longest = std::max(longest, printable(joint.name, 40).size());
  for (const JointCheck& joint : report.joints)
    for (std::size_t k = 0; k < joint.reasons.size(); ++k)
      text += fmt::format("  {:{}}  {}  {}\n", k == 0 ? printable(joint.name, 40) : "", longest,
                          k == 0 && joint.grade ? letter_of(*joint.grade) : ' ', joint.reasons[k]);
  std::size_t counts[6] = {};
  for (const JointCheck& joint : report.joints)
    if (joint.grade) ++counts[static_cast<std::size_t>(*joint.grade)];
  text += fmt::format("joints: {} A, {} B, {} C, {} D, {} E, {} F", counts[0], counts[1], counts[2],
                      counts[3], counts[4], counts[5]);
  if (!report.against) return text;
  const auto& [skeleton, deforming, weights] = *report.against;
  text += fmt::format(
      "\nagainst the other rig: CD-J2J {:.3f}, CD-J2B {:.3f}, CD-B2B {:.3f}, of joints that deform {:.3f}, "
      "{:.3f}, {:.3f}; ",
      skeleton.j2j, skeleton.j2b, skeleton.b2b, deforming.j2j, deforming.j2b, deforming.b2b);
  return text + (weights ? fmt::format("weights L1 {:.3f}, precision {:.1f} %, recall {:.1f} %", weights->l1,
                                       100 * weights->precision, 100 * weights->recall)
                         : "weights of other joints or vertices");
}

Result<void> run_check(const CheckArguments& options, const Console& console) {
  std::error_code failure;
  if (!options.out.empty() && std::filesystem::exists(options.out, failure) && !console.force)
    return exists_already(options.out);
  SINEW_TRY(const Settings given, options.settings.given());
  SINEW_TRY(CheckRequest request, read_settings<CheckRequest>(check_settings(), given));
  request.pictures = options.out.empty() ? 0 : options.pictures;
  request.progress = console.progress();
  SINEW_TRY(const Asset asset, console.read(options.in));
  Asset artist;
  if (!options.against.empty()) {
    SINEW_TRY(artist, console.read(options.against));
    request.against = &artist.rig;
  }
  request.stored = stored_weights(asset);
  auto checked = check(asset.rig, request);
  if (!checked) return in_file(options.in, checked.error());
  console.warnings(options.in, checked->warnings);
  if (!options.out.empty()) {
    const std::string title = std::filesystem::path(options.in).stem().string();
    SINEW_CHECK(
        save_check_page(asset.rig, *checked, title, options.out, console.overwrite(), console.progress()));
    SINEW_CHECK(write_file(std::filesystem::path(options.out) / "report.json",
                           to_json(*checked).dump(1) + "\n", console.overwrite()));
  }
  console.print(to_json(*checked), table_of(*checked, options.in));
  if (options.strict)
    if (const auto passed = strict_check(*checked, request); !passed)
      return in_file(options.in, passed.error());
  return {};
}

}  // namespace

void add_check(Program& program) {
  auto options = std::make_shared<CheckArguments>();
  const Verb verb = add_verb(program, "check", "grade a rig and list what is wrong with it",
                             "  sinew check hero.glb\n"
                             "  sinew check hero.glb --influences 4 --strict\n"
                             "  sinew check mine.glb --against artist.glb -o report\n");
  verb.option("IN", options->in, "the rig, of any program: .glb or .gltf").required();
  verb.option("-o,--output", options->out, "a folder for a page with pictures, and report.json");
  verb.option("--against", options->against,
              "an artist's rig of the same character: distances of joints, bones and weights");
  options->settings.add_table<CheckRequest>(verb, check_settings());
  verb.option("--pictures", options->pictures, "joints shown as pictures on the page, the worst first")
      .show_default();
  verb.flag(
      "--strict", options->strict,
      "exit with 4 on vertices without weights, weights that do not sum to 1, too many influences, a joint "
      "of grade F, or a grade below C");
  verb.runs([&program, options] { return run_check(*options, program.console); });
}

}  // namespace sinew::cli
