// SPDX-License-Identifier: Apache-2.0
#include "sinew/render/render.h"

#include <cmath>
#include <limits>

#include "render/pictures.h"
#include "sinew/core/parallel.h"
#include "support/shapes.h"

namespace sinew::test {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A square of side 1 in the plane z, facing +z, at (x, y).
PolyMesh square(double x, double y, double z) {
  PolyMesh mesh;
  mesh.positions = {{x, y, z}, {x + 1, y, z}, {x + 1, y + 1, z}, {x, y + 1, z}};
  mesh.add_face({0, 1, 2, 3});
  return mesh;
}

TEST(Render, EveryShapeIsDrawnInEveryView) {
  for (const NamedShape& shape : all_shapes()) {
    SCOPED_TRACE(shape.name);
    const Model model(shape.mesh);
    RenderOptions options;
    options.width = options.height = 96;
    Subject subject = model.subject();
    subject.edges = &model.mesh;
    const Image image = rendered(subject, options);
    EXPECT_EQ(image.width, 3 * 96);
    EXPECT_EQ(image.height, 96);
    EXPECT_TRUE(image.warnings.empty());
    // Flat shapes are a line at most from the side.
    EXPECT_GT(count_drawn(image, 0, 96) + count_drawn(image, 96, 192), 100u);
    EXPECT_GT(count_drawn(image, 192, 288), 100u);
  }
}

TEST(Render, SameBitsForAnyThreadCount) {
  const Model model(random_blob(7, 96, 48));
  std::vector<float> values(model.mesh.positions.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(model.mesh.positions[i].x());
  Subject subject = model.subject();
  subject.edges = &model.mesh;
  subject.heat = HeatMap{values, -1, 1, "x"};
  subject.bones = {{{0, 0, 0}, {0, 1, 0}}};
  subject.caption = "blob";
  RenderOptions options;
  options.width = options.height = 200;
  set_thread_count(1);
  const Image one = rendered(subject, options);
  set_thread_count(2);
  const Image two = rendered(subject, options);
  set_thread_count(0);
  EXPECT_EQ(one.rgb, two.rgb);
}

TEST(Render, SilhouetteOfASphereHasItsArea) {
  const Model model(uv_sphere(Vec3(3, -2, 5), 0.7, 256, 128));
  const Image image = rendered(model.subject());
  const double radius = 0.45 * 640;  // the camera leaves a margin of a twentieth
  for (int view = 0; view < 3; ++view)
    EXPECT_NEAR(
        static_cast<double>(count_drawn(image, 640 * view, 640 * (view + 1))) / (kPi * radius * radius), 1,
        0.01);
}

TEST(Render, NearerSquareHidesTheOneBehind) {
  // In front two squares overlap; the heat tells them apart.
  const Model model(joined({square(0, 0, 0), square(0.5, 0.5, 1)}));
  const std::vector<float> values = {0, 0, 0, 0, 1, 1, 1, 1};
  Subject subject = model.subject();
  subject.heat = HeatMap{values, 0, 1, ""};
  RenderOptions options = one_view(View::kFront);
  const auto colour_at = [&](const Image& image, double x, double y) {
    const double scale = 0.9 * 160 / 1.5;
    return pixel(image, static_cast<int>(80 + (x - 0.75) * scale), static_cast<int>(80 - (y - 0.75) * scale));
  };
  const Image front = rendered(subject, options);
  EXPECT_GT(lightness(colour_at(front, 0.75, 0.75)), 0.7);  // the overlap belongs to the near one
  EXPECT_LT(lightness(colour_at(front, 0.25, 0.25)), 0.5);
  EXPECT_TRUE(is_white(colour_at(front, 0.25, 1.25)));
  options.views = {View::kBack};
  const Image back = rendered(subject, options);
  EXPECT_TRUE(is_orange(colour_at(back, 0.75, 0.75)));  // now the far one is near, seen from behind
  EXPECT_LT(lightness(colour_at(back, 0.75, 0.75)), lightness(colour_at(back, 0.25, 1.25)));
}

TEST(Render, ViewsLookWhereTheySay) {
  // A square that faces +z is a line from the side and upright behind it an orange one.
  const Model model(square(0, 0, 0));
  const auto drawn = [&](View view) { return count_drawn(rendered(model.subject(), one_view(view))); };
  EXPECT_NEAR(static_cast<double>(drawn(View::kFront)), 144.0 * 144.0, 600);
  EXPECT_LT(drawn(View::kSide), 400u);
  EXPECT_LT(drawn(View::kTop), 400u);
  EXPECT_FALSE(is_orange(pixel(rendered(model.subject(), one_view(View::kFront)), 80, 80)));
  EXPECT_TRUE(is_orange(pixel(rendered(model.subject(), one_view(View::kBack)), 80, 80)));
}

TEST(Render, UpAxisTurnsTheSubjectUpright) {
  // The front of an upright subject is the same picture whatever axis its file calls up.
  const PolyMesh upright =
      joined({random_blob(3), transformed(random_blob(4), Affine3(Eigen::Translation3d(0, 3, 0)))});
  Mat3 to_z, to_x;  // y up to z up (front -y) and to x up (front +z)
  to_z << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  to_x << 0, 1, 0, -1, 0, 0, 0, 0, 1;
  RenderOptions options;
  options.width = options.height = 128;
  const Image y_up = rendered(Model(upright).subject(), options);
  for (const auto& [up, turn] : {std::pair('z', to_z), std::pair('x', to_x)}) {
    options.up = up;
    const Model model(transformed(upright, Affine3(turn)));
    EXPECT_LT(mean_difference(rendered(model.subject(), options), y_up), 0.05) << up;
  }
}

TEST(Render, SizeAndPlaceDoNotMatter) {
  const PolyMesh mesh = random_blob(11);
  const RenderOptions options = one_view(View::kThreeQuarter);
  const Image expected = rendered(Model(mesh).subject(), options);
  for (const double scale : {1e-6, 1e6, 1e-100, 1e100}) {
    const Model model(
        transformed(mesh, Affine3(Eigen::Translation3d(scale * Vec3(5, -3, 2)) * Eigen::Scaling(scale))));
    EXPECT_LT(mean_difference(rendered(model.subject(), options), expected), 0.1) << scale;
  }
}

TEST(Render, SplitVerticesShowNoSeam) {
  const PolyMesh mesh = uv_sphere(Vec3::Zero(), 1, 24, 12);
  const Image smooth = rendered(Model(mesh).subject(), one_view(View::kThreeQuarter));
  const Image split = rendered(Model(soup(mesh)).subject(), one_view(View::kThreeQuarter));
  EXPECT_LT(mean_difference(smooth, split), 0.02);
  RenderOptions flat = one_view(View::kThreeQuarter);
  flat.flat = true;
  EXPECT_GT(mean_difference(smooth, rendered(Model(mesh).subject(), flat)), 0.5);
}

TEST(Render, BackFacesAreTinted) {
  const PolyMesh mesh = uv_sphere(Vec3::Zero(), 1);
  const auto orange = [](const Image& image) {
    std::size_t count = 0;
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) count += is_orange(pixel(image, x, y)) ? 1 : 0;
    return count;
  };
  EXPECT_EQ(orange(rendered(Model(mesh).subject(), one_view(View::kFront))), 0u);
  EXPECT_GT(orange(rendered(Model(flipped(mesh)).subject(), one_view(View::kFront))), 10000u);
  // A sheet stored twice, once for each side, shows its front.
  EXPECT_EQ(orange(rendered(Model(joined({mesh, flipped(mesh)})).subject(), one_view(View::kFront))), 0u);
}

TEST(Render, EdgesAreDrawnWhereSeenAndOnlyThere) {
  // A dense grid hides the diagonal behind it, and shows it when it is moved to the front.
  const auto picture = [](double z, bool edges) {
    const Model model(joined(
        {square(0, 0, 0),
         transformed(square(0, 0, 0), Affine3(Eigen::Translation3d(0.3, 0.3, z) * Eigen::Scaling(0.4)))}));
    PolyMesh lines;
    lines.add_face({4, 5, 6, 7});
    Subject subject = model.subject();
    if (edges) subject.edges = &lines;
    return rendered(subject, one_view(View::kFront));
  };
  EXPECT_GT(mean_difference(picture(0.2, true), picture(0.2, false)), 0.3);
  EXPECT_EQ(picture(-0.2, true).rgb, picture(-0.2, false).rgb);
}

TEST(Render, BonesAreDrawnOverTheMesh) {
  const Model model(uv_sphere(Vec3::Zero(), 1));
  Subject subject = model.subject();
  const Image bare = rendered(subject, one_view(View::kFront));
  subject.bones = {{{0, -0.5, 0}, {0, 0.5, 0}}};
  const Image boned = rendered(subject, one_view(View::kFront));
  EXPECT_NE(pixel(bare, 80, 80), pixel(boned, 80, 80));
  EXPECT_EQ(pixel(bare, 40, 80), pixel(boned, 40, 80));
  // Half transparent: a darker mesh shines through.
  std::vector<float> dark(model.mesh.positions.size(), 0);
  subject.heat = HeatMap{dark, 0, 1, ""};
  EXPECT_NE(pixel(rendered(subject, one_view(View::kFront)), 78, 70), pixel(boned, 78, 70));
  // Bones alone make a picture, those that are not finite or of no length do no harm.
  Subject bones;
  bones.bones = {{{0, 0, 0}, {0, 1, 0}}, {{kNaN, 0, 0}, {0, 1, 0}}, {{0, 1, 0}, {0, 1, 0}}};
  EXPECT_GT(count_drawn(rendered(bones, one_view(View::kFront))), 200u);
}

TEST(Render, FrameHoldsTheCameraStill) {
  const Model model(uv_sphere(Vec3::Zero(), 1));
  RenderOptions options = one_view(View::kFront);
  options.frame = Box3(Vec3::Constant(-2), Vec3::Constant(2));
  const double radius = 0.45 * 160 / 2;
  EXPECT_NEAR(static_cast<double>(count_drawn(rendered(model.subject(), options))), kPi * radius * radius,
              0.05 * kPi * radius * radius);
  // Far inside the subject all is surface; far away there is none.
  options.frame = Box3(Vec3(-1e-3, -1e-3, 0), Vec3(1e-3, 1e-3, 0));
  EXPECT_EQ(count_drawn(rendered(model.subject(), options)), 160u * 160u);
  options.frame = Box3(Vec3::Constant(100), Vec3::Constant(101));
  EXPECT_EQ(count_drawn(rendered(model.subject(), options)), 0u);
}

TEST(Render, CropCutsOnlyWhiteColumns) {
  const Model model(capsule(Vec3(0, -1, 0), Vec3(0, 1, 0), 0.2));
  RenderOptions options;
  options.width = options.height = 128;
  const Image full = rendered(model.subject(), options);
  options.crop = true;
  const Image cropped = rendered(model.subject(), options);
  EXPECT_LT(cropped.width, full.width / 2);
  EXPECT_EQ(cropped.height, full.height);
  EXPECT_EQ(count_drawn(cropped), count_drawn(full));
}

}  // namespace
}  // namespace sinew::test
