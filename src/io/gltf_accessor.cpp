// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_accessor.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "sinew/core/parallel.h"
#include "sinew/core/text.h"

namespace sinew::gltf {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kAddressable = std::numeric_limits<std::ptrdiff_t>::max();  // 2 GB in WebAssembly
constexpr std::size_t kAccessorGrain = 1 << 15;

Result<BufferView> parse_view(const GltfDocument& document, const Json& json) {
  BufferView view;
  SINEW_TRY(view.buffer, index_member(json, "buffer", document.buffers.size()));
  if (view.buffer < 0) return bad_input(".buffer is missing: export the file again");
  SINEW_TRY(view.offset, whole_member(json, "byteOffset", 0, kMost));
  SINEW_TRY(view.length, required_whole(json, "byteLength", kMost));
  SINEW_TRY(view.stride, whole_member(json, "byteStride", 0, 252));
  const std::uint64_t bytes = document.buffer_lengths[static_cast<std::size_t>(view.buffer)];
  if (view.offset > bytes || view.length > bytes - view.offset)
    return bad_input(" runs from byte " + std::to_string(view.offset) + " over " +
                     std::to_string(view.length) + ", but its buffer has " + std::to_string(bytes) +
                     " bytes: export the file again");
  return view;
}

bool has_data(const GltfDocument& document, int view) {
  return view >= 0 &&
         document.buffers[static_cast<std::size_t>(document.views[static_cast<std::size_t>(view)].buffer)];
}

Result<Component> parse_component(const Json& json) {
  SINEW_TRY(const std::uint64_t code, required_whole(json, "componentType", 65535));
  const Component component = static_cast<Component>(code);
  if (component_size(component) == 0)
    return bad_input(".componentType is " + std::to_string(code) + ": glTF has 5120 to 5123, 5125 and 5126");
  return component;
}

Result<void> parse_type(const Json& json, Accessor& accessor) {
  struct Shape {
    const char* name;
    int rows, columns;
  };
  constexpr Shape kShapes[] = {{"SCALAR", 1, 1}, {"VEC2", 2, 1}, {"VEC3", 3, 1}, {"VEC4", 4, 1},
                               {"MAT2", 2, 2},   {"MAT3", 3, 3}, {"MAT4", 4, 4}};
  const std::string type = string_member(json, "type");
  for (const Shape& shape : kShapes) {
    if (type != shape.name) continue;
    accessor.rows = shape.rows;
    accessor.columns = shape.columns;
    return {};
  }
  return bad_input(".type is \"" + printable(type, 20) +
                   "\": it must be SCALAR, VEC2 to VEC4 or MAT2 to MAT4");
}

// Matrix columns begin at multiples of four bytes.
std::uint64_t column_size(const Accessor& accessor) {
  const std::uint64_t size = static_cast<std::uint64_t>(accessor.rows) * component_size(accessor.component);
  return accessor.columns > 1 ? (size + 3) / 4 * 4 : size;
}
std::uint64_t element_size(const Accessor& accessor) {
  return static_cast<std::uint64_t>(accessor.columns) * column_size(accessor);
}

// Whether `count` elements of `size` bytes, `stride` apart, lie inside the view from `offset` on. The last
// element needs no padding.
Result<void> check_range(const GltfDocument& document, int view_index, std::uint64_t offset,
                         std::uint64_t count, std::uint64_t stride, std::uint64_t size,
                         std::uint64_t padding) {
  const BufferView& view = document.views[static_cast<std::size_t>(view_index)];
  if (count == 0) return {};
  const bool fits =
      offset <= view.length && size - padding <= view.length - offset &&
      (count - 1) <= (view.length - offset - (size - padding)) / std::max<std::uint64_t>(stride, 1);
  if (fits) return {};
  return bad_input(" asks for " + std::to_string(count) + " elements of " + std::to_string(size) +
                   " bytes, " + std::to_string(stride) + " apart, but " +
                   item("bufferViews", static_cast<std::size_t>(view_index)) + " has " +
                   std::to_string(view.length) + " bytes: export the file again");
}

Result<Sparse> parse_sparse(const GltfDocument& document, const Json& json, const Accessor& accessor) {
  Sparse sparse;
  SINEW_TRY(sparse.count, required_whole(json, "count", accessor.count));
  const Json *indices = object_member(json, "indices"), *values = object_member(json, "values");
  if (!indices || !values) return bad_input(" lacks indices or values: export the file again");
  SINEW_TRY(sparse.index_view, index_member(*indices, "bufferView", document.views.size()));
  SINEW_TRY(sparse.value_view, index_member(*values, "bufferView", document.views.size()));
  if (sparse.index_view < 0 || sparse.value_view < 0)
    return bad_input(" lacks a bufferView: export the file again");
  SINEW_TRY(sparse.index_offset, whole_member(*indices, "byteOffset", 0, kMost));
  SINEW_TRY(sparse.value_offset, whole_member(*values, "byteOffset", 0, kMost));
  SINEW_TRY(sparse.index_component, parse_component(*indices));
  if (sparse.index_component == Component::kFloat)
    return bad_input(".indices are floats: they must be whole numbers");
  const std::uint64_t size = component_size(sparse.index_component);
  SINEW_CHECK(check_range(document, sparse.index_view, sparse.index_offset, sparse.count, size, size, 0));
  SINEW_CHECK(check_range(document, sparse.value_view, sparse.value_offset, sparse.count,
                          element_size(accessor), element_size(accessor), 0));
  if (!has_data(document, sparse.index_view) || !has_data(document, sparse.value_view)) sparse.count = 0;
  return sparse;
}

Result<Accessor> parse_accessor(const GltfDocument& document, const Json& json) {
  Accessor accessor;
  SINEW_TRY(accessor.view, index_member(json, "bufferView", document.views.size()));
  SINEW_TRY(accessor.offset, whole_member(json, "byteOffset", 0, kMost));
  SINEW_TRY(accessor.count, required_whole(json, "count", std::numeric_limits<std::uint32_t>::max()));
  SINEW_TRY(accessor.component, parse_component(json));
  SINEW_CHECK(parse_type(json, accessor));
  if (const auto flag = json.find("normalized"); flag != json.end())
    accessor.normalized = flag->is_boolean() && flag->get<bool>();
  const std::uint64_t size = element_size(accessor);
  // As numbers of four bytes in memory: elements of a view may overlap, so that its bytes alone say little.
  if (accessor.count * static_cast<std::uint64_t>(accessor.width()) > kAddressable / 4)
    return bad_input(".count is " + std::to_string(accessor.count) + ", more than fits into memory");
  if (accessor.view >= 0) {
    const std::uint64_t stride = document.views[static_cast<std::size_t>(accessor.view)].stride;
    const std::uint64_t padding = column_size(accessor) - static_cast<std::uint64_t>(accessor.rows) *
                                                              component_size(accessor.component);
    SINEW_CHECK(check_range(document, accessor.view, accessor.offset, accessor.count,
                            stride == 0 ? size : stride, size, padding));
  }
  if (!has_data(document, accessor.view) &&
      static_cast<double>(accessor.count) * static_cast<double>(size) > memory_budget(document)) {
    return bad_input(".count is " + std::to_string(accessor.count) +
                     " without any data: give it a bufferView or fewer elements");
  }
  if (const Json* sparse = object_member(json, "sparse")) {
    auto parsed = parse_sparse(document, *sparse, accessor);
    if (!parsed.ok()) return inside(".sparse", parsed.error());
    accessor.sparse = *parsed;
  }
  return accessor;
}

const char* view_data(const GltfDocument& document, int index) {
  const BufferView& view = document.views[static_cast<std::size_t>(index)];
  return document.buffers[static_cast<std::size_t>(view.buffer)]->data() + view.offset;
}

template <class T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <class T>
float to_float(T value, bool normalized) {
  if constexpr (std::is_same_v<T, float>) return value;
  if (!normalized) return static_cast<float>(value);
  const double unit = static_cast<double>(std::numeric_limits<T>::max());
  return static_cast<float>(std::max(-1.0, static_cast<double>(value) / unit));
}

template <class T>
std::uint32_t to_integer(T value, bool) {
  if constexpr (std::is_floating_point_v<T>) return 0;
  return value < T(0) ? 0u : static_cast<std::uint32_t>(value);
}

template <class Stored, class Out, class Convert>
void gather(const char* data, std::uint64_t stride, const Accessor& accessor, std::uint64_t count, Out* out,
            Convert convert) {
  const std::size_t rows = static_cast<std::size_t>(accessor.rows),
                    columns = static_cast<std::size_t>(accessor.columns);
  const std::size_t width = rows * columns, column = column_size(accessor);
  parallel_for(count, kAccessorGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t c = 0; c < columns; ++c)
        for (std::size_t r = 0; r < rows; ++r)
          out[i * width + c * rows + r] =
              convert(load<Stored>(data + i * stride + c * column + r * sizeof(Stored)), accessor.normalized);
  });
}

