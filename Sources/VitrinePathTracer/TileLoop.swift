import CProcessor
import Dispatch
import Synchronization
import VitrineGeometry

extension Integrator {
    /// Calls `body` once for each tile, on several threads, with a copy of the integrator for each thread.
    ///
    /// Threads take tiles in order; a tile's result must not depend on the thread that traces it.
    ///
    /// - Parameters:
    ///   - threads: The number of threads. nil: one for each processor.
    ///   - shouldStop: Called on any thread before each tile. The tiles after a stop are skipped.
    func traceTiles(
        _ count: Int, threads: Int?, shouldStop: @Sendable () -> Bool, _ body: @Sendable (_ integrator: Integrator, _ tile: Int) -> Void
    ) {
        let next = Atomic(0)
        @Sendable func work() {
            var integrator = self
            let stack = TraversalStack()
            defer { stack.deallocate() }
            integrator.stack = stack
            while !shouldStop() {
                let tile = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard tile < count else { return }
                body(integrator, tile)
            }
        }
        let threads = max(threads ?? Int(vitrine_processor_count()), 1)
        if threads == 1 { work() } else { DispatchQueue.concurrentPerform(iterations: threads) { _ in work() } }
    }
}
