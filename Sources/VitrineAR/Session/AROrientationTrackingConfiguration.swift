import VitrineTracking

/// Tracks the camera's orientation only: three degrees of freedom. It works at once and is never lost; the camera stays at the origin.
public struct AROrientationTrackingConfiguration: ARConfiguration {
    /// Whether frames have a `lightEstimate`. Default true.
    public var isLightEstimationEnabled: Bool
    /// The method that estimates the device's orientation. Default `.automatic`, which selects `.orientation`.
    public var tracking: TrackingMethod

    /// Creates a configuration.
    public init(isLightEstimationEnabled: Bool = true, tracking: TrackingMethod = .automatic) {
        (self.isLightEstimationEnabled, self.tracking) = (isLightEstimationEnabled, tracking)
    }

    /// Orientation tracking needs an IMU.
    public static func isSupported(by rig: SensorRig) -> Bool { rig.hasInertialUnit }
}