// Elements of any stored type, as Out.
template <class Out>
void gather_any(const char* data, std::uint64_t stride, const Accessor& accessor, std::uint64_t count,
                Out* out) {
  const auto convert = [](auto value, bool normalized) {
    if constexpr (std::is_same_v<Out, float>)
      return to_float(value, normalized);
    else
      return to_integer(value, normalized);
  };
  switch (accessor.component) {
    case Component::kByte:
      return gather<std::int8_t>(data, stride, accessor, count, out, convert);
    case Component::kUnsignedByte:
      return gather<std::uint8_t>(data, stride, accessor, count, out, convert);
    case Component::kShort:
      return gather<std::int16_t>(data, stride, accessor, count, out, convert);
    case Component::kUnsignedShort:
      return gather<std::uint16_t>(data, stride, accessor, count, out, convert);
    case Component::kUnsignedInt:
      return gather<std::uint32_t>(data, stride, accessor, count, out, convert);
    case Component::kFloat:
      return gather<float>(data, stride, accessor, count, out, convert);
  }
}

template <class Out>
Result<void> apply_sparse(const GltfDocument& document, const Accessor& accessor, std::span<Out> out) {
  const Sparse& sparse = *accessor.sparse;
  Accessor scalar;
  scalar.component = sparse.index_component;
  std::vector<std::uint32_t> indices(sparse.count);
  gather_any(view_data(document, sparse.index_view) + sparse.index_offset, component_size(scalar.component),
             scalar, sparse.count, indices.data());
  const std::size_t width = static_cast<std::size_t>(accessor.width());
  std::vector<Out> values(sparse.count * width);
  gather_any(view_data(document, sparse.value_view) + sparse.value_offset, element_size(accessor), accessor,
             sparse.count, values.data());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= accessor.count)
      return bad_input(".sparse: index " + std::to_string(i) + " is " + std::to_string(indices[i]) +
                       ", but count is " + std::to_string(accessor.count));
    std::copy_n(values.data() + i * width, width, out.data() + indices[i] * width);
  }
  return {};
}

