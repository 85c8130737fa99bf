import VitrineAR
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ObjectCaptureSession {
    /// The state of a session.
    ///
    /// | state | next |
    /// | --- | --- |
    /// | `initializing` | `ready` with the first frame |
    /// | `ready` | `detecting` by `startDetecting()`; `capturing` by `startCapturing()` (area mode: without a box) |
    /// | `detecting` | `ready` by `resetDetection()`; `capturing` by `startCapturing()` |
    /// | `capturing` | itself by `beginNewScanPass()`; `ready` by `beginNewScanPassAfterFlip()`; `finishing` by `finish()` |
    /// | `finishing` | `completed` when all files are written |
    /// | `completed`, `failed` | none: make a new session |
    ///
    /// Each state but the last two changes to `failed` by an error or by `cancel()`. The shots up to then stay in the folder.
    public enum CaptureState: Equatable, Sendable {
        /// The session waits for `start(imagesDirectory:configuration:)` and for the first frame.
        case initializing
        /// Frames arrive, and no object is being detected.
        case ready
        /// The session detects the object and its box.
        case detecting
        /// The session takes shots.
        case capturing
        /// The session writes its last files.
        case finishing
        /// The capture has ended, and all files are written.
        case completed
        /// The session ended early; its shots stay usable.
        case failed(Error)
    }

    /// A problem that the user can solve.
    public enum Feedback: String, Hashable, Sendable, CaseIterable {
        /// The object is larger than the image.
        case objectTooClose
        /// The object is small in the image; no shots are taken.
        case objectTooFar
        /// The camera moves so fast for the exposure that images are blurred; no shots are taken until it is almost still.
        case movingTooFast
        /// The light is low, so that images are noisy.
        case environmentLowLight
        /// The light is too low; no shots are taken.
        case environmentTooDark
        /// Parts of the object are overexposed; above a higher limit no shots are taken.
        case environmentTooBright
        /// The object is at the edge of the image or outside of it: see `ObjectCaptureSession.outOfFieldOfViewDirection`. No shots are taken.
        case outOfFieldOfView
        /// The object's surface has too little texture for passes to be joined after a flip.
        case objectNotFlippable
        /// More shots were taken than a reconstruction uses.
        case overCapturing
        /// No object is detected in front of the camera.
        case objectNotDetected
    }

    /// The quality of camera tracking: `notAvailable`, `limited` with a reason, or `normal`.
    public typealias Tracking = TrackingState

    /// The reason for which a session failed.
    public enum Error: Swift.Error, Equatable, Sendable, CustomStringConvertible {
        /// The images directory has files, and `Configuration.continuesCapture` is false.
        case directoryNotEmpty(URL)
        /// The images directory is missing, was removed, or cannot be written, for the reason of the system.
        case directoryUnavailable(URL, reason: String)
        /// The disk of the images directory has fewer free bytes than this.
        case insufficientStorage(requiredBytes: Int64)
        /// `cancel()` was called.
        case cancelled
        /// The source failed, with its message.
        case sensorFailed(String)
        /// The tracker cannot track this source, with its message.
        case trackingFailed(String)

        public var description: String {
            switch self {
            case .directoryNotEmpty(let url):
                "\(url.path): is not empty: choose another folder, or set Configuration.continuesCapture to add shots to a capture"
            case .directoryUnavailable(let url, let reason): "\(url.path): \(reason)"
            case .insufficientStorage(let bytes): "the disk is full: at least \(bytes >> 20) MiB must be free"
            case .cancelled: "the capture was cancelled; its shots are kept"
            case .sensorFailed(let reason): "the sensor failed: \(reason)"
            case .trackingFailed(let reason): "tracking failed: \(reason)"
            }
        }
    }

    /// A method of the session, in errors.
    package enum Call: String, Hashable, Sendable, CaseIterable {
        /// The method `start(imagesDirectory:configuration:)`.
        case start
        /// The method `pause()`.
        case pause
        /// The method `resume()`.
        case resume
        /// The method `startDetecting()`.
        case startDetecting
        /// The method `resetDetection()`.
        case resetDetection
        /// The method `startCapturing()`.
        case startCapturing
        /// The method `beginNewScanPass()`.
        case beginNewScanPass
        /// The method `beginNewScanPassAfterFlip()`.
        case beginNewScanPassAfterFlip
        /// The method `requestImageCapture()`.
        case requestImageCapture
        /// The method `finish()`.
        case finish
        /// The method `cancel()`.
        case cancel
        /// The method `adjust(boundingBox:)`.
        case adjustBoundingBox
    }

    /// A call that the session's state does not allow. The session's state stays the same.
    public struct InvalidCall: Swift.Error, Equatable, Sendable, CustomStringConvertible {
        /// The refused call.
        package let call: Call
        /// The state at the time.
        public let state: CaptureState
        /// The reason, and the valid alternative.
        public let reason: String

        public var description: String { "\(call.rawValue): \(reason)" }
    }

    /// The options of a session.
    public struct Configuration: Equatable, Sendable {
        /// The folder for the checkpoint of a reconstruction, which a `PhotogrammetrySession` may share. The session creates it if it is missing.
        /// Default nil: none.
        public var checkpointDirectory: URL?
        /// Whether automatic shots continue beyond `maximumNumberOfInputImages`, for a reconstruction elsewhere. Default false.
        public var isOverCaptureEnabled: Bool
        /// Whether the images directory may hold an earlier capture, also an interrupted one: the session adds to its shots. Default false.
        public var continuesCapture: Bool

        /// Creates a configuration.
        public init(checkpointDirectory: URL? = nil, isOverCaptureEnabled: Bool = false, continuesCapture: Bool = false) {
            (self.checkpointDirectory, self.isOverCaptureEnabled) = (checkpointDirectory, isOverCaptureEnabled)
            self.continuesCapture = continuesCapture
        }
    }
}
