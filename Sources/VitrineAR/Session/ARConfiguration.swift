import VitrineTracking

/// What a session does with what its source measures.
public protocol ARConfiguration: Sendable, Equatable {
    /// Whether a device has what automatic tracking needs.
    static func isSupported(by rig: SensorRig) -> Bool
    /// Whether frames have a `lightEstimate`.
    var isLightEstimationEnabled: Bool { get set }
    /// How the camera is followed.
    var tracking: ARTracking { get set }
}

extension ARConfiguration {
    /// Whether what `source` measures suffices for automatic tracking.
    public static func isSupported(by source: any SensorSource) -> Bool { isSupported(by: source.rig) }

    /// Whether a device can do it as it is set up: pictures alone, recorded poses and trackers of one's own ask for nothing.
    public func isSupported(by rig: SensorRig) -> Bool { tracking != .automatic || Self.isSupported(by: rig) }
}

/// How the camera is followed.
public enum ARTracking: Sendable, Equatable {
    /// By what is best for the configuration and the device: the whole pose by pictures and inertial unit where there is one, else by pictures
    /// alone, the median depth of the first view taken for 2 m (`.visual` says it better); only the turn by the inertial unit.
    case automatic
    /// By the pictures alone, whatever else the device measures; metres by a marker or a given size.
    case visual(VisualScale)
    /// By the poses that come with the pictures: another device's own, or a simulation's truth. A picture without one has limited tracking.
    case recorded
    /// By a tracker of one's own.
    case custom(ARTrackerMaker)
}

/// Makes a tracker for a device.
public struct ARTrackerMaker: Sendable, Equatable {
    let name: String
    let make: @Sendable (SensorRig) -> sending any Tracker

    /// - Parameter name: What tells makers apart: a session that is run with another one starts tracking anew.
    public init(name: String, make: @escaping @Sendable (SensorRig) -> sending any Tracker) { (self.name, self.make) = (name, make) }

    public static func == (a: ARTrackerMaker, b: ARTrackerMaker) -> Bool { a.name == b.name }
}
