// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_builder.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "io/gltf_container.h"
#include "io/gltf_uri.h"
#include "sinew/core/parallel.h"
#include "sinew/core/version.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kBuilderGrain = 1 << 16;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Where each buffer of the document begins in the merged one; those without data get buffers of their own,
// counted from 1.
struct Merged {
  std::vector<std::uint64_t> offsets;
  std::vector<int> buffers;
};

void move_view(Json& view, const Merged& merged) {
  const auto number = view.find("buffer");
  if (number == view.end() || !number->is_number()) return;
  const auto buffer = static_cast<std::size_t>(number->get<double>());
  if (buffer >= merged.buffers.size()) return;
  *number = merged.buffers[buffer];
  const std::uint64_t offset =
      merged.offsets[buffer] +
      (view.contains("byteOffset") ? static_cast<std::uint64_t>(view["byteOffset"].get<double>()) : 0);
  if (merged.offsets[buffer] > 0) view["byteOffset"] = offset;
}

template <class T>
void append_as(std::string& out, std::span<const std::uint32_t> values) {
  const std::size_t at = out.size();
  out.resize(at + values.size() * sizeof(T));
  char* to = out.data() + at;
  parallel_for(values.size(), kBuilderGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const T value = static_cast<T>(values[i]);
      std::memcpy(to + i * sizeof(T), &value, sizeof(T));
    }
  });
}

struct Bounds {
  std::vector<float> low, high;
};

Bounds bounds_of(std::span<const float> values, std::size_t width) {
  constexpr float kHuge = std::numeric_limits<float>::infinity();
  const Bounds none{std::vector<float>(width, kHuge), std::vector<float>(width, -kHuge)};
  const auto fold = [](Bounds a, const Bounds& b) {
    for (std::size_t c = 0; c < a.low.size(); ++c) {
      a.low[c] = std::min(a.low[c], b.low[c]);
      a.high[c] = std::max(a.high[c], b.high[c]);
    }
    return a;
  };
  return parallel_reduce(
      values.size() / width, kBuilderGrain, none,
      [&](std::size_t begin, std::size_t end) {
        Bounds bounds = none;
        for (std::size_t i = begin; i < end; ++i)
          for (std::size_t c = 0; c < width; ++c) {
            bounds.low[c] = std::min(bounds.low[c], values[i * width + c]);
            bounds.high[c] = std::max(bounds.high[c], values[i * width + c]);
          }
        return bounds;
      },
      fold);
}

}  // namespace

std::size_t type_width(const char* type) {
  const std::string_view name = type;
  if (name == "SCALAR") return 1;
  if (name == "MAT4") return 16;
  return static_cast<std::size_t>(name.back() - '0');  // VEC2 to VEC4
}

Component unsigned_component(std::uint32_t largest) {
  if (largest <= 255) return Component::kUnsignedByte;
  return largest <= 65535 ? Component::kUnsignedShort : Component::kUnsignedInt;
}

Builder::Builder() {
  json = {{"asset", {{"version", "2.0"}, {"generator", "sinew " + std::string(version())}}},
          {"scene", 0},
          {"scenes", Json::array({Json::object()})}};
}

Builder::Builder(const GltfDocument& document) : json(document.json) {
  Merged merged;
  for (std::size_t b = 0; b < document.buffers.size(); ++b) {
    Json declared = json["buffers"][b];
    if (!document.buffers[b]) {
      empty_buffers_.push_back(std::move(declared));
      merged.buffers.push_back(static_cast<int>(empty_buffers_.size()));
      merged.offsets.push_back(0);
      continue;
    }
    if (binary_.empty()) {
      declared.erase("uri");
      first_buffer_ = std::move(declared);
    }
    binary_.resize((binary_.size() + 7) / 8 * 8);
    merged.buffers.push_back(0);
    merged.offsets.push_back(binary_.size());
    binary_.append(*document.buffers[b]);
  }
  json.erase("buffers");
  if (json.contains("bufferViews"))
    for (Json& view : json["bufferViews"]) {
      move_view(view, merged);
      if (!view.contains("extensions")) continue;
      for (const char* compression : {"EXT_meshopt_compression", "KHR_meshopt_compression"})
        if (const Json* found = object_member(view["extensions"], compression); found)
          move_view(view["extensions"][compression], merged);
    }
}

int Builder::add_view(std::string_view bytes, int target) {
  binary_.resize((binary_.size() + 3) / 4 * 4);
  Json view = {{"buffer", 0}, {"byteOffset", binary_.size()}, {"byteLength", bytes.size()}};
  if (target != kNoTarget) view["target"] = target;
  binary_.append(bytes);
  Json& views = ensure_array(json, "bufferViews");
  views.push_back(std::move(view));
  return static_cast<int>(views.size() - 1);
}

