import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PhotogrammetrySession {
    /// A photo's camera in the model's frame: +Y up, the camera looks along its own −Z with +Y up.
    public struct Pose: Hashable, Sendable {
        /// The camera's centre. Model frame.
        public let translation: Vector3
        /// Rotates directions of the camera's frame into the model's frame.
        public let rotation: Quaternion
        /// The intrinsics of the photo as stored, before its EXIF orientation is applied.
        public let intrinsics: Intrinsics

        /// Maps points of the camera's frame to the model's frame.
        public var transform: Transform { Transform(translation: translation, rotation: rotation) }
    }

    /// The intrinsics and the lens distortion of a camera, in pixels; the first pixel's centre is (0.5, 0.5).
    ///
    /// The distortion follows Brown and Conrady as in OpenCV, or Kannala and Brandt for fisheye lenses (OpenCV's `fisheye` model).
    public struct Intrinsics: Hashable, Sendable {
        /// The width of the photo as stored, pixels.
        public let width: Int
        /// The height of the photo as stored, pixels.
        public let height: Int
        /// The focal lengths fx and fy in pixels.
        public let focalLength: SIMD2<Double>
        /// The principal point, cx and cy, in pixels from the upper left corner.
        public let principalPoint: SIMD2<Double>
        /// The distortion of the lens.
        public let distortion: LensDistortion

        /// The coefficients k1, k2 and k3 of Brown and Conrady's model; 0 for a fisheye.
        public var radialDistortion: SIMD3<Double> { distortion.radial }
        /// The coefficients p1 and p2 of Brown and Conrady's model; 0 for a fisheye.
        public var tangentialDistortion: SIMD2<Double> { distortion.tangential }
        /// The coefficients k1 to k4 of Kannala and Brandt's model for fisheye lenses; nil for others. With it the other distortion is 0.
        public var fisheyeDistortion: SIMD4<Double>? { distortion.fisheye }

        /// The matrix K of the pinhole, by columns.
        public var matrix: Matrix3 {
            Matrix3(
                Vector3(Float(focalLength.x), 0, 0), Vector3(0, Float(focalLength.y), 0),
                Vector3(Float(principalPoint.x), Float(principalPoint.y), 1))
        }
    }

    /// The poses of all photos that were used.
    public struct Poses: Sendable {
        /// The poses by the sample's id; samples that were not aligned have none.
        public let posesBySample: [Int: Pose]
        /// The file of each sample by its id; empty for samples that came from memory.
        public let urlsBySample: [Int: URL]
    }

    /// Coloured surface points, model frame.
    public struct PointCloud: Sendable {
        /// A coloured point.
        public struct Point: Hashable, Sendable {
            /// The position in the model's frame.
            public let position: SIMD3<Float>
            /// The colour: sRGB-encoded red, green and blue; the fourth component is 255.
            public let color: SIMD4<UInt8>

            package init(position: SIMD3<Float>, color: SIMD4<UInt8>) { (self.position, self.color) = (position, color) }
        }

        /// The points, in a fixed order.
        public let points: [Point]

        package init(points: [Point]) { self.points = points }
    }
}

extension PhotogrammetrySession.Pose {
    /// Converts a camera to a pose.
    ///
    /// - Parameter camera: `cameraFromWorld` with the model's frame as the world, OpenCV axes.
    init(_ camera: PosedCamera) {
        let worldFromCamera = camera.cameraFromWorld.rotation.transpose
        // OpenCV's y points down and z forward, a viewer's up and back.
        let linear = Matrix3(Vector3(worldFromCamera.x), -Vector3(worldFromCamera.y), -Vector3(worldFromCamera.z))
        let rotation = Quaternion(linear).normalized
        self.init(translation: Vector3(camera.centerInWorld), rotation: rotation, intrinsics: .init(camera.intrinsics))
    }
}

extension PhotogrammetrySession.Intrinsics {
    init(_ intrinsics: CameraIntrinsics) {
        self.init(
            width: intrinsics.width, height: intrinsics.height, focalLength: intrinsics.focal, principalPoint: intrinsics.center,
            distortion: intrinsics.distortion)
    }
}

extension PosedCamera {
    /// Converts a pose to a camera.
    ///
    /// - Parameter size: the photo's as stored.
    /// - Returns: nil if the pose is not a valid camera.
    init?(_ pose: PhotogrammetrySession.Pose, size: PhotoSize) {
        let lens = pose.intrinsics
        guard lens.width > 0, lens.height > 0, lens.focalLength.x > 0, lens.focalLength.y > 0, pose.translation.isFinite else { return nil }
        let intrinsics = CameraIntrinsics(
            width: lens.width, height: lens.height, focal: lens.focalLength, center: lens.principalPoint, distortion: lens.distortion
        ).resized(width: size.width, height: size.height)
        let rotation = pose.rotation.normalized
        let columns = [Vector3.right, .up, Vector3(0, 0, 1)].map { Vector3d(rotation.rotate($0)) }
        let worldFromCamera = Matrix3d(columns[0], -columns[1], -columns[2])
        let cameraFromWorld = worldFromCamera.transpose
        self.init(
            intrinsics: intrinsics,
            cameraFromWorld: RigidTransform(rotation: cameraFromWorld, translation: -(cameraFromWorld * Vector3d(pose.translation))))
    }
}
