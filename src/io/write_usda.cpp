// SPDX-License-Identifier: Apache-2.0
#include "sinew/io/write_usda.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "sinew/core/text.h"
#include "sinew/math/polar.h"
#include "sinew/skeleton/pose.h"

namespace sinew {
namespace {

// A name that no one else in `taken` has, of letters, digits and '_'.
std::string identifier(const std::string& name, std::set<std::string>& taken) {
  std::string word;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    word += letter ? c : '_';
  }
  if (word.empty() || (word[0] >= '0' && word[0] <= '9')) word.insert(0, "_");
  std::string unique = word;
  for (int k = 2; !taken.insert(unique).second; ++k) unique = fmt::format("{}_{}", word, k);
  return unique;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return out + "\"";
}

// "[a, b, …]", each by `add(out, item)`.
template <typename Items, typename Add>
std::string listed(const Items& items, const Add& add) {
  std::string out = "[";
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ", ";
    first = false;
    add(out, item);
  }
  return out + "]";
}

template <typename Vector>
void add_tuple(std::string& out, const Vector& values) {
  out += '(';
  for (Eigen::Index c = 0; c < values.size(); ++c) {
    if (c > 0) out += ", ";
    append_number(out, static_cast<double>(values[c]));
  }
  out += ')';
}
constexpr auto kTuple = [](std::string& out, const auto& values) { add_tuple(out, values); };
constexpr auto kWord = [](std::string& out, const std::string& word) { out += quoted(word); };
constexpr auto kWhole = [](std::string& out, auto value) { out += std::to_string(value); };
constexpr auto kNumber = [](std::string& out, auto value) { append_number(out, static_cast<double>(value)); };
// Rows of the transpose: USD multiplies row vectors.
constexpr auto kMatrix = [](std::string& out, const Affine3& transform) {
  out += '(';
  for (int c = 0; c < 4; ++c) {
    out += c == 0 ? "(" : ", (";
    for (int r = 0; r < 4; ++r) {
      if (r > 0) out += ", ";
      append_number(out, r < 3 ? transform.matrix()(r, c) : c < 3 ? 0 : 1, 15);
    }
    out += ')';
  }
  out += ')';
};

class UsdaWriter {
 public:
  UsdaWriter(const Rig& rig, const Looks& looks, std::span<const std::string> image_files, double fps)
      : rig_(rig), looks_(looks), image_files_(image_files), fps_(fps) {
    skinned_ = !rig.skeleton.empty() || !rig.keys.empty();
    if (skinned_) set_joints();
    std::set<std::string> taken;
    for (const ShapeKey& key : rig.keys) keys_.push_back(identifier(key.name, taken));
    taken.clear();
    for (const Material& material : looks.materials) materials_.push_back(identifier(material.name, taken));
  }

  std::string run() {
    header();
    open(skinned_ ? "SkelRoot" : "Xform", "Character", skinned_ ? kSkelApi : "");
    if (skinned_) {
      line("rel skel:skeleton = </Character/Skeleton>");
      std::string first;
      const std::string animations = animations_text(first);
      skeleton(first);
      out_ += animations;
    }
    std::set<std::string> taken = {"Skeleton", "Animations", "Materials"};
    for (std::size_t p = 0; p < rig_.parts.size(); ++p)
      if (rig_.parts[p].face_count > 0) mesh(p, identifier(rig_.parts[p].name, taken));
    if (!materials_.empty()) materials();
    close();
    return std::move(out_);
  }

 private:
  static constexpr const char* kSkelApi = "\"SkelBindingAPI\"";

  void line(const std::string& text) {
    out_.append(4 * depth_, ' ');
    out_ += text + "\n";
  }
  void open(const char* type, const std::string& name, const std::string& schemas = "") {
    line(fmt::format("def {} {}{}", type, quoted(name), schemas.empty() ? "" : " ("));
    if (!schemas.empty()) {
      line(fmt::format("    prepend apiSchemas = [{}]", schemas));
      line(")");
    }
    line("{");  // on its own, as some readers want it
    ++depth_;
  }
  void close() {
    --depth_;
    line("}");
  }

  void per_vertex(const std::string& attribute, std::size_t width = 1) {
    line(attribute + " (");
    if (width > 1) line(fmt::format("    elementSize = {}", width));
    line("    interpolation = \"vertex\"");
    line(")");
  }

