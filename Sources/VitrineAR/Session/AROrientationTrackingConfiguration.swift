import VitrineTracking

/// Follows only how the camera is turned: three degrees of freedom. It works at once and can't get lost; the camera stays at the origin.
public struct AROrientationTrackingConfiguration: ARConfiguration {
    /// Default true.
    public var isLightEstimationEnabled: Bool
    /// Default `.automatic`.
    public var tracking: ARTracking

    public init(isLightEstimationEnabled: Bool = true, tracking: ARTracking = .automatic) {
        (self.isLightEstimationEnabled, self.tracking) = (isLightEstimationEnabled, tracking)
    }

    /// Orientation tracking needs an inertial unit.
    public static func isSupported(by rig: SensorRig) -> Bool { rig.hasInertialUnit }
}
