// For O_CLOEXEC and the monotonic clock.
#define _GNU_SOURCE

#include "CVideoDevice.h"

#include <stdio.h>
#include <string.h>

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { buffer_count = 4 };

struct vitrine_video {
    int descriptor;
    int held;  // the buffer that the caller looks at, or -1
    uint32_t count;
    struct { void *start; size_t length; } buffers[buffer_count];
};

static int ask(int descriptor, unsigned long request, void *argument) {
    int result;
    do {
        result = ioctl(descriptor, request, argument);
    } while (result < 0 && errno == EINTR);
    return result;
}

static int complain(char error[200], const char *what) {
    if (errno) {
        snprintf(error, 200, "%s: %s", what, strerror(errno));
    } else {
        snprintf(error, 200, "%s", what);
    }
    return 0;
}

static int is_camera(int descriptor, char error[200]) {
    struct stat status;
    if (fstat(descriptor, &status) < 0) return complain(error, "cannot be read");
    errno = 0;
    if (!S_ISCHR(status.st_mode)) return complain(error, "is not a camera: not a device");
    struct v4l2_capability capability = {0};
    if (ask(descriptor, VIDIOC_QUERYCAP, &capability) < 0) return complain(error, "is not a camera");
    uint32_t can = capability.capabilities & V4L2_CAP_DEVICE_CAPS ? capability.device_caps : capability.capabilities;
    errno = 0;
    if (!(can & V4L2_CAP_VIDEO_CAPTURE)) return complain(error, "gives no images (it may be the camera's other device: try the next number)");
    if (!(can & V4L2_CAP_STREAMING)) return complain(error, "does not support streaming");
    return 1;
}

static int set_format(int descriptor, const uint32_t *fourccs, size_t count, uint32_t width, uint32_t height, struct v4l2_format *format,
                      char error[200]) {
    for (size_t i = 0; i < count; i += 1) {
        memset(format, 0, sizeof *format);
        format->type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
        if (ask(descriptor, VIDIOC_G_FMT, format) < 0) return complain(error, "reports no format");
        if (width && height) {
            format->fmt.pix.width = width;
            format->fmt.pix.height = height;
        }
        format->fmt.pix.pixelformat = fourccs[i];
        format->fmt.pix.field = V4L2_FIELD_NONE;
        format->fmt.pix.bytesperline = 0;
        format->fmt.pix.sizeimage = 0;
        if (ask(descriptor, VIDIOC_S_FMT, format) < 0) {
            if (errno == EBUSY) return complain(error, "is in use");
            continue;
        }
        if (format->fmt.pix.pixelformat == fourccs[i]) return 1;
    }
    errno = 0;
    return complain(error, "gives none of the formats MJPEG, NV12, YUYV, UYVY, YU12 and GREY");
}

static void describe(const struct v4l2_pix_format *pixels, vitrine_video_format *format) {
    memset(format, 0, sizeof *format);
    format->width = pixels->width;
    format->height = pixels->height;
    format->fourcc = pixels->pixelformat;
    format->bytes_per_line = pixels->bytesperline;
    format->image_bytes = pixels->sizeimage;
    uint32_t encoding = pixels->ycbcr_enc;
    if (encoding == V4L2_YCBCR_ENC_DEFAULT && pixels->colorspace) encoding = V4L2_MAP_YCBCR_ENC_DEFAULT(pixels->colorspace);
    if (encoding == V4L2_YCBCR_ENC_601 || encoding == V4L2_YCBCR_ENC_XV601) format->matrix = 601;
    if (encoding == V4L2_YCBCR_ENC_709 || encoding == V4L2_YCBCR_ENC_XV709) format->matrix = 709;
    uint32_t range = pixels->quantization;
    if (range == V4L2_QUANTIZATION_DEFAULT && pixels->colorspace) {
        range = V4L2_MAP_QUANTIZATION_DEFAULT(0, pixels->colorspace, encoding);
    }
    if (range == V4L2_QUANTIZATION_FULL_RANGE) format->full_range = 1;
    if (range == V4L2_QUANTIZATION_LIM_RANGE) format->full_range = 2;
}

static void set_rate(int descriptor, uint32_t frames_per_second, vitrine_video_format *format) {
    struct v4l2_streamparm parameters = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    if (ask(descriptor, VIDIOC_G_PARM, &parameters) < 0) return;
    if (frames_per_second && parameters.parm.capture.capability & V4L2_CAP_TIMEPERFRAME) {
        parameters.parm.capture.timeperframe.numerator = 1;
        parameters.parm.capture.timeperframe.denominator = frames_per_second;
        if (ask(descriptor, VIDIOC_S_PARM, &parameters) < 0) return;
    }
    format->interval_numerator = parameters.parm.capture.timeperframe.numerator;
    format->interval_denominator = parameters.parm.capture.timeperframe.denominator;
}

