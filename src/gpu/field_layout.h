// SPDX-License-Identifier: Apache-2.0
// Corrective fields as products of matrices: factors of 16 poses times what each of them adds to 8 vertices, in
// half precision. Both are sums of two halves, high and low; only low times low is left out.
//
// Every turn function is a factor of the pose times a harmonic of the direction b in which the vertex sees the
// swing. Written in powers, cos 2b = 2 c c - 1 and so on, they are five sums of factors and two single ones:
//   1 (8 factors), c and s (the same 7), c c and c s (the same 4), c c c and c c s (the same 1).
#pragma once

#include <cstdint>

#include "gpu/half_floats.h"
#include "gpu/rig_view.h"

namespace sinew::gpu {

// Which turn functions have the factors, by what the sums are multiplied by; of two with the same factor the
// first. kNoFunction: the place stays empty.
inline constexpr int kNoFunction = -1;
inline constexpr int kCubicFactor = 10;
SINEW_HD constexpr int even_factor(int place) {
  constexpr int kOf[8] = {4, 5, 12, 13, 14, 15, 20, 21};
  return kOf[place];
}
SINEW_HD constexpr int odd_factor(int place) {
  constexpr int kOf[8] = {0, 2, 16, 18, 22, 24, kCubicFactor, kNoFunction};
  return kOf[place];
}
SINEW_HD constexpr int square_factor(int place) {
  constexpr int kOf[4] = {6, 8, 26, 28};
  return kOf[place % 4];
}

// Factors: what the lanes of a warp hold of 16 poses. Lane 4 g + q has poses 2 g and 2 g + 1 and places 2 q and
// 2 q + 1, in words of two halves: of even and odd factors four words (high parts of both poses, twice) and two
// (low parts); of squares, which are four places twice, four (high and low parts).
enum FactorLot { kEvenFactors, kOddFactors, kSquareFactors };
inline constexpr int kFactorPoses = 16;
inline constexpr int kHalfFactorWords = (3 * 4 + 2 * 2) * kLanes;              // of 16 poses and a field
inline constexpr int kFactorWords = kLanes / kFactorPoses * kHalfFactorWords;  // of a chunk
SINEW_HD int factor_word(int pose, FactorLot lot, int place, bool low) {
  const int row = pose % kFactorPoses, lane = 4 * (row / 2) + place / 2;
  const int first = pose / kFactorPoses * kHalfFactorWords + row % 2;
  if (low && lot != kSquareFactors) return first + 12 * kLanes + lot * 2 * kLanes + 2 * lane;
  return first + (lot * kLanes + lane) * 4 + (low ? 2 : 0);
}

// What functions add, by powers of c and s: cos 2b = 2 c c - 1, sin 2b = 2 c s, cos 3b = (4 c c - 3) c and
// sin 3b = (4 c c - 1) s.
struct FieldPowers {
  float one[8], cosine[8], sine[8], cosine_cosine[4], cosine_sine[4], cubic[2];

  template <class Function>
  explicit FieldPowers(Function&& function) {  // function(q); of kNoFunction nothing
    for (int k = 0; k < 8; ++k) {
      one[k] = function(even_factor(k));
      cosine[k] = function(odd_factor(k));
      sine[k] = odd_factor(k) < 0 ? 0.0f : function(odd_factor(k) + 1);
      if (odd_factor(k) == kCubicFactor) cosine[k] *= -3, sine[k] *= -1;
    }
    constexpr int kSameFactor[4] = {0, 1, 6, 7};  // places of `one`
    for (int k = 0; k < 4; ++k) {
      const float c = function(square_factor(k)), s = function(square_factor(k) + 1);
      one[kSameFactor[k]] -= c;
      cosine_cosine[k] = 2 * c;
      cosine_sine[k] = 2 * s;
    }
    cubic[0] = 4 * function(kCubicFactor);
    cubic[1] = 4 * function(kCubicFactor + 1);
  }
};

// Values: for every coordinate what the lanes hold, eight words each. Lane 4 g + q has places 2 q and 2 q + 1 of
// vertex g.
enum ValueWord { kOneHigh, kOneLow, kCosHigh, kCosLow, kSinHigh, kSinLow, kCosCos, kCosSin, kValueWordCount };
inline constexpr int kValueWords = 3 * kValueWordCount * kLanes;  // of a group and field
SINEW_HD int value_word(int vertex, int coordinate, ValueWord which, int place) {
  return ((2 * coordinate + which / 4) * kLanes + 4 * vertex + place / 2) * 4 + which % 4;
}
// What the cubic factor adds, in floats: times c c c, then times c c s, of two vertices.
inline constexpr int kCubicValues = 6 * kGroupVertices;  // of a group and field
SINEW_HD int cubic_value(int vertex, int coordinate, int sine) {
  return (coordinate * kGroupVertices / 2 + vertex / 2) * 4 + 2 * sine + vertex % 2;
}

// How a field is driven beside its factors: the swing's direction, the twist, the cubic factor.
inline constexpr int kDriveFloats = 3;

// Writes the factors of one pose.
SINEW_HD void put_factors(const float* factor, int pose, std::uint32_t* words) {
  const auto put = [&](FactorLot lot, int place, float first, float second) {
    const Halves a = split_halves(first), b = split_halves(second);
    std::uint32_t* high = words + factor_word(pose, lot, place, false);
    high[0] = a.high | b.high << 16;
    if (lot != kSquareFactors) high[2] = high[0];
    words[factor_word(pose, lot, place, true)] = a.low | b.low << 16;
  };
  SINEW_UNROLL
  for (int k = 0; k < 8; k += 2) {
    put(kEvenFactors, k, factor[even_factor(k)], factor[even_factor(k + 1)]);
    put(kOddFactors, k, factor[odd_factor(k)], odd_factor(k + 1) < 0 ? 0.0f : factor[odd_factor(k + 1)]);
    put(kSquareFactors, k, factor[square_factor(k)], factor[square_factor(k + 1)]);
  }
}

// The sums of one vertex and coordinate, as a device's tensor cores make them, for hosts.
struct FieldSums {
  float one, cosine, sine, cosine_cosine, cosine_sine;
};
inline float half_of(const std::uint32_t* words, int word, int place) {
  return float_of_half(static_cast<std::uint16_t>(words[word] >> 16 * (place % 2)));
}
inline FieldSums field_sums(const std::uint32_t* factors, int pose, const std::uint32_t* values, int vertex,
                            int coordinate) {
  const auto sum_of = [&](FactorLot lot, int places, ValueWord high, ValueWord low, int low_from) {
    float sum = 0;
    for (int k = 0; k < places; ++k) {
      const float f0 = half_of(factors, factor_word(pose, lot, k, false), k);
      const float f1 = half_of(factors, factor_word(pose, lot, k, true), k);
      const float v0 = half_of(values, value_word(vertex, coordinate, high, k), k);
      const float v1 = half_of(values, value_word(vertex, coordinate, low, low_from + k), k);
      sum += f0 * v0 + (f1 * v0 + f0 * v1);
    }
    return sum;
  };
  return {sum_of(kEvenFactors, 8, kOneHigh, kOneLow, 0), sum_of(kOddFactors, 8, kCosHigh, kCosLow, 0),
          sum_of(kOddFactors, 8, kSinHigh, kSinLow, 0), sum_of(kSquareFactors, 4, kCosCos, kCosCos, 4),
          sum_of(kSquareFactors, 4, kCosSin, kCosSin, 4)};
}

}  // namespace sinew::gpu
