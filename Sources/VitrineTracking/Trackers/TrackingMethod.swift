import VitrineVision

/// Which tracker estimates the camera's pose.
public enum TrackingMethod: Sendable, Equatable {
    /// `.visualInertial` on a device with an IMU, else `.visual(.medianDepth(2))`.
    case automatic
    /// Six degrees of freedom from images and an IMU.
    case visualInertial
    /// Six degrees of freedom from images alone; `VisualScale` gives the metric scale.
    case visual(VisualScale)
    /// Three degrees of freedom from the IMU alone.
    case orientation
    /// The poses that the source supplies with each image.
    case recorded
    /// An app's own tracker.
    case custom(CustomTracker)

    /// Returns the method that `.automatic` selects for a device; other methods return themselves.
    public func resolved(for rig: SensorRig) -> TrackingMethod {
        guard self == .automatic else { return self }
        return rig.hasInertialUnit ? .visualInertial : .visual(.medianDepth(2))
    }

    /// - Parameter clock: Seconds of a monotonic clock, for diagnostics.
    package func makeTracker(for rig: SensorRig, clock: (() -> Double)? = nil) throws(TrackingMethodError) -> ActiveTracker {
        switch resolved(for: rig) {
        case .custom(let custom): return .custom(custom.make(rig))
        case .recorded: return .recorded(rig)
        case .visual(let scale):
            guard scale.isPlausible else { throw .implausibleScale(scale) }
            return .visual(VisualTracker(rig: rig, settings: .init(scale: scale), clock: clock))
        case .visualInertial, .automatic:
            guard rig.hasInertialUnit else { throw .needsInertialUnit(self) }
            return .visualInertial(VisualInertialTracker(rig: rig, clock: clock))
        case .orientation:
            guard rig.hasInertialUnit else { throw .needsInertialUnit(self) }
            return .orientation(OrientationTracker(rig: rig))
        }
    }
}

package enum TrackingMethodError: Error {
    case needsInertialUnit(TrackingMethod), implausibleScale(VisualScale)
}

/// Makes an app's own tracker for a device.
public struct CustomTracker: Sendable, Equatable {
    let name: String
    let make: @Sendable (SensorRig) -> sending any Tracker

    /// - Parameter name: Identifies the tracker: two values with the same name are equal.
    public init(name: String, make: @escaping @Sendable (SensorRig) -> sending any Tracker) { (self.name, self.make) = (name, make) }

    public static func == (a: CustomTracker, b: CustomTracker) -> Bool { a.name == b.name }
}

/// The tracker that runs.
package enum ActiveTracker {
    case visualInertial(VisualInertialTracker), visual(VisualTracker), orientation(OrientationTracker), recorded(SensorRig), custom(any Tracker)

    private var tracker: (any Tracker)? {
        switch self {
        case .visualInertial(let tracker): tracker
        case .visual(let tracker): tracker
        case .orientation(let tracker): tracker
        case .custom(let tracker): tracker
        case .recorded: nil
        }
    }

    package func add(_ sample: InertialSample) { tracker?.add(sample) }

    package func track(_ image: @autoclosure () -> TrackingImage, time: Double, recordedPose: RigidTransform?) -> TrackingResult {
        if let tracker { return tracker.track(image(), time: time) }
        guard case .recorded(let rig) = self else { preconditionFailure("only recorded poses have no tracker") }
        return TrackingResult(
            time: time + rig.timeOffset, state: recordedPose == nil ? .limited(.insufficientFeatures) : .normal,
            worldFromCamera: recordedPose, rig: rig)
    }

    package func reset() { tracker?.reset() }

    package var mapping: (any MappingTracker)? { tracker as? any MappingTracker }
}
