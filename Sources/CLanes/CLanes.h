// Comparisons of vectors with one bit per lane as the result. Swift's operators are generic loops, which the optimizer sometimes keeps: they took two fifths of
// the time of a ray. Clang makes a comparison and a move of these, without a loop.
#pragma once

typedef float vitrine_float4 __attribute__((ext_vector_type(4)));
typedef float vitrine_float8 __attribute__((ext_vector_type(8)));
typedef _Bool vitrine_bool8 __attribute__((ext_vector_type(8)));

/// A bit for each lane where `a` is at most `b`.
static inline unsigned char vitrine_lanes_at_most8(vitrine_float8 a, vitrine_float8 b) {
  return __builtin_bit_cast(unsigned char, __builtin_convertvector(a <= b, vitrine_bool8));
}

/// A bit for each lane where `a` is at most `b`.
static inline unsigned char vitrine_lanes_at_most4(vitrine_float4 a, vitrine_float4 b) {
  vitrine_float8 a8 = __builtin_shufflevector(a, a, 0, 1, 2, 3, -1, -1, -1, -1);
  vitrine_float8 b8 = __builtin_shufflevector(b, b, 0, 1, 2, 3, -1, -1, -1, -1);
  return vitrine_lanes_at_most8(a8, b8) & 15;
}
