import VitrineTracking

/// Tracks the camera's position and orientation: six degrees of freedom.
public struct ARWorldTrackingConfiguration: ARConfiguration {
    /// The alignments of planes to detect.
    public struct PlaneDetection: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Planes perpendicular to gravity.
        public static let horizontal = PlaneDetection(rawValue: 1)
        /// Planes parallel to gravity.
        public static let vertical = PlaneDetection(rawValue: 2)
    }

    /// The kinds of scene reconstruction.
    public struct SceneReconstruction: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// A mesh of all surfaces from depth images, as `ARMeshAnchor`s. Faces are not classified.
        public static let mesh = SceneReconstruction(rawValue: 1)
    }

    /// The environment probes for which the session makes environment maps.
    public enum EnvironmentTexturing: String, Equatable, Sendable, CaseIterable {
        /// The session makes no environment maps.
        case none
        /// The session makes maps for the `AREnvironmentProbeAnchor`s that the app adds.
        case manual
        /// The session makes maps for the app's probes, and adds a probe of its own.
        case automatic
    }

    /// The axes and the origin of the session's world.
    public enum WorldAlignment: String, Equatable, Sendable, CaseIterable {
        /// +Y points up; the origin and the heading are those of the first camera.
        case gravity
        /// +Y points up and −Z north. Not supported, because no source has a compass: the session fails with `.unsupportedConfiguration`.
        case gravityAndHeading
        /// The world is fixed to the newest camera, with +X right, +Y up and −Z ahead in the image: the camera's transform stays the
        /// identity, and anchors are updated with each frame. Environment probes have no map.
        case camera
    }

    /// The axes and the origin of the session's world. A change restarts tracking. Default `.gravity`.
    public var worldAlignment = WorldAlignment.gravity
    /// The alignments of the planes to detect. Default: no plane detection.
    public var planeDetection: PlaneDetection
    /// Whether frames have a `lightEstimate`. Default true.
    public var isLightEstimationEnabled: Bool
    /// The method that estimates the camera's pose. Default `.automatic`.
    public var tracking: TrackingMethod
    /// The images to detect and track, reported as `ARImageAnchor`s. Default: no images.
    public var detectionImages: [ARReferenceImage] = []
    /// The most images that are tracked at once; the others keep their last pose. Default 4.
    public var maximumNumberOfTrackedImages = 4
    /// The kind of scene reconstruction, which needs a source with depth images; `ARSession.problems` reports a source without them.
    /// Default: no mesh.
    public var sceneReconstruction: SceneReconstruction = []
    /// The environment probes for which the session makes environment maps. Default `.none`.
    public var environmentTexturing = EnvironmentTexturing.none
    /// Whether frames have a `smoothedSceneDepth`. Default false.
    public var smoothsSceneDepth = false
    /// A saved map to relocalize in. Default nil.
    public var initialWorldMap: ARWorldMap?

    /// The number of seconds of tracking without relocalization after which tracking that was lost starts a new world:
    /// `sessionDidStartNewWorld` reports it, and anchors of the old world are in the wrong place. Default nil: the state stays
    /// `limited(.relocalizing)` until relocalization succeeds or the app runs the session with `.resetTracking`.
    public var newWorldDelay: Double?

    /// Creates a configuration.
    public init(
        planeDetection: PlaneDetection = [], isLightEstimationEnabled: Bool = true, tracking: TrackingMethod = .automatic,
        initialWorldMap: ARWorldMap? = nil, detectionImages: [ARReferenceImage] = [], sceneReconstruction: SceneReconstruction = []
    ) {
        (self.planeDetection, self.isLightEstimationEnabled) = (planeDetection, isLightEstimationEnabled)
        (self.tracking, self.initialWorldMap) = (tracking, initialWorldMap)
        (self.detectionImages, self.sceneReconstruction) = (detectionImages, sceneReconstruction)
    }

    /// World tracking needs a camera. Without an IMU, gravity is unknown, and so is the scale unless the device has a depth sensor: the state is
    /// `limited(.scaleUnknown)`. `tracking: .visual` takes the scale from a marker or a given depth.
    public static func isSupported(by rig: SensorRig) -> Bool { rig.camera.width > 0 && rig.camera.height > 0 }

    /// Returns this configuration if `source` supports it, otherwise orientation tracking if `source` supports that, otherwise nil.
    public func orFallback(for source: any SensorSource) -> (any ARConfiguration)? {
        if isSupported(by: source.rig) { return self }
        let fallback = AROrientationTrackingConfiguration(isLightEstimationEnabled: isLightEstimationEnabled)
        return fallback.isSupported(by: source.rig) ? fallback : nil
    }
}
