#include "CWaylandLog.h"

#ifdef __linux__
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*log_handler)(const char *format, va_list arguments);

static void log_without_missing_session(const char *format, va_list arguments) {
    static const char prefix[] = "error: XDG_RUNTIME_DIR";
    if (strncmp(format, prefix, sizeof prefix - 1) != 0) vfprintf(stderr, format, arguments);
}

void vitrine_quiet_wayland(void) {
    if (getenv("XDG_RUNTIME_DIR") || getenv("WAYLAND_DISPLAY")) return;
    // The handle stays open: unloading the library would forget the handler.
    void *library = dlopen("libwayland-client.so.0", RTLD_LAZY | RTLD_LOCAL);
    if (!library) return;
    void (*set_handler)(log_handler) = (void (*)(log_handler))dlsym(library, "wl_log_set_handler_client");
    if (set_handler) set_handler(log_without_missing_session);
}
#else
void vitrine_quiet_wayland(void) {}
#endif
