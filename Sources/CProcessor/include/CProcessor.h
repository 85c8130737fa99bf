#pragma once

// The processors of this machine: how many there are, which features the compiler assumes, and which the processor has.

/// The number of processor cores that this process may use, at least 1.
int vitrine_processor_count(void);

#if defined(__AVX2__) && defined(__FMA__)
static inline int vitrine_build_is_wide(void) { return 1; }
#else
static inline int vitrine_build_is_wide(void) { return 0; }
#endif

/// 1 where the processor has AVX2 and FMA, and the system saves their registers.
int vitrine_processor_is_wide(void);
