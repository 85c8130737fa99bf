import VitrineMath
import VitrineTracking
import VitrineVision

/// An image with the session's state at its time. An immutable value: keep it and pass it to any task.
///
/// The last value of the chain `SensorEvent` → tracked frame → world update → `ARFrame`.
public struct ARFrame: Equatable, Sendable {
    /// The quality of the map for the visible part of the world.
    public enum WorldMappingStatus: String, Equatable, Sendable, CaseIterable {
        /// The camera is not tracked.
        case notAvailable
        /// The map has too few keyframes of this view for relocalization, or tracking is not normal.
        case limited
        /// Parts of the surroundings are mapped, but not from this view: moving the camera extends the map.
        case extending
        /// Relocalization should succeed from this view: nearby keyframes exist (for trackers without a landmark map: nearly all visible points
        /// have been tracked for a second).
        case mapped
    }

    /// The time in seconds on the clock of the inertial samples; increases from frame to frame until the source is rewound.
    public let timestamp: Double
    /// The image as the camera captured it, neither rotated nor undistorted.
    public let capturedImage: CapturedImage
    /// The camera of the image.
    public let camera: ARCamera
    /// All anchors in the order in which they were added.
    public let anchors: [ARAnchor]
    /// The estimated light of the scene; nil if light estimation is disabled.
    public let lightEstimate: ARLightEstimate?
    /// The visible feature points; nil before there are any, and if only the orientation is tracked.
    public let rawFeaturePoints: ARPointCloud?
    /// The quality of the map for the visible part of the world.
    public let worldMappingStatus: WorldMappingStatus
    /// The depth image of a device with a depth sensor.
    public let sceneDepth: DepthImage?
    /// `sceneDepth` averaged over the last frames; nil if the configuration does not ask for it, and while the camera is not tracked.
    public let smoothedSceneDepth: DepthImage?
    /// The points and depth for ray casts, in addition to the anchors; nil if only the orientation is tracked.
    let raycastScene: RaycastScene?

    /// Creates a frame without feature points or depth for ray casts to estimated planes.
    public init(
        timestamp: Double, capturedImage: CapturedImage, camera: ARCamera, anchors: [ARAnchor] = [],
        lightEstimate: ARLightEstimate? = nil, rawFeaturePoints: ARPointCloud? = nil,
        worldMappingStatus: WorldMappingStatus = .notAvailable, sceneDepth: DepthImage? = nil
    ) {
        self.init(
            timestamp: timestamp, capturedImage: capturedImage, camera: camera, anchors: anchors, lightEstimate: lightEstimate,
            rawFeaturePoints: rawFeaturePoints, worldMappingStatus: worldMappingStatus, sceneDepth: sceneDepth, smoothedSceneDepth: nil,
            raycastScene: nil)
    }

    init(
        timestamp: Double, capturedImage: CapturedImage, camera: ARCamera, anchors: [ARAnchor], lightEstimate: ARLightEstimate?,
        rawFeaturePoints: ARPointCloud?, worldMappingStatus: WorldMappingStatus, sceneDepth: DepthImage?, smoothedSceneDepth: DepthImage?,
        raycastScene: RaycastScene?
    ) {
        (self.timestamp, self.capturedImage, self.camera, self.anchors) = (timestamp, capturedImage, camera, anchors)
        (self.lightEstimate, self.rawFeaturePoints) = (lightEstimate, rawFeaturePoints)
        (self.worldMappingStatus, self.sceneDepth, self.smoothedSceneDepth) = (worldMappingStatus, sceneDepth, smoothedSceneDepth)
        self.raycastScene = raycastScene
    }
}

extension ARFrame {
    /// Makes the query of a ray through a point of the image.
    ///
    /// - Parameter point: A point of the captured image with its lens distortion, 0…1 to the right and down from its upper left corner.
    public func raycastQuery(
        from point: Vector2, allowing target: ARRaycastQuery.Target, alignment: ARRaycastQuery.TargetAlignment
    ) -> ARRaycastQuery {
        let size = Vector2d(Double(camera.model.width), Double(camera.model.height))
        let normalized = camera.model.normalized(Vector2d(point) * size)
        let direction = Vector3(Float(normalized.x), Float(-normalized.y), -1)
        return ARRaycastQuery(
            origin: camera.transform.translation, direction: normalize(camera.transform.transform(direction: direction)),
            allowing: target, alignment: alignment)
    }
}

extension ARFrame {
    /// The transform from the captured image to a view that it fills (aspect fill): normalized coordinates, 0…1 to the right and down from the
    /// upper left corner; homogeneous, column-major, the last row is (0, 0, 1). It rotates the image to the orientation and centres it.
    ///
    /// For a lens with distortion, it applies to the undistorted image: that of a pinhole camera with the camera's `intrinsics`.
    ///
    /// - Parameter viewportSize: Width and height of the view in its orientation, in any unit, above 0.
    public func displayTransform(for orientation: InterfaceOrientation, viewportSize: Vector2) -> Matrix3 {
        camera.fit(orientation, viewportSize).viewFromImage
    }

    /// The point in the captured image that a view shows at a point, for example a tap: 0…1, as `raycastQuery(from:allowing:alignment:)` takes
    /// it. Applies the lens distortion.
    ///
    /// - Parameter point: A point of the view in the units of `viewportSize`, right and down from the view's upper left corner.
    public func imagePoint(at point: Vector2, orientation: InterfaceOrientation, viewportSize: Vector2) -> Vector2 {
        let model = camera.model
        let size = Vector2d(Double(model.width), Double(model.height))
        let straight = displayTransform(for: orientation, viewportSize: viewportSize).inverse.transform(point: point / viewportSize)
        let pixel = model.distortion.distort((Vector2d(straight) * size - model.center) / model.focal) * model.focal + model.center
        return Vector2(pixel / size)
    }
}

extension ARFrame {
    /// The next action of the user to reach a goal, as a coaching overlay shows it; nil once the goal is reached.
    ///
    /// - Parameter goal: The alignments of planes, one of which must be detected. Default none: tracking must be normal.
    public func coachingAdvice(for goal: ARWorldTrackingConfiguration.PlaneDetection = []) -> TrackingAdvice? {
        switch camera.trackingState {
        case .normal, .limited(.scaleUnknown): break
        case .limited(.excessiveMotion): return camera.trackingAdvice ?? .moveSlowly
        case .limited(.insufficientFeatures): return camera.trackingAdvice ?? .findTexture
        case .limited(.relocalizing): return camera.trackingAdvice ?? .returnToKnownView
        case .limited(.initializing), .notAvailable: return camera.trackingAdvice ?? .moveSideways
        }
        guard !goal.isEmpty else { return nil }
        let isReached = anchors.contains { anchor in
            guard let plane = anchor as? ARPlaneAnchor else { return false }
            return goal.contains(plane.alignment == .horizontal ? .horizontal : .vertical)
        }
        return isReached ? nil : .scanSurfaces
    }
}
