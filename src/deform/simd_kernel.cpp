// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/simd_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {

const char* CompiledTarget() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew {

HWY_EXPORT(CompiledTarget);

std::string_view simd_target() {
  const std::string_view name = HWY_DYNAMIC_DISPATCH(CompiledTarget)();
  if (name == "SSE4") return "SSE4.2";
  if (name == "AVX3" || name == "AVX3_DL") return "AVX-512";
  return name;
}

}  // namespace sinew
#endif
