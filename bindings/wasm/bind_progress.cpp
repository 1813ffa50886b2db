// SPDX-License-Identifier: Apache-2.0
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include "progress.h"

namespace sinew {
namespace {

using emscripten::val;

val& listener() {
  static val function = val::null();
  return function;
}

void on_progress(const val& function) {
  listener() = function;
}

}  // namespace

const Progress& page_progress() {
  static const Progress progress = [] {
    Progress made;
    made.report = [](std::string_view stage, double fraction) {
      if (!listener().isNull() && !listener().isUndefined()) listener()(std::string(stage), fraction);
    };
    return made;
  }();
  return progress;
}

EMSCRIPTEN_BINDINGS(sinew_progress) {
  emscripten::function("onProgress", &on_progress);
}

}  // namespace sinew
