#pragma once

/// Keeps libwayland from printing "error: XDG_RUNTIME_DIR is invalid or not set in the environment." to standard error while there is no
/// Wayland session: neither XDG_RUNTIME_DIR nor WAYLAND_DISPLAY is set. Its other messages are printed as before.
///
/// Mesa's Vulkan layer for device selection connects to Wayland whenever adapters are listed, on servers without a display too, and libwayland
/// prints that line for each attempt. The function installs a log handler in libwayland: it changes neither the environment nor standard error.
/// Does nothing if libwayland-client is not installed. Call it before Vulkan or SDL is loaded, from one thread.
void vitrine_quiet_wayland(void);
