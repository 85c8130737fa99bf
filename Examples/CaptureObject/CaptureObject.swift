// A capture without a person's commands; copy from here. main.swift only opens the recording or the simulated room.
import Foundation
import VitrineCapture

/// Captures the object in front of a camera: detects it, walks through the advised passes, and finishes with the source.
///
/// - Parameter onFrame: Called after each frame.
/// - Returns: The final state: `completed`, or `failed` with the reason. The shots are in the folder in either case.
@MainActor func capture(
    _ session: ObjectCaptureSession, into folder: URL, passes: Int, onFrame: () -> Void = {}
) async throws -> ObjectCaptureSession.CaptureState {
    try session.start(imagesDirectory: folder)
    var (passesDone, lastFeedback) = (0, Set<ObjectCaptureSession.Feedback>())
    while await session.step() {
        switch session.state {
        case .ready where passesDone == 0:
            try session.startDetecting()
        case .detecting where session.boundingBox != nil && session.feedback.isEmpty:
            // A user would check the box first, and adjust it.
            try session.startCapturing()
        case .capturing where session.userCompletedScanPass:
            passesDone += 1
            print("pass \(passesDone): \(session.numberOfShotsTaken) shots; next: \(session.advice.map(String.init(describing:)) ?? "-")")
            if passesDone == passes { try session.finish() } else { try session.beginNewScanPass() }
        default: break
        }
        if session.feedback != lastFeedback {
            lastFeedback = session.feedback
            print("feedback: \(lastFeedback.map(\.rawValue).sorted().joined(separator: ", "))")
        }
        onFrame()
    }
    switch session.state {
    // The recording ends before the passes are complete: its shots are kept.
    case .capturing: try session.finish()
    case .initializing, .ready, .detecting: try session.cancel()
    case .finishing, .completed, .failed: break
    }
    // The sequence ends when all files are written.
    for await _ in session.stateUpdates {}
    return session.state
}
