// What Swift's strings ask of the Unicode character database when they compare, hash and sort: every scalar is its own normal form here. Texts are equal if
// their scalars are, as in JSON and glTF, whose names have no canonical equivalence; the tables for it would be 26 KB.
#include <stdint.h>

uint16_t _swift_stdlib_getNormData(uint32_t scalar) { return 0; }
uint32_t _swift_stdlib_getComposition(uint32_t first, uint32_t second) { return UINT32_MAX; }
uint32_t _swift_stdlib_getDecompositionEntry(uint32_t scalar) { return 0; }
const uint8_t _swift_stdlib_nfd_decompositions[1] = {0};
