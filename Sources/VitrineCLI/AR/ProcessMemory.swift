import VitrineFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ProcessMemory {
    /// The resident memory in MB; nil if the system does not report it.
    static var residentMegabytes: Double? { resident.map { Double($0) / 1_048_576 } }

    /// The peak resident memory in MB; 0 if the system does not report it.
    static var peakMegabytes: Double { Double(peak ?? 0) / 1_048_576 }

    /// A line of a report; nil for a single round.
    static func text(afterEach rounds: [Double]) -> String? {
        guard rounds.count > 1, let first = rounds.first, let last = rounds.last, let most = rounds.max() else { return nil }
        return "rounds     \(rounds.count): "
            + "\(first.fixed(1)) MB after the first, \(most.fixed(1)) at most, \(last.fixed(1)) after the last"
    }
}
