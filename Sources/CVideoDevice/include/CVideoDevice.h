// A camera of the system (Video4Linux 2): opened, set up, and asked for frames that lie in its own memory. No thought, only calls.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The format that the device selected. Colour fields are 0 if the device does not specify them.
typedef struct vitrine_video_format {
    uint32_t width, height;
    uint32_t fourcc;          // of the pixels: 'YUYV', 'NV12', 'MJPG' …, first letter in the lowest byte
    uint32_t bytes_per_line;  // of the first plane
    uint32_t image_bytes;
    uint32_t matrix;          // 601 or 709
    uint32_t full_range;      // 1 full, 2 video
    uint32_t interval_numerator, interval_denominator;  // seconds per frame
} vitrine_video_format;

typedef struct vitrine_video vitrine_video;

// Opens the device, without starting capture, with the first supported format of `fourccs`, near the requested size and rate (0: the device's own).
// Returns NULL with a text in `error` on failure.
vitrine_video *vitrine_video_open(const char *path, const uint32_t *fourccs, size_t fourcc_count, uint32_t width, uint32_t height,
                                  uint32_t frames_per_second, vitrine_video_format *format, char error[200]);

// Starts capture; returns 0 with a text in `error` on failure.
int vitrine_video_start(vitrine_video *video, char error[200]);

// Stops streaming; the camera's indicator light goes out. Frames that `next` returned become invalid.
void vitrine_video_stop(vitrine_video *video);

// Waits for the next frame. 1: `bytes` and `count` are valid until the next call, `nanoseconds` is its time on the monotonic clock
// and `flawed` states whether the device reports it as damaged; 0: no frame in time; -1: the device was removed, with a text in `error`.
int vitrine_video_next(vitrine_video *video, int milliseconds, const uint8_t **bytes, size_t *count, int64_t *nanoseconds, int *flawed,
                       char error[200]);

void vitrine_video_close(vitrine_video *video);

#ifdef __cplusplus
}
#endif
