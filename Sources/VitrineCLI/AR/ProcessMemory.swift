import Foundation

/// What this process holds of the machine's memory.
enum ProcessMemory {
    /// Now, in MB; nil where the system doesn't say.
    static var residentMegabytes: Double? {
        // Pages in use are the second number (proc(5)).
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
        else { return nil }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    }

    /// At most so far, in MB.
    static var peakMegabytes: Double {
        var usage = rusage()
        return getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 ? Double(usage.ru_maxrss) / 1024 : 0
    }

    /// A line of a report; nil where there was one round only.
    static func text(afterEach rounds: [Double]) -> String? {
        guard rounds.count > 1, let first = rounds.first, let last = rounds.last, let most = rounds.max() else { return nil }
        return "rounds     \(rounds.count): "
            + String(format: "%.1f MB after the first, %.1f at most, %.1f after the last", first, most, last)
    }
}
