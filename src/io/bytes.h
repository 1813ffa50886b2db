// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

// Numbers in binary files, whatever the byte order of the file and of the machine.
namespace sinew::io {

enum class ByteOrder { kLittle, kBig };

inline bool is_native(ByteOrder order) {
  const unsigned probe = 1;
  unsigned char first = 0;
  std::memcpy(&first, &probe, 1);
  return (first == 1) == (order == ByteOrder::kLittle);
}

// bytes has at least sizeof(T) bytes.
template <class T>
T load(const char* bytes, ByteOrder order) {
  char copy[sizeof(T)];
  std::memcpy(copy, bytes, sizeof(T));
  if (!is_native(order)) std::reverse(copy, copy + sizeof(T));
  T value;
  std::memcpy(&value, copy, sizeof(T));
  return value;
}

template <class T>
void append(std::string& out, T value, ByteOrder order) {
  char copy[sizeof(T)];
  std::memcpy(copy, &value, sizeof(T));
  if (!is_native(order)) std::reverse(copy, copy + sizeof(T));
  out.append(copy, sizeof(T));
}

}  // namespace sinew::io
