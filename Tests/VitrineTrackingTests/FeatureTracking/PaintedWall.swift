import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// A wall with a smooth random pattern, defined everywhere: images with exact ground truth.
struct PaintedWall {
    /// The wall is the plane z = depth of the world.
    var depth = 2.0
    private var waves: [(x: Double, y: Double, phase: Double, height: Double)] = []

    /// - Parameter finest: The shortest wavelength in metres.
    init(depth: Double = 2, finest: Double = 0.05, seed: UInt64 = 1) {
        self.depth = depth
        var numbers = SplitMix64(seed: seed)
        func next() -> Double { Double(numbers.next() >> 11) / Double(1 << 53) }
        for _ in 0..<36 {
            let (angle, length) = (next() * 6.2831853, finest * (1 + 5 * next()))
            let k = 6.2831853 / length
            waves.append((k * cos(angle), k * sin(angle), next() * 6.2831853, 0.5 + next()))
        }
    }

    /// The grey level at a point of the wall, 0…255, not rounded.
    func value(_ x: Double, _ y: Double) -> Double {
        var sum = 0.0
        for wave in waves { sum += wave.height * sin(wave.x * x + wave.y * y + wave.phase) }
        return min(max(128 + 22 * sum, 0), 255)
    }

    /// The point of the wall that projects to a pixel.
    func point(_ pixel: Vector2d, _ camera: CameraIntrinsics, _ worldFromCamera: RigidTransform) -> Vector3d {
        let normalized = camera.normalized(pixel)
        let ray = worldFromCamera.rotation * Vector3d(normalized.x, normalized.y, 1)
        return worldFromCamera.translation + ray * ((depth - worldFromCamera.translation.z) / ray.z)
    }

    func image(
        _ camera: CameraIntrinsics, _ worldFromCamera: RigidTransform = .identity, gain: Double = 1, offset: Double = 0, noise: Double = 0,
        seed: UInt64 = 5
    ) -> Plane<UInt8> {
        var numbers = SplitMix64(seed: seed)
        var image = Plane<UInt8>(width: camera.width, height: camera.height, repeating: 0)
        for y in 0..<camera.height {
            for x in 0..<camera.width {
                let position = point(Vector2d(Double(x), Double(y)) + 0.5, camera, worldFromCamera)
                var grey = gain * value(position.x, position.y) + offset
                if noise > 0 {
                    var sum = -6.0
                    for _ in 0..<12 { sum += Double(numbers.next() >> 11) / Double(1 << 53) }
                    grey += noise * sum
                }
                image[x, y] = UInt8(min(max(grey.rounded(), 0), 255))
            }
        }
        return image
    }
}

extension CameraIntrinsics {
    static func pinhole(_ width: Int, _ height: Int, focal: Double) -> CameraIntrinsics {
        CameraIntrinsics(
            width: width, height: height, focal: Vector2d(focal, focal), center: Vector2d(Double(width), Double(height)) / 2)
    }
}