template <class Out>
Result<void> read_any(const GltfDocument& document, const Accessor& accessor, std::span<Out> out) {
  assert(out.size() == accessor.count * static_cast<std::size_t>(accessor.width()));
  if (!has_data(document, accessor.view)) {
    std::fill(out.begin(), out.end(), Out(0));
  } else if (accessor.count > 0) {
    const std::uint64_t tight = element_size(accessor);
    const std::uint64_t stride = document.views[static_cast<std::size_t>(accessor.view)].stride;
    const char* data = view_data(document, accessor.view) + accessor.offset;
    if (std::is_same_v<Out, float> && accessor.component == Component::kFloat &&
        (stride == 0 || stride == tight))
      std::memcpy(out.data(), data, out.size() * sizeof(Out));
    else
      gather_any(data, stride == 0 ? tight : stride, accessor, accessor.count, out.data());
  }
  if (!accessor.sparse || accessor.sparse->count == 0) return {};
  return apply_sparse(document, accessor, out);
}

}  // namespace

double memory_budget(const GltfDocument& document) {
  return std::min(32.0 * (1 << 20) + 256.0 * static_cast<double>(document.stored_bytes),
                  static_cast<double>(kAddressable));
}

std::size_t component_size(Component component) {
  switch (component) {
    case Component::kByte:
    case Component::kUnsignedByte:
      return 1;
    case Component::kShort:
    case Component::kUnsignedShort:
      return 2;
    case Component::kUnsignedInt:
    case Component::kFloat:
      return 4;
  }
  return 0;
}

Result<void> parse_views(GltfDocument& document) {
  SINEW_TRY(const Json* list, object_list(document.json, "bufferViews"));
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto view = parse_view(document, (*list)[i]);
    if (!view.ok()) return inside(item("bufferViews", i), view.error());
    document.views.push_back(*view);
  }
  return {};
}

Result<void> parse_accessors(GltfDocument& document) {
  SINEW_TRY(const Json* list, object_list(document.json, "accessors"));
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto accessor = parse_accessor(document, (*list)[i]);
    if (!accessor.ok()) return inside(item("accessors", i), accessor.error());
    document.accessors.push_back(*accessor);
  }
  return {};
}

Result<void> read_floats(const GltfDocument& document, const Accessor& accessor, std::span<float> out) {
  return read_any(document, accessor, out);
}

Result<void> read_integers(const GltfDocument& document, const Accessor& accessor,
                           std::span<std::uint32_t> out) {
  return read_any(document, accessor, out);
}

Result<std::vector<float>> read_floats(const GltfDocument& document, const Accessor& accessor) {
  std::vector<float> out(accessor.count * static_cast<std::size_t>(accessor.width()));
  SINEW_CHECK(read_floats(document, accessor, out));
  return out;
}

}  // namespace sinew::gltf
