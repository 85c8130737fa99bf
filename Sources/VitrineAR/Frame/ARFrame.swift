import VitrineMath
import VitrineTracking

/// An image with the session's state at its time. An immutable value: keep it and pass it to any task.
///
/// The last value of the chain `SensorEvent` → tracked frame → world update → `ARFrame`.
public struct ARFrame: Equatable, Sendable {
    /// How well the visible part of the world is mapped.
    public enum WorldMappingStatus: String, Equatable, Sendable, CaseIterable {
        /// The camera is not tracked.
        case notAvailable
        /// Too little is mapped to relocalize, or tracking is not normal.
        case limited
        /// Parts of the surroundings are mapped, but not from this view: moving the camera extends the map.
        case extending
        /// Relocalization should succeed from this view: nearby keyframes exist (for trackers without a landmark map: nearly all visible points
        /// have been tracked for a second).
        case mapped
    }

    /// Seconds on the clock of the inertial samples; increases from frame to frame until the source is rewound.
    public let timestamp: Double
    /// The image as captured: neither rotated nor undistorted.
    public let capturedImage: CapturedImage
    /// The camera of the image.
    public let camera: ARCamera
    /// All anchors in the order in which they were added.
    public let anchors: [ARAnchor]
    /// nil if light estimation is disabled.
    public let lightEstimate: ARLightEstimate?
    /// The visible feature points; nil before there are any, and if only the orientation is tracked.
    public let rawFeaturePoints: ARPointCloud?
    /// How well the visible part of the world is mapped.
    public let worldMappingStatus: WorldMappingStatus
    /// The depth image of a device with a depth sensor.
    public let sceneDepth: DepthImage?
    /// What rays are cast into beside the anchors; nil if only the orientation is tracked.
    let raycastScene: RaycastScene?

    /// Makes a frame without feature points or depth for ray casts to estimated planes.
    public init(
        timestamp: Double, capturedImage: CapturedImage, camera: ARCamera, anchors: [ARAnchor] = [],
        lightEstimate: ARLightEstimate? = nil, rawFeaturePoints: ARPointCloud? = nil,
        worldMappingStatus: WorldMappingStatus = .notAvailable, sceneDepth: DepthImage? = nil
    ) {
        self.init(
            timestamp: timestamp, capturedImage: capturedImage, camera: camera, anchors: anchors, lightEstimate: lightEstimate,
            rawFeaturePoints: rawFeaturePoints, worldMappingStatus: worldMappingStatus, sceneDepth: sceneDepth, raycastScene: nil)
    }

    init(
        timestamp: Double, capturedImage: CapturedImage, camera: ARCamera, anchors: [ARAnchor], lightEstimate: ARLightEstimate?,
        rawFeaturePoints: ARPointCloud?, worldMappingStatus: WorldMappingStatus, sceneDepth: DepthImage?, raycastScene: RaycastScene?
    ) {
        (self.timestamp, self.capturedImage, self.camera, self.anchors) = (timestamp, capturedImage, camera, anchors)
        (self.lightEstimate, self.rawFeaturePoints) = (lightEstimate, rawFeaturePoints)
        (self.worldMappingStatus, self.sceneDepth) = (worldMappingStatus, sceneDepth)
        self.raycastScene = raycastScene
    }
}
