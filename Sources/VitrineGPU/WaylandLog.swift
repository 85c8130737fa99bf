#if canImport(CWaylandLog)
    internal import CWaylandLog
#endif

/// libwayland's messages on standard error.
package enum WaylandLog {
    /// Silences, on first access and once per process, the message that libwayland prints for each Vulkan instance on a machine without a
    /// Wayland session. See `vitrine_quiet_wayland`.
    /// session. See `vitrine_quiet_wayland`.
    package static let isQuiet: Bool = {
        #if canImport(CWaylandLog)
            vitrine_quiet_wayland()
        #endif
        return true
    }()
}
