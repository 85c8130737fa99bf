import VitrineAR
import VitrineGeometry
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The session's requests for a frame.
struct CaptureOrders: Sendable {
    enum Phase: Equatable, Sendable {
        case idle, detecting, capturing
    }

    var phase = Phase.idle
    /// Increases with each change of the phase, pass or box by a call: results of older orders are discarded.
    var revision = 0
    /// Increases with each start and reset of the detection.
    var detection = 0
    /// Numbers the passes and the poses of the object, from 0.
    var pass = 0
    var objectPose = 0
    /// The box of the current detection or capture; nil before a detection and in area mode.
    var box: OrientedBox?
    /// Whether a person has set the box: detection keeps it.
    var isBoxGiven = false
    var isAutomatic = true
    var isRequested = false
    var isOverCaptureEnabled = false
}

/// The pipeline's results for a frame.
struct CaptureUpdate: Sendable {
    let revision: Int
    var box: OrientedBox?
    var feedback: Set<ObjectCaptureSession.Feedback> = []
    var outOfFieldOfViewDirection: SIMD2<Float>?
    var shot: ObjectCaptureSession.Shot?
    var dial = CaptureDial()
    var isPassComplete = false
    var isObjectFlippable: Bool?
    var pointCloud: PhotogrammetrySession.PointCloud?
    var failure: ObjectCaptureSession.Error?
}
