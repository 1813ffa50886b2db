// SPDX-License-Identifier: Apache-2.0
#include "sinew/report/compare_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "report/page.h"
#include "sinew/render/plot.h"
#include "sinew/render/render.h"

namespace sinew {
namespace {

std::string label(const MethodPair& pair) {
  return pair.weights + " × " + pair.deformer;
}

// bend, twist, bend+twist, two joints or clip.
std::string kind_of_pose(const std::string& name) {
  if (name.starts_with("clip ")) return "clip";
  if (name.find(" and ") != std::string::npos) return "two joints";
  for (const char* kind : {" bend+twist ", " bend ", " twist "})
    if (name.find(kind) != std::string::npos) {
      const std::string_view text(kind);
      return std::string(text.substr(1, text.size() - 2));
    }
  return "other";
}

// Mean energy ratio of every pair in every kind of pose.
Result<Image> energy_plot(const CompareReport& report) {
  BarPlot plot;
  plot.title = "Elastic energy over that of the reference, mean";
  plot.y.title = "energy ratio";
  plot.groups = {"bend", "twist", "bend+twist", "two joints", "clip"};
  for (std::size_t k = 0; k < report.poses.front().methods.size(); ++k) {
    BarSeries series{label(report.poses.front().methods[k].pair), {}};
    for (const std::string& group : plot.groups) {
      double sum = 0, count = 0;
      for (const PoseFigures& pose : report.poses)
        if (kind_of_pose(pose.name) == group) sum += pose.methods[k].energy_ratio, ++count;
      series.values.push_back(count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN());
    }
    plot.series.push_back(std::move(series));
  }
  PlotOptions options;
  options.width = 1080;
  options.height = 420;
  return plot_bars(plot, options);
}

Result<Image> convergence_plot(const Convergence& convergence) {
  LinePlot plot;
  plot.title = "Distance of the energy to its least value";
  plot.x.title = "iterations";
  plot.y.title = "relative";
  plot.y.log = true;
  const auto add = [&](const char* name, const std::vector<double>& errors) {
    LineSeries series{name, {}, {}};
    for (std::size_t k = 0; k < errors.size(); ++k) {
      series.x.push_back(static_cast<double>(k));
      series.y.push_back(errors[k]);
    }
    plot.series.push_back(std::move(series));
  };
  add("full energy E(v)", convergence.full);
  add("reduced energy E(w)", convergence.reduced);
  return plot_lines(plot);
}

// The reference and every pair side by side, coloured by the distance to the reference.
Result<Image> pose_picture(const PolyMesh& mesh, const PoseFigures& pose, const Progress* progress) {
  const TriangleView view = triangulate(mesh);
  Box3 frame = bounding_box(pose.reference);
  double largest = 0;
  for (const MethodFigures& method : pose.methods) {
    frame.extend(bounding_box(method.positions));
    largest = std::max(largest, method.rms);
  }
  const double diagonal = bounding_box(mesh.positions).diagonal().norm();
  RenderOptions options;
  options.width = options.height = 300;
  options.views = {View::kThreeQuarter};
  options.frame = frame;
  std::vector<Image> images;
  const auto add = [&](const std::vector<Vec3>& shape, const std::string& caption) -> Result<void> {
    if (is_cancelled(progress)) return cancelled();
    std::vector<float> distances(shape.size());
    for (std::size_t i = 0; i < shape.size(); ++i)
      distances[i] = static_cast<float>((shape[i] - pose.reference[i]).norm() / diagonal);
    Subject subject;
    subject.positions = shape;
    subject.triangles = view.triangles;
    subject.caption = caption;
    subject.heat = HeatMap{distances, 0, largest > 0 ? 4 * largest : 1, "distance"};
    SINEW_TRY(Image image, render(subject, options));
    images.push_back(std::move(image));
    return {};
  };
  SINEW_CHECK(add(pose.reference, "elastic reference"));
  for (const MethodFigures& method : pose.methods)
    SINEW_CHECK(add(method.positions, fmt::format("{}: {:.2f}", label(method.pair), method.energy_ratio)));
  return tile(images, 4);
}

std::string energy_table(const CompareReport& report) {
  std::string html = "<div class=\"scroll\"><table><tr><th>pose</th>";
  for (const MethodFigures& method : report.poses.front().methods)
    html += "<th>" + escaped(label(method.pair)) + (method.extended ? " *" : "") + "</th>";
  html += "</tr>\n";
  for (const PoseFigures& pose : report.poses) {
    double least = pose.methods.front().energy_ratio;
    for (const MethodFigures& method : pose.methods) least = std::min(least, method.energy_ratio);
    html += "<tr><td>" + escaped(pose.name) + "</td>";
    for (const MethodFigures& method : pose.methods) {
      const std::string number = fmt::format("{:.3f}", method.energy_ratio);
      html += method.energy_ratio <= least ? "<td><b>" + number + "</b></td>" : "<td>" + number + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string summary_table(const CompareReport& report) {
  std::string html =
      "<div class=\"scroll\"><table><tr><th>weights × deformer</th><th>energy ratio, mean</th><th>rms, "
      "mean</th><th>worst distance</th><th>volume change, worst</th><th>intersecting triangles, "
      "most</th><th>rms of coordinates, mesh units, mean</th><th>ms per frame</th></tr>\n";
  const double count = static_cast<double>(report.poses.size());
  for (std::size_t k = 0; k < report.poses.front().methods.size(); ++k) {
    double ratio = 0, rms = 0, worst = 0, volume = 0, coordinates = 0, ms = 0;
    std::size_t crossing = 0;
    for (const PoseFigures& pose : report.poses) {
      const MethodFigures& method = pose.methods[k];
      ratio += method.energy_ratio / count;
      rms += method.rms / count;
      coordinates += method.elastic_rms / count;
      ms += method.ms_per_frame / count;
      worst = std::max(worst, method.max);
      volume = std::abs(method.volume_change) > std::abs(volume) ? method.volume_change : volume;
      crossing = std::max(crossing, method.self_intersections);
    }
    html += fmt::format(
        "<tr><td>{}</td><td>{:.3f}</td><td>{:.2f} %</td><td>{:.2f} %</td><td>{:+.2f} %</td><td>{}</td>"
        "<td>{:.3g}</td><td>{:.3f}</td></tr>\n",
        escaped(label(report.poses.front().methods[k].pair)), ratio, 100 * rms, 100 * worst, 100 * volume,
        crossing, coordinates, ms);
  }
  return html + "</table></div>\n";
}

std::string rotation_table(const CompareReport& report) {
  std::string html = "<div class=\"scroll\"><table><tr><th>joint</th>";
  for (const RotationFigures& method : report.rotations.front().methods)
    html += "<th>" + escaped(label(method.pair)) + "</th>";
  html += "</tr>\n";
  for (const JointRotations& joint : report.rotations) {
    const std::string name = joint.with.empty() ? joint.joint : joint.with + " and " + joint.joint;
    html += "<tr><td>" + escaped(name) + "</td>";
    for (const RotationFigures& method : joint.methods)
      html += fmt::format("<td>{:.2f}, {:.2f}</td>", method.worst, method.mean);
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

}  // namespace

Result<void> save_compare_page(const Rig& rig, const CompareReport& report, const std::string& title,
                               const std::filesystem::path& folder, Overwrite overwrite,
                               const Progress* progress) {
  std::error_code failure;
  if (std::filesystem::exists(folder, failure) && overwrite == Overwrite::kNo) return exists_already(folder);
  Page page(title);
  page.add(fmt::format(
      "<p>Every pair of weights and deformer against the elastic reference, in {} poses, on a solid voxel "
      "grid of {} vertices. An energy ratio of 1 is the reference itself; the lowest of each pose is marked. "
      "Distances are fractions of the diagonal of the mesh's bounding box. Frame times are for the positions "
      "of the whole mesh, in fresh memory, the best of up to three runs.</p>\n",
      report.poses.size(), report.voxels));
  SINEW_CHECK(page.add_picture("energy.png", "mean energy ratio by kind of pose", energy_plot(report)));
  page.add(summary_table(report));
  page.add(
      "<h2>Shapes</h2>\n<p class=\"note\">Coloured by the distance to the reference; the number is the "
      "energy ratio.</p>\n");
  std::size_t number = 0;
  for (const PoseFigures& pose : report.poses) {
    if (is_cancelled(progress)) return cancelled();
    if (pose.reference.empty()) continue;
    const std::string file = fmt::format("pose{}.png", number++);
    const PolyMesh& mesh = pose.piece == 0 ? rig.mesh : report.pieces[pose.piece - 1];
    page.add(fmt::format("<h3>{}</h3>\n", escaped(pose.name)));
    SINEW_CHECK(page.add_picture(file, pose.name, pose_picture(mesh, pose, progress)));
  }
  if (!report.convergence.joint.empty()) {
    page.add(fmt::format(
        "<h2>Convergence</h2>\n<p>Plain local/global steps, summed over the same {} bends of {}: minimising "
        "over weights converges in fewer of them than minimising over positions, and each is cheaper: {} "
        "took {:.2f} s, {} over positions {:.2f} s.</p>\n",
        report.convergence.samples, escaped(report.convergence.joint), report.convergence.reduced.size(),
        report.convergence.reduced_seconds, report.convergence.full.size(), report.convergence.full_seconds));
    SINEW_CHECK(page.add_picture("convergence.png", "energies over iterations",
                                 convergence_plot(report.convergence)));
  }
  if (!report.rotations.empty())
    page.add(
        "<h2>Rotations that were not sampled</h2>\n<p>Energy ratios at seeded rotations within the range of "
        "motion, at least 10 degrees from all that flesh was fitted to and 30 from rest: the worst, the "
        "mean.</p>\n" +
        rotation_table(report));
  page.add("<h2>All poses</h2>\n" + energy_table(report));
  if (std::any_of(report.poses.front().methods.begin(), report.poses.front().methods.end(),
                  [](const MethodFigures& method) { return method.extended; }))
    page.add(
        "<p class=\"note\">* evaluated on the mesh and interpolated to the voxel grid; compare these with "
        "each other only.</p>\n");
  if (is_cancelled(progress)) return cancelled();
  return page.save(folder, overwrite);
}

}  // namespace sinew
