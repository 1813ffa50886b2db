// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "sinew/core/result.h"

namespace sinew {

struct Rig;  ///< rig/rig.h

/// Poses of one rig in device memory, one after the other; what is null stays as at rest.
struct DevicePoses {
  std::size_t count = 0;
  /// count x joint_count() x 4: every joint's rotation relative to its parent, x y z w, of any length but 0.
  const float* rotations = nullptr;
  const float* translations = nullptr;  ///< count x 3: of root_joint(), relative to its parent
  const float* key_weights = nullptr;   ///< count x key_count()
  /// count x joint_count() x 3, for stretch-lbs and stretch-dqs: length over rest length (of bones that no
  /// joint ends), twist at the head and at the tail in radians.
  const float* bones = nullptr;
};

enum class DeviceFormat { kFloat32, kFloat16 };

/// Device memory of the caller's: count x vertex_count() x 3 numbers each, in the order of the rig's vertices.
struct DeviceOutput {
  void* positions = nullptr;
  void* normals = nullptr;  ///< null: none are computed
  DeviceFormat format = DeviceFormat::kFloat32;
  /// Bytes from one pose to the next; 0: they follow one another without a gap. Multiples of 128, behind
  /// addresses that are, are written fastest (DeviceDeformer::stride_of_lines()).
  std::size_t stride = 0, normal_stride = 0;
};

/// A rig that is ready to run on a CUDA device: uploaded once, then any number of poses a call. Forward
/// kinematics runs there too, so that only rotations travel. Immutable; any number of threads and streams may
/// use it.
class DeviceDeformer {
 public:
  /// deformer: lbs, dqs, swing-twist, flesh, stretch-lbs or stretch-dqs; the rig's shape keys in object space
  /// come before it. device: its number. kUsage: no such deformer. kImpossible: what the rig needs is not
  /// played on the GPU, there is no such device, or this build has no CUDA. kLimit: out of memory.
  static Result<DeviceDeformer> upload(const Rig& rig, std::string_view deformer, int device = 0);

  DeviceDeformer(DeviceDeformer&& other) noexcept;
  DeviceDeformer& operator=(DeviceDeformer&& other) noexcept;
  ~DeviceDeformer();

  std::size_t vertex_count() const;
  std::size_t joint_count() const;
  std::size_t key_count() const;
  /// The least stride with which every pose begins at a cache line.
  std::size_t stride_of_lines(DeviceFormat format = DeviceFormat::kFloat32) const;
  int root_joint() const;  ///< the joint that DevicePoses::translations move; -1: none
  int device() const;

  /// Deforms all poses. Returns when the work is queued on `stream` (a cudaStream_t; null: the default one),
  /// in whose order memory for the palettes is taken from the device. Cost: docs/results.md. kUsage: no memory
  /// to write to, or a stride that is shorter than a pose or no multiple of a number. kLimit: out of memory,
  /// after which the outputs count for nothing.
  Result<void> deform(const DevicePoses& poses, const DeviceOutput& out, void* stream = nullptr) const;
  /// The first part of it alone: skinning matrices, rows of three by four floats, into count x joint_count() x
  /// 12 floats of device memory.
  Result<void> skinning_matrices(const DevicePoses& poses, float* matrices, void* stream = nullptr) const;

 private:
  struct Memory;
  explicit DeviceDeformer(std::unique_ptr<Memory> memory);
  std::unique_ptr<Memory> memory_;
};

/// CUDA devices of this machine; 0 where there are none or this build has no CUDA.
int device_count();

}  // namespace sinew
