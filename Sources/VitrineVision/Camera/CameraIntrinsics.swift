import VitrineMath

/// How a camera maps directions to pixels: a pinhole with the lens distortion of Brown and Conrady.
///
/// Camera frame: x right, y down, z forward (the computer-vision one; the public poses of a reconstruction are −Z forward). Pixels: x right,
/// y down, the centre of the first pixel at (0.5, 0.5), so that (0, 0) and (width, height) are the picture's corners.
///
/// With normalized coordinates u = x/z, v = y/z and r² = u² + v²:
/// u' = u (1 + k1 r² + k2 r⁴ + k3 r⁶) + 2 p1 u v + p2 (r² + 2 u²), v' = v (1 + …) + p1 (r² + 2 v²) + 2 p2 u v,
/// pixel = (focal.x u' + center.x, focal.y v' + center.y).
@frozen public struct CameraIntrinsics: Equatable, Sendable {
    /// In pixels.
    public var width, height: Int
    /// Focal lengths in pixels.
    public var focal: Vector2d
    /// The principal point in pixels.
    public var center: Vector2d
    /// k1, k2, k3.
    public var radial: Vector3d
    /// p1, p2.
    public var tangential: Vector2d

    public init(
        width: Int, height: Int, focal: Vector2d, center: Vector2d, radial: Vector3d = .zero, tangential: Vector2d = .zero
    ) {
        (self.width, self.height, self.focal, self.center) = (width, height, focal, center)
        (self.radial, self.tangential) = (radial, tangential)
    }

    @inlinable public var isDistorted: Bool { radial != .zero || tangential != .zero }

    /// The distorted normalized coordinates of `normalized`.
    @inlinable public func distort(_ normalized: Vector2d) -> Vector2d {
        let (u, v) = (normalized.x, normalized.y)
        let squared = u * u + v * v
        let factor = 1 + squared * (radial.x + squared * (radial.y + squared * radial.z))
        return Vector2d(
            u * factor + 2 * tangential.x * u * v + tangential.y * (squared + 2 * u * u),
            v * factor + tangential.x * (squared + 2 * v * v) + 2 * tangential.y * u * v)
    }

    /// Where a point in the camera's frame falls, in pixels. Meaningless for points at z ≤ 0.
    @inlinable public func project(_ pointInCamera: Vector3d) -> Vector2d {
        let normalized = Vector2d(pointInCamera.x, pointInCamera.y) / pointInCamera.z
        return (isDistorted ? distort(normalized) : normalized) * focal + center
    }

    /// The undistorted normalized coordinates (x/z, y/z) that fall on `pixel`, by Newton's method, steps halved where they lead away.
    ///
    /// Beyond where a lens model turns back, nothing falls on a pixel: then the coordinates that come nearest.
    public func normalized(_ pixel: Vector2d) -> Vector2d {
        let target = (pixel - center) / focal
        guard isDistorted else { return target }
        var guess = target
        // Where the model turns back, other directions fall on the pixel too, but no lens has them.
        for _ in 0..<20 where !derivative(guess).isUpright { guess *= 0.7 }
        var error = distort(guess) - target
        for _ in 0..<20 {
            let size = (error * error).sum()
            guard size > 1e-26, size.isFinite else { break }
            var step = derivative(guess).solve(error)
            var isNearer = false
            for _ in 0..<12 where !isNearer {
                let next = guess - step
                let nextError = distort(next) - target
                isNearer = (nextError * nextError).sum() < size && derivative(next).isUpright
                if isNearer { (guess, error) = (next, nextError) } else { step *= 0.5 }
            }
            if !isNearer { break }
        }
        return guess
    }

    /// How distorted coordinates change with the undistorted ones: a symmetric matrix.
    private struct Derivative {
        var byU, across, byV: Double

        var determinant: Double { byU * byV - across * across }
        /// Whether the distortion keeps directions apart and in order.
        var isUpright: Bool { determinant > 1e-6 && byU > 0 }

        func solve(_ right: Vector2d) -> Vector2d {
            Vector2d(right.x * byV - right.y * across, right.y * byU - right.x * across) / determinant
        }
    }

    private func derivative(_ normalized: Vector2d) -> Derivative {
        let (u, v) = (normalized.x, normalized.y)
        let squared = u * u + v * v
        let factor = 1 + squared * (radial.x + squared * (radial.y + squared * radial.z))
        let slope = 2 * (radial.x + squared * (2 * radial.y + squared * 3 * radial.z))
        return Derivative(
            byU: factor + slope * u * u + 2 * tangential.x * v + 6 * tangential.y * u,
            across: slope * u * v + 2 * (tangential.x * u + tangential.y * v),
            byV: factor + slope * v * v + 6 * tangential.x * v + 2 * tangential.y * u)
    }

    /// The same camera for a picture of another size.
    public func resized(width newWidth: Int, height newHeight: Int) -> CameraIntrinsics {
        let factor = Vector2d(Double(newWidth) / Double(width), Double(newHeight) / Double(height))
        var result = self
        (result.width, result.height, result.focal, result.center) = (newWidth, newHeight, focal * factor, center * factor)
        return result
    }
}

/// A camera in its place: what maps points of the world to pixels.
@frozen public struct PosedCamera: Equatable, Sendable {
    public var intrinsics: CameraIntrinsics
    /// OpenCV axes: x right, y down, z forward.
    public var cameraFromWorld: RigidTransform

    @inlinable public init(intrinsics: CameraIntrinsics, cameraFromWorld: RigidTransform) {
        (self.intrinsics, self.cameraFromWorld) = (intrinsics, cameraFromWorld)
    }

    @inlinable public var centerInWorld: Vector3d { -(cameraFromWorld.rotation.transpose * cameraFromWorld.translation) }
    @inlinable public func project(_ pointInWorld: Vector3d) -> Vector2d { intrinsics.project(cameraFromWorld * pointInWorld) }
}
