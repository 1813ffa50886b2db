// SPDX-License-Identifier: Apache-2.0
#include "io/bvh_hierarchy.h"

#include <optional>

#include "sinew/core/text.h"

namespace sinew::io {
namespace {

std::optional<BvhChannel> channel_named(std::string_view word) {
  static constexpr std::string_view kNames[] = {"Xposition", "Yposition", "Zposition",
                                                "Xrotation", "Yrotation", "Zrotation"};
  for (int i = 0; i < 6; ++i)
    if (equals_ignoring_case(word, kNames[i])) return BvhChannel{i < 3, i % 3};
  return std::nullopt;
}

class HierarchyReader {
 public:
  HierarchyReader(WordReader& words, std::string_view name) : words_(words), name_(name) {}

  Result<BvhHierarchy> read() {
    if (!equals_ignoring_case(words_.next(), "HIERARCHY")) return fail("a BVH file begins with HIERARCHY");
    for (;;) {
      const std::string_view word = words_.next();
      if (word.empty()) break;
      if (equals_ignoring_case(word, "MOTION")) {
        hierarchy_.has_motion = true;
        break;
      }
      SINEW_CHECK(read_item(word));
    }
    if (!open_.empty())
      return fail("a '}' is missing: joint '" +
                  printable(hierarchy_.joints[static_cast<std::size_t>(open_.back())].name, 60) +
                  "' is still open");
    if (hierarchy_.joints.empty()) return fail("the hierarchy has no ROOT");
    return std::move(hierarchy_);
  }

 private:
  Error fail(const std::string& what) const { return error_at_line(name_, words_.line(), what); }

  Result<void> read_item(std::string_view word) {
    if (word == "}") {
      if (open_.empty()) return fail("a '}' without its '{'");
      open_.pop_back();
      return {};
    }
    if (equals_ignoring_case(word, "ROOT")) {
      if (!open_.empty()) return fail("a ROOT within another joint");
      return open_joint();
    }
    if (open_.empty()) return fail("'" + printable(word, 40) + "' where ROOT or MOTION is expected");
    if (equals_ignoring_case(word, "JOINT")) return open_joint();
    if (equals_ignoring_case(word, "End")) return read_end_site();
    if (equals_ignoring_case(word, "OFFSET")) return read_offset();
    if (equals_ignoring_case(word, "CHANNELS")) return read_channels();
    return fail("'" + printable(word, 40) + "' is not a keyword of a joint");
  }

  // The name is the rest of the line, blanks included; the brace may end it or follow.
  Result<void> open_joint() {
    Joint joint;
    bool brace = false;
    for (std::string_view word = words_.next_in_line(); !word.empty(); word = words_.next_in_line()) {
      if (word == "{") {
        brace = true;
        break;
      }
      if (!joint.name.empty()) joint.name += ' ';
      joint.name += word;
    }
    if (joint.name.size() > 1 && joint.name.back() == '{' && !brace) {
      joint.name.pop_back();
      brace = true;
    }
    if (!brace && words_.next() != "{")
      return fail("'{' should follow joint '" + printable(joint.name, 60) + "'");
    joint.parent = open_.empty() ? -1 : open_.back();
    if (joint.name.empty()) joint.name = "joint" + std::to_string(hierarchy_.joints.size());
    open_.push_back(static_cast<int>(hierarchy_.joints.size()));
    hierarchy_.joints.push_back(std::move(joint));
    hierarchy_.channels.emplace_back();
    end_sites_.push_back(0);
    return {};
  }

  std::size_t current() const { return static_cast<std::size_t>(open_.back()); }

  Result<Vec3> read_vector() {
    Vec3 vector;
    SINEW_CHECK(read_numbers(words_, name_, {vector.data(), 3}, [] { return std::string("an OFFSET"); }));
    // Far beyond any unit; products of larger ones would overflow.
    if (vector.cwiseAbs().maxCoeff() > 1e30) return fail("an OFFSET is larger than 1e30");
    return vector;
  }

  Result<void> read_offset() {
    SINEW_TRY(const Vec3 offset, read_vector());
    hierarchy_.joints[current()].rest_local = Affine3(Eigen::Translation3d(offset));
    return {};
  }

  Result<void> read_end_site() {
    if (!equals_ignoring_case(words_.next(), "Site")) return fail("expected 'End Site'");
    if (words_.next() != "{") return fail("'{' should follow 'End Site'");
    if (!equals_ignoring_case(words_.next(), "OFFSET")) return fail("an End Site holds one OFFSET");
    SINEW_TRY(const Vec3 offset, read_vector());
    if (words_.next() != "}") return fail("'}' should end the End Site");
    std::optional<Vec3>& tail = hierarchy_.joints[current()].tail;
    const double count = ++end_sites_[current()];
    tail = tail ? Vec3(*tail + (offset - *tail) / count) : offset;
    return {};
  }

  Result<void> read_channels() {
    const std::string_view word = words_.next();
    const auto count = parse_int(word);
    if (!count || *count < 0 || static_cast<std::size_t>(*count) > words_.remaining())
      return fail("'" + printable(word, 40) + "' is not a number of channels");
    auto& channels = hierarchy_.channels[current()];
    if (!channels.empty()) return fail("a joint with two CHANNELS lines");
    for (std::int64_t i = 0; i < *count; ++i) {
      const std::string_view channel_name = words_.next();
      const auto channel = channel_named(channel_name);
      if (!channel)
        return fail("'" + printable(channel_name, 40) +
                    "' is not a channel; known are Xposition ... Zposition and Xrotation ... Zrotation");
      channels.push_back(*channel);
    }
    return {};
  }

  WordReader& words_;
  std::string_view name_;
  BvhHierarchy hierarchy_;
  std::vector<int> open_;       // the joints around the current place
  std::vector<int> end_sites_;  // per joint
};

}  // namespace

Result<BvhHierarchy> read_bvh_hierarchy(WordReader& words, std::string_view name) {
  return HierarchyReader(words, name).read();
}

}  // namespace sinew::io
