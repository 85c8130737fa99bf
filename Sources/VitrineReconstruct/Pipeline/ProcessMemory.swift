import Foundation

/// This process's memory, from Linux's `/proc`; nil elsewhere.
enum ProcessMemory {
    /// Bytes in memory now.
    static var resident: Int? { field("VmRSS:") }
    /// The most bytes in memory since the process began, or since `resetPeak`.
    static var peak: Int? { field("VmHWM:") }

    /// Resets `peak`, where the system allows it.
    static func resetPeak() { try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8) }

    private static func field(_ name: String) -> Int? {
        guard let file = FileManager.default.contents(atPath: "/proc/self/status") else { return nil }
        for line in String(decoding: file, as: UTF8.self).split(separator: "\n") where line.hasPrefix(name) {
            let digits = line.filter { $0.isNumber }
            return Int(digits).map { $0 * 1024 }
        }
        return nil
    }

    /// The machine's memory in bytes, or the limit of the container that the process runs in.
    static var machine: Int {
        let physical = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        guard let text = try? String(contentsOfFile: "/sys/fs/cgroup/memory.max", encoding: .utf8),
            let limit = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { return physical }
        return min(physical, limit)
    }
}
