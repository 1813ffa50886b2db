// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "io/text_input.h"
#include "sinew/io/looks.h"

namespace sinew {
namespace {

constexpr std::size_t kMostMaterials = 1000;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The first word; the rest stays in `text`.
std::string_view cut_word(std::string_view& text) {
  text = trimmed(text);
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

std::optional<float> number_in(std::string_view& text, double least, double most) {
  const auto number = parse_double(cut_word(text));
  if (!number) return std::nullopt;
  return static_cast<float>(std::clamp(*number, least, most));
}

// "-s 1 1 1 -clamp on wood grain.png": options come first and are passed over, the rest is a file's name.
std::string texture_name(std::string_view text) {
  static const std::map<std::string_view, int> kNumbers = {
      {"-o", 3},     {"-s", 3},       {"-t", 3},      {"-mm", 2},     {"-bm", 1},
      {"-boost", 1}, {"-texres", 1},  {"-blendu", 0}, {"-blendv", 0}, {"-cc", 0},
      {"-clamp", 0}, {"-imfchan", 0}, {"-type", 0}};
  for (std::string_view rest = text; !rest.empty() && rest[0] == '-';) {
    const auto option = kNumbers.find(cut_word(rest));
    if (option == kNumbers.end()) break;
    if (option->second == 0) cut_word(rest);  // a word
    for (int k = 0; k < option->second; ++k) {
      std::string_view after = rest;
      if (!parse_double(cut_word(after))) break;
      rest = after;
    }
    text = rest;
  }
  return std::string(trimmed(text));
}

void append_value(std::string& out, double value) {
  out += ' ';
  append_number(out, value, 7);
}

}  // namespace

std::vector<Material> read_mtl(std::string_view bytes, std::vector<std::string>& textures) {
  std::string storage;
  std::vector<Material> materials;
  LineReader lines(io::as_text(bytes, storage));
  bool own_roughness = false;
  while (lines.next_line()) {
    std::string_view rest = lines.line();
    const std::string_view word = cut_word(rest);
    if (word == "newmtl") {
      if (materials.size() == kMostMaterials) return materials;
      materials.emplace_back().name = std::string(rest.substr(0, 1024));
      textures.emplace_back();
      own_roughness = false;
      continue;
    }
    if (materials.empty()) continue;
    Material& material = materials.back();
    if (word == "Kd") {
      const auto red = number_in(rest, 0, 1);
      if (!red) continue;  // a spectral curve
      const auto green = number_in(rest, 0, 1), blue = number_in(rest, 0, 1);
      material.colour = Vec3f(*red, green.value_or(*red), blue.value_or(*red));
    } else if (word == "d" && !rest.starts_with("-halo")) {
      if (const auto value = number_in(rest, 0, 1)) material.opacity = *value;
    } else if (word == "Tr") {
      if (const auto value = number_in(rest, 0, 1)) material.opacity = 1 - *value;
    } else if (word == "Ns" && !own_roughness) {
      if (const auto value = number_in(rest, 0, 1000)) material.roughness = 1 - std::sqrt(*value / 1000);
    } else if (word == "Pr") {
      if (const auto value = number_in(rest, 0, 1)) material.roughness = *value, own_roughness = true;
    } else if (word == "Pm") {
      if (const auto value = number_in(rest, 0, 1)) material.metallic = *value;
    } else if (word == "map_Kd") {
      textures.back() = texture_name(rest.substr(0, 4096));
    }
  }
  return materials;
}

std::string write_mtl(std::span<const Material> materials, std::span<const std::string> image_files) {
  std::string out;
  for (const Material& material : materials) {
    out += (out.empty() ? "newmtl " : "\nnewmtl ") + material.name + "\nKd";
    for (int k = 0; k < 3; ++k) append_value(out, material.colour[k]);
    out += "\nd";
    append_value(out, material.opacity);
    out += "\nNs";
    append_value(out, std::pow(1 - material.roughness, 2) * 1000);
    out += "\nPr";
    append_value(out, material.roughness);
    out += "\nPm";
    append_value(out, material.metallic);
    out += '\n';
    if (material.image >= 0) out += "map_Kd " + image_files[static_cast<std::size_t>(material.image)] + "\n";
  }
  return out;
}

}  // namespace sinew
