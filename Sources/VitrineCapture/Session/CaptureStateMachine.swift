import VitrineAR

/// The calls that each state of a session allows, and the states to which they lead. Has no side effects.
struct CaptureStateMachine: Equatable, Sendable {
    typealias State = ObjectCaptureSession.CaptureState
    typealias Call = ObjectCaptureSession.Call
    typealias InvalidCall = ObjectCaptureSession.InvalidCall

    private(set) var state = State.initializing
    private(set) var isPaused = false
    private(set) var isStarted = false

    /// The conditions of calls beside the state.
    struct Conditions: Equatable, Sendable {
        /// Whether the object's box is known.
        var hasBox = false
        /// Whether a shot can be taken now.
        var canRequestImageCapture = false
    }

    /// Whether the session has ended.
    var isOver: Bool {
        switch state {
        case .completed, .failed: true
        case .initializing, .ready, .detecting, .capturing, .finishing: false
        }
    }

    /// Performs a call.
    ///
    /// - Throws: `InvalidCall` if the state does not allow it; the state stays the same.
    mutating func perform(_ call: Call, _ conditions: Conditions = Conditions()) throws(InvalidCall) {
        let next = try successor(of: call, conditions)
        state = next
        switch call {
        case .start: isStarted = true
        case .pause: isPaused = true
        case .resume: isPaused = false
        default: break
        }
        if isOver { isPaused = false }
    }

    /// The first frame has arrived.
    mutating func receiveFrame() { if state == .initializing, isStarted { state = .ready } }

    /// Completes the capture after all files were written.
    mutating func complete() { if state == .finishing { state = .completed } }

    /// Ends the session by an error, unless it has ended.
    mutating func fail(_ error: ObjectCaptureSession.Error) {
        guard !isOver else { return }
        (state, isPaused) = (.failed(error), false)
    }

    private func successor(of call: Call, _ conditions: Conditions) throws(InvalidCall) -> State {
        guard !isOver else { throw refusal(of: call, "the session has ended: make a new one; its shots stay in the folder") }
        if call == .cancel { return .failed(.cancelled) }
        if call == .start {
            guard !isStarted else { throw refusal(of: call, "the session was started already") }
            return state
        }
        if isPaused, call != .resume { throw refusal(of: call, "the session is paused: call resume() first") }
        switch (call, state) {
        case (_, .initializing):
            throw refusal(
                of: call, isStarted ? "the session has no frame yet: wait for the state ready" : "call start(imagesDirectory:) first")
        case (_, .finishing): throw refusal(of: call, "the session finishes: wait for the state completed")
        case (.pause, _): return state
        case (.resume, _):
            guard isPaused else { throw refusal(of: call, "the session is not paused") }
            return state
        case (.startDetecting, .ready): return .detecting
        case (.resetDetection, .detecting): return .ready
        case (.startCapturing, .ready): return .capturing
        case (.startCapturing, .detecting):
            guard conditions.hasBox else {
                throw refusal(
                    of: call, "no object is detected yet: wait for a box, set one by adjust(boundingBox:), or reset for area mode")
            }
            return .capturing
        case (.beginNewScanPass, .capturing), (.adjustBoundingBox, .detecting): return state
        case (.beginNewScanPassAfterFlip, .capturing): return .ready
        case (.requestImageCapture, .capturing):
            guard conditions.canRequestImageCapture else {
                throw refusal(of: call, "no shot is possible now: tracking must be normal, and the last request done")
            }
            return state
        case (.adjustBoundingBox, .capturing):
            guard conditions.hasBox else { throw refusal(of: call, "the pass captures an area: it has no box") }
            return state
        case (.finish, .capturing): return .finishing
        default: throw refusal(of: call, "the state is \(state): it must be \(Self.allowed[call] ?? "another")")
        }
    }

    /// The states that allow a call, for messages.
    private static let allowed: [Call: String] = [
        .startDetecting: "ready", .resetDetection: "detecting", .startCapturing: "detecting or ready", .beginNewScanPass: "capturing",
        .beginNewScanPassAfterFlip: "capturing", .requestImageCapture: "capturing", .finish: "capturing",
        .adjustBoundingBox: "detecting or capturing",
    ]

    private func refusal(of call: Call, _ reason: String) -> InvalidCall { InvalidCall(call: call, state: state, reason: reason) }
}
