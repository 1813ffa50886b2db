// SPDX-License-Identifier: Apache-2.0
#include "io/range_coder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace sinew::gltf {
namespace {

std::span<const std::uint8_t> view(const std::string& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

TEST(RangeCoder, GivesBackBitsAndNumbersOfAnySize) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> numbers{0, 1, (1u << 24) - 1, 1u << 24};
  for (int k = 0; k < 5000; ++k)
    numbers.push_back(static_cast<std::uint32_t>((random() >> 8) >> (random() % 24)));
  RangeEncoder encoder;
  BitContext context;
  NumberContext sizes;
  for (const std::uint32_t number : numbers) {
    sizes.code(encoder, number);
    encoder.bit(context, number % 3 == 0);
    encoder.plain(number, 13);
  }
  const std::string bytes = encoder.finish();
  RangeDecoder decoder(view(bytes));
  BitContext again;
  NumberContext sizes_again;
  for (const std::uint32_t number : numbers) {
    ASSERT_EQ(sizes_again.code(decoder), number);
    ASSERT_EQ(decoder.bit(again), number % 3 == 0);
    ASSERT_EQ(decoder.plain(0, 13), number & 8191);
  }
  EXPECT_FALSE(decoder.overrun());
}

// Long runs of ones carry through bytes of 255.
TEST(RangeCoder, CarriesThroughAnyBytes) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::vector<bool> bits;
    for (int k = 0; k < 200; ++k) bits.push_back(random() % 64 < seed % 65);
    RangeEncoder encoder;
    std::vector<BitContext> contexts(3);
    for (std::size_t k = 0; k < bits.size(); ++k) {
      if (k % 4 == 3)
        encoder.plain(bits[k], 1);
      else
        encoder.bit(contexts[k % 3], bits[k]);
    }
    const std::string bytes = encoder.finish();
    RangeDecoder decoder(view(bytes));
    std::vector<BitContext> again(3);
    for (std::size_t k = 0; k < bits.size(); ++k)
      ASSERT_EQ(k % 4 == 3 ? decoder.plain(0, 1) == 1 : decoder.bit(again[k % 3]), bits[k]) << seed;
    EXPECT_FALSE(decoder.overrun());
  }
}

TEST(RangeCoder, TakesHardlyMoreThanTheEntropy) {
  constexpr int kCount = 200'000;
  for (const double chance : {0.5, 0.1, 0.02}) {
    std::mt19937 random(7);
    std::bernoulli_distribution one(chance);
    RangeEncoder encoder;
    BitContext context;
    for (int k = 0; k < kCount; ++k) encoder.bit(context, one(random));
    const double entropy = -chance * std::log2(chance) - (1 - chance) * std::log2(1 - chance);
    EXPECT_LT(8.0 * static_cast<double>(encoder.finish().size()), 1.08 * entropy * kCount + 100) << chance;
  }
}

TEST(RangeCoder, SaysWhatEndsTooSoon) {
  RangeEncoder encoder;
  for (std::uint32_t k = 0; k < 1000; ++k) encoder.plain(k * 2654435761u, 20);
  const std::string bytes = encoder.finish();
  RangeDecoder decoder(view(bytes).first(bytes.size() / 2));
  for (int k = 0; k < 1000; ++k) decoder.plain(0, 20);
  EXPECT_TRUE(decoder.overrun());
  RangeDecoder empty({});
  EXPECT_TRUE(empty.overrun());
}

}  // namespace
}  // namespace sinew::gltf
