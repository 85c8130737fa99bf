import VitrineMath
import VitrineVision

/// How a tracked camera maps directions to pixels: a pinhole with one of two lenses.
///
/// Camera frame: x right, y down, z forward. Pixels: x right, y down, the centre of the first pixel at (0.5, 0.5): calibrations that put it
/// at (0, 0), as OpenCV's and Kalibr's do, are shifted by half a pixel where they are read.
@frozen public struct CameraIntrinsics: Equatable, Sendable {
    /// What the lens does to directions.
    public enum Lens: Equatable, Sendable {
        /// Brown and Conrady's: k1, k2, p1, p2.
        case radialTangential(SIMD4<Double>)
        /// Kannala and Brandt's for wide lenses: θ' = θ (1 + k1 θ² + k2 θ⁴ + k3 θ⁶ + k4 θ⁸).
        case equidistant(SIMD4<Double>)
    }

    /// In pixels.
    public var width, height: Int
    /// Focal lengths in pixels.
    public var focal: Vector2d
    /// The principal point in pixels.
    public var center: Vector2d
    public var lens: Lens

    public init(width: Int, height: Int, focal: Vector2d, center: Vector2d, lens: Lens = .brownConrady(.zero)) {
        (self.width, self.height, self.focal, self.center, self.lens) = (width, height, focal, center, lens)
    }

    /// A pinhole with the given vertical field of view, its principal point in the middle.
    /// - Parameter verticalFieldOfView: in radians.
    public init(width: Int, height: Int, verticalFieldOfView: Double) {
        let focal = Double(height) / 2 / (sin(verticalFieldOfView / 2) / cos(verticalFieldOfView / 2))
        self.init(
            width: width, height: height, focal: Vector2d(focal, focal), center: Vector2d(Double(width), Double(height)) / 2)
    }

    /// The distorted normalized coordinates of undistorted ones.
    @inlinable public func distort(_ normalized: Vector2d) -> Vector2d {
        let (u, v) = (normalized.x, normalized.y)
        let squared = u * u + v * v
        switch lens {
        case .radialTangential(let k):
            let factor = 1 + squared * (k.x + squared * k.y)
            return Vector2d(
                u * factor + 2 * k.z * u * v + k.w * (squared + 2 * u * u),
                v * factor + k.z * (squared + 2 * v * v) + 2 * k.w * u * v)
        case .equidistant(let k):
            let radius = squared.squareRoot()
            guard radius > 1e-9 else { return normalized }
            let angle = atan2(radius, 1)
            return normalized * (Self.bent(angle, k) / radius)
        }
    }

    @inlinable static func bent(_ angle: Double, _ k: SIMD4<Double>) -> Double {
        let squared = angle * angle
        return angle * (1 + squared * (k.x + squared * (k.y + squared * (k.z + squared * k.w))))
    }

    /// Where a point in the camera's frame falls, in pixels. Meaningless for points at z ≤ 0.
    @inlinable public func project(_ pointInCamera: Vector3d) -> Vector2d {
        distort(Vector2d(pointInCamera.x, pointInCamera.y) / pointInCamera.z) * focal + center
    }

    /// The undistorted normalized coordinates (x/z, y/z) that fall on `pixel`.
    public func normalized(_ pixel: Vector2d) -> Vector2d {
        switch lens {
        case .radialTangential(let k):
            let model = CameraIntrinsics(
                width: width, height: height, focal: focal, center: center, radial: Vector3d(k.x, k.y, 0),
                tangential: Vector2d(k.z, k.w))
            return model.normalized(pixel)
        case .equidistant(let k):
            let target = (pixel - center) / focal
            let radius = (target * target).sum().squareRoot()
            guard radius > 1e-9 else { return target }
            let angle = Self.straightened(radius, k)
            return target * (sin(angle) / cos(angle) / radius)
        }
    }

    /// The angle that `bent` takes to `radius`, by Newton's method; below a right angle, where normalized coordinates end.
    private static func straightened(_ radius: Double, _ k: SIMD4<Double>) -> Double {
        var angle = min(radius, 1.5)
        for _ in 0..<20 {
            let squared = angle * angle
            let slope = 1 + squared * (3 * k.x + squared * (5 * k.y + squared * (7 * k.z + squared * 9 * k.w)))
            let step = (bent(angle, k) - radius) / max(slope, 0.1)
            angle = min(max(angle - step, 0), 1.55)
            if abs(step) < 1e-13 { break }
        }
        return angle
    }
}

/// A camera and an IMU fixed to one another: what a tracker has to know about a device.
@frozen public struct SensorRig: Equatable, Sendable {
    public var camera: CameraIntrinsics
    /// The camera's axes (x right, y down, z forward) from the IMU's.
    public var cameraFromBody: RigidTransform
    /// Seconds to add to a picture's time stamp to have the IMU's clock: negative where the stamp is late.
    public var timeOffset: Double
    public var noise: InertialNoise
    /// Whether there is an IMU at all.
    public var hasInertialUnit: Bool

    public init(
        camera: CameraIntrinsics, cameraFromBody: RigidTransform = .identity, timeOffset: Double = 0, noise: InertialNoise = InertialNoise(),
        hasInertialUnit: Bool = true
    ) {
        (self.camera, self.cameraFromBody, self.timeOffset) = (camera, cameraFromBody, timeOffset)
        (self.noise, self.hasInertialUnit) = (noise, hasInertialUnit)
    }
}
