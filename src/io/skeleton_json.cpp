// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "io/json_file.h"
#include "io/text_input.h"
#include "sinew/io/skeleton_files.h"

namespace sinew {
namespace {

using Json = nlohmann::json;

// Nothing that a skeleton needs is nested deeper; of the rest, `weights` may be large.
constexpr int kSkeletonDepth = 64;

class JointReader {
 public:
  JointReader(const Json& list, std::string_view name) : list_(list), name_(name) {}

  Result<std::vector<Joint>> read() {
    std::vector<Vec3> heads(list_.size());
    std::vector<Joint> joints(list_.size());
    for (index_ = 0; index_ < list_.size(); ++index_) {
      const Json& entry = list_[index_];
      if (!entry.is_object()) return fail("is not an object");
      SINEW_TRY(joints[index_].name, read_name(entry));
      SINEW_TRY(joints[index_].parent, read_parent(entry));
      SINEW_TRY(heads[index_], read_point(entry, "head"));
      if (!entry.contains("tail")) continue;
      SINEW_TRY(const Vec3 tail, read_point(entry, "tail"));
      joints[index_].tail = tail - heads[index_];
    }
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const Vec3 origin =
          joints[j].parent < 0 ? Vec3(Vec3::Zero()) : heads[static_cast<std::size_t>(joints[j].parent)];
      joints[j].rest_local = Affine3(Eigen::Translation3d(heads[j] - origin));
    }
    return joints;
  }

 private:
  Error fail(const std::string& what) const {
    return io::error_in(name_, "joint " + std::to_string(index_) + " " + what);
  }

  Result<std::string> read_name(const Json& entry) const {
    const auto place = entry.find("name");
    if (place == entry.end()) return "joint" + std::to_string(index_);
    if (!place->is_string()) return fail("has a name that is not a text");
    return place->get<std::string>();
  }

  Result<int> read_parent(const Json& entry) const {
    const auto place = entry.find("parent");
    if (place == entry.end() || !place->is_number_integer())
      return fail("needs \"parent\": the index of a joint, or -1");
    const bool huge = place->is_number_unsigned() && place->get<std::uint64_t>() >= list_.size();
    const std::int64_t parent = huge ? -2 : place->get<std::int64_t>();
    if (parent < -1 || parent >= static_cast<std::int64_t>(list_.size()))
      return fail("has a parent that is not one of the " + std::to_string(list_.size()) + " joints");
    return static_cast<int>(parent);
  }

  Result<Vec3> read_point(const Json& entry, const char* key) const {
    const auto place = entry.find(key);
    Vec3 point;
    if (place != entry.end() && place->is_array() && place->size() == 3) {
      for (int axis = 0; axis < 3; ++axis) {
        const Json& number = (*place)[static_cast<std::size_t>(axis)];
        point[axis] = number.is_number() ? number.get<double>() : std::numeric_limits<double>::quiet_NaN();
      }
      if (point.allFinite() && point.cwiseAbs().maxCoeff() <= 1e30) return point;
    }
    return fail(std::string("needs \"") + key + "\": three finite numbers");
  }

  const Json& list_;
  std::string_view name_;
  std::size_t index_ = 0;
};

}  // namespace

Result<SkeletonFile> read_skeleton_json(std::string_view bytes, std::string_view name) {
  SINEW_TRY(const Json document, io::parse_json_file(bytes, name, kSkeletonDepth, "joints"));
  const auto list = document.is_object() ? document.find("joints") : document.end();
  if (list == document.end() || !list->is_array() || list->empty())
    return io::error_in(name, "it has no \"joints\": a list of {\"name\", \"parent\", \"head\", \"tail\"}");
  if (list->size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return io::error_in(name, "it has too many joints");
  SINEW_TRY(auto joints, JointReader(*list, name).read());
  auto skeleton = Skeleton::create(std::move(joints));
  if (!skeleton.ok()) return io::error_in(name, skeleton.error().message);
  SkeletonFile file;
  file.skeleton = *std::move(skeleton);
  return file;
}

}  // namespace sinew
