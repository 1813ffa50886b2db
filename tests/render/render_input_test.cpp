// SPDX-License-Identifier: Apache-2.0
// What is missing, broken or too large, and what stands beside the mesh: captions and legends.
#include <cmath>
#include <limits>

#include "render/pictures.h"
#include "support/shapes.h"

namespace sinew::test {
namespace {

constexpr double kBadNumber = std::numeric_limits<double>::quiet_NaN();

TEST(RenderInput, EmptySubjectIsWhite) {
  const Image image = rendered(Subject{});
  EXPECT_EQ(image.width, 1920);
  EXPECT_EQ(image.height, 640);
  EXPECT_EQ(count_drawn(image), 0u);
  EXPECT_TRUE(image.warnings.empty());
}

TEST(RenderInput, VerticesWithoutTrianglesAreNotDrawn) {
  Subject subject;
  const std::vector<Vec3> positions = {{0, 0, 0}, {1, 1, 1}};
  subject.positions = positions;
  EXPECT_EQ(count_drawn(rendered(subject)), 0u);
}

TEST(RenderInput, PositionsThatAreNotFiniteAreLeftOutAndCounted) {
  PolyMesh mesh = uv_sphere(Vec3::Zero(), 1, 32, 16);
  const Image whole = rendered(Model(mesh).subject(), one_view(View::kFront));
  mesh.positions[40].x() = kBadNumber;
  mesh.positions[41].y() = std::numeric_limits<double>::infinity();
  mesh.positions[42].z() = 1e200;                 // areas would overflow
  mesh.positions.emplace_back(kBadNumber, 0, 0);  // of no triangle: no loss
  const Image holed = rendered(Model(mesh).subject(), one_view(View::kFront));
  ASSERT_EQ(holed.warnings.size(), 1u);
  EXPECT_EQ(holed.warnings[0].substr(0, 2), "3 ");
  // The picture keeps its scale: most of the sphere is as before.
  EXPECT_NEAR(static_cast<double>(count_drawn(holed)), static_cast<double>(count_drawn(whole)), 400);
}

TEST(RenderInput, AllPositionsNaNIsWhiteWithANote) {
  PolyMesh mesh = uv_sphere(Vec3::Zero(), 1, 8, 4);
  for (Vec3& p : mesh.positions) p.setConstant(kBadNumber);
  const Image image = rendered(Model(mesh).subject(), one_view(View::kFront));
  EXPECT_EQ(count_drawn(image), 0u);
  EXPECT_EQ(image.warnings.size(), 1u);
}

TEST(RenderInput, DegenerateSubjectsDoNoHarm) {
  PolyMesh point;
  point.positions.assign(3, Vec3(2, 2, 2));
  point.add_face({0, 1, 2});
  EXPECT_EQ(count_drawn(rendered(Model(point).subject(), one_view(View::kThreeQuarter))), 0u);
  PolyMesh line;
  line.positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  line.add_face({0, 1, 2});
  EXPECT_EQ(count_drawn(rendered(Model(line).subject(), one_view(View::kThreeQuarter))), 0u);
  const Model model(line);
  const Subject subject = model.subject();
  RenderOptions options = one_view(View::kFront);
  options.frame = Box3(Vec3::Zero(), Vec3::Zero());
  EXPECT_TRUE(render(subject, options).ok());
  options.frame = Box3(Vec3::Constant(-1e300), Vec3::Constant(1e300));
  EXPECT_TRUE(render(subject, options).ok());
}

TEST(RenderInput, CaptionAddsAStripWithText) {
  const Model model(uv_sphere(Vec3::Zero(), 1));
  Subject subject = model.subject();
  const RenderOptions options = one_view(View::kFront, 320);
  const Image bare = rendered(subject, options);
  subject.caption = "A sphere, Kugel, sphère";
  const Image captioned = rendered(subject, options);
  ASSERT_TRUE(captioned.warnings.empty()) << captioned.warnings[0];
  EXPECT_GT(captioned.height, bare.height);
  EXPECT_GT(count_drawn(captioned), count_drawn(bare) + 300);
  // The views themselves are untouched.
  EXPECT_TRUE(std::equal(bare.rgb.begin(), bare.rgb.end(), captioned.rgb.begin()));
  subject.caption = "A cube";
  EXPECT_NE(rendered(subject, options).rgb, captioned.rgb);
  subject.caption = std::string(4000, 'w') + "\xFF\xFE";  // cut, and not UTF-8
  EXPECT_TRUE(render(subject, options).ok());
}

TEST(RenderInput, WithoutAFontThePictureComesWithANote) {
  const Model model(uv_sphere(Vec3::Zero(), 1));
  Subject subject = model.subject();
  subject.caption = "unseen";
  RenderOptions options = one_view(View::kFront);
  options.font = "/nowhere/none.ttf";
  const Image image = rendered(subject, options);
  ASSERT_EQ(image.warnings.size(), 1u);
  EXPECT_NE(image.warnings[0].find("/nowhere/none.ttf"), std::string::npos);
  subject.caption.clear();
  EXPECT_EQ(count_drawn(rendered(subject, options)), count_drawn(image));
  EXPECT_TRUE(rendered(subject, options).warnings.empty());  // nothing to write, nothing missed
}

TEST(RenderInput, HeatComesWithALegend) {
  const Model model(uv_sphere(Vec3::Zero(), 1));
  std::vector<float> values(model.mesh.positions.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(model.mesh.positions[i].y());
  Subject subject = model.subject();
  subject.heat = HeatMap{values, -1, 1, "height"};
  const RenderOptions options = one_view(View::kFront, 320);
  const Image image = rendered(subject, options);
  EXPECT_GT(image.width, 320);
  EXPECT_GT(count_drawn(image, 320, image.width), 1000u);
  // Values above the middle are lighter than below, on the mesh as in the legend.
  EXPECT_GT(lightness(pixel(image, 160, 60)), lightness(pixel(image, 160, 260)));
  subject.heat->title = "depth";
  EXPECT_NE(rendered(subject, options).rgb, image.rgb);
  subject.heat->title = "height";
  subject.heat->low = 1;
  subject.heat->high = -1;  // turned round: low values are light
  const Image turned = rendered(subject, options);
  EXPECT_LT(lightness(pixel(turned, 160, 60)), lightness(pixel(turned, 160, 260)));
  subject.heat->high = 1;  // one value: all in the middle of the map
  EXPECT_TRUE(render(subject, options).ok());
}

TEST(RenderInput, NaNHeatIsGrey) {
  const Model model(uv_sphere(Vec3::Zero(), 1));
  std::vector<float> values(model.mesh.positions.size(), std::numeric_limits<float>::quiet_NaN());
  Subject subject = model.subject();
  subject.heat = HeatMap{values, 0, 1, ""};
  const Rgb8 colour = pixel(rendered(subject, one_view(View::kFront)), 80, 80);
  EXPECT_EQ(colour[0], colour[1]);
  EXPECT_EQ(colour[1], colour[2]);
  EXPECT_FALSE(is_white(colour));
  values.assign(values.size(), 0.5f);
  subject.heat->values = values;
  const Rgb8 middle = pixel(rendered(subject, one_view(View::kFront)), 80, 80);
  EXPECT_GT(middle[1], middle[0] + 40);  // teal
}

TEST(RenderInput, WrongCallsAreUsageErrors) {
  const Model model(uv_sphere(Vec3::Zero(), 1, 8, 4));
  const auto code = [](const Subject& subject, const RenderOptions& options) {
    const auto result = render(subject, options);
    return result.ok() ? 0 : static_cast<int>(result.error().code);
  };
  const int usage = static_cast<int>(ErrorCode::kUsage);
  RenderOptions options = one_view(View::kFront);
  EXPECT_EQ(code(model.subject(), options), 0);
  for (const int side : {0, -5, kMaxImageSide + 1}) {
    options.width = side;
    EXPECT_EQ(code(model.subject(), options), usage) << side;
  }
  options.width = options.height = 16000;  // each side fits, all pixels do not
  EXPECT_EQ(code(model.subject(), options), usage);
  options = {};
  options.width = 8000;
  options.height = 10;  // three views are too wide
  EXPECT_EQ(code(model.subject(), options), usage);
  options = one_view(View::kFront);
  options.up = 'w';
  EXPECT_EQ(code(model.subject(), options), usage);
  options = one_view(View::kFront);
  options.views.clear();
  EXPECT_EQ(code(model.subject(), options), usage);
  options = one_view(View::kFront);
  Subject subject = model.subject();
  const std::vector<Triangle> wild = {{0, 1, 100000}};
  subject.triangles = wild;
  EXPECT_EQ(code(subject, options), usage);
  subject = model.subject();
  PolyMesh edges;
  edges.add_face({0, 1, 100000});
  subject.edges = &edges;
  EXPECT_EQ(code(subject, options), usage);
  subject = model.subject();
  const std::vector<float> few(3);
  subject.heat = HeatMap{few, 0, 1, ""};
  EXPECT_EQ(code(subject, options), usage);
}

}  // namespace
}  // namespace sinew::test
