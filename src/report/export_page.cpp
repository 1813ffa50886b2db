// SPDX-License-Identifier: Apache-2.0
#include "sinew/report/export_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/page.h"
#include "sinew/render/plot.h"
#include "sinew/render/render.h"

namespace sinew {
namespace {

Result<Image> error_plot(const Certificate& certificate) {
  LinePlot plot;
  plot.title = "Error of the fit over the number of helpers and morphs";
  plot.x.title = "count";
  plot.y.title = "rms, % of the diagonal";
  LineSeries helpers{"helper joints", {}, {}}, morphs{"morph targets, helpers driven", {}, {}};
  for (std::size_t k = 0; k < certificate.helper_errors.size(); ++k) {
    helpers.x.push_back(static_cast<double>(k));
    helpers.y.push_back(100 * certificate.helper_errors[k]);
  }
  for (const MorphError& error : certificate.morph_errors) {
    morphs.x.push_back(static_cast<double>(error.morphs));
    morphs.y.push_back(100 * error.rms);
  }
  for (LineSeries* series : {&helpers, &morphs})
    if (series->x.size() > 1) plot.series.push_back(std::move(*series));
  return plot_lines(plot);
}

double largest_distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}

// Source, exported and linear blending in clay, then both differences on one scale.
Result<Image> shapes(const PolyMesh& mesh, const ExportedPose& pose, double diagonal) {
  const TriangleView view = triangulate(mesh);
  RenderOptions options;
  options.width = options.height = 300;
  options.views = {View::kThreeQuarter};
  Box3 frame = bounding_box(pose.source);
  frame.extend(bounding_box(pose.exported));
  frame.extend(bounding_box(pose.plain));
  options.frame = frame;
  const double ours = largest_distance(pose.source, pose.exported) / diagonal,
               plain = largest_distance(pose.source, pose.plain) / diagonal;
  std::vector<Image> images;
  const auto add = [&](const std::vector<Vec3>& shape, const std::string& caption,
                       bool difference) -> Result<void> {
    Subject subject;
    subject.positions = shape;
    subject.triangles = view.triangles;
    subject.caption = caption;
    std::vector<float> distances;
    if (difference) {
      for (std::size_t i = 0; i < shape.size(); ++i)
        distances.push_back(static_cast<float>(100 * (shape[i] - pose.source[i]).norm() / diagonal));
      subject.heat = HeatMap{distances, 0, std::max(100 * std::max(ours, plain), 1e-6), "% of diagonal"};
    }
    SINEW_TRY(Image image, render(subject, options));
    images.push_back(std::move(image));
    return {};
  };
  SINEW_CHECK(add(pose.source, "source", false));
  SINEW_CHECK(add(pose.exported, "exported", false));
  SINEW_CHECK(add(pose.exported, fmt::format("difference, at most {:.2f} %", 100 * ours), true));
  SINEW_CHECK(add(pose.plain, fmt::format("linear blending, at most {:.2f} %", 100 * plain), true));
  return tile(images, 4);
}

std::string row(const char* name, const ErrorFigures& figures) {
  if (figures.poses == 0) return {};
  return fmt::format("<tr><td>{}</td><td>{:.3f} %</td><td>{:.3f} %</td><td>{:.3f} %</td><td>{}</td></tr>\n",
                     name, 100 * figures.rms, 100 * figures.p999, 100 * figures.max, figures.poses);
}

}  // namespace

Result<void> save_export_page(const Rig& rig, const ExportedRig& exported, const std::string& title,
                              const std::filesystem::path& folder, Overwrite overwrite,
                              const Progress* progress) {
  const Certificate& certificate = exported.certificate;
  Page page(title);
  page.add(
      fmt::format("<p>Plain skinning with {} joints, {} of them helpers, {} morph targets and at most {} "
                  "joints for each vertex, against the source's own deformer. Distances are shares of the "
                  "diagonal of the mesh's box, {:.4g}.</p>\n",
                  certificate.joints, certificate.helpers, certificate.morphs, certificate.influences,
                  certificate.diagonal));
  page.add(
      "<div class=\"scroll\"><table><tr><th>against the source</th><th>rms</th><th>99.9 % of "
      "vertices</th><th>largest</th><th>poses</th></tr>\n" +
      row("clips, keyed, between their keys", certificate.clips) +
      row("clips by the source's weights alone", certificate.plain_clips) +
      row("held-out poses, by drivers", certificate.held_out) +
      row("held-out poses, drivers idle", certificate.idle) +
      row("held-out poses by the source's weights alone", certificate.plain) + "</table></div>\n");
  if (certificate.elastic_rms && certificate.plain_elastic_rms)
    page.add(
        fmt::format("<p>Distance to the elastic body: rms {:.3f} %, by the source's weights alone {:.3f} "
                    "%.</p>\n",
                    100 * *certificate.elastic_rms, 100 * *certificate.plain_elastic_rms));
  if (certificate.grade && certificate.plain_grade)
    page.add(
        fmt::format("<p><code>sinew check</code> gives the weights grade {}, drivers idle; those of the "
                    "source {}.</p>\n",
                    letter_of(*certificate.grade), letter_of(*certificate.plain_grade)));
  if (certificate.helper_errors.size() > 1 || certificate.morph_errors.size() > 1)
    SINEW_CHECK(page.add_picture("error.png", "error over helpers and morphs", error_plot(certificate)));
  if (!exported.poses.empty())
    page.add(
        "<h2>Where it is off most</h2>\n<p class=\"note\">The poses with the largest rms, of the clips and "
        "of the held-out ones; both differences on one scale.</p>\n");
  for (std::size_t k = 0; k < exported.poses.size(); ++k) {
    if (is_cancelled(progress)) return cancelled();
    const ExportedPose& pose = exported.poses[k];
    page.add(fmt::format("<h3>{}: rms {:.3f} %</h3>\n", escaped(pose.name), 100 * pose.rms));
    SINEW_CHECK(page.add_picture(fmt::format("pose{}.png", k), pose.name,
                                 shapes(rig.mesh, pose, certificate.diagonal)));
  }
  return page.save(folder, overwrite);
}

}  // namespace sinew
