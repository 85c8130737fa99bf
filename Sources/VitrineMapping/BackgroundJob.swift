import Dispatch
import Synchronization

/// Work on another thread, whose result is taken at a fixed frame: late results are waited for, so that replays are bit-identical.
package final class BackgroundJob<Output: Sendable>: Sendable {
    private let output = Mutex<Output?>(nil)
    private let group = DispatchGroup()

    /// Starts the work.
    package init(_ work: @escaping @Sendable () -> Output) {
        DispatchQueue.global(qos: .userInitiated).async(group: group) { [self] in
            let result = work()
            output.withLock { $0 = result }
        }
    }

    /// Waits until the work is done.
    package func result() -> Output {
        group.wait()
        guard let result = output.withLock({ $0 }) else { preconditionFailure("the group is left after the result is stored") }
        return result
    }
}
