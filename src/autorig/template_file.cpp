// SPDX-License-Identifier: Apache-2.0
// Templates are read each time the program runs: numbers are parsed here, as strtod takes ten times as long
// and from_chars for doubles is not everywhere.
#include "autorig/template_file.h"

#include <fmt/format.h>

#include <cmath>

#include "sinew/autorig/skeleton_template.h"

namespace sinew {
namespace autorig {
namespace {

std::string text_of(const Vec3& p) {
  return fmt::format("{:.5g} {:.5g} {:.5g}", p.x(), p.y(), p.z());
}

constexpr const char* kKinds[] = {"trunk", "limb", "minor"};

std::string text_of(const Anchor& anchor) {
  return fmt::format("{} {} {:.5g} {} {}", kKinds[static_cast<int>(anchor.kind)], anchor.part, anchor.s,
                     text_of(anchor.offset), text_of(anchor.tangent));
}

std::string text_of(const Curve& curve) {
  std::string text = fmt::format("curve {}\n", curve.points.size());
  for (std::size_t k = 0; k < curve.points.size(); ++k)
    text += fmt::format("{} {:.5g} {:.5g}\n", text_of(curve.points[k]), curve.radii[k], curve.levels[k]);
  return text;
}

std::string text_of(const std::vector<Part>& parts, const char* name) {
  std::string text = fmt::format("{} {}\n", name, parts.size());
  for (const Part& part : parts) {
    text += fmt::format("part {} seam {:.5g} tip {} stems {}", part.parent, part.seam, text_of(part.tip),
                        part.stems.size());
    for (const auto& [from, to] : part.stems) text += fmt::format(" {:.5g} {:.5g}", from, to);
    text += "\n" + text_of(part.curve);
  }
  return text;
}

Vec3 point(Words& words) {
  const double x = words.number(), y = words.number();
  return {x, y, words.number()};
}

Anchor anchor_from(Words& words) {
  Anchor anchor;
  const std::string_view kind = words.next();
  for (int k = 0; k < 3; ++k)
    if (kind == kKinds[k]) anchor.kind = static_cast<Anchor::Kind>(k);
  anchor.part = words.count();
  anchor.s = words.number();
  anchor.offset = point(words);
  anchor.tangent = point(words);
  return anchor;
}

Curve curve_from(Words& words) {
  Curve curve;
  words.expect("curve");
  const std::size_t n = words.count();
  for (std::size_t k = 0; k < n && !words.failed(); ++k) {
    curve.points.push_back(point(words));
    curve.radii.push_back(words.number());
    curve.levels.push_back(words.number());
  }
  curve.measure();
  return curve;
}

std::vector<Part> parts_from(Words& words, const char* name) {
  words.expect(name);
  std::vector<Part> parts(words.failed() ? 0 : words.count());
  for (Part& part : parts) {
    words.expect("part");
    part.parent = static_cast<int>(words.number());
    words.expect("seam");
    part.seam = words.number();
    words.expect("tip");
    part.tip = point(words);
    words.expect("stems");
    const std::size_t stems = words.count();
    for (std::size_t k = 0; k < stems && !words.failed(); ++k) {
      const double from = words.number();
      part.stems.push_back({from, words.number()});
    }
    part.curve = curve_from(words);
    if (words.failed()) break;
  }
  return parts;
}

bool fits(const Anchor& anchor, const Parts& parts) {
  switch (anchor.kind) {
    case Anchor::Kind::kTrunk:
      return true;
    case Anchor::Kind::kLimb:
      return anchor.part < parts.limbs.size();
    case Anchor::Kind::kMinor:
      return anchor.part < parts.minors.size();
  }
  return false;
}

bool is_consistent(const TemplateData& data) {
  const auto n = static_cast<int>(data.joints.size());
  for (int j = 0; j < n; ++j) {
    const TemplateJoint& joint = data.joints[static_cast<std::size_t>(j)];
    if (joint.parent < -1 || joint.parent >= j || joint.mirror < -1 || joint.mirror >= n) return false;
    if (!fits(joint.anchor, data.parts) || (joint.tail && !fits(*joint.tail, data.parts))) return false;
  }
  for (const Part& minor : data.parts.minors)
    if (minor.parent < -1 || minor.parent >= static_cast<int>(data.parts.limbs.size())) return false;
  return n > 0 && data.apart.rows() == static_cast<Eigen::Index>(data.parts.limbs.size()) + 1 &&
         data.diameter > 0 && data.parts.trunk.points.size() > 1;
}

}  // namespace

std::string_view Words::next() {
  for (;;) {
    const std::size_t begin = rest_.find_first_not_of(" \r\n");
    if (begin == std::string_view::npos) {
      failed_ = true;
      rest_ = {};
      return {};
    }
    rest_.remove_prefix(begin);
    if (rest_[0] != '#') break;
    rest_.remove_prefix(std::min(rest_.size(), rest_.find('\n')));
  }
  const std::string_view word = rest_.substr(0, rest_.find_first_of(" \r\n"));
  rest_.remove_prefix(word.size());
  return word;
}

bool Words::at_end() {
  return rest_.find_first_not_of(" \r\n") == std::string_view::npos;
}

bool Words::expect(std::string_view word) {
  if (next() != word) failed_ = true;
  return !failed_;
}

std::size_t Words::count() {
  const double value = number();
  if (!(value >= 0 && value <= kMost && value == std::floor(value))) {
    failed_ = true;
    return 0;
  }
  return static_cast<std::size_t>(value);
}

double Words::number() {
  const std::string_view word = next();
  std::size_t k = 0;
  const auto digit = [&] { return k < word.size() && word[k] >= '0' && word[k] <= '9'; };
  const bool minus = k < word.size() && word[k] == '-';
  k += minus;
  double value = 0;
  int exponent = 0;
  const std::size_t begin = k;
  for (; digit(); ++k) value = 10 * value + (word[k] - '0');
  if (k < word.size() && word[k] == '.')
    for (++k; digit(); ++k, --exponent) value = 10 * value + (word[k] - '0');
  failed_ = failed_ || k == begin;
  if (k < word.size() && word[k] == 'e') {
    ++k;
    const bool down = k < word.size() && word[k] == '-';
    k += k < word.size() && (word[k] == '-' || word[k] == '+');
    int shift = 0;
    for (; digit() && shift < 400; ++k) shift = 10 * shift + (word[k] - '0');
    exponent += down ? -shift : shift;
  }
  failed_ = failed_ || k != word.size();
  if (exponent != 0) value *= std::pow(10.0, exponent);
  return minus ? -value : value;
}

std::string to_text(const TemplateData& data) {
  std::string text =
      fmt::format("way {}\ndiameter {:.5g} spare {:.5g} sides {}\n", data.rings ? "rings" : "surface",
                  data.diameter, data.spare, data.two_sided ? 2 : 1);
  text += fmt::format("tips {}\n", data.apart.rows());
  for (Eigen::Index r = 0; r < data.apart.rows(); ++r)
    for (Eigen::Index c = 0; c < data.apart.cols(); ++c)
      text += fmt::format("{:.5g}{}", data.apart(r, c), c + 1 < data.apart.cols() ? " " : "\n");
  text += fmt::format("joints {}\n", data.joints.size());
  for (const TemplateJoint& joint : data.joints) {
    std::string name = joint.name;
    for (char& c : name)
      if (c == ' ' || c == '#' || c == '\n' || c == '\r') c = '_';
    text += fmt::format("{} {} {} {} {}", name, joint.parent, joint.mirror, text_of(joint.head),
                        text_of(joint.anchor));
    text += joint.tail ? " to " + text_of(*joint.tail) + "\n" : " .\n";
  }
  text += "trunk " + text_of(data.parts.trunk);
  return text + text_of(data.parts.limbs, "limbs") + text_of(data.parts.minors, "minors");
}

Result<std::shared_ptr<const TemplateData>> template_from(Words& words, const std::string& name) {
  auto data = std::make_shared<TemplateData>();
  data->name = name;
  words.expect("way");
  data->rings = words.next() == "rings";
  words.expect("diameter");
  data->diameter = words.number();
  words.expect("spare");
  data->spare = words.number();
  words.expect("sides");
  data->two_sided = words.number() == 2;
  words.expect("tips");
  const std::size_t tips = words.failed() ? 0 : words.count();
  if (tips == 0 || tips > 100) return bad_input("the template has no tips, or too many");
  const auto rows = static_cast<Eigen::Index>(tips);
  data->apart.resize(rows, rows);
  for (Eigen::Index r = 0; r < rows; ++r)
    for (Eigen::Index c = 0; c < rows; ++c) data->apart(r, c) = words.number();
  words.expect("joints");
  data->joints.resize(words.failed() ? 0 : words.count());
  for (TemplateJoint& joint : data->joints) {
    joint.name = words.next();
    joint.parent = static_cast<int>(words.number());
    joint.mirror = static_cast<int>(words.number());
    joint.head = point(words);
    joint.anchor = anchor_from(words);
    if (words.next() == "to") joint.tail = anchor_from(words);
    if (words.failed()) break;
  }
  words.expect("trunk");
  data->parts.trunk = curve_from(words);
  data->parts.limbs = parts_from(words, "limbs");
  data->parts.minors = parts_from(words, "minors");
  if (words.failed() || !is_consistent(*data))
    return bad_input("the text is no template of this version, or is cut short");
  for (const Part& limb : data->parts.limbs) data->bends.push_back(own_bends(limb));
  find_mirror_limbs(*data);
  return std::shared_ptr<const TemplateData>(std::move(data));
}

}  // namespace autorig

using namespace autorig;

std::string write_template(const SkeletonTemplate& one) {
  std::string text = fmt::format("# SPDX-License-Identifier: Apache-2.0\nsinew-template 1 {}\n", one.name());
  text += to_text(one.data());
  if (one.rings() != nullptr) text += to_text(*one.rings());
  return text;
}

Result<SkeletonTemplate> read_template(std::string_view text) {
  Words words(text);
  words.expect("sinew-template");
  if (words.failed() || words.next() != "1") return bad_input("the text is no template of this version");
  const std::string name(words.next());
  SkeletonTemplate made;
  SINEW_TRY(made.data_, template_from(words, name));
  if (made.data_->rings) return bad_input("the template begins with its rings");
  if (words.at_end()) return made;
  SINEW_TRY(made.rings_, template_from(words, name));
  if (!made.rings_->rings) return bad_input("the template has two surfaces");
  return made;
}

Result<SkeletonTemplate> built_in_template(std::string_view name) {
  const std::string_view text = built_in_text(name);
  if (text.empty()) return usage_error("no template is called '" + std::string(name) + "'");
  return read_template(text);
}

}  // namespace sinew
