internal import CWebGPU
import Synchronization

/// The errors that the callbacks of one device recorded.
///
/// The implementation may report loss from any thread, so everything behind the lock is touched only while it is held. An instance is
/// never freed: a callback may still arrive while the last commands of a released device finish. That is a hundred bytes a device.
final class DeviceState {
    private let locked = Atomic<Bool>(false)
    /// Errors ever recorded: compared before and after a call to see, at the cost of one load, whether the call failed.
    private let recorded = Atomic<Int>(0)
    private let lost = Atomic<Bool>(false)
    private var pending: [GPUError] = []
    private var dropped = 0
    private var loss: (reason: GPUDeviceLostReason, message: String) = (.unknown, "")

    /// More than this many unread errors are counted, not kept.
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

    /// The first reason counts: what follows are echoes.
    func recordLoss(_ reason: GPUDeviceLostReason, _ message: String) {
        withLock {
            if !lost.load(ordering: .relaxed) { loss = (reason, message) }
            lost.store(true, ordering: .releasing)
        }
        recorded.add(1, ordering: .releasing)
    }

    var lossError: GPUError? {
        guard isLost else { return nil }
        return withLock { .deviceLost(reason: loss.reason, message: loss.message) }
    }

    /// The first error recorded after `mark`, taken out together with those that follow; nil when the calls since went well.
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

    /// The oldest error not yet read.
    func takeOldest() -> GPUError? {
        withLock {
            if !pending.isEmpty { return pending.removeFirst() }
            if dropped > 0 {
                defer { dropped = 0 }
                return .internal(resource: "", message: "\(dropped) further errors were not kept")
            }
            return nil
        }
    }

    // A spin lock: it is held for an append, nearly never contended, and there is no mutex without an operating system.
    private func withLock<R>(_ body: () -> R) -> R {
        while locked.exchange(true, ordering: .acquiring) {}
        defer { locked.store(false, ordering: .releasing) }
        return body()
    }
}

extension DeviceState {
    /// Turns what the implementation reports into an error and records it.
    func record(type: WGPUErrorType, message: String) {
        let parsed = ErrorText(message)
        if parsed.saysLost {
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
