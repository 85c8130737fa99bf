#include "CDescriptors.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef uint8_t byte16 __attribute__((ext_vector_type(16)));
typedef int32_t int4 __attribute__((ext_vector_type(4)));
typedef int32_t int8 __attribute__((ext_vector_type(8)));
typedef int32_t int16 __attribute__((ext_vector_type(16)));

// Vectors are wider than a register of the smallest processors, which changes only how functions take them: these are inlined.
#pragma clang diagnostic ignored "-Wpsabi"
#define INLINE static inline __attribute__((always_inline))

enum { length = 128 };

INLINE int16 load(const uint8_t *p) {
  byte16 bytes;
  memcpy(&bytes, p, sizeof bytes);
  return __builtin_convertvector(bytes, int16);
}

/// Products of pairs, added: one instruction for integers of 16 bits.
INLINE int8 pairs(int16 a, int16 b) {
  int16 products = a * b;
  return products.even + products.odd;
}

/// Adds neighbours of two vectors, in each half.
INLINE int8 neighbours(int8 a, int8 b) {
  return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) + __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
}

/// The sums of four vectors.
INLINE int4 sums(const int8 v[4]) {
  int8 added = neighbours(neighbours(v[0], v[1]), neighbours(v[2], v[3]));
  return added.lo + added.hi;
}

int32_t vitrine_descriptor_product(const uint8_t *a, const uint8_t *b) {
  int8 sum = 0;
  for (int k = 0; k < length; k += 16) sum += pairs(load(a + k), load(b + k));
  return __builtin_reduce_add(sum);
}

/// What remains after groups of four.
INLINE void remainder(
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
    int8 s[4] = {0}, t[4] = {0};
    for (int k = 0; k < length; k += 16) {
      int16 a = load(first + k), b = load(second + k);
      for (int j = 0; j < 4; j++) {
        int16 other = load(others + length * (column + j) + k);
        s[j] += pairs(a, other);
        t[j] += pairs(b, other);
      }
    }
    int4 x = sums(s), y = sums(t);
    memcpy(first_products + column, &x, sizeof x);
    memcpy(second_products + column, &y, sizeof y);
  }
  remainder(first, second, others, column, count, first_products, second_products);
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
    __m256i s[4], t[4];
    for (int j = 0; j < 4; j++) s[j] = t[j] = _mm256_setzero_si256();
    for (int k = 0; k < length; k += 32) {
      __m256i a = _mm256_loadu_si256((const __m256i *)(first + k)), b = _mm256_loadu_si256((const __m256i *)(second + k));
      for (int j = 0; j < 4; j++) {
        __m256i other = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(others + length * (column + j) + k)), sign);
        s[j] = _mm256_dpbusd_epi32(s[j], a, other);
        t[j] = _mm256_dpbusd_epi32(t[j], b, other);
      }
    }
    int4 x = sums((const int8 *)s) + first_offset, y = sums((const int8 *)t) + second_offset;
    memcpy(first_products + column, &x, sizeof x);
    memcpy(second_products + column, &y, sizeof y);
  }
  remainder(first, second, others, column, count, first_products, second_products);
}

int vitrine_descriptor_products_are_native(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vl");
}
#else
int vitrine_descriptor_products_are_native(void) { return 0; }
#endif

void vitrine_descriptor_products(
    const uint8_t *first, const uint8_t *second, const uint8_t *others, long count, int32_t *first_products, int32_t *second_products) {
#if defined(__x86_64__)
  if (vitrine_descriptor_products_are_native()) {
    native(first, second, others, count, first_products, second_products);
    return;
  }
#endif
  vitrine_descriptor_products_portable(first, second, others, count, first_products, second_products);
}
