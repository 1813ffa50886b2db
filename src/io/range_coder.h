// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace sinew::gltf {

// An adaptive binary range coder: each bit costs what its context has made of the bits before it.
// Encoder and decoder use the same contexts in the same order, and have the same functions: what the decoder is
// handed it ignores, and returns what the encoder was handed.

// The chance of a 0, in 4096ths.
class BitContext {
 public:
  std::uint32_t chance() const { return chance_; }
  void saw(bool one) {
    if (one)
      chance_ = static_cast<std::uint16_t>(chance_ - (chance_ >> kRate));
    else
      chance_ = static_cast<std::uint16_t>(chance_ + ((4096 - chance_) >> kRate));
  }

 private:
  static constexpr int kRate = 5;
  std::uint16_t chance_ = 2048;
};

class RangeEncoder {
 public:
  bool bit(BitContext& context, bool one) {
    const std::uint32_t bound = (range_ >> 12) * context.chance();
    if (one) {
      low_ += bound;
      range_ -= bound;
    } else {
      range_ = bound;
    }
    context.saw(one);
    normalise();
    return one;
  }
  // The lowest `count` bits, highest first, each as likely 0 as 1.
  std::uint32_t plain(std::uint32_t value, int count) {
    for (int k = count; k-- > 0;) {
      range_ >>= 1;
      if ((value >> k) & 1) low_ += range_;
      normalise();
    }
    return value;
  }
  bool overrun() const { return false; }
  // All bytes; the encoder is spent.
  std::string finish() {
    for (int k = 0; k < 5; ++k) shift();
    return std::move(bytes_);
  }

 private:
  void normalise() {
    if (range_ < (1u << 24)) {  // chances are above 30: a byte is enough
      range_ <<= 8;
      shift();
    }
  }
  void shift() {
    if (low_ < 0xff000000u || low_ > 0xffffffffu) {
      const auto carry = static_cast<std::uint8_t>(low_ >> 32);
      if (has_held_) bytes_.push_back(static_cast<char>(held_ + carry));
      for (; full_ > 0; --full_) bytes_.push_back(static_cast<char>(0xff + carry));
      has_held_ = true;
      held_ = static_cast<std::uint8_t>(low_ >> 24);
    } else {
      ++full_;
    }
    low_ = (low_ & 0x00ffffffu) << 8;
  }

  std::uint64_t low_ = 0;
  std::uint32_t range_ = 0xffffffffu;
  std::uint8_t held_ = 0;  // the last byte that a carry may still change, before `full_` bytes of 255
  bool has_held_ = false;
  std::size_t full_ = 0;
  std::string bytes_;
};

// Reads zeros behind the last byte, so that any bytes give some bits.
class RangeDecoder {
 public:
  explicit RangeDecoder(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
    for (int k = 0; k < 4; ++k) code_ = code_ << 8 | next();
  }
  bool bit(BitContext& context, bool = false) {
    const std::uint32_t bound = (range_ >> 12) * context.chance();
    const bool one = code_ >= bound;
    if (one) {
      code_ -= bound;
      range_ -= bound;
    } else {
      range_ = bound;
    }
    context.saw(one);
    normalise();
    return one;
  }
  std::uint32_t plain(std::uint32_t, int count) {
    std::uint32_t value = 0;
    while (count-- > 0) {
      range_ >>= 1;
      const bool one = code_ >= range_;
      if (one) code_ -= range_;
      value = value << 1 | (one ? 1u : 0u);
      normalise();
    }
    return value;
  }
  // Whether more was read than there is; an encoder's own bytes never are.
  bool overrun() const { return at_ > bytes_.size(); }

 private:
  std::uint32_t next() {
    const std::uint32_t byte = at_ < bytes_.size() ? bytes_[at_] : 0u;
    ++at_;
    return byte;
  }
  void normalise() {
    if (range_ < (1u << 24)) {  // chances are above 30: a byte is enough
      range_ <<= 8;
      code_ = code_ << 8 | next();
    }
  }
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  std::uint32_t range_ = 0xffffffffu, code_ = 0;
};

// Whole numbers of any size below 2^24: how many bits they have by contexts, the bits themselves plain.
class NumberContext {
 public:
  template <class Coder>
  std::uint32_t code(Coder& coder, std::uint32_t value = 0) {
    const int wanted = value + 1 > 1 ? std::bit_width(value + 1) - 1 : 0;
    int bits = 0;
    while (bits < kMostBits && coder.bit(length_[bits], bits < wanted)) ++bits;
    return (1u << bits) - 1 + coder.plain(value + 1 - (1u << wanted), bits);
  }

 private:
  static constexpr int kMostBits = 24;
  BitContext length_[kMostBits];
};

inline std::uint32_t zigzag(std::int32_t value) {
  return (static_cast<std::uint32_t>(value) << 1) ^ static_cast<std::uint32_t>(value >> 31);
}
inline std::int32_t unzigzag(std::uint32_t value) {
  return static_cast<std::int32_t>(value >> 1) ^ -static_cast<std::int32_t>(value & 1);
}

}  // namespace sinew::gltf
