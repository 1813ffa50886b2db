// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <emscripten/val.h>

#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "sinew/core/result.h"

namespace sinew {

// An Error with a code. Called where nothing is left to clean up.
[[noreturn]] inline void raise(const Error& error) {
  emscripten::val thrown = emscripten::val::global("Error").new_(error.message);
  thrown.set("code", static_cast<int>(error.code));
  thrown.throw_();
}

// Runs a call that gives a Result; what fails, by whatever way, reaches JavaScript.
template <class Call>
auto guarded(Call&& call) {
  using Value = typename decltype(call())::value_type;
  Error failure;
  try {
    auto result = call();
    if (result.ok()) {
      if constexpr (std::is_void_v<Value>)
        return;
      else
        return Value(*std::move(result));
    }
    failure = result.error();
  } catch (const std::bad_alloc&) {
    failure = limit_error("out of memory: the page may use 2 GB");
  } catch (const std::length_error&) {
    failure = limit_error("out of memory: a list of this size cannot be held");
  } catch (const std::exception& error) {
    failure = {ErrorCode::kBug, std::string("internal error: ") + error.what()};
  }
  raise(failure);
}

}  // namespace sinew
