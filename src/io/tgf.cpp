// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "io/text_input.h"
#include "sinew/core/text.h"
#include "sinew/io/skeleton_files.h"

namespace sinew {
namespace {

using io::error_at_line;

struct TgfBone {
  std::size_t head = 0, tail = 0;  // points
};

class TgfReader {
 public:
  TgfReader(std::string_view text, std::string_view name) : words_(text), name_(name) {}

  Result<void> read() {
    SINEW_CHECK(read_points());
    SINEW_CHECK(read_bones());
    if (bones_.empty()) return io::error_in(name_, "it has no bones (pairs of points after the '#' line)");
    return {};
  }
  const std::vector<Vec3>& points() const { return points_; }
  std::vector<TgfBone>& bones() { return bones_; }

 private:
  Error fail(const std::string& what) const { return error_at_line(name_, words_.line(), what); }

  // The first word of the next line that has one; empty at a '#' line and at the end.
  std::string_view next_entry() {
    while (words_.next_line()) {
      const std::string_view word = words_.next_in_line();
      if (!word.empty()) return word[0] == '#' ? std::string_view() : word;
    }
    return {};
  }

  // "index x y z", and columns that nobody needs.
  Result<void> read_points() {
    for (std::string_view label = next_entry(); !label.empty(); label = next_entry()) {
      const auto index = parse_int(label);
      if (!index) return fail("'" + printable(label, 40) + "' is not the number of a point");
      Vec3 point;
      for (int axis = 0; axis < 3; ++axis) {
        const std::string_view word = words_.next_in_line();
        const auto number = parse_double(word);
        if (!number || std::abs(*number) > 1e30)
          return fail("point " + std::to_string(*index) + " needs three finite coordinates, but has '" +
                      printable(word, 40) + "'");
        point[axis] = *number;
      }
      if (!index_.try_emplace(*index, points_.size()).second)
        return fail("point " + std::to_string(*index) + " is there twice");
      points_.push_back(point);
    }
    return {};
  }

  // "head tail" up to the next '#' line; what follows (pseudo edges, cages) is not a skeleton.
  Result<void> read_bones() {
    for (std::string_view word = next_entry(); !word.empty(); word = next_entry()) {
      std::size_t ends[2];
      for (std::size_t& end : ends) {
        const auto index = parse_int(word);
        const auto place = index ? index_.find(*index) : index_.end();
        if (place == index_.end())
          return fail("a bone names point '" + printable(word, 40) + "', which does not exist");
        end = place->second;
        if (&end == &ends[0]) word = words_.next_in_line();
      }
      if (ends[0] == ends[1]) return fail("a bone from a point to itself");
      bones_.push_back({ends[0], ends[1]});
    }
    return {};
  }

  io::WordReader words_;
  std::string_view name_;
  std::vector<Vec3> points_;
  std::vector<TgfBone> bones_;
  std::unordered_map<std::int64_t, std::size_t> index_;
};

// Bones that meet at each point.
std::vector<std::vector<std::size_t>> bones_at_points(std::size_t points, const std::vector<TgfBone>& bones) {
  std::vector<std::vector<std::size_t>> at(points);
  for (std::size_t b = 0; b < bones.size(); ++b) {
    at[bones[b].head].push_back(b);
    at[bones[b].tail].push_back(b);
  }
  return at;
}

constexpr int kUnseen = -2;

struct Hierarchy {
  std::vector<int> parents;             // per bone
  std::vector<std::size_t> root_heads;  // the point from which each component was entered
  std::size_t turned = 0;               // bones that pointed to their parent
};

// Walks from a point where a component begins (a head that is nobody's tail, where there is one) along all
// bones, turning those that point the other way. False where the bones form a ring.
bool order_bones(std::size_t points, std::vector<TgfBone>& bones, Hierarchy& hierarchy) {
  const auto at = bones_at_points(points, bones);
  std::vector<bool> is_tail(points, false), seen(points, false);
  for (const TgfBone& bone : bones) is_tail[bone.tail] = true;
  hierarchy.parents.assign(bones.size(), kUnseen);
  std::vector<std::pair<std::size_t, int>> stack;  // a point and the bone that leads to it
  for (const bool any_head : {false, true}) {
    for (const TgfBone first : bones) {
      if (seen[first.head] || (is_tail[first.head] && !any_head)) continue;
      hierarchy.root_heads.push_back(first.head);
      stack.assign(1, {first.head, -1});
      seen[first.head] = true;
      while (!stack.empty()) {
        const auto [point, parent] = stack.back();
        stack.pop_back();
        for (const std::size_t b : at[point]) {
          if (hierarchy.parents[b] != kUnseen) continue;
          if (bones[b].head != point) {
            std::swap(bones[b].head, bones[b].tail);
            ++hierarchy.turned;
          }
          if (seen[bones[b].tail]) return false;
          seen[bones[b].tail] = true;
          hierarchy.parents[b] = parent;
          stack.emplace_back(bones[b].tail, static_cast<int>(b));
        }
      }
    }
  }
  return true;
}

// One joint a bone. Where several bones begin at a root point, a joint that does not deform carries them.
std::vector<Joint> joints_of(const std::vector<Vec3>& points, const std::vector<TgfBone>& bones,
                             const Hierarchy& hierarchy) {
  std::vector<Joint> joints(bones.size());
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const int parent = hierarchy.parents[b];
    const Vec3 origin = parent < 0 ? Vec3::Zero() : points[bones[static_cast<std::size_t>(parent)].head];
    joints[b].name = "joint" + std::to_string(b + 1);
    joints[b].parent = parent;
    joints[b].rest_local = Affine3(Eigen::Translation3d(points[bones[b].head] - origin));
    joints[b].tail = points[bones[b].tail] - points[bones[b].head];
  }
  std::unordered_map<std::size_t, std::vector<std::size_t>> at_root;
  for (std::size_t b = 0; b < bones.size(); ++b)
    if (hierarchy.parents[b] < 0) at_root[bones[b].head].push_back(b);
  for (const std::size_t head : hierarchy.root_heads) {
    const auto& roots = at_root[head];
    if (roots.size() < 2) continue;
    Joint carrier;
    carrier.name = "root" + std::to_string(joints.size() - bones.size() + 1);
    carrier.deforms = false;
    carrier.rest_local = Affine3(Eigen::Translation3d(points[head]));
    for (const std::size_t b : roots) {
      joints[b].parent = static_cast<int>(joints.size());
      joints[b].rest_local = Affine3::Identity();
    }
    joints.push_back(std::move(carrier));
  }
  return joints;
}

}  // namespace

Result<SkeletonFile> read_tgf(std::string_view bytes, std::string_view name) {
  std::string storage;
  TgfReader reader(io::as_text(bytes, storage), name);
  SINEW_CHECK(reader.read());
  Hierarchy hierarchy;
  if (!order_bones(reader.points().size(), reader.bones(), hierarchy))
    return io::error_in(name, "its bones form a loop; a skeleton is a tree");
  auto skeleton = Skeleton::create(joints_of(reader.points(), reader.bones(), hierarchy));
  if (!skeleton.ok()) return io::error_in(name, skeleton.error().message);
  SkeletonFile file;
  file.skeleton = *std::move(skeleton);
  if (hierarchy.turned > 0)
    file.warnings.push_back(std::to_string(hierarchy.turned) +
                            " bones point towards the root and were reversed");
  return file;
}

}  // namespace sinew
