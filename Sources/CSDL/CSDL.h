#ifndef VITRINE_CSDL_H
#define VITRINE_CSDL_H

// SDL must not rename main: Swift has its own.
#define SDL_MAIN_HANDLED
#include <SDL.h>
#include <SDL_syswm.h>

// C declarations that Swift cannot import: unions of structures of other window systems, and macros.

typedef enum {
    VITRINE_WINDOW_SYSTEM_OTHER = 0,
    VITRINE_WINDOW_SYSTEM_X11 = 1,
    VITRINE_WINDOW_SYSTEM_WAYLAND = 2,
} vitrine_window_system;

typedef struct {
    vitrine_window_system system;
    /// X11: Display *. Wayland: struct wl_display *.
    void *display;
    /// Wayland: struct wl_surface *.
    void *surface;
    /// X11: the window's id.
    Uint64 window;
    /// The connection to the X server; -1 elsewhere.
    int connection;
} vitrine_native_window;

static inline vitrine_native_window vitrine_native_window_of(SDL_Window *window) {
    vitrine_native_window native = {VITRINE_WINDOW_SYSTEM_OTHER, NULL, NULL, 0, -1};
    SDL_SysWMinfo info;
    SDL_VERSION(&info.version);
    if (!SDL_GetWindowWMInfo(window, &info)) return native;
#if defined(SDL_VIDEO_DRIVER_X11)
    if (info.subsystem == SDL_SYSWM_X11) {
        native.system = VITRINE_WINDOW_SYSTEM_X11;
        native.display = info.info.x11.display;
        native.window = (Uint64)info.info.x11.window;
        native.connection = ConnectionNumber(info.info.x11.display);
    }
#endif
#if defined(SDL_VIDEO_DRIVER_WAYLAND)
    if (info.subsystem == SDL_SYSWM_WAYLAND) {
        native.system = VITRINE_WINDOW_SYSTEM_WAYLAND;
        native.display = info.info.wl.display;
        native.surface = info.info.wl.surface;
    }
#endif
    return native;
}

#endif
