import Foundation

/// The memory of this process.
enum ProcessMemory {
    /// The resident memory in MB; nil if the system does not report it.
    static var residentMegabytes: Double? {
        // Pages in use are the second number (proc(5)).
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
        else { return nil }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    }

    /// The peak resident memory in MB.
    static var peakMegabytes: Double {
        var usage = rusage()
        return getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 ? Double(usage.ru_maxrss) / 1024 : 0
    }

    /// A line of a report; nil for a single round.
    static func text(afterEach rounds: [Double]) -> String? {
        guard rounds.count > 1, let first = rounds.first, let last = rounds.last, let most = rounds.max() else { return nil }
        return "rounds     \(rounds.count): "
            + String(format: "%.1f MB after the first, %.1f at most, %.1f after the last", first, most, last)
    }
}
