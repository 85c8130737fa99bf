#pragma once

#include <stdint.h>

// Scalar products of descriptors of 128 bytes. In C, because Swift's vectors do not become the instructions that multiply bytes or pairs of 16-bit integers
// and add the products. All functions give the same integers.

/// The scalar product of two descriptors.
int32_t vitrine_descriptor_product(const uint8_t *a, const uint8_t *b);

/// The scalar products of two descriptors with `count` others, which follow one another.
void vitrine_descriptor_products(
    const uint8_t *first, const uint8_t *second, const uint8_t *others, long count, int32_t *first_products, int32_t *second_products);

/// The same with the instructions that every processor of the build has.
void vitrine_descriptor_products_portable(
    const uint8_t *first, const uint8_t *second, const uint8_t *others, long count, int32_t *first_products, int32_t *second_products);
