#include "CDescriptors.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef uint8_t bytes16 __attribute__((ext_vector_type(16)));
typedef int32_t ints4 __attribute__((ext_vector_type(4)));
typedef int32_t ints8 __attribute__((ext_vector_type(8)));
typedef int32_t ints16 __attribute__((ext_vector_type(16)));

// Vectors are wider than a register of the smallest processors, which changes only how functions take them: these are inlined.
#pragma clang diagnostic ignored "-Wpsabi"
#define INLINE static inline __attribute__((always_inline))

enum { length = 128 };

INLINE ints16 load(const uint8_t *p) {
  bytes16 bytes;
  memcpy(&bytes, p, sizeof bytes);
  return __builtin_convertvector(bytes, ints16);
}

/// Products of pairs, added: one instruction for integers of 16 bits.
INLINE ints8 pairs(ints16 a, ints16 b) {
  ints16 products = a * b;
  return products.even + products.odd;
}

/// Adds neighbours of two vectors, in each half.
INLINE ints8 neighbours(ints8 a, ints8 b) {
  return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) + __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
}

/// The sums of four vectors.
INLINE ints4 sums(const ints8 v[4]) {
  ints8 added = neighbours(neighbours(v[0], v[1]), neighbours(v[2], v[3]));
  return added.lo + added.hi;
}

int32_t vitrine_descriptor_product(const uint8_t *a, const uint8_t *b) {
  ints8 sum = 0;
  for (int k = 0; k < length; k += 16) sum += pairs(load(a + k), load(b + k));
  return __builtin_reduce_add(sum);
}

/// What remains after groups of four.
INLINE void last_products(
    const uint8_t *first, const uint8_t *second, const uint8_t *others, long from, long count, int32_t *first_products, int32_t *second_products) {
  for (long j = from; j < count; j++) {
    first_products[j] = vitrine_descriptor_product(first, others + length * j);
    second_products[j] = vitrine_descriptor_product(second, others + length * j);
  }
}

void vitrine_descriptor_products_portable(
    const uint8_t *first, const uint8_t *second, const uint8_t *others, long count, int32_t *first_products, int32_t *second_products) {
  long column = 0;
  for (; column + 4 <= count; column += 4) {
    ints8 s[4] = {0}, t[4] = {0};
    for (int k = 0; k < length; k += 16) {
      ints16 a = load(first + k), b = load(second + k);
      for (int j = 0; j < 4; j++) {
        ints16 other = load(others + length * (column + j) + k);
        s[j] += pairs(a, other);
        t[j] += pairs(b, other);
      }
    }
    ints4 x = sums(s), y = sums(t);
    memcpy(first_products + column, &x, sizeof x);
    memcpy(second_products + column, &y, sizeof y);
  }
  last_products(first, second, others, column, count, first_products, second_products);
}

#if defined(__x86_64__)
#define NATIVE __attribute__((target("avx512vnni,avx512vl,avx512f")))

/// The sum of a descriptor's bytes.
static int32_t total(const uint8_t *bytes) {
  int32_t sum = 0;
  for (int k = 0; k < length; k++) sum += bytes[k];
  return sum;
}

/// The instruction multiplies bytes without sign by bytes with sign: 128 is subtracted from the others, and 128 times the descriptor's sum is added.
NATIVE static void native(
    const uint8_t *first, const uint8_t *second, const uint8_t *others, long count, int32_t *first_products, int32_t *second_products) {
  const int32_t first_offset = 128 * total(first), second_offset = 128 * total(second);
  const __m256i sign = _mm256_set1_epi8((char)0x80);
  long column = 0;
  for (; column + 4 <= count; column += 4) {
    ints8 s[4] = {0}, t[4] = {0};
    for (int k = 0; k < length; k += 32) {
      __m256i a = _mm256_loadu_si256((const __m256i *)(first + k)), b = _mm256_loadu_si256((const __m256i *)(second + k));
      for (int j = 0; j < 4; j++) {
        __m256i other = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(others + length * (column + j) + k)), sign);
        s[j] = (ints8)_mm256_dpbusd_epi32((__m256i)s[j], a, other);
        t[j] = (ints8)_mm256_dpbusd_epi32((__m256i)t[j], b, other);
      }
    }
    ints4 x = sums(s) + first_offset, y = sums(t) + second_offset;
    memcpy(first_products + column, &x, sizeof x);
    memcpy(second_products + column, &y, sizeof y);
  }
  last_products(first, second, others, column, count, first_products, second_products);
}

static int is_native(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vl");
}
#endif

void vitrine_descriptor_products(
    const uint8_t *first, const uint8_t *second, const uint8_t *others, long count, int32_t *first_products, int32_t *second_products) {
#if defined(__x86_64__)
  if (is_native()) {
    native(first, second, others, count, first_products, second_products);
    return;
  }
#endif
  vitrine_descriptor_products_portable(first, second, others, count, first_products, second_products);
}
