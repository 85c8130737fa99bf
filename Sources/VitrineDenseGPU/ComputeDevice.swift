import Synchronization
import VitrineGPU

/// A device for compute shaders, with what `Work` keeps on it.
///
/// Sendable, unchecked: the work is used only under the lock, by one thread at a time. The compiler cannot verify that: a `Mutex` of the work refuses an
/// adapter that came from outside.
final class ComputeDevice<Work>: @unchecked Sendable {
    /// The name, the kind and the driver of the adapter.
    let adapter: String
    let isSoftware: Bool
    private let work: Work
    private let lock = Mutex(())

    /// Creates the work on the best adapter for a choice.
    ///
    /// - Throws: `DenseGPUError.unavailable` if no adapter matches, or it creates no device.
    init(_ choice: GPUAdapterChoice, _ make: (GPUAdapter) throws(GPUError) -> Work) throws(DenseGPUError) {
        do throws(GPUError) {
            let found = try GPUInstance().adapter(choice)
            (adapter, isSoftware) = (found.info.description, found.info.kind == .software)
            work = try make(found)
        } catch {
            throw .unavailable(error)
        }
    }

    /// Calls `body` when no other thread uses the device.
    ///
    /// - Throws: `DenseGPUError.failed` for a `GPUError`, and the other errors of `body`.
    func use<Result: Sendable>(_ body: (Work) throws -> Result) throws -> Result {
        do {
            return try lock.withLock { _ in try body(work) }
        } catch let error as GPUError {
            throw DenseGPUError.failed(error, adapter: adapter)
        }
    }
}
