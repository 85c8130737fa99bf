import VitrineMath
import VitrineTracking

/// One picture, and all that the session knew when it was taken. A value that never changes: it can be kept and handed to any task.
public struct ARFrame: Equatable, Sendable {
    /// How well what the camera sees is known from before.
    public enum WorldMappingStatus: String, Equatable, Sendable, CaseIterable {
        /// Nothing is known of where the camera is.
        case notAvailable
        /// Too little is known to find the place again, or tracking isn't normal.
        case limited
        /// Parts of the place are known, but hardly from here: more would be learned by looking on.
        case extending
        /// It would be found again from here: views from near by are kept (trackers that keep none: nearly all points in view have been known for a
        /// second).
        case mapped
    }

    /// Seconds on the clock of the inertial samples; rises from frame to frame of one reading of the source.
    public let timestamp: Double
    /// The picture as the camera gave it, not turned and not undistorted.
    public let capturedImage: CapturedImage
    public let camera: ARCamera
    /// All anchors in the order in which they were added.
    public let anchors: [ARAnchor]
    /// nil where the configuration doesn't ask for it.
    public let lightEstimate: ARLightEstimate?
    /// nil while nothing has a place, and where only the orientation is tracked.
    public let rawFeaturePoints: ARPointCloud?
    public let worldMappingStatus: WorldMappingStatus
    /// Distances, where the device measures them.
    public let sceneDepth: DepthImage?
    /// What rays are cast into beside the anchors; nil if only the orientation is tracked.
    let raycastScene: RaycastScene?

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
