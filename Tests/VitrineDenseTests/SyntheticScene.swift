import VitrineMath
import VitrineVision

@testable import VitrineDense

/// A textured ball in front of a textured wall, with exact photos and depths for any camera.
struct SyntheticScene: Sendable {
    /// The radius of the ball around the world's origin.
    var radius = 1.0
    /// The wall is the plane z = `wall` in the world; cameras look along +z.
    var wall = 1.5

    /// A camera at `distance` from the origin, rotated about the world's y axis by `angle` degrees, and aimed at the origin.
    static func camera(angle: Double, distance: Double = 5, width: Int = 160, height: Int = 120, focal: Double = 190) -> PosedCamera {
        let rotation = Matrix3d.rotation(Vector3d(0, angle * .pi / 180, 0))
        return PosedCamera(
            intrinsics: CameraIntrinsics(
                width: width, height: height, focal: Vector2d(focal, focal), center: Vector2d(Double(width), Double(height)) / 2),
            cameraFromWorld: RigidTransform(rotation: rotation, translation: Vector3d(0, 0, distance)))
    }

    /// The first surface along a ray from the camera's centre: its distance in units of z, its point and its normal in the world.
    func hit(_ camera: PosedCamera, _ x: Double, _ y: Double) -> (depth: Double, point: Vector3d, normal: Vector3d)? {
        let ray = camera.intrinsics.normalized(Vector2d(x, y))
        let direction = camera.cameraFromWorld.rotation.transpose * Vector3d(ray.x, ray.y, 1)
        let origin = camera.centerInWorld
        let (a, b, c) = (dot(direction, direction), dot(origin, direction), dot(origin, origin) - radius * radius)
        let root = b * b - a * c
        if root > 0 {
            let depth = (-b - root.squareRoot()) / a
            let point = origin + direction * depth
            return (depth, point, point / radius)
        }
        guard direction.z > 0.01 else { return nil }
        let depth = (wall - origin.z) / direction.z
        return (depth, origin + direction * depth, Vector3d(0, 0, -1))
    }

    /// z at the centre of each pixel, 0 where there is no surface.
    func depths(_ camera: PosedCamera) -> [Float] {
        let size = camera.intrinsics
        return (0..<size.width * size.height).map {
            Float(hit(camera, Double($0 % size.width) + 0.5, Double($0 / size.width) + 0.5)?.depth ?? 0)
        }
    }

    /// Whether the ray of a pixel's centre hits the ball.
    func seesBall(_ camera: PosedCamera, _ x: Int, _ y: Int) -> Bool {
        guard let hit = hit(camera, Double(x) + 0.5, Double(y) + 0.5) else { return false }
        return length(hit.point) < radius * 1.001
    }

    func view(_ camera: PosedCamera, photo: Int, mask: MaskPlane? = nil, brightness: Double = 1) -> PhotoView {
        PhotoView(photo: photo, camera: camera, color: color(camera, brightness: brightness), mask: mask, depthRange: 2...12)
    }

    private func color(_ camera: PosedCamera, brightness: Double) -> ColorPlane {
        let size = camera.intrinsics
        var values = [UInt8](repeating: 0, count: size.width * size.height * 3)
        for y in 0..<size.height {
            for x in 0..<size.width {
                var sum = 0.0
                for part in 0..<4 {
                    let (px, py) = (Double(x) + 0.25 + 0.5 * Double(part % 2), Double(y) + 0.25 + 0.5 * Double(part / 2))
                    if let hit = hit(camera, px, py) { sum += SyntheticScene.texture(hit.point) / 4 }
                }
                let value = clamp(sum * brightness * 255, 0, 255)
                for channel in 0..<3 { values[(y * size.width + x) * 3 + channel] = UInt8(value * (channel == 1 ? 1 : 0.8)) }
            }
        }
        return ColorPlane(width: size.width, height: size.height, values: values)
    }

    /// Smooth noise of two sizes, 0…1.
    static func texture(_ point: Vector3d) -> Double { 0.15 + 0.4 * noise(point * 6) + 0.4 * noise(point * 13 + Vector3d(7, 3, 1)) }

    private static func noise(_ p: Vector3d) -> Double {
        let base = p.rounded(.down)
        let f = p - base
        let s = f * f * (3 - 2 * f)
        func corner(_ x: Double, _ y: Double, _ z: Double) -> Double {
            var hash = UInt32(bitPattern: Int32(base.x + x)) &* 73_856_093
            hash ^= UInt32(bitPattern: Int32(base.y + y)) &* 19_349_663
            hash ^= UInt32(bitPattern: Int32(base.z + z)) &* 83_492_791
            hash = (hash ^ hash >> 15) &* 0x2C1B_3C6D
            hash = (hash ^ hash >> 12) &* 0x297A_2D39
            return Double((hash ^ hash >> 15) & 0xFFFF) / 65535
        }
        let low = mix(mix(corner(0, 0, 0), corner(1, 0, 0), s.x), mix(corner(0, 1, 0), corner(1, 1, 0), s.x), s.y)
        let high = mix(mix(corner(0, 0, 1), corner(1, 0, 1), s.x), mix(corner(0, 1, 1), corner(1, 1, 1), s.x), s.y)
        return mix(low, high, s.z)
    }

    /// The exact depth map.
    func perfectMap(_ camera: PosedCamera, photo: Int) -> DepthMap {
        var map = DepthMap(photo: photo, camera: camera)
        map.depths = depths(camera)
        for index in map.depths.indices {
            guard let hit = hit(camera, Double(index % map.width) + 0.5, Double(index / map.width) + 0.5) else { continue }
            map.normals[index] = DepthMap.packNormal(Vector3(camera.cameraFromWorld.rotation * hit.normal))
            map.confidences[index] = 200
        }
        return map
    }
}
