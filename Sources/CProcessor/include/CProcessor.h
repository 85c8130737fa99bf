#pragma once

// The processor features that the compiler assumes, and those of the processor that runs.

#if defined(__AVX2__) && defined(__FMA__)
static inline int vitrine_build_is_wide(void) { return 1; }
#else
static inline int vitrine_build_is_wide(void) { return 0; }
#endif

/// 1 where the processor has AVX2 and FMA, and the system saves their registers.
int vitrine_processor_is_wide(void);
