// SPDX-License-Identifier: Apache-2.0
// In place of device_deformer.cu where there is no CUDA compiler.
#include "sinew/gpu/device_deformer.h"

#include "gpu/program.h"

namespace sinew {

struct DeviceDeformer::Memory {};

DeviceDeformer::DeviceDeformer(std::unique_ptr<Memory> memory) : memory_(std::move(memory)) {}
DeviceDeformer::DeviceDeformer(DeviceDeformer&& other) noexcept = default;
DeviceDeformer& DeviceDeformer::operator=(DeviceDeformer&& other) noexcept = default;
DeviceDeformer::~DeviceDeformer() = default;

Result<DeviceDeformer> DeviceDeformer::upload(const Rig& rig, std::string_view deformer, int) {
  SINEW_TRY(const gpu::Program program, gpu::make_program(rig, deformer));
  return impossible("this build of sinew has no CUDA: build it where nvcc is found");
}

std::size_t DeviceDeformer::vertex_count() const {
  return 0;
}
std::size_t DeviceDeformer::joint_count() const {
  return 0;
}
std::size_t DeviceDeformer::key_count() const {
  return 0;
}
std::size_t DeviceDeformer::stride_of_lines(DeviceFormat) const {
  return 0;
}
int DeviceDeformer::root_joint() const {
  return -1;
}
int DeviceDeformer::device() const {
  return 0;
}
Result<void> DeviceDeformer::deform(const DevicePoses&, const DeviceOutput&, void*) const {
  return impossible("this build of sinew has no CUDA");
}
Result<void> DeviceDeformer::skinning_matrices(const DevicePoses&, float*, void*) const {
  return impossible("this build of sinew has no CUDA");
}

int device_count() {
  return 0;
}

}  // namespace sinew
