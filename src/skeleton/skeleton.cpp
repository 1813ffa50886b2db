// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/skeleton.h"

#include <limits>

#include "sinew/core/text.h"

namespace sinew {
namespace {

std::string describe(const std::vector<Joint>& joints, std::size_t j) {
  return "joint " + std::to_string(j) + " (\"" + printable(joints[j].name) + "\")";
}

Result<void> check_joints(const std::vector<Joint>& joints) {
  if (joints.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return bad_input("a skeleton with more than 2^31 joints");
  bool seen_carrier = false;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Joint& joint = joints[j];
    if (joint.parent < -1 || joint.parent >= static_cast<int>(joints.size()))
      return bad_input(describe(joints, j) + " has parent " + std::to_string(joint.parent) +
                       ", which is not one of the " + std::to_string(joints.size()) + " joints");
    if (!joint.rest_local.matrix().allFinite())
      return bad_input(describe(joints, j) + " has a transform that is not finite");
    if (joint.tail && !joint.tail->allFinite())
      return bad_input(describe(joints, j) + " has a tail that is not finite");
    if (joint.deforms && seen_carrier)
      return bad_input(describe(joints, j) + " deforms but stands behind a joint that does not");
    seen_carrier = seen_carrier || !joint.deforms;
  }
  return {};
}

std::string_view without_prefix(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

// The index of the one joint that matches, if there is just one.
template <class Match>
std::optional<std::size_t> find_one(std::span<const Joint> joints, Match&& match) {
  std::optional<std::size_t> found;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (!match(std::string_view(joints[j].name))) continue;
    if (found) return std::nullopt;
    found = j;
  }
  return found;
}

// "NAME#K": the K-th of those that have just this name.
std::optional<std::size_t> find_numbered(std::span<const Joint> joints, std::string_view text) {
  const std::size_t mark = text.rfind('#');
  if (mark == std::string_view::npos) return std::nullopt;
  const auto wanted = parse_int(text.substr(mark + 1));
  std::int64_t seen = 0;
  for (std::size_t j = 0; wanted && j < joints.size(); ++j)
    if (joints[j].name == text.substr(0, mark) && ++seen == *wanted) return j;
  return std::nullopt;
}

// "PARENT/NAME", or more of the names above it: the one joint whose path ends so.
std::optional<std::size_t> find_by_path(std::span<const Joint> joints, std::string_view path) {
  if (path.find('/') == std::string_view::npos) return std::nullopt;
  const auto ends_so = [&](std::size_t j) {
    std::string_view rest = path;
    for (int at = static_cast<int>(j); at >= 0; at = joints[static_cast<std::size_t>(at)].parent) {
      const std::string_view name = joints[static_cast<std::size_t>(at)].name;
      if (rest == name) return true;
      if (!rest.ends_with(name)) return false;
      rest.remove_suffix(name.size());
      if (!rest.ends_with('/')) return false;
      rest.remove_suffix(1);
    }
    return false;
  };
  std::optional<std::size_t> found;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (!ends_so(j)) continue;
    if (found) return std::nullopt;
    found = j;
  }
  return found;
}

}  // namespace

Result<Skeleton> Skeleton::create(std::vector<Joint> joints) {
  SINEW_CHECK(check_joints(joints));
  Skeleton skeleton;
  const std::size_t count = joints.size();

  // Children grouped by parent, in joint order (counting sort).
  skeleton.child_offsets_.assign(count + 1, 0);
  for (const Joint& joint : joints)
    if (joint.parent >= 0) ++skeleton.child_offsets_[static_cast<std::size_t>(joint.parent) + 1];
  for (std::size_t j = 0; j < count; ++j) skeleton.child_offsets_[j + 1] += skeleton.child_offsets_[j];
  skeleton.children_.resize(skeleton.child_offsets_[count]);
  std::vector<std::uint32_t> next(skeleton.child_offsets_.begin(), skeleton.child_offsets_.end() - 1);
  for (std::size_t j = 0; j < count; ++j)
    if (joints[j].parent >= 0)
      skeleton.children_[next[static_cast<std::size_t>(joints[j].parent)]++] = static_cast<std::uint32_t>(j);

  // Level by level from the roots; what is never reached hangs on a cycle.
  std::vector<std::uint32_t>& order = skeleton.order_;
  order.reserve(count);
  std::vector<bool> reached(count, false);
  for (std::size_t j = 0; j < count; ++j)
    if (joints[j].parent < 0) order.push_back(static_cast<std::uint32_t>(j));
  for (std::size_t k = 0; k < order.size(); ++k) {
    reached[order[k]] = true;
    const std::uint32_t begin = skeleton.child_offsets_[order[k]],
                        end = skeleton.child_offsets_[order[k] + 1];
    for (std::uint32_t c = begin; c < end; ++c) order.push_back(skeleton.children_[c]);
  }
  for (std::size_t j = 0; j < count; ++j)
    if (!reached[j])
      return bad_input(describe(joints, j) + " is its own ancestor, or hangs below a joint that is");

  for (const Joint& joint : joints) skeleton.deforming_ += joint.deforms ? 1 : 0;
  skeleton.joints_ = std::move(joints);
  return skeleton;
}

std::optional<std::size_t> Skeleton::find(std::string_view name) const {
  // Several that match exactly also match more loosely, so they stay ambiguous.
  if (const auto exact = find_one(joints_, [&](std::string_view other) { return other == name; }))
    return exact;
  if (const auto alike =
          find_one(joints_, [&](std::string_view other) { return equals_ignoring_case(other, name); }))
    return alike;
  const std::string_view bare = without_prefix(name);
  if (const auto loose = find_one(
          joints_, [&](std::string_view other) { return equals_ignoring_case(without_prefix(other), bare); }))
    return loose;
  if (const auto numbered = find_numbered(joints_, name)) return numbered;
  return find_by_path(joints_, name);
}

}  // namespace sinew