static int make_room(vitrine_video *video, char error[200]) {
    struct v4l2_requestbuffers request = {.count = buffer_count, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    if (ask(video->descriptor, VIDIOC_REQBUFS, &request) < 0) return complain(error, "gives no memory for frames");
    uint32_t count = request.count < buffer_count ? request.count : buffer_count;
    for (uint32_t i = 0; i < count; i += 1) {
        struct v4l2_buffer buffer = {.index = i, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
        if (ask(video->descriptor, VIDIOC_QUERYBUF, &buffer) < 0) return complain(error, "gives no memory for frames");
        void *memory = mmap(NULL, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, video->descriptor, buffer.m.offset);
        if (memory == MAP_FAILED) return complain(error, "its memory cannot be mapped");
        video->buffers[i].start = memory;
        video->buffers[i].length = buffer.length;
        video->count = i + 1;
    }
    return 1;
}

// The driver drops its queue when a stream ends: it owns all buffers once they are queued again.
int vitrine_video_start(vitrine_video *video, char error[200]) {
    video->held = -1;
    for (uint32_t i = 0; i < video->count; i += 1) {
        struct v4l2_buffer buffer = {.index = i, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
        if (ask(video->descriptor, VIDIOC_QBUF, &buffer) < 0) return complain(error, "takes no memory for frames");
    }
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    if (ask(video->descriptor, VIDIOC_STREAMON, &type) < 0) return complain(error, "does not start");
    return 1;
}

void vitrine_video_stop(vitrine_video *video) {
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    video->held = -1;
    ask(video->descriptor, VIDIOC_STREAMOFF, &type);
}

vitrine_video *vitrine_video_open(const char *path, const uint32_t *fourccs, size_t fourcc_count, uint32_t width, uint32_t height,
                                  uint32_t frames_per_second, vitrine_video_format *format, char error[200]) {
    int descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        complain(error, "cannot be opened");
        return NULL;
    }
    struct v4l2_format chosen;
    vitrine_video *video = NULL;
    if (is_camera(descriptor, error) && set_format(descriptor, fourccs, fourcc_count, width, height, &chosen, error)) {
        video = calloc(1, sizeof *video);
    }
    if (!video) {
        close(descriptor);
        return NULL;
    }
    video->descriptor = descriptor;
    video->held = -1;
    describe(&chosen.fmt.pix, format);
    set_rate(descriptor, frames_per_second, format);
    if (make_room(video, error)) return video;
    vitrine_video_close(video);
    return NULL;
}

static int give_back(vitrine_video *video, char error[200]) {
    if (video->held < 0) return 1;
    struct v4l2_buffer buffer = {.index = (uint32_t)video->held, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    video->held = -1;
    return ask(video->descriptor, VIDIOC_QBUF, &buffer) == 0 ? 1 : complain(error, "takes no memory for frames");
}

static int64_t monotonic_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int vitrine_video_next(vitrine_video *video, int milliseconds, const uint8_t **bytes, size_t *count, int64_t *nanoseconds, int *flawed,
                       char error[200]) {
    if (!give_back(video, error)) return -1;
    struct pollfd entry = {.fd = video->descriptor, .events = POLLIN};
    int ready = poll(&entry, 1, milliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) return 0;
    if (ready < 0 || entry.revents & (POLLERR | POLLHUP | POLLNVAL)) {
        errno = 0;
        complain(error, "was removed");
        return -1;
    }
    struct v4l2_buffer buffer = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    if (ask(video->descriptor, VIDIOC_DQBUF, &buffer) < 0) {
        if (errno == EAGAIN) return 0;
        complain(error, "gives no frame");
        return -1;
    }
    if (buffer.index >= video->count || buffer.bytesused > video->buffers[buffer.index].length) {
        errno = 0;
        complain(error, "returned a frame outside of its memory");
        return -1;
    }
    video->held = (int)buffer.index;
    *bytes = video->buffers[buffer.index].start;
    *count = buffer.bytesused;
    *flawed = (buffer.flags & V4L2_BUF_FLAG_ERROR) != 0;
    // Old drivers stamp with another clock.
    *nanoseconds = (buffer.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC
        ? (int64_t)buffer.timestamp.tv_sec * 1000000000 + (int64_t)buffer.timestamp.tv_usec * 1000
        : monotonic_now();
    return 1;
}

void vitrine_video_close(vitrine_video *video) {
    vitrine_video_stop(video);
    for (uint32_t i = 0; i < video->count; i += 1) munmap(video->buffers[i].start, video->buffers[i].length);
    close(video->descriptor);
    free(video);
}

#else

vitrine_video *vitrine_video_open(const char *path, const uint32_t *fourccs, size_t fourcc_count, uint32_t width, uint32_t height,
                                  uint32_t frames_per_second, vitrine_video_format *format, char error[200]) {
    (void)path, (void)fourccs, (void)fourcc_count, (void)width, (void)height, (void)frames_per_second, (void)format;
    snprintf(error, 200, "live cameras are supported on Linux only");
    return NULL;
}

int vitrine_video_start(vitrine_video *video, char error[200]) {
    (void)video;
    snprintf(error, 200, "live cameras are supported on Linux only");
    return 0;
}

void vitrine_video_stop(vitrine_video *video) { (void)video; }

int vitrine_video_next(vitrine_video *video, int milliseconds, const uint8_t **bytes, size_t *count, int64_t *nanoseconds, int *flawed,
                       char error[200]) {
    (void)video, (void)milliseconds, (void)bytes, (void)count, (void)nanoseconds, (void)flawed;
    snprintf(error, 200, "live cameras are supported on Linux only");
    return -1;
}

void vitrine_video_close(vitrine_video *video) { (void)video; }

#endif
