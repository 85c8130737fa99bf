import VitrineFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

extension ProcessMemory {
    /// The resident memory in MB, without freed memory that the allocator keeps; nil if the system does not report it.
    static func residentMegabytes() -> Double? {
        releaseUnused()
        return resident.map { Double($0) / 1_048_576 }
    }

    /// The peak resident memory in MB; 0 if the system does not report it.
    static var peakMegabytes: Double { Double(peak ?? 0) / 1_048_576 }

    /// A line of a report; nil for a single round.
    static func text(afterEach rounds: [Double]) -> String? {
        guard rounds.count > 1, let first = rounds.first, let last = rounds.last, let most = rounds.max() else { return nil }
        return "rounds     \(rounds.count): "
            + "\(first.fixed(1)) MB after the first, \(most.fixed(1)) at most, \(last.fixed(1)) after the last"
    }

    /// Limits the arenas of glibc's allocator, by default eight for each processor. Does nothing with other libraries.
    ///
    /// Each arena keeps its freed memory, and the jobs of a tracker allocate maps on changing threads: with the default, an hour of images took 31 MB
    /// more at its end, with two arenas 25 MB. Call it before there are other threads.
    static func limitArenas() {
        #if canImport(Glibc)
            // malloc.h is not part of Swift's module of glibc. nil searches all loaded libraries.
            guard let symbol = dlsym(nil, "mallopt") else { return }
            typealias Set = @convention(c) (Int32, Int32) -> Int32
            let arenaMaximum: Int32 = -8
            _ = unsafeBitCast(symbol, to: Set.self)(arenaMaximum, 2)
        #endif
    }
}
