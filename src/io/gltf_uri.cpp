// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_uri.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <system_error>

#include "sinew/core/text.h"

namespace sinew::gltf {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::array<std::uint8_t, 256> make_decoding() {
  std::array<std::uint8_t, 256> table{};
  table.fill(255);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    table[static_cast<std::uint8_t>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  return table;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

bool has_scheme(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  return colon != std::string_view::npos && uri.substr(0, colon).find('/') == std::string_view::npos;
}

bool leaves_folder(const std::string& name) {
  const std::filesystem::path path(name);
  if (path.is_absolute() || name.find('\\') != std::string::npos) return true;
  return std::any_of(path.begin(), path.end(),
                     [](const std::filesystem::path& step) { return step == ".."; });
}

bool lies_below(const std::filesystem::path& file, const std::filesystem::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < have ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out.push_back(k <= have ? kAlphabet[group >> (18 - 6 * k) & 63] : '=');
  }
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  static const std::array<std::uint8_t, 256> kDecoding = make_decoding();
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    const std::uint8_t value = kDecoding[static_cast<std::uint8_t>(c)];
    if (value == 255) return std::nullopt;
    group = group << 6 | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out.push_back(static_cast<char>(group >> bits & 255u));
  }
  return out;
}

bool is_data_uri(std::string_view uri) {
  return uri.size() >= 5 && equals_ignoring_case(uri.substr(0, 5), "data:");
}

Result<std::string> decode_data_uri(std::string_view uri) {
  const std::size_t comma = uri.find(',');
  if (comma == std::string_view::npos || !uri.substr(0, comma).ends_with(";base64"))
    return bad_input(
        " is a data URI that is not base64: write it as data:application/octet-stream;base64,...");
  auto bytes = base64_decode(uri.substr(comma + 1));
  if (!bytes) return bad_input(" is a data URI whose base64 is broken: export the file again");
  return *std::move(bytes);
}

Result<std::filesystem::path> resolve_uri(std::string_view uri, const std::filesystem::path& folder) {
  const std::string shown = " is \"" + printable(uri, 80) + "\"";
  const auto name = percent_decode(uri);
  if (!name || name->empty() || name->find('\0') != std::string::npos)
    return bad_input(shown + ": that is not a file name");
  if (has_scheme(uri)) return bad_input(shown + ": only files beside the .gltf are read, save it there");
  return resolve_inside(*name, folder);
}

Result<std::filesystem::path> resolve_inside(const std::string& name, const std::filesystem::path& folder) {
  const std::string shown = " is \"" + printable(name, 80) + "\"";
  if (leaves_folder(name))
    return bad_input(shown + ", which leaves the folder of the file: put it beside the file");
  std::error_code error;
  const std::filesystem::path base = std::filesystem::canonical(folder.empty() ? "." : folder, error);
  if (error) return io_error(shown + ", but the folder of the file does not exist");
  const std::filesystem::path path = std::filesystem::canonical(base / name, error);
  if (error) return io_error(shown + ", which does not exist: put it beside the file");
  if (!lies_below(path, base))
    return bad_input(shown + ", a link that leaves the folder of the file: put the file itself there");
  if (!std::filesystem::is_regular_file(path, error))
    return io_error(shown + ", which is not a regular file");
  return path;
}

}  // namespace sinew::gltf