  void header() {
    double last = 0;
    for (const Clip& clip : rig_.clips) last = std::max(last, clip.duration() * fps_);
    std::string end;
    append_number(end, last);
    out_ = fmt::format(
        "#usda 1.0\n(\n    defaultPrim = \"Character\"\n    endTimeCode = {}\n    metersPerUnit = 1\n    "
        "startTimeCode = 0\n    timeCodesPerSecond = {:g}\n    upAxis = \"Y\"\n)\n\n",
        end, fps_);
  }

  // Parents first; behind them a joint that never moves, where vertices hang on none.
  void set_joints() {
    const Skeleton& skeleton = rig_.skeleton;
    const auto globals = global_transforms(skeleton, rest_pose(skeleton).local);
    place_.resize(skeleton.size());
    scales_.assign(skeleton.size(), 1);
    std::set<std::string> taken;
    std::vector<std::string> paths(skeleton.size());
    for (const std::uint32_t j : skeleton.order()) {
      place_[j] = order_.size();
      order_.push_back(j);
      const double scale = std::cbrt(std::abs(globals[j].linear().determinant()));
      if (scale > 1e-9 && std::isfinite(scale)) scales_[j] = scale;
      const int parent = skeleton[j].parent;
      paths[j] = (parent < 0 ? "" : paths[static_cast<std::size_t>(parent)] + "/") +
                 identifier(skeleton[j].name, taken);
      joints_.push_back(paths[j]);
      names_.push_back(skeleton[j].name);
    }
    for (std::size_t i = 0; i < rig_.mesh.vertex_count() && !has_still_; ++i)
      has_still_ = rig_.weights.row(i).empty();
    if (!has_still_) return;
    names_.push_back(identifier("still", taken));
    joints_.push_back(names_.back());
  }

  // In the joints' order, scale taken out: a joint's frame is G S⁻¹ for its rest scale S.
  std::vector<Affine3> locals_of(const Pose& pose) const {
    std::vector<Affine3> locals;
    for (const std::uint32_t j : order_) {
      const int parent = rig_.skeleton[j].parent;
      const double above = parent < 0 ? 1 : scales_[static_cast<std::size_t>(parent)];
      Affine3 local = pose.local[j];
      local.translation() *= above;
      local.linear() *= above / scales_[j];
      locals.push_back(local);
    }
    if (has_still_) locals.push_back(Affine3::Identity());
    return locals;
  }

  void skeleton(const std::string& animation) {
    const std::vector<Affine3> of_rig = bind_transforms(rig_);
    std::vector<Affine3> binds;
    for (const std::uint32_t j : order_) {
      binds.push_back(of_rig[j]);
      binds.back().linear() /= scales_[j];
    }
    if (has_still_) binds.push_back(Affine3::Identity());
    open("Skeleton", "Skeleton", kSkelApi);
    line("uniform token[] joints = " + listed(joints_, kWord));
    line("uniform token[] jointNames = " + listed(names_, kWord));
    line("uniform matrix4d[] bindTransforms = " + listed(binds, kMatrix));
    line("uniform matrix4d[] restTransforms = " + listed(locals_of(rest_pose(rig_.skeleton)), kMatrix));
    if (!animation.empty())
      line(fmt::format("rel skel:animationSource = </Character/Animations/{}>", animation));
    close();
  }

  // All clips; without any, one that holds the keys' default weights where they do something.
  std::string animations_text(std::string& first) {
    Clip still;
    still.name = "rest";
    std::span<const Clip> clips = rig_.clips;
    const bool shaped = std::any_of(rig_.keys.begin(), rig_.keys.end(),
                                    [](const ShapeKey& key) { return key.default_weight != 0; });
    if (clips.empty() && shaped) clips = {&still, 1};
    if (clips.empty()) return {};
    const std::size_t begin = out_.size();
    std::set<std::string> taken;
    open("Scope", "Animations");
    for (const Clip& clip : clips) {
      const std::string name = identifier(clip.name, taken);
      if (first.empty()) first = name;
      animation(clip, name);
    }
    close();
    std::string text = out_.substr(begin);
    out_.resize(begin);
    return text;
  }

