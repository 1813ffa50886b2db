// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "io/json_file.h"
#include "io/text_input.h"
#include "sinew/io/handle_files.h"

namespace sinew {
namespace {

using Json = nlohmann::json;

constexpr int kHandleDepth = 8;

// `count` finite numbers of a member, or none where it is missing or something else.
std::vector<double> numbers(const Json& entry, const char* key, std::size_t count) {
  const auto found = entry.find(key);
  std::vector<double> out;
  if (found == entry.end() || !found->is_array() || found->size() != count) return out;
  for (const Json& value : *found) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) return {};
    out.push_back(value.get<double>());
  }
  return out;
}

// A whole number from 0 on, or -1.
std::int64_t whole(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_number()) return -1;
  const double value = found->get<double>();
  return value >= 0 && value < 4294967295.0 && value == std::floor(value) ? static_cast<std::int64_t>(value)
                                                                          : -1;
}

}  // namespace

Result<HandleFile> read_handle_json(std::string_view bytes, std::string_view name) {
  SINEW_TRY(const Json list, io::parse_json_file(bytes, name, kHandleDepth));
  if (!list.is_array())
    return io::error_in(name, R"(it is no list; give [{"vertex":I,"position":[x,y,z]}, ...])");
  HandleFile file;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Json& entry = list[k];
    const auto fail = [&](const char* what) {
      return io::error_in(name, "entry " + std::to_string(k) + " " + what);
    };
    if (!entry.is_object()) return fail("is not an object");
    const std::vector<double> at = numbers(entry, "position", 3);
    if (at.empty()) return fail("has no \"position\" of three numbers");
    const Vec3 position(at[0], at[1], at[2]);
    if (entry.contains("vertex")) {
      const std::int64_t vertex = whole(entry, "vertex");
      if (vertex < 0) return fail("has a \"vertex\" that is no whole number");
      file.vertices.push_back({static_cast<std::uint32_t>(vertex), position});
      continue;
    }
    const std::int64_t handle = whole(entry, "handle");
    if (handle < 0) return fail("has neither a \"vertex\" nor a \"handle\" that is a whole number");
    HandleTarget target{static_cast<std::uint32_t>(handle), position, Quat::Identity()};
    if (entry.contains("rotation")) {
      const std::vector<double> q = numbers(entry, "rotation", 4);
      if (q.empty()) return fail("has a \"rotation\" that is not four numbers, x, y, z, w");
      const Quat turn(q[3], q[0], q[1], q[2]);
      if (!(turn.norm() > 1e-9)) return fail("has a \"rotation\" without length");
      target.rotation = turn.normalized();
    }
    file.points.push_back(target);
  }
  return file;
}

}  // namespace sinew
