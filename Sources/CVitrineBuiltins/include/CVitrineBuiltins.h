// The compiler's own mathematical functions. On a host they become calls of the C library; under Embedded Swift
// for WebAssembly, which has no C library, they become imports that the page supplies. So the core needs neither
// Foundation nor Glibc.
#pragma once

static inline float vitrine_sinf(float x) { return __builtin_sinf(x); }
static inline float vitrine_cosf(float x) { return __builtin_cosf(x); }
static inline float vitrine_tanf(float x) { return __builtin_tanf(x); }
static inline float vitrine_asinf(float x) { return __builtin_asinf(x); }
static inline float vitrine_acosf(float x) { return __builtin_acosf(x); }
static inline float vitrine_atan2f(float y, float x) { return __builtin_atan2f(y, x); }
static inline float vitrine_expf(float x) { return __builtin_expf(x); }
static inline float vitrine_exp2f(float x) { return __builtin_exp2f(x); }
static inline float vitrine_logf(float x) { return __builtin_logf(x); }
static inline float vitrine_log2f(float x) { return __builtin_log2f(x); }
static inline float vitrine_powf(float x, float y) { return __builtin_powf(x, y); }

static inline double vitrine_sin(double x) { return __builtin_sin(x); }
static inline double vitrine_cos(double x) { return __builtin_cos(x); }
static inline double vitrine_tan(double x) { return __builtin_tan(x); }
static inline double vitrine_asin(double x) { return __builtin_asin(x); }
static inline double vitrine_acos(double x) { return __builtin_acos(x); }
static inline double vitrine_atan2(double y, double x) { return __builtin_atan2(y, x); }
static inline double vitrine_exp(double x) { return __builtin_exp(x); }
static inline double vitrine_log(double x) { return __builtin_log(x); }
static inline double vitrine_pow(double x, double y) { return __builtin_pow(x, y); }
