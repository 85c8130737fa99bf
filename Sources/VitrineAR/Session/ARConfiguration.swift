import VitrineTracking

/// The configuration of a session: how it tracks the camera.
public protocol ARConfiguration: Sendable, Equatable {
    /// Whether a device has the sensors for automatic tracking.
    static func isSupported(by rig: SensorRig) -> Bool
    /// Whether frames have a `lightEstimate`.
    var isLightEstimationEnabled: Bool { get set }
    /// The method that estimates the camera's pose.
    var tracking: TrackingMethod { get set }
}

extension ARConfiguration {
    /// Whether a source has the sensors for automatic tracking.
    public static func isSupported(by source: any SensorSource) -> Bool { isSupported(by: source.rig) }

    /// Whether a device supports this configuration. Images alone, recorded poses and custom trackers have no requirements.
    public func isSupported(by rig: SensorRig) -> Bool { tracking != .automatic || Self.isSupported(by: rig) }
}
