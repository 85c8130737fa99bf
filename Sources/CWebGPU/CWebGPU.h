// WebGPU as wgpu-native implements it; the browser implements the same functions in JavaScript.
#pragma once
#include <webgpu/webgpu.h>
#include <webgpu/wgpu.h>

#ifdef __wasm__
// What Web/runtime/webgpu.js adds for pages, where memory of buffers cannot be mapped into the program's memory.

/// Fills a buffer that was created mapped with these bytes, from its start, and unmaps it.
void vitrineBufferFill(WGPUBuffer buffer, void const *bytes, size_t count);
/// Copies an image that the page has decoded into the first mip level of a texture of the same size.
void vitrineTextureCopyImage(WGPUTexture texture, uint32_t image);
#endif
