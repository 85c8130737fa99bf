// The functions that the page supplies to VitrineWeb, in addition to WebGPU (CWebGPU) and mathematics. Web/runtime/runtime.js implements these functions.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define PAGE(name) __attribute__((import_module("page"), import_name(#name)))

/// Copies bytes that the page offers under a number into the program's memory.
PAGE(copyBytes) void vitrine_page_copy_bytes(uint32_t source, void *to, size_t count);
/// Appends a number to the values that the function called by the page returns.
PAGE(putNumber) void vitrine_page_put_number(double value);
/// Appends a text in UTF-8 to those values.
PAGE(putText) void vitrine_page_put_text(const void *text, size_t count);
/// Appends a copy of bytes to those values.
PAGE(putBytes) void vitrine_page_put_bytes(const void *bytes, size_t count);
/// Requests a frame for a viewer.
PAGE(needsFrame) void vitrine_page_needs_frame(int32_t viewer);
/// Returns the number of the texture of a viewer's canvas for this frame; 0 if there is none.
PAGE(canvasTexture) uint32_t vitrine_page_canvas_texture(int32_t viewer);
/// Frees a decoded image.
PAGE(releaseImage) void vitrine_page_release_image(uint32_t image);
/// Shows a warning of a viewer.
PAGE(warn) void vitrine_page_warn(int32_t viewer, const void *text, size_t count);
/// Milliseconds on a clock that never goes back.
PAGE(now) double vitrine_page_now(void);
/// Draws a text in white with a font of CSS, which `takeText` copies. Programs with layers import it.
///
/// `numbers` receives the width and height in points, and the width and height of the image in pixels: 0 if it is empty or too large.
PAGE(drawText) void vitrine_page_draw_text(
    const void *text, size_t count, const void *font, size_t font_count, float size, int32_t alignment, float maximum_width, double *numbers);
/// Copies the pixels of the last text, straight RGBA.
PAGE(takeText) void vitrine_page_take_text(void *to, size_t count);

#undef PAGE
