import VitrineMath

@testable import VitrineVision

/// Smooth noise of several scales, defined everywhere in space, the same on every machine: surfaces with exactly known features.
struct NoiseTexture {
    var seed: UInt64 = 1
    /// The size of the coarsest spots.
    var size = 32.0
    var octaves = 4

    /// About 0.1…0.9.
    func value(_ point: Vector3d) -> Double {
        var (sum, weight, frequency) = (0.0, 1.0, 1 / size)
        for octave in 0..<octaves {
            sum += weight * smooth(point * frequency, UInt64(octave))
            (weight, frequency) = (weight * 0.8, frequency * 2)
        }
        return 0.5 + 0.25 * sum
    }

    /// Values −1…1 at integer positions, smoothly interpolated.
    private func smooth(_ point: Vector3d, _ octave: UInt64) -> Double {
        let base = Vector3d(point.x.rounded(.down), point.y.rounded(.down), point.z.rounded(.down))
        let part = point - base
        let eased = part * part * part * (part * (part * 6 - 15) + 10)
        var sum = 0.0
        for corner in 0..<8 {
            let step = SIMD3(corner & 1, corner >> 1 & 1, corner >> 2)
            var weight = 1.0
            for axis in 0..<3 { weight *= step[axis] == 1 ? eased[axis] : 1 - eased[axis] }
            sum += weight * corner3(Int(base.x) + step.x, Int(base.y) + step.y, Int(base.z) + step.z, octave)
        }
        return sum
    }

    private func corner3(_ x: Int, _ y: Int, _ z: Int, _ octave: UInt64) -> Double {
        var hash = seed &+ octave &* 0x9E37_79B9_7F4A_7C15
        for part in [x, y, z] {
            hash = (hash ^ UInt64(bitPattern: Int64(part))) &* 0xFF51_AFD7_ED55_8CCD
            hash ^= hash >> 32
        }
        return Double(hash >> 11) / Double(1 << 52) - 1
    }

    /// The texture's plane z = 0.5 as a photo: `textureFromPhoto` maps pixels (first centre at 0.5) to the plane.
    func photo(width: Int, height: Int, textureFromPhoto: (Vector2d) -> Vector2d = { $0 }) -> GrayPlane {
        var photo = GrayPlane(width: width, height: height, repeating: 0)
        for y in 0..<height {
            for x in 0..<width {
                let point = textureFromPhoto(Vector2d(Double(x) + 0.5, Double(y) + 0.5))
                photo[x, y] = Float(value(Vector3d(point.x, point.y, 0.5)))
            }
        }
        return photo
    }
}

/// A textured ball of radius 1 at the origin before a background that doesn't move.
struct TexturedBall {
    var texture = NoiseTexture(size: 0.5)
    var background: NoiseTexture?
    var intrinsics = CameraIntrinsics(width: 400, height: 400, focal: Vector2d(600, 600), center: Vector2d(200, 200))

    /// A camera on a circle about the ball, `angle` radians along, looking at it.
    func camera(angle: Double, distance: Double = 3.5) -> PosedCamera {
        let rotation = Matrix3d.rotation(Vector3d(0.2, 0, 0)) * Matrix3d.rotation(Vector3d(0, angle, 0))
        return PosedCamera(
            intrinsics: intrinsics, cameraFromWorld: RigidTransform(rotation: rotation, translation: Vector3d(0, 0, distance)))
    }

    func photo(_ camera: PosedCamera) -> GrayPlane {
        var photo = GrayPlane(width: intrinsics.width, height: intrinsics.height, repeating: 0)
        let center = camera.centerInWorld
        for y in 0..<photo.height {
            for x in 0..<photo.width {
                let pixel = Vector2d(Double(x) + 0.5, Double(y) + 0.5)
                let onPlane = intrinsics.normalized(pixel)
                let direction = normalize(camera.cameraFromWorld.rotation.transpose * Vector3d(onPlane.x, onPlane.y, 1))
                let along = dot(center, direction)
                let discriminant = along * along - lengthSquared(center) + 1
                if discriminant > 0 {
                    photo[x, y] = Float(texture.value(center + direction * (-along - discriminant.squareRoot())))
                } else if let background {
                    photo[x, y] = Float(background.value(Vector3d(pixel.x, pixel.y, 0.5)))
                }
            }
        }
        return photo
    }

    /// The epipolar geometry of the cameras: unit norm.
    static func fundamental(_ first: PosedCamera, _ second: PosedCamera) -> Matrix3d {
        let relative = second.cameraFromWorld * first.cameraFromWorld.inverse
        func inverse(_ k: CameraIntrinsics) -> Matrix3d {
            Matrix3d(rows: Vector3d(k.focal.x, 0, k.center.x), Vector3d(0, k.focal.y, k.center.y), Vector3d(0, 0, 1)).inverse
        }
        return inverse(second.intrinsics).transpose * Matrix3d.skew(relative.translation) * relative.rotation * inverse(first.intrinsics)
    }

    /// Distance from the first position's epipolar line in pixels.
    static func distance(_ fundamental: Matrix3d, _ first: SIMD2<Float>, _ second: SIMD2<Float>) -> Double {
        let line = fundamental * Vector3d(Double(first.x), Double(first.y), 1)
        return abs(line.x * Double(second.x) + line.y * Double(second.y) + line.z) / (line.x * line.x + line.y * line.y).squareRoot()
    }
}
