import VitrineAR
import VitrineGeometry
import VitrineMath
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ObjectCaptureSession {
    /// A photo that a session has written.
    public struct Shot: Identifiable, Equatable, Sendable {
        /// The number of the shot in its folder, from 1.
        public let id: Int
        /// The image file.
        public let url: URL
        /// The depth map, a 16-bit PNG in millimetres; nil without a depth sensor.
        public let depthURL: URL?
        /// Identifies the scan pass.
        public let passID: UUID
        /// Identifies the pose of the object: all passes between two flips share it.
        public let objectPoseID: UUID
        /// The time in seconds on the source's clock.
        public let timestamp: Double
        /// The camera in the session's world.
        public let camera: ARCamera
        /// The object's box in the session's world; nil in area mode.
        public let boundingBox: OrientedBoundingBox?
        /// The sharpness of the object's image, 0…1; comparable within a capture.
        public let sharpness: Double
        /// Whether `requestImageCapture()` caused the shot.
        public let isManual: Bool
    }
}

extension OrientedBoundingBox {
    /// A box with its origin at its centre.
    package init(_ box: OrientedBox) {
        let orientation = Quaternion(Matrix3(Vector3(box.axes.x), Vector3(box.axes.y), Vector3(box.axes.z))).normalized
        let center = orientation.inverse.rotate(Vector3(box.center))
        let half = Vector3(box.halfExtents)
        self.init(bounds: BoundingBox(minimum: center - half, maximum: center + half), orientation: orientation)
    }

    /// The box by its centre, axes and half extents.
    package var oriented: OrientedBox {
        let axes = Matrix3d(quaternion: SIMD4<Double>(orientation.normalized.vector))
        return OrientedBox(center: axes * Vector3d(bounds.center), axes: axes, halfExtents: Vector3d(bounds.size) / 2)
    }
}
