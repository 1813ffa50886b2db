// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/gltf_json.h"
#include "sinew/io/gltf.h"

namespace sinew::gltf {

// Numbers beyond this are read like infinities: the float kernels multiply two of them.
inline constexpr double kLargest = 1e15;

enum class Component : std::uint16_t {
  kByte = 5120,
  kUnsignedByte = 5121,
  kShort = 5122,
  kUnsignedShort = 5123,
  kUnsignedInt = 5125,
  kFloat = 5126,
};

// Ranges of views and accessors are checked when they are parsed: reading them later stays inside the
// buffers.
struct BufferView {
  int buffer = 0;
  std::uint64_t offset = 0, length = 0;
  std::uint64_t stride = 0;  // 0: elements lie side by side
};

struct Sparse {
  std::uint64_t count = 0;
  int index_view = 0, value_view = 0;
  std::uint64_t index_offset = 0, value_offset = 0;
  Component index_component = Component::kUnsignedInt;
};

struct Accessor {
  int view = -1;  // -1: zeros
  std::uint64_t offset = 0, count = 0;
  Component component = Component::kFloat;
  int rows = 1, columns = 1;  // a vector is one column
  bool normalized = false;
  std::optional<Sparse> sparse;
  int width() const { return rows * columns; }
};

struct Node {
  int parent = -1, mesh = -1, skin = -1;
  bool has_children = false;
  Affine3 local = Affine3::Identity();
  std::optional<Trs> parts;  // nullopt: stored as a matrix
};

// Where a part of the rig came from.
struct PartSource {
  int node = 0, mesh = 0, primitive = 0;
  int skin = -1;         // -1: rigid
  bool flipped = false;  // to_bind mirrors, so faces were turned round
};

// Shape keys [first, first + count) came from the targets of one mesh, for all or one of the nodes that carry
// it.
struct KeyGroup {
  int mesh = 0;
  std::vector<int> nodes;
  std::size_t first = 0, count = 0;
};

}  // namespace sinew::gltf

namespace sinew {

class GltfDocument {
 public:
  std::filesystem::path path;
  bool alone = false;  // read from memory: there is nothing beside it
  gltf::Json json;
  std::vector<std::shared_ptr<const std::string>> buffers;  // null: no data, reads as zeros
  std::vector<std::uint64_t> buffer_lengths;                // as declared
  std::vector<gltf::BufferView> views;
  std::vector<gltf::Accessor> accessors;
  std::vector<gltf::Node> nodes;
  std::vector<int> node_order;     // parents before children
  std::uint64_t stored_bytes = 0;  // the file and the buffers beside it
  std::vector<std::string> warnings;

  std::vector<gltf::PartSource> parts;  // per part of the rig
  std::vector<int> joint_nodes;         // per joint of the rig; -1: made by us beside its parent's node
  std::vector<int> node_joints;         // per node; -1: no joint
  std::vector<gltf::KeyGroup> key_groups;
  std::vector<int> node_key_group;  // per node; -1: no keys
  Skeleton skeleton;                // as the rig had it, to see whether a writer is handed the same one
  GltfSummary summary;
  bool mended_geometry = false;  // positions, normals or keys not finite or beyond kLargest were read as 0
  bool mended_binds =
      false;  // inverse bind matrices with a bottom row other than 0 0 0 1 were read as affine
};

}  // namespace sinew
