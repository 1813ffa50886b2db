// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sinew::studio {

// Hands the address to the desktop's browser (xdg-open), without a shell and without waiting for it. False
// where there is none.
bool open_browser(const std::string& address);

}  // namespace sinew::studio
