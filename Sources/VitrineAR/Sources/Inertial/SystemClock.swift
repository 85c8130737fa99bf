#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The system clocks of device time stamps, in nanoseconds.
enum SystemClock {
    /// The clock of camera time stamps: monotonic since the start of the machine.
    static var monotonic: Int64 { now(CLOCK_MONOTONIC) }

    private static func now(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The offset from a clock, by its sysfs name, to the monotonic clock; nil for an unknown clock.
    static func toMonotonic(from name: String) -> Int64? {
        #if os(Linux)
            let clocks: [String: clockid_t] = [
                "realtime": CLOCK_REALTIME, "realtime_coarse": CLOCK_REALTIME_COARSE, "monotonic_raw": CLOCK_MONOTONIC_RAW,
                "monotonic_coarse": CLOCK_MONOTONIC_COARSE, "boottime": CLOCK_BOOTTIME, "tai": 11,
            ]
        #else
            let clocks: [String: clockid_t] = ["realtime": CLOCK_REALTIME]
        #endif
        if name == "monotonic" { return 0 }
        guard let clock = clocks[name] else { return nil }
        // Read in between, to cancel the delay of the calls.
        let before = monotonic
        let other = now(clock)
        return (before + monotonic) / 2 - other
    }
}
