// SPDX-License-Identifier: Apache-2.0
#include "python.h"
#include "sinew/core/parallel.h"
#include "sinew/core/version.h"

namespace {

// Kernels are compiled for it (cmake/SinewKernels.cmake).
bool processor_will_do() {
#ifdef SINEW_NEEDS_SSE42
  return __builtin_cpu_supports("sse4.2") != 0;
#else
  return true;
#endif
}

}  // namespace

NB_MODULE(_sinew, module) {
  using namespace sinew::python;
  module.doc() = "The compiled part of sinew; the package around it is what users call.";
  if (!processor_will_do())
    throw nb::import_error("sinew needs a processor with SSE4.2; build it with -DSINEW_SSE2=ON for others");
  module.attr("__version__") = std::string(sinew::version());
  module.def("set_threads", &sinew::set_thread_count, nb::arg("count"),
             "Threads that long calls use; 0: all cores. Results never depend on it.");
  module.def("threads", &sinew::thread_count, "How many threads long calls use.");
  add_nouns(module);
  add_files(module);
  add_poses(module);
  add_binding(module);
  add_edits(module);
  add_reports(module);
  add_pictures(module);
  add_player(module);
  add_device(module);
  add_batch(module);
}
