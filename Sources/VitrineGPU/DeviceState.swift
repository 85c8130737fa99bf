internal import CWebGPU
import Synchronization

/// The errors that the callbacks of one device recorded.
///
/// The implementation may report loss from any thread, so the mutable state is accessed only under the lock. An instance is never freed,
/// because a callback may still arrive while the last commands of a released device finish; this costs about 100 bytes per device.
final class DeviceState {
    private let locked = Atomic<Bool>(false)
    /// The number of errors recorded so far. Comparing it before and after a call shows, at the cost of one load, whether the call failed.
    private let recorded = Atomic<Int>(0)
    private let lost = Atomic<Bool>(false)
    private let destruction = Atomic<Bool>(false)
    private var pending: [GPUError] = []
    private var dropped = 0
    private var loss: (reason: GPUDeviceLostReason, message: String) = (.unknown, "")

    /// The largest number of unread errors that are stored; beyond it the oldest is dropped and only counted.
    private static let pendingLimit = 64

    var mark: Int { recorded.load(ordering: .acquiring) }
    var isLost: Bool { lost.load(ordering: .acquiring) }

    func record(_ error: GPUError) {
        withLock {
            if pending.count == Self.pendingLimit {
                pending.removeFirst()
                dropped += 1
            }
            pending.append(error)
        }
        recorded.add(1, ordering: .releasing)
    }

    /// Records the loss of the device. The first reason is kept, because later reports only result from it.
    func recordLoss(_ reason: GPUDeviceLostReason, _ message: String) {
        withLock {
            if !lost.load(ordering: .relaxed) { loss = (reason, message) }
            lost.store(true, ordering: .releasing)
        }
        recorded.add(1, ordering: .releasing)
    }

    var lossError: GPUError? { isLost ? lossReport : nil }

    /// The error of a device that is lost.
    var lossReport: GPUError { withLock { .deviceLost(reason: loss.reason, message: loss.message) } }

    /// Removes the errors recorded after `mark` and returns the first of them; nil if no error was recorded since.
    func takeError(since mark: Int) -> GPUError? {
        let count = recorded.load(ordering: .acquiring) &- mark
        if count <= 0 { return nil }
        if let lossError { return lossError }
        return withLock {
            let first = max(pending.count - count, 0)
            guard first < pending.count else { return nil }
            let error = pending[first]
            pending.removeSubrange(first...)
            return error
        }
    }

    /// Removes and returns the oldest unread error.
    func takeOldest() -> GPUError? {
        withLock {
            if !pending.isEmpty { return pending.removeFirst() }
            if dropped > 0 {
                defer { dropped = 0 }
                return .internal(resource: "", message: "\(dropped) further errors were dropped")
            }
            return nil
        }
    }

    private func withLock<R>(_ body: () -> R) -> R { Self.withLock(locked, body) }

    /// Runs `body` while no other thread destroys the device. Returns nil without running it if the device is lost.
    ///
    /// For calls that end the process on a lost device in wgpu-native: a submission, access to the memory of a mapped buffer, and the calls of a surface.
    func whileAlive<R>(_ device: WGPUDevice, _ body: () -> R) -> R? {
        excludingDestruction { isAlive(device) ? body() : nil }
    }

    /// Whether the device is not lost. Detects a loss that was not reported yet.
    func isAlive(_ device: WGPUDevice) -> Bool {
        #if !arch(wasm32)
            // After a loss no object can be created.
            if !isLost { wgpuCommandEncoderRelease(wgpuDeviceCreateCommandEncoder(device, nil)) }
        #endif
        return !isLost
    }

    /// Runs `body` while no other thread runs a body of this or of `whileAlive`.
    func excludingDestruction<R>(_ body: () -> R) -> R { Self.withLock(destruction, body) }

    // A spin lock, because there is no mutex without an operating system. It is held for one append, call or copy and rarely contended.
    private static func withLock<R>(_ locked: borrowing Atomic<Bool>, _ body: () -> R) -> R {
        while locked.exchange(true, ordering: .acquiring) {}
        defer { locked.store(false, ordering: .releasing) }
        return body()
    }
}

extension DeviceState {
    /// Converts an error report of the implementation to a `GPUError` and records it.
    func record(type: WGPUErrorType, message: String) {
        let parsed = ErrorText(message)
        if parsed.reportsDeviceLoss {
            recordLoss(.unknown, parsed.body)
        } else if ErrorText.contains(message, "wgpuDeviceCreateShaderModule") {
            record(.shader(label: parsed.label, messages: shaderMessages(message)))
        } else if type == WGPUErrorType_OutOfMemory {
            record(.outOfMemory(resource: parsed.label, message: parsed.body))
        } else if type == WGPUErrorType_Validation {
            record(.validation(resource: parsed.label, message: parsed.body))
        } else {
            record(.internal(resource: parsed.label, message: parsed.body))
        }
    }
}
