// SPDX-License-Identifier: Apache-2.0
// The border between compiled code and libunwind in the build with threads. Debian's clang 14 takes the
// record through which landing pads ask the personality function as one of the whole program, its libunwind
// as one of each thread, so that no exception is ever caught there. This one is of the whole program. Two
// threads that catch at the same moment would meet in it: the bodies of parallel_for throw nothing but
// std::bad_alloc.
#include <unwind.h>

#include <cstdint>

extern "C" {

// As clang lays it out.
struct LandingPad {
  std::uintptr_t index, data;
  std::uintptr_t selector;
};
LandingPad __wasm_lpad_context;

_Unwind_Reason_Code __gxx_personality_wasm0(int version, _Unwind_Action actions, std::uint64_t kind,
                                            _Unwind_Exception* thrown, _Unwind_Context* context);

_Unwind_Reason_Code _Unwind_CallPersonality(void* exception) {
  auto* thrown = static_cast<_Unwind_Exception*>(exception);
  __wasm_lpad_context.selector = 0;
  return __gxx_personality_wasm0(1, _UA_CLEANUP_PHASE, thrown->exception_class, thrown,
                                 reinterpret_cast<_Unwind_Context*>(&__wasm_lpad_context));
}

_Unwind_Reason_Code _Unwind_RaiseException(_Unwind_Exception* thrown) {
  __builtin_wasm_throw(0, thrown);
}

void _Unwind_DeleteException(_Unwind_Exception* thrown) {
  if (thrown->exception_cleanup) thrown->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, thrown);
}

// What the personality function asks of a landing pad, and tells it: register 1 is the selector.
void _Unwind_SetGR(_Unwind_Context* context, int index, _Unwind_Word value) {
  if (index == 1) reinterpret_cast<LandingPad*>(context)->selector = value;
}
_Unwind_Word _Unwind_GetIP(_Unwind_Context* context) {
  return reinterpret_cast<LandingPad*>(context)->index +
         2;  // call sites count from 1, of an address behind the call
}
void* _Unwind_GetLanguageSpecificData(_Unwind_Context* context) {
  return reinterpret_cast<void*>(reinterpret_cast<LandingPad*>(context)->data);
}
void _Unwind_SetIP(_Unwind_Context*, _Unwind_Word) {}
_Unwind_Ptr _Unwind_GetRegionStart(_Unwind_Context*) {
  return 0;
}

}  // extern "C"