  void animation(const Clip& clip, const std::string& name) {
    const double end = clip.duration() * fps_;
    std::vector<double> times;
    for (double k = 0; k < end - 1e-6; ++k) times.push_back(k);
    times.push_back(end);
    std::string translations, rotations, scales, weights;
    for (const double time : times) {
      Pose pose = rest_pose(rig_.skeleton);
      for (const ShapeKey& key : rig_.keys) pose.key_weights.push_back(key.default_weight);
      sample_clip(clip, rig_.skeleton, time / fps_, pose);
      std::vector<Trs> parts;
      for (const Affine3& local : locals_of(pose)) parts.push_back(decompose(local));
      std::string at(4 * (depth_ + 2), ' ');
      append_number(at, time);
      translations +=
          at + ": " +
          listed(parts, [](std::string& out, const Trs& trs) { add_tuple(out, trs.translation); }) + ",\n";
      rotations += at + ": " +
                   listed(parts,
                          [](std::string& out, const Trs& trs) {
                            const Quat& q = trs.rotation;
                            add_tuple(out, Eigen::Vector4d(q.w(), q.x(), q.y(), q.z()));
                          }) +
                   ",\n";
      scales += at + ": " +
                listed(parts, [](std::string& out, const Trs& trs) { add_tuple(out, trs.scale); }) + ",\n";
      weights += at + ": " + listed(pose.key_weights, kNumber) + ",\n";
    }
    open("SkelAnimation", name);
    line("uniform token[] joints = " + listed(joints_, kWord));
    if (!keys_.empty()) line("uniform token[] blendShapes = " + listed(keys_, kWord));
    samples("float3[] translations", translations);
    samples("quatf[] rotations", rotations);
    samples("half3[] scales", scales);
    if (!keys_.empty()) samples("float[] blendShapeWeights", weights);
    close();
  }
  void samples(const char* what, const std::string& text) {
    line(fmt::format("{}.timeSamples = {{", what));
    out_ += text;
    line("}");
  }

  void mesh(std::size_t p, const std::string& name) {
    const MeshPart& part = rig_.parts[p];
    const PolyMesh& mesh = rig_.mesh;
    const auto range = [&](const auto& values) {
      return std::span(values).subspan(part.vertex_begin, part.vertex_count);
    };
    std::vector<std::uint32_t> counts, corners;
    for (std::size_t f = part.face_begin; f < part.face_begin + part.face_count; ++f) {
      counts.push_back(static_cast<std::uint32_t>(mesh.face(f).size()));
      for (const std::uint32_t v : mesh.face(f))
        corners.push_back(v - static_cast<std::uint32_t>(part.vertex_begin));
    }
    const int material = p < looks_.part_materials.size() ? looks_.part_materials[p] : -1;
    std::string schemas = skinned_ ? kSkelApi : "";
    if (material >= 0) schemas += std::string(schemas.empty() ? "" : ", ") + "\"MaterialBindingAPI\"";
    open("Mesh", name, schemas);
    const Box3 box = bounding_box(range(mesh.positions));
    line("float3[] extent = " + listed(std::array{box.min(), box.max()}, kTuple));
    line("int[] faceVertexCounts = " + listed(counts, kWhole));
    line("int[] faceVertexIndices = " + listed(corners, kWhole));
    line("point3f[] points = " + listed(range(mesh.positions), kTuple));
    if (!mesh.normals.empty()) per_vertex("normal3f[] normals = " + listed(range(mesh.normals), kTuple));
    if (!mesh.texcoords.empty())
      per_vertex("texCoord2f[] primvars:st = " +
                 listed(range(mesh.texcoords), [](std::string& out, const Vec2f& uv) {
                   add_tuple(out, Vec2f(uv.x(), 1 - uv.y()));
                 }));
    line("uniform token subdivisionScheme = \"none\"");
    if (material >= 0)
      line(fmt::format("rel material:binding = </Character/Materials/{}>",
                       materials_[static_cast<std::size_t>(material)]));
    if (skinned_) {
      influences(part);
      shapes(part, name);
    }
    close();
  }
  void influences(const MeshPart& part) {
    std::size_t width = 1;
    for (std::size_t i = part.vertex_begin; i < part.vertex_begin + part.vertex_count; ++i)
      width = std::max(width, rig_.weights.row(i).size());
    std::vector<std::size_t> indices;
    std::vector<double> weights;
    for (std::size_t i = part.vertex_begin; i < part.vertex_begin + part.vertex_count; ++i) {
      const auto row = rig_.weights.row(i);
      for (std::size_t k = 0; k < width; ++k) {
        const bool has = k < row.size(), still = row.empty() && k == 0;
        indices.push_back(has ? place_[row[k].joint] : still ? joints_.size() - 1 : 0);
        weights.push_back(has ? row[k].weight : still ? 1 : 0);
      }
    }
    per_vertex("int[] primvars:skel:jointIndices = " + listed(indices, kWhole), width);
    per_vertex("float[] primvars:skel:jointWeights = " + listed(weights, kNumber), width);
  }

