// WebAssembly without a C library has no <math.h>; webgpu.h wants these two names of it.
#pragma once
#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