int Builder::add_accessor(int view, Component component, std::size_t count, const char* type) {
  Json& accessors = ensure_array(json, "accessors");
  accessors.push_back({{"bufferView", view},
                       {"componentType", static_cast<int>(component)},
                       {"count", count},
                       {"type", type}});
  return static_cast<int>(accessors.size() - 1);
}

int Builder::add_floats(std::span<const float> values, const char* type, int target, bool with_bounds) {
  const std::size_t width = type_width(type);
  const int view = add_view({reinterpret_cast<const char*>(values.data()), values.size_bytes()}, target);
  const int accessor = add_accessor(view, Component::kFloat, values.size() / width, type);
  if (with_bounds && !values.empty()) {
    const Bounds bounds = bounds_of(values, width);
    json["accessors"].back()["min"] = bounds.low;
    json["accessors"].back()["max"] = bounds.high;
  }
  return accessor;
}

int Builder::add_vectors(std::span<const Vec3f> values, int target, bool with_bounds) {
  static_assert(sizeof(Vec3f) == 12);
  const float* first = values.empty() ? nullptr : values[0].data();
  return add_floats({first, values.size() * 3}, "VEC3", target, with_bounds);
}

int Builder::add_sparse_vectors(std::span<const Vec3f> values, bool with_bounds) {
  std::vector<std::uint32_t> places;
  std::vector<Vec3f> stored;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != Vec3f::Zero()) {
      places.push_back(static_cast<std::uint32_t>(i));
      stored.push_back(values[i]);
    }
  const Component component = unsigned_component(static_cast<std::uint32_t>(values.size()));
  const std::size_t width = component == Component::kUnsignedByte    ? 1
                            : component == Component::kUnsignedShort ? 2
                                                                     : 4;
  if (places.size() * (width + sizeof(Vec3f)) >= values.size() * sizeof(Vec3f))
    return add_vectors(values, kVertexTarget, with_bounds);
  Json accessor = {{"bufferView", zeros(values.size())},
                   {"componentType", static_cast<int>(Component::kFloat)},
                   {"count", values.size()},
                   {"type", "VEC3"}};
  if (!places.empty()) {
    std::string bytes;
    if (width == 1)
      append_as<std::uint8_t>(bytes, places);
    else if (width == 2)
      append_as<std::uint16_t>(bytes, places);
    else
      append_as<std::uint32_t>(bytes, places);
    const int index_view = add_view(bytes, kNoTarget);
    const int value_view =
        add_view({reinterpret_cast<const char*>(stored.data()), stored.size() * sizeof(Vec3f)}, kNoTarget);
    accessor["sparse"] = {
        {"count", places.size()},
        {"indices", {{"bufferView", index_view}, {"componentType", static_cast<int>(component)}}},
        {"values", {{"bufferView", value_view}}}};
  }
  if (with_bounds) {
    const Bounds bounds = bounds_of({values[0].data(), 3 * values.size()}, 3);
    accessor["min"] = bounds.low;
    accessor["max"] = bounds.high;
  }
  Json& accessors = ensure_array(json, "accessors");
  accessors.push_back(std::move(accessor));
  return static_cast<int>(accessors.size() - 1);
}

int Builder::zeros(std::size_t count) {
  if (zero_view_ >= 0 && count <= zero_count_) return zero_view_;
  zero_count_ = count;
  zero_view_ = add_view(std::string(count * sizeof(Vec3f), '\0'), kVertexTarget);
  json["bufferViews"].back()["byteStride"] = sizeof(Vec3f);  // which views of several accessors must have
  return zero_view_;
}

int Builder::add_integers(std::span<const std::uint32_t> values, const char* type, Component component,
                          int target) {
  const int view = add_view({}, target);
  const std::size_t before = binary_.size();
  if (component == Component::kUnsignedByte)
    append_as<std::uint8_t>(binary_, values);
  else if (component == Component::kUnsignedShort)
    append_as<std::uint16_t>(binary_, values);
  else
    append_as<std::uint32_t>(binary_, values);
  json["bufferViews"].back()["byteLength"] = binary_.size() - before;
  return add_accessor(view, component, values.size() / type_width(type), type);
}

Result<std::string> Builder::finish(bool as_glb) {
  if (binary_.empty() && !empty_buffers_.empty()) {
    // The first buffer of a .glb is its binary chunk, which must not be missing once a view exists.
    if (json.contains("bufferViews"))
      binary_.assign(4, '\0');
    else
      json["buffers"] = empty_buffers_;
  }
  if (!binary_.empty()) {
    first_buffer_["byteLength"] = binary_.size();
    if (!as_glb) first_buffer_["uri"] = "data:application/octet-stream;base64," + base64_encode(binary_);
    Json& buffers = json["buffers"] = Json::array({std::move(first_buffer_)});
    for (Json& empty : empty_buffers_) buffers.push_back(std::move(empty));
  }
  return as_glb ? make_glb(dump(json), binary_) : Result<std::string>(dump(json));
}

}  // namespace sinew::gltf