  // Where a key moves no vertex of the part it has no shape there.
  void shapes(const MeshPart& part, const std::string& name) {
    std::vector<std::string> here;
    std::vector<std::vector<std::uint32_t>> moved;
    std::vector<std::size_t> which;
    for (std::size_t k = 0; k < rig_.keys.size(); ++k) {
      std::vector<std::uint32_t> points;
      for (std::size_t i = 0; i < part.vertex_count; ++i)
        if (!rig_.keys[k].deltas[part.vertex_begin + i].isZero(0))
          points.push_back(static_cast<std::uint32_t>(i));
      if (points.empty()) continue;
      here.push_back(keys_[k]);
      moved.push_back(std::move(points));
      which.push_back(k);
    }
    if (here.empty()) return;
    line("uniform token[] skel:blendShapes = " + listed(here, kWord));
    line("rel skel:blendShapeTargets = " + listed(here, [&](std::string& out, const std::string& key) {
           out += fmt::format("</Character/{}/{}>", name, key);
         }));
    for (std::size_t n = 0; n < here.size(); ++n) {
      const ShapeKey& key = rig_.keys[which[n]];
      const auto deltas = [&](const std::vector<Vec3f>& values) {
        return listed(moved[n], [&](std::string& out, std::uint32_t i) {
          add_tuple(out, values[part.vertex_begin + i]);
        });
      };
      open("BlendShape", here[n]);
      line("uniform vector3f[] offsets = " + deltas(key.deltas));
      if (!key.normal_deltas.empty()) line("uniform vector3f[] normalOffsets = " + deltas(key.normal_deltas));
      line("uniform int[] pointIndices = " + listed(moved[n], kWhole));
      close();
    }
  }

  void materials() {
    open("Scope", "Materials");
    for (std::size_t m = 0; m < materials_.size(); ++m) {
      const Material& material = looks_.materials[m];
      const std::string path = "/Character/Materials/" + materials_[m];
      const bool textured =
          material.image >= 0 && static_cast<std::size_t>(material.image) < image_files_.size();
      open("Material", materials_[m]);
      line(fmt::format("token outputs:surface.connect = <{}/Surface.outputs:surface>", path));
      open("Shader", "Surface");
      line("uniform token info:id = \"UsdPreviewSurface\"");
      std::string colour;
      add_tuple(colour, material.colour);
      line(textured ? fmt::format("color3f inputs:diffuseColor.connect = <{}/Texture.outputs:rgb>", path)
                    : "color3f inputs:diffuseColor = " + colour);
      line(fmt::format("float inputs:metallic = {:.6g}", material.metallic));
      line(fmt::format("float inputs:opacity = {:.6g}", material.opacity));
      line(fmt::format("float inputs:roughness = {:.6g}", material.roughness));
      line("token outputs:surface");
      close();
      if (textured) texture(material, path);
      close();
    }
    close();
  }
  void texture(const Material& material, const std::string& path) {
    open("Shader", "Coordinates");
    line("uniform token info:id = \"UsdPrimvarReader_float2\"");
    line("string inputs:varname = \"st\"");
    line("float2 outputs:result");
    close();
    open("Shader", "Texture");
    line("uniform token info:id = \"UsdUVTexture\"");
    line(fmt::format("asset inputs:file = @./{}@", image_files_[static_cast<std::size_t>(material.image)]));
    std::string scale;
    add_tuple(scale, Eigen::Vector4f(material.colour.x(), material.colour.y(), material.colour.z(), 1));
    line("float4 inputs:scale = " + scale);
    line("token inputs:wrapS = \"repeat\"");
    line("token inputs:wrapT = \"repeat\"");
    line(fmt::format("float2 inputs:st.connect = <{}/Coordinates.outputs:result>", path));
    line("float3 outputs:rgb");
    close();
  }

  const Rig& rig_;
  const Looks& looks_;
  std::span<const std::string> image_files_;
  double fps_;
  std::string out_;
  std::size_t depth_ = 0;
  bool skinned_ = false, has_still_ = false;
  std::vector<std::uint32_t> order_;  // joints as written
  std::vector<std::size_t> place_;    // per joint of the rig, in that order
  std::vector<double> scales_;        // per joint of the rig, at rest
  std::vector<std::string> joints_, names_, keys_, materials_;
};

}  // namespace

std::string write_usda(const Rig& rig, const Looks& looks, std::span<const std::string> image_files,
                       double fps) {
  return UsdaWriter(rig, looks, image_files, fps).run();
}

}  // namespace sinew
