// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>

#include "nouns.h"
#include "sinew/gpu/device_deformer.h"

namespace sinew::python {
namespace {

using DeviceFloats = nb::ndarray<float, nb::c_contig, nb::device::cuda>;
using DeviceNumbers =
    nb::ndarray<nb::ndim<3>, nb::device::cuda>;  // a frame is contiguous, frames need not be
using MaybeFloats = std::optional<DeviceFloats>;

const float* pointer(const MaybeFloats& array) {
  return array ? array->data() : nullptr;
}

// Bytes from one frame to the next.
std::size_t stride_of(const DeviceNumbers& frames) {
  if (frames.stride(1) != 3 || frames.stride(2) != 1 || frames.stride(0) < 0)
    throw nb::value_error("every frame must lie row by row in memory");
  return frames.shape(0) < 2 ? 0 : static_cast<std::size_t>(frames.stride(0)) * frames.dtype().bits / 8;
}

class DevicePlayer {
 public:
  DevicePlayer(const RigObject& rig, const std::string& deformer, int device)
      : deformer_(value_of(DeviceDeformer::upload(rig.rig(), deformer, device))) {}

  const DeviceDeformer& deformer() const { return deformer_; }

  void play(const DeviceFloats& rotations, const MaybeFloats& translations, const MaybeFloats& keys,
            const MaybeFloats& bones, const DeviceNumbers& positions,
            const std::optional<DeviceNumbers>& normals, std::uintptr_t stream) const {
    const DevicePoses poses{rotations.shape(0), rotations.data(), pointer(translations), pointer(keys),
                            pointer(bones)};
    const DeviceOutput out{positions.data(), normals ? normals->data() : nullptr,
                           positions.dtype().bits == 16 ? DeviceFormat::kFloat16 : DeviceFormat::kFloat32,
                           stride_of(positions), normals ? stride_of(*normals) : 0};
    std::optional<Result<void>> done;
    {
      const nb::gil_scoped_release released;
      done.emplace(deformer_.deform(poses, out, reinterpret_cast<void*>(stream)));
    }
    value_of(std::move(*done));
  }

 private:
  DeviceDeformer deformer_;
};

}  // namespace

void add_device(nb::module_& module) {
  module.def("device_count", &device_count, "CUDA devices that this build can use.");
  nb::class_<DevicePlayer>(module, "DevicePlayer", "A deformer that is uploaded to a CUDA device.")
      .def(nb::init<const RigObject&, const std::string&, int>(), nb::arg("rig"), nb::arg("deformer"),
           nb::arg("device"))
      .def("play", &DevicePlayer::play, nb::arg("rotations").noconvert(),
           nb::arg("translations").noconvert().none(), nb::arg("keys").noconvert().none(),
           nb::arg("bones").noconvert().none(), nb::arg("positions").noconvert(),
           nb::arg("normals").noconvert().none(), nb::arg("stream"),
           "Deforms poses in device memory; the package's Player(device=...) checks the arrays.")
      .def_prop_ro("vertex_count", [](const DevicePlayer& self) { return self.deformer().vertex_count(); })
      .def_prop_ro("joint_count", [](const DevicePlayer& self) { return self.deformer().joint_count(); })
      .def_prop_ro("key_count", [](const DevicePlayer& self) { return self.deformer().key_count(); })
      .def_prop_ro("root_joint", [](const DevicePlayer& self) { return self.deformer().root_joint(); })
      .def_prop_ro("device", [](const DevicePlayer& self) { return self.deformer().device(); });
}

}  // namespace sinew::python
