// WebGPU as wgpu-native implements it; the browser implements the same functions in JavaScript.
#include <webgpu/webgpu.h>
#include <webgpu/wgpu.h>
