import VitrineTracking

/// Follows where the camera is and how it is turned: six degrees of freedom.
public struct ARWorldTrackingConfiguration: ARConfiguration {
    /// Which planes are looked for.
    public struct PlaneDetection: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let horizontal = PlaneDetection(rawValue: 1)
        public static let vertical = PlaneDetection(rawValue: 2)
    }

    /// Default none.
    public var planeDetection: PlaneDetection
    /// Default true.
    public var isLightEstimationEnabled: Bool
    /// Default `.automatic`.
    public var tracking: ARTracking
    /// A world that was saved, to be found again. Default nil.
    public var initialWorldMap: ARWorldMap?

    public init(
        planeDetection: PlaneDetection = [], isLightEstimationEnabled: Bool = true, tracking: ARTracking = .automatic,
        initialWorldMap: ARWorldMap? = nil
    ) {
        (self.planeDetection, self.isLightEstimationEnabled) = (planeDetection, isLightEstimationEnabled)
        (self.tracking, self.initialWorldMap) = (tracking, initialWorldMap)
    }

    /// A camera is enough. Only an inertial unit makes sizes right by itself, and knows what is up: without one, `tracking: .visual` takes the
    /// size from a marker, or from what it is told.
    public static func isSupported(by rig: SensorRig) -> Bool { rig.camera.width > 0 && rig.camera.height > 0 }

    /// This, where `source` suffices for it; else following only how the camera is turned, where it suffices for that; else nil.
    public func orFallback(for source: any SensorSource) -> (any ARConfiguration)? {
        if isSupported(by: source.rig) { return self }
        let fallback = AROrientationTrackingConfiguration(isLightEstimationEnabled: isLightEstimationEnabled)
        return fallback.isSupported(by: source.rig) ? fallback : nil
    }
}
