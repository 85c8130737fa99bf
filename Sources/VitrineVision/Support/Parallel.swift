import CProcessor
import Dispatch
import Synchronization

/// Distributes work over a fixed number of threads.
///
/// Each index is processed once, in any order. The caller writes each result to its own location, so that the outcome does not depend on the
/// number of threads.
package struct Parallel: Sendable {
    /// The number of threads, including the caller's; at least 1.
    package let threads: Int

    /// Creates a scheduler with a number of threads.
    ///
    /// - Parameter threads: The number of threads; nil uses one per processor core.
    package init(threads: Int? = nil) { self.threads = max(1, threads ?? Int(vitrine_processor_count())) }

    /// Calls `body` for 0..<count. Threads take the indices in ascending order, one at a time.
    package func forEach(_ count: Int, _ body: @Sendable (Int) -> Void) {
        guard threads > 1, count > 1 else {
            for index in 0..<max(0, count) { body(index) }
            return
        }
        let next = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: min(threads, count)) { _ in
            while true {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                if index >= count { return }
                body(index)
            }
        }
    }

    /// The results of `body` for 0..<count, in the order of the indices.
    package func map<Result: Sendable>(_ count: Int, _ body: @Sendable (Int) -> Result) -> [Result] {
        let storage = UnsafeMutableBufferPointer<Result>.allocate(capacity: max(0, count))
        defer { storage.deallocate() }
        // Each index writes only its own element.
        nonisolated(unsafe) let elements = storage
        forEach(count) { elements.initializeElement(at: $0, to: body($0)) }
        let results = Array(storage)
        storage.deinitialize()
        return results
    }

    /// Calls `body` for consecutive ranges of 0..<count with at most `chunk` indices each.
    package func forEachChunk(of count: Int, size chunk: Int, _ body: @Sendable (Range<Int>) -> Void) {
        forEach((count + chunk - 1) / chunk) { piece in body(piece * chunk..<min(count, (piece + 1) * chunk)) }
    }
}
