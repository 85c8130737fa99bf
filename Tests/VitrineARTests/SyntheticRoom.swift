import VitrineMath
import VitrineTracking
import VitrineVision

@testable import VitrineAR

/// Simulated depth images and tracked points of rectangles in space, with exact ground truth.
struct SyntheticRoom {
    struct Face {
        var center: Vector3d
        /// Half the sides.
        var u, v: Vector3d
        var normal: Vector3d { normalize(cross(u, v)) }
    }

    var faces: [Face]
    static let camera = CameraIntrinsics(width: 640, height: 480, verticalFieldOfView: 0.9)

    /// A floor, a wall at z = −3, a wall at x = 2.5, a table 0.75 m high and a seat 0.45 m high.
    static let furnished = SyntheticRoom(faces: [
        level(Vector3d(0, 0, 0), 3, 3), Face(center: Vector3d(0, 1.25, -3), u: Vector3d(3, 0, 0), v: Vector3d(0, 1.25, 0)),
        Face(center: Vector3d(2.5, 1.25, 0), u: Vector3d(0, 0, 3), v: Vector3d(0, 1.25, 0)), level(Vector3d(-0.8, 0.75, -1.6), 0.7, 0.4),
        level(Vector3d(1, 0.45, -1.5), 0.22, 0.22),
    ])

    static func level(_ center: Vector3d, _ x: Double, _ z: Double) -> Face {
        Face(center: center, u: Vector3d(0, 0, z), v: Vector3d(x, 0, 0))
    }

    /// The nearest face along a ray, with the distance in units of `direction`.
    func hit(_ origin: Vector3d, _ direction: Vector3d) -> (face: Int, distance: Double)? {
        var best: (face: Int, distance: Double)?
        for (i, face) in faces.enumerated() {
            let slope = dot(direction, face.normal)
            guard abs(slope) > 1e-9 else { continue }
            let distance = dot(face.center - origin, face.normal) / slope
            guard distance > 1e-6, distance < best?.distance ?? .infinity else { continue }
            let offset = origin + direction * distance - face.center
            guard abs(dot(offset, face.u)) <= dot(face.u, face.u), abs(dot(offset, face.v)) <= dot(face.v, face.v) else { continue }
            best = (i, distance)
        }
        return best
    }

    /// - Parameter noise: The standard deviation at 1 m in metres; grows with the square of the distance.
    func depth(_ worldFromCamera: RigidTransform, noise: Double = 0, seed: UInt64 = 1, width: Int = 256, height: Int = 192) -> DepthImage {
        var random = TestNumbers(seed: seed)
        var plane = Plane<Float>(width: width, height: height, repeating: 0)
        let camera = Self.camera.resized(columns: width, rows: height)
        for y in 0..<height {
            for x in 0..<width {
                let ray = (Vector2d(Double(x) + 0.5, Double(y) + 0.5) - camera.center) / camera.focal
                let direction = worldFromCamera.rotation * Vector3d(ray.x, ray.y, 1)
                guard let hit = hit(worldFromCamera.translation, direction) else { continue }
                plane[x, y] = Float(hit.distance + random.normal() * noise * hit.distance * hit.distance)
            }
        }
        return DepthImage(metres: plane)
    }

    /// Returns points on faces, and `strays` points in the air.
    func points(count: Int, strays: Int = 0, seed: UInt64 = 5) -> [Vector3d] {
        var random = TestNumbers(seed: seed)
        var areas = faces.map { length($0.u) * length($0.v) }
        let total = areas.reduce(0, +)
        areas = areas.map { $0 / total }
        var points: [Vector3d] = []
        for (i, face) in faces.enumerated() {
            // Small faces have more texture.
            for _ in 0..<max(30, Int(Double(count) * areas[i])) {
                points.append(face.center + face.u * random.uniform(-1...1) + face.v * random.uniform(-1...1))
            }
        }
        for _ in 0..<strays { points.append(Vector3d(random.uniform(-2...2), random.uniform(0.1...2), random.uniform(-2.5...0))) }
        return points
    }

    /// The visible points with noise, which is halved after ten frames.
    func tracked(_ points: [Vector3d], _ worldFromCamera: RigidTransform, noise: Double, frame: Int) -> [TrackedPoint] {
        let cameraFromWorld = worldFromCamera.inverse
        var result: [TrackedPoint] = []
        for (id, point) in points.enumerated() {
            let inCamera = cameraFromWorld * point
            guard inCamera.z > 0.2 else { continue }
            let pixel = Self.camera.project(inCamera)
            guard pixel.x > 0, pixel.y > 0, pixel.x < 640, pixel.y < 480 else { continue }
            let direction = point - worldFromCamera.translation
            if let hit = hit(worldFromCamera.translation, direction), hit.distance < 0.99 { continue }
            var random = TestNumbers(seed: UInt64(id) &* 7919 &+ 13)
            let error = Vector3d(random.normal(), random.normal(), random.normal()) * (frame > 10 ? noise / 2 : noise)
            result.append(TrackedPoint(id: id, position: point + error, pixel: pixel))
        }
        return result
    }

    /// The pose of a level camera (x right, y down, z forward).
    static func looking(from eye: Vector3d, to target: Vector3d) -> RigidTransform {
        let z = normalize(target - eye)
        let x = normalize(cross(z, Vector3d(0, 1, 0)))
        return RigidTransform(rotation: Matrix3d(x, cross(z, x), z), translation: eye)
    }

    /// A path of `count` camera poses through the room.
    static func walk(_ count: Int) -> [RigidTransform] {
        (0..<count).map { i in
            let t = Double(i) / Double(max(1, count - 1))
            let eye = Vector3d(-1 + 2 * t, 1.5 + 0.05 * sin(12 * t), 1.6 - 0.6 * t)
            return looking(from: eye, to: Vector3d(-1.2 + 3.2 * t, 0.5 + 0.2 * sin(5 * t), -1.8))
        }
    }
}

struct TestNumbers {
    private var source: SplitMix64
    init(seed: UInt64) { source = SplitMix64(seed: seed) }

    mutating func uniform(_ range: ClosedRange<Double> = 0...1) -> Double { Double.random(in: range, using: &source) }

    /// An approximately normal number: the sum of twelve uniform ones.
    mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += uniform() }
        return sum
    }
}

extension DetectedPlane {
    /// The angle between normals in degrees.
    func angle(to normal: Vector3d) -> Double { acos(min(1, max(-1, dot(self.normal, normalize(normal))))) * 180 / .pi }
}
