// SPDX-License-Identifier: Apache-2.0
#include "sinew/report/check_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "report/page.h"
#include "sinew/core/text.h"
#include "sinew/render/render.h"

namespace sinew {
namespace {

constexpr float kUngraded = std::numeric_limits<float>::quiet_NaN();

// From bind space to where the file's own pose has the body: upright.
Affine3 to_world(const Rig& rig) {
  if (rig.skeleton.empty()) return Affine3::Identity();
  const std::vector<Affine3> globals = global_transforms(rig.skeleton, rest_pose(rig.skeleton).local);
  std::vector<Affine3> matrices(globals.size());
  skinning_matrices(rig, globals, matrices);
  return matrices[0];
}

std::vector<Vec3> moved(const std::vector<Vec3>& positions, const Affine3& by) {
  std::vector<Vec3> result;
  for (const Vec3& p : positions) result.push_back(by * p);
  return result;
}

// Every vertex in the colour of the grades of its joints, blended by its weights; with the bones.
Result<Image> grade_picture(const Rig& rig, const CheckReport& report) {
  const TriangleView view = triangulate(rig.mesh);
  std::vector<float> grades(rig.mesh.vertex_count(), kUngraded);
  for (std::size_t i = 0; i < grades.size(); ++i) {
    double sum = 0, weight = 0;
    for (const Influence& influence : rig.weights.row(i))
      if (influence.joint < report.joints.size() && report.joints[influence.joint].grade) {
        sum += influence.weight * static_cast<double>(*report.joints[influence.joint].grade);
        weight += influence.weight;
      }
    if (weight > 0) grades[i] = static_cast<float>(sum / weight);
  }
  const Affine3 upright = to_world(rig);
  const std::vector<Vec3> positions = moved(rig.mesh.positions, upright);
  Subject subject;
  subject.positions = positions;
  subject.triangles = view.triangles;
  subject.heat = HeatMap{grades, 0, 5, "grade: 0 is A, 5 is F"};
  for (const Bone& bone : bones_of(rig.skeleton, bind_transforms(rig)))
    subject.bones.push_back({upright * bone.head, upright * bone.tail});
  RenderOptions options;
  options.width = options.height = 420;
  options.crop = true;
  return render(subject, options);
}

// At rest and turned, coloured by how much the joint carries.
Result<Image> joint_picture(const Rig& rig, const CheckPicture& picture) {
  const TriangleView view = triangulate(rig.mesh);
  RenderOptions options;
  options.width = options.height = 360;
  options.views = {View::kFront, View::kThreeQuarter};
  options.crop = true;
  const Affine3 upright = to_world(rig);
  const std::vector<Vec3> rest = moved(rig.mesh.positions, upright),
                          posed = moved(picture.positions, upright);
  Box3 frame = bounding_box(rest);
  frame.extend(bounding_box(posed));
  options.frame = frame;
  std::vector<Image> images;
  for (const bool turned : {false, true}) {
    Subject subject;
    subject.positions = turned ? posed : rest;
    subject.triangles = view.triangles;
    subject.heat = HeatMap{picture.share, 0, 1, "weight"};
    subject.caption = turned ? picture.pose : "at rest";
    SINEW_TRY(Image image, render(subject, options));
    images.push_back(std::move(image));
  }
  return tile(images, 2);
}

std::string grade_cell(const std::optional<Grade>& grade) {
  return grade ? std::string(1, letter_of(*grade)) : "–";
}

std::string joint_table(const CheckReport& report) {
  std::string html =
      "<div class=\"scroll\"><table><tr><th>joint</th><th>grade</th><th>energy ratio</th>"
      "<th style=\"text-align:left\">what is wrong</th></tr>\n";
  std::vector<const JointCheck*> joints;
  for (const JointCheck& joint : report.joints) joints.push_back(&joint);
  std::stable_sort(joints.begin(), joints.end(),
                   [](const JointCheck* a, const JointCheck* b) { return a->grade > b->grade; });
  for (const JointCheck* joint : joints) {
    std::string reasons;
    for (const std::string& reason : joint->reasons)
      reasons += (reasons.empty() ? "" : "; ") + escaped(reason);
    html += fmt::format(
        "<tr><td>{}</td><td><b>{}</b></td><td>{}</td><td style=\"text-align:left\">{}</td></tr>\n",
        escaped(printable(joint->name, 60)), grade_cell(joint->grade),
        joint->energy_ratio ? fmt::format("{:.2f}", *joint->energy_ratio) : "–",
        joint->grade ? reasons : "carries no vertex");
  }
  return html + "</table></div>\n";
}

std::string figures_table(const CheckReport& report) {
  std::string html = "<div class=\"scroll\"><table>\n";
  const auto row = [&](const char* name, const std::string& value) {
    html += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", name, value);
  };
  row("vertices without weights", std::to_string(report.unweighted));
  row("weights off 1, at most", fmt::format("{:.2g}", report.max_row_error));
  row("influences of a vertex, at most", std::to_string(report.influences));
  row("islands", std::to_string(report.islands));
  row("seams and islands that come apart", std::to_string(report.torn));
  row("weights across gaps, vertices", std::to_string(report.strays));
  row("weights unlike their mirror image, vertices", std::to_string(report.mirrored));
  row("triangles that cross others in one pose, at most", std::to_string(report.intersections));
  if (report.against) {
    const auto& [skeleton, deforming, weights] = *report.against;
    row("CD-J2J, CD-J2B, CD-B2B",
        fmt::format("{:.3f}, {:.3f}, {:.3f}", skeleton.j2j, skeleton.j2b, skeleton.b2b));
    row("the same of joints that deform",
        fmt::format("{:.3f}, {:.3f}, {:.3f}", deforming.j2j, deforming.j2b, deforming.b2b));
    row("weights against the other rig",
        weights ? fmt::format("L1 {:.3f}, precision {:.1f} %, recall {:.1f} %", weights->l1,
                              100 * weights->precision, 100 * weights->recall)
                : "other joints or vertices");
  }
  return html + "</table></div>\n";
}

}  // namespace

Result<void> save_check_page(const Rig& rig, const CheckReport& report, const std::string& title,
                             const std::filesystem::path& folder, Overwrite overwrite,
                             const Progress* progress) {
  std::error_code failure;
  if (std::filesystem::exists(folder, failure) && overwrite == Overwrite::kNo) return exists_already(folder);
  // Made in memory first, so that a stop leaves no page without its pictures.
  std::vector<std::pair<std::string, std::string>> files;
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
      "charset=\"utf-8\"><title>{0}</title><style>{1}</style></head><body>\n<h1>{0}: {2}</h1>\n"
      "<p>The grade of the worst tenth of the joints. A joint has A where its turns take at most 1.25 times "
      "the elastic energy that they must and nothing else is wrong, B up to 1.75, C up to 2.5, D up to 4, E "
      "above; F is torn, without weights, or not finite.</p>\n",
      escaped(title), kPageStyle, letter_of(report.grade));
  const auto add = [&](const std::string& file, const Result<Image>& picture) -> Result<void> {
    if (!picture.ok()) return picture.error();
    SINEW_TRY(std::string bytes, encode_png(*picture));
    files.emplace_back(file, std::move(bytes));
    return {};
  };
  SINEW_CHECK(add("grades.png", grade_picture(rig, report)));
  html += "<img src=\"grades.png\" alt=\"the rig, coloured by the grades of its joints\">\n" +
          figures_table(report) + "<h2>Joints</h2>\n" + joint_table(report);
  if (!report.pictures.empty())
    html +=
        "<h2>The worst joints</h2>\n<p class=\"note\">At rest and turned, by linear blending; coloured by "
        "how much of every vertex goes along.</p>\n";
  for (std::size_t k = 0; k < report.pictures.size(); ++k) {
    if (is_cancelled(progress)) return cancelled();
    const std::string file = fmt::format("joint{}.png", k);
    const JointCheck& joint = report.joints[report.pictures[k].joint];
    SINEW_CHECK(add(file, joint_picture(rig, report.pictures[k])));
    html += fmt::format("<h3>{0}: {1}</h3>\n<img src=\"{2}\" alt=\"{0} turned\">\n",
                        escaped(printable(joint.name, 60)), grade_cell(joint.grade), file);
  }
  html += "</body></html>\n";
  std::filesystem::create_directories(folder, failure);
  if (failure)
    return io_error(fmt::format("{}: cannot make this folder: {}", folder.string(), failure.message()));
  for (const auto& [file, bytes] : files) SINEW_CHECK(write_file(folder / file, bytes, overwrite));
  return write_file(folder / "index.html", html, overwrite);
}

}  // namespace sinew
