import Synchronization
import Testing

@testable import VitrineVision

@Suite struct StageContextTests {
    private struct Failure: Error, Equatable {
        let index: Int
    }

    @Test func piecesKeepTheirOrderAndReportRisingProgress() throws {
        let reported = Mutex<[Double]>([])
        let context = StageContext(
            parallel: Parallel(threads: 2), progress: { fraction in reported.withLock { $0.append(fraction) } })
        let results = try context.part(from: 0.5, to: 1).map(20, on: Parallel(threads: 4)) { index, piece in
            piece.parallel.map(3) { index * 10 + $0 }
        }
        #expect(results == (0..<20).map { [$0 * 10, $0 * 10 + 1, $0 * 10 + 2] })
        let fractions = reported.withLock { $0 }
        #expect(fractions == fractions.sorted() && fractions.count == 20 && fractions.last == 1)
        #expect(fractions.allSatisfy { $0 > 0.5 })
    }

    /// The first failure in the order of the pieces is thrown; later pieces do not begin.
    @Test func aFailedPieceEndsTheRest() throws {
        let begun = Mutex(0)
        #expect(throws: Failure(index: 3)) {
            try StageContext().map(1_000, on: Parallel(threads: 1)) { index, _ in
                begun.withLock { $0 += 1 }
                if index >= 3 { throw Failure(index: index) }
            }
        }
        #expect(begun.withLock { $0 } == 4)
    }

    @Test func cancellationThrows() {
        let begun = Mutex(0)
        let context = StageContext(isCancelled: { begun.withLock { $0 } >= 2 })
        #expect(throws: CancellationError.self) {
            try context.map(10, on: Parallel(threads: 1)) { _, piece in
                begun.withLock { $0 += 1 }
                #expect(piece.isCancelled == context.isCancelled)
            }
        }
        #expect(begun.withLock { $0 } == 2)
    }
}
