import VitrineVision

/// The method that estimates the camera's poses.
public enum TrackingMethod: Equatable, Sendable {
    /// ``visualInertial`` for a device with an IMU, otherwise ``visual(_:)`` with an unknown scale.
    case automatic
    /// Six degrees of freedom from images and IMU.
    case visualInertial
    /// Six degrees of freedom from images; the scale comes from markers or from a given depth. A gyroscope helps if the device has one.
    case visual(VisualScale)
    /// Three degrees of freedom, the rotation, from the IMU alone.
    case orientation
    /// The poses that come with the frames: another device's own or a simulation's ground truth. Frames without a pose have limited tracking.
    case recorded
    /// A tracker of the app.
    case custom(CustomTracker)

    /// The default scale of ``visual(_:)``.
    static let defaultScale = VisualScale.unknown

    /// The method that ``automatic`` selects for a device. Any other method is returned unchanged.
    public func resolved(for rig: SensorRig) -> TrackingMethod {
        guard self == .automatic else { return self }
        return rig.hasInertialUnit ? .visualInertial : .visual(Self.defaultScale)
    }

    /// Creates the tracker for a device.
    /// - Parameter clock: Seconds of a monotonic clock, for the durations in the trackers' diagnostics.
    package func makeTracker(for rig: SensorRig, clock: (() -> Double)? = nil) throws(TrackingMethodError) -> ActiveTracker {
        switch resolved(for: rig) {
        case .automatic, .visualInertial:
            guard rig.hasInertialUnit else { throw .needsInertialUnit }
            return .visualInertial(VisualInertialTracker(rig: rig, clock: clock))
        case .visual(let scale):
            guard scale.isPlausible else { throw .implausibleScale(scale) }
            return .visual(VisualTracker(rig: rig, settings: .init(scale: scale), clock: clock))
        case .orientation:
            guard rig.hasInertialUnit else { throw .needsInertialUnit }
            return .orientation(OrientationTracker(rig: rig))
        case .recorded: return .recorded(rig)
        case .custom(let custom): return .custom(custom.make(rig))
        }
    }
}

/// A tracker implementation of the app for ``TrackingMethod/custom(_:)``.
public struct CustomTracker: Equatable, Sendable {
    /// Identifies the implementation: running a session with a different name restarts tracking.
    public let name: String
    let make: @Sendable (SensorRig) -> sending any Tracker

    /// Creates a method for a custom tracker.
    ///
    /// - Parameters:
    ///   - name: Identifies the implementation.
    ///   - make: Creates a tracker for a device.
    public init(name: String, make: @escaping @Sendable (SensorRig) -> sending any Tracker) { (self.name, self.make) = (name, make) }

    public static func == (a: CustomTracker, b: CustomTracker) -> Bool { a.name == b.name }
}

/// The reason why a device cannot use a tracking method.
package enum TrackingMethodError: Error, Equatable {
    /// The method needs an IMU, and the device has none.
    case needsInertialUnit
    /// The length that sets the scale is not between 0.1 mm and 100 km.
    case implausibleScale(VisualScale)
}

/// A running tracker, which converts sensor data to tracking results.
package enum ActiveTracker {
    case visualInertial(VisualInertialTracker)
    case visual(VisualTracker)
    case orientation(OrientationTracker)
    case recorded(SensorRig)
    case custom(any Tracker)

    /// The tracker; nil for recorded poses.
    package var tracker: (any Tracker)? {
        switch self {
        case .visualInertial(let tracker): tracker
        case .visual(let tracker): tracker
        case .orientation(let tracker): tracker
        case .custom(let tracker): tracker
        case .recorded: nil
        }
    }

    /// The tracker as one that builds a landmark map; nil if it builds none.
    package var mapping: (any MappingTracker)? { tracker as? any MappingTracker }

    package func add(_ sample: InertialSample) { tracker?.add(sample) }

    /// Tracks one frame.
    /// - Parameters:
    ///   - image: Not evaluated for recorded poses.
    ///   - depth: Metres along the camera's z axis, 0 where unknown; used by visual and visual-inertial tracking.
    ///   - second: The second camera's image; used by the same, without a depth image.
    ///   - time: Seconds on the camera's clock.
    ///   - recordedPose: The pose that comes with the frame, `worldFromCamera`.
    package func track(
        _ image: @autoclosure () -> Plane<UInt8>, depth: Plane<Float>? = nil, second: Plane<UInt8>? = nil, time: Double,
        recordedPose: RigidTransform?
    ) -> TrackingResult {
        switch self {
        case .visual(let tracker): return tracker.track(image(), depth: depth, second: second, time: time)
        case .visualInertial(let tracker): return tracker.track(image(), depth: depth, second: second, time: time)
        case .orientation, .recorded, .custom: break
        }
        if let tracker { return tracker.track(image(), time: time) }
        guard case .recorded(let rig) = self else { preconditionFailure("only recorded poses have no tracker") }
        return TrackingResult(
            time: time + rig.timeOffset, state: recordedPose == nil ? .limited(.insufficientFeatures) : .normal,
            worldFromCamera: recordedPose, rig: rig)
    }

    package func reset() { tracker?.reset() }

    /// The device was interrupted: see ``Tracker/interrupt()``.
    package func interrupt() { tracker?.interrupt() }

    /// Sets the seconds without relocalization after which a tracker that lost tracking starts a new world; nil waits without limit.
    package func setNewWorldDelay(_ seconds: Double?) {
        switch self {
        case .visualInertial(let tracker): tracker.newWorldDelay = seconds
        case .visual(let tracker): tracker.newWorldDelay = seconds
        case .orientation, .recorded, .custom: break
        }
    }
}
