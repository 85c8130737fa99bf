#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The memory of this process and of the machine, in bytes.
package enum ProcessMemory {
    /// The resident memory; nil if the system does not report it.
    package static var resident: Int? { field("VmRSS:") }

    /// The peak resident memory since the process started, or since `resetPeak()`; nil if the system does not report it.
    package static var peak: Int? {
        if let peak = field("VmHWM:") { return peak }
        var usage = rusage()
        #if canImport(Darwin)
            return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : nil
        #else
            return getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 ? usage.ru_maxrss * 1024 : nil
        #endif
    }

    /// Resets `peak` to the current memory; has no effect if the system does not allow it.
    package static func resetPeak() {
        // proc(5): 5 resets the peak resident set size.
        let file = open("/proc/self/clear_refs", O_WRONLY)
        guard file >= 0 else { return }
        _ = write(file, "5", 1)
        close(file)
    }

    /// Returns freed memory to the system, which glibc otherwise keeps for later allocations. Does nothing with other libraries.
    package static func releaseUnused() {
        #if canImport(Glibc)
            // malloc.h is not part of Swift's module of glibc. nil searches all loaded libraries.
            guard let symbol = dlsym(nil, "malloc_trim") else { return }
            typealias Trim = @convention(c) (Int) -> Int32
            _ = unsafeBitCast(symbol, to: Trim.self)(0)
        #endif
    }

    /// The memory of the machine, or the limit of the process's container.
    package static var machine: Int {
        let physical = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        guard let text = text(of: "/sys/fs/cgroup/memory.max"), let limit = Int(text.prefix { $0.isNumber }) else { return physical }
        return min(physical, limit)
    }

    /// Returns a field of `/proc/self/status` (proc(5)), which is in kibibytes.
    private static func field(_ name: String) -> Int? {
        guard let line = text(of: "/proc/self/status")?.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        return Int(line.filter { $0.isASCII && $0.isNumber }).map { $0 * 1024 }
    }

    private static func text(of path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
