import VitrineMath
import VitrineVision

/// A landmark's image patch from the frame in which it was triangulated, for matching it again.
struct LandmarkPatch: Sendable {
    /// The number of rows and columns, with room for the matcher's 16 after warping.
    static let side = 32

    /// The values of the patch, in working pixels.
    private let values: [UInt8]
    /// The landmark's position in the patch.
    private let center: SIMD2<Float>
    /// The source frame's pose.
    private(set) var cameraFromWorld: RigidTransform
    /// The landmark's pixel in the source frame.
    private let pixel: Vector2d

    /// nil if the patch extends beyond the image.
    init?(_ pyramid: ImagePyramid, pixel: Vector2d, cameraFromWorld: RigidTransform) {
        let level = pyramid.levels[0]
        let position = SIMD2<Float>(pixel / Double(pyramid.scale))
        let (x, y) = (Int(position.x) - Self.side / 2, Int(position.y) - Self.side / 2)
        guard x >= 0, y >= 0, x + Self.side <= level.width, y + Self.side <= level.height else { return nil }
        var values: [UInt8] = []
        values.reserveCapacity(Self.side * Self.side)
        for row in 0..<Self.side {
            let start = level.origin + (y + row) * level.stride + x
            for column in 0..<Self.side { values.append(UInt8(min(max(level.values[start + column], 0), 255))) }
        }
        (self.values, center) = (values, position - SIMD2(Float(x), Float(y)))
        (self.pixel, self.cameraFromWorld) = (pixel, cameraFromWorld)
    }

    mutating func transform(by change: SimilarityTransform) { cameraFromWorld = change.moved(cameraFromWorld) }

    /// An empty pyramid level with the size of a patch.
    static var canvas: ImagePyramid.Level {
        let stride = side + 2 * ImagePyramid.border
        return ImagePyramid.Level(
            width: side, height: side, stride: stride, values: Array(repeating: 0, count: stride * (side + 2 * ImagePyramid.border)))
    }

    /// Loads the patch into a matcher, warped to another pose.
    /// - Returns: false if the views differ too much.
    func load(
        into matcher: inout PatchMatcher, _ canvas: inout ImagePyramid.Level, _ camera: CameraIntrinsics, scale: Int, point: Vector3d,
        from newCameraFromWorld: RigidTransform
    ) -> Bool {
        guard let warp = warp(camera, scale, point, newCameraFromWorld), warp.isUsable, warp.inverse.isUsable else { return false }
        for row in 0..<Self.side {
            let start = canvas.origin + row * canvas.stride
            for column in 0..<Self.side { canvas.values[start + column] = Float(values[row * Self.side + column]) }
        }
        guard let strength = matcher.loadTemplate(canvas, center, warp: warp.isNegligible ? nil : warp) else { return false }
        return strength > 0.5
    }

    /// The affine warp from the new image to the patch, for a surface that faces between both cameras.
    private func warp(_ camera: CameraIntrinsics, _ scale: Int, _ point: Vector3d, _ new: RigidTransform) -> PatchMatcher.Warp? {
        let (old, there) = (cameraFromWorld.inverse, new.inverse)
        let (before, now) = (normalize(old.translation - point), normalize(there.translation - point))
        // Beyond 40° the surface may be hidden.
        guard dot(before, now) > 0.77 else { return nil }
        let normal = normalize(before + now)
        let center = camera.project(new * point)
        let step = 6.0 * Double(scale)
        func inPatch(_ offset: Vector2d) -> SIMD2<Float>? {
            let p = camera.normalized(center + offset)
            let ray = there.rotation * Vector3d(p.x, p.y, 1)
            let reach = dot(point - there.translation, normal) / dot(ray, normal)
            let inOld = cameraFromWorld * (there.translation + ray * reach)
            guard reach > 0, inOld.z > 0 else { return nil }
            return SIMD2<Float>((camera.project(inOld) - camera.project(cameraFromWorld * point)) / step)
        }
        guard let x = inPatch(Vector2d(step, 0)), let y = inPatch(Vector2d(0, step)) else { return nil }
        return PatchMatcher.Warp(x: x, y: y)
    }
}
