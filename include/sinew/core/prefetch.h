// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sinew {

/// Asks for the cache line of an address that is read a little later: for loops that visit points in an order which
/// memory is not in. Any address is allowed; nothing changes but time.
inline void prefetch(const void* address) noexcept {
  __builtin_prefetch(address);
}

}  // namespace sinew
