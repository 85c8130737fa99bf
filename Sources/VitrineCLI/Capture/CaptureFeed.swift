import VitrineCaptureView

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reports the changes of a session: as a progress line and sentences, or as lines of JSON.
@MainActor
final class CaptureFeed {
    private let session: ObjectCaptureSession
    private let isJSON: Bool
    private let line: ProgressLine
    private var state: ObjectCaptureSession.CaptureState?
    private var tracking: ObjectCaptureSession.Tracking?
    private var feedback: Set<ObjectCaptureSession.Feedback> = []
    private var fraction = 0.0
    private var isPassComplete = false
    private var box: OrientedBoundingBox?
    /// Shots of an earlier capture are not reported.
    private var shotCount: Int?
    private(set) var passes = 0

    init(_ session: ObjectCaptureSession, isJSON: Bool) {
        (self.session, self.isJSON) = (session, isJSON)
        line = ProgressLine(isShown: !isJSON, quietSeconds: 1)
    }

    /// Reports the changes since the last call.
    func update() {
        let first = shotCount ?? session.shots.count
        shotCount = session.shots.count
        if session.state != state { show(state: session.state) }
        if session.cameraTracking != tracking {
            tracking = session.cameraTracking
            var fields: [String: JSONField] = ["tracking": .text("not_available")]
            if case .normal = session.cameraTracking { fields["tracking"] = .text("normal") }
            if case .limited(let reason) = session.cameraTracking {
                fields = ["tracking": .text("limited"), "reason": .text(reason.rawValue.snakeCase)]
            }
            event("tracking", fields)
        }
        if (session.boundingBox == nil) != (box == nil) || session.boundingBox?.differs(from: box) ?? false { showBox() }
        for shot in session.shots.dropFirst(first) { show(shot) }
        if session.feedback != feedback { showFeedback() }
        if session.dial.fraction != fraction { showDial() }
        if session.userCompletedScanPass != isPassComplete {
            isPassComplete = session.userCompletedScanPass
            if isPassComplete { showPass() }
        }
        showLine()
    }

    func warn(_ text: String) {
        line.finish()
        printError("warning: \(text)")
    }

    func say(_ text: String) {
        guard !isJSON else { return }
        line.finish()
        printError(text)
    }

    func finish() { line.finish() }

    // MARK: Events

    private func show(state: ObjectCaptureSession.CaptureState) {
        self.state = state
        var fields: [String: JSONField] = ["state": .text(state.word)]
        if case .failed(let error) = state { fields["reason"] = .text("\(error)") }
        event("state", fields)
    }

    private func show(_ shot: ObjectCaptureSession.Shot) {
        var fields: [String: JSONField] = [
            "number": .number(Double(shot.id)), "file": .text(shot.url.lastPathComponent), "time": .number(rounded(shot.timestamp)),
            "sharpness": .number(rounded(shot.sharpness)), "manual": .flag(shot.isManual),
        ]
        if let camera = session.dial.camera {
            fields["azimuth"] = .number((camera.azimuth * 180 / .pi).rounded())
            fields["elevation"] = .number((camera.elevation * 180 / .pi).rounded())
        }
        event("shot", fields)
    }

    private func showBox() {
        box = session.boundingBox
        var fields: [String: JSONField] = ["found": .flag(box != nil)]
        if let size = box?.bounds.size {
            fields["size"] = .list([size.x, size.y, size.z].map { .number(rounded(Double($0))) })
        }
        event("box", fields)
    }

    private func showFeedback() {
        feedback = session.feedback
        var fields: [String: JSONField] = ["feedback": .list(feedback.map(\.rawValue.snakeCase).sorted().map { .text($0) })]
        if let direction = session.outOfFieldOfViewDirection {
            fields["direction"] = .list([.number(rounded(Double(direction.x))), .number(rounded(Double(direction.y)))])
        }
        event("feedback", fields)
    }

    private func showDial() {
        fraction = session.dial.fraction
        let heights = ObjectCaptureSession.heights.map { ($0.name, JSONField.number(rounded(session.dial.fraction(at: $0.height)))) }
        event(
            "dial", ["fraction": .number(rounded(fraction)), "heights": .object(Dictionary(heights) { first, _ in first })])
    }

    private func showPass() {
        passes += 1
        event(
            "pass",
            ["pass": .number(Double(passes)), "shots": .number(Double(session.shots.count)), "advice": .text(session.advice?.word ?? "")])
        say("pass \(passes) complete, \(session.shots.count) shots\(session.advice.map { ": \($0)" } ?? "")")
    }

    /// The state in one line.
    private func showLine() {
        switch session.state {
        case .capturing:
            let advice = session.cameraTracking.captureAdvice ?? ObjectCaptureSession.Feedback.advice(for: feedback)
            let share = session.boundingBox == nil ? nil : "\(Int((fraction * 100).rounded())) % of the directions"
            let detail = ["\(session.shots.count) shots", share, advice?.lowercased()].compactMap { $0 }.joined(separator: ", ")
            line.report("capturing", fraction: nil, detail: detail)
        case .ready, .detecting:
            line.report(session.state.word, fraction: nil, detail: session.cameraTracking.captureAdvice?.lowercased() ?? "")
        case .initializing, .finishing, .completed, .failed: break
        }
    }

    func event(_ name: String, _ fields: [String: JSONField]) {
        guard isJSON else { return }
        var fields = fields
        fields["event"] = .text(name)
        ReconstructFeed.printLine(fields)
    }

    private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}

extension OrientedBoundingBox {
    /// Whether an edge differs by more than 4 % of the longest one: smaller changes are not reported.
    fileprivate func differs(from other: OrientedBoundingBox?) -> Bool {
        guard let other else { return true }
        let change = bounds.size - other.bounds.size
        return pointwiseMax(change, -change).max() > 0.04 * other.bounds.size.max()
    }
}

extension String {
    /// `objectTooFar` as `object_too_far`.
    var snakeCase: String { reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) } }
}

extension ObjectCaptureSession {
    static var heights: [(name: String, height: CaptureDial.Height)] { [("low", .low), ("middle", .middle), ("high", .high)] }
}

extension ObjectCaptureSession.CaptureState {
    /// The name in JSON.
    var word: String {
        switch self {
        case .initializing: "initializing"
        case .ready: "ready"
        case .detecting: "detecting"
        case .capturing: "capturing"
        case .finishing: "finishing"
        case .completed: "completed"
        case .failed: "failed"
        }
    }
}

extension PassAdvice {
    /// The name in JSON.
    var word: String {
        switch self {
        case .anotherHeight(.low): "another_height_low"
        case .anotherHeight(.middle): "another_height_middle"
        case .anotherHeight(.high): "another_height_high"
        case .flip: "flip"
        case .finish: "finish"
        }
    }
}
