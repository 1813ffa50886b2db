// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/ndarray.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "python.h"
#include "sinew/io/asset.h"

namespace sinew::python {

// What Python holds never changes once it is made: arrays look into its memory and keep it alive, and threads
// share it. Functions give new ones.

struct MeshObject {
  std::shared_ptr<const PolyMesh> mesh;
};

struct SkeletonObject {
  std::shared_ptr<const Skeleton> skeleton;
  nlohmann::ordered_json report = {};  ///< of the search that found it
};

struct RigObject {
  std::shared_ptr<const Asset> asset;
  GltfEdit edit = {};                      ///< what differs from the file that it came from
  int influences = 4;                      ///< that a file keeps
  bool sparse = false;                     ///< morph targets as sparse accessors where that is smaller
  nlohmann::ordered_json report = {};      ///< of the last function that made it
  std::vector<std::string> warnings = {};  ///< of that, a sentence each
  std::string certificate = {};            ///< for the file's extras

  const Rig& rig() const { return asset->rig; }
};

/// A rig like `before` whose asset was changed.
inline RigObject changed(const RigObject& before, Asset asset) {
  RigObject made = before;
  made.asset = std::make_shared<const Asset>(std::move(asset));
  made.report = nullptr;
  made.warnings.clear();
  return made;
}

/// A read-only array over memory that `owner` keeps alive. Strides in elements; empty: row by row.
template <class T>
nb::object view(std::shared_ptr<const void> owner, const T* data, std::initializer_list<std::size_t> shape,
                std::initializer_list<std::int64_t> strides = {}) {
  static const T kNone[1] = {};
  const nb::capsule keep(new std::shared_ptr<const void>(std::move(owner)),
                         [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, const T>(data ? data : kNone, shape.size(), shape.begin(), keep,
                                                  strides.size() ? strides.begin() : nullptr));
}

/// An array of its own that takes the numbers over.
template <class T>
nb::object array(std::vector<T> numbers, std::initializer_list<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(numbers));
  if (owned->empty()) owned->reserve(1);
  T* data = owned->data();
  const nb::capsule keep(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.begin(), keep));
}

using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Whole = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;

/// What sinew._arrays makes of anything that is array-like; raises a sentence that names it where it does not
/// fit. Points: (n, 3), finite.
Doubles points_of(nb::handle value, const char* name, std::size_t count = 0);
std::vector<Vec3> to_points(const Doubles& array);
Doubles matrices_of(nb::handle value, const char* name, std::size_t count);
std::vector<Affine3> to_matrices(const Doubles& array);
/// (n, 4, 4).
nb::object matrices(std::span<const Affine3> matrices);

}  // namespace sinew::python
