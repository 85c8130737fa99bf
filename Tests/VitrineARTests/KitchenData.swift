import Foundation
import VitrineFiles
import VitrineMath
import VitrineTestSupport
import VitrineTracking
import VitrineVision

@testable import VitrineAR

/// Fifty images of a kitchen with measured depth and poses (7-Scenes, "redkitchen"), rotated so that gravity is −Y.
struct KitchenData {
    static let path = "photosets/sevenscenes_rgbd50"
    static let camera = CameraIntrinsics(width: 640, height: 480, focal: Vector2d(585, 585), center: Vector2d(320, 240))

    struct View {
        var name: String
        var worldFromCamera: RigidTransform
        var depth: DepthImage
    }

    let views: [View]
    /// The transform from the file's world to the rotated one.
    let worldFromFile: Matrix3d

    init() throws {
        let folder = try SharedData.url(Self.path)
        let gravity = try Self.numbers(folder.appendingPathComponent("gravity-direction.txt"))
        let y = -normalize(Vector3d(gravity[0], gravity[1], gravity[2]))
        let x = normalize(Vector3d(1, 0, 0) - y * y.x)
        worldFromFile = Matrix3d(rows: x, y, cross(x, y))
        var views: [View] = []
        for file in SharedData.files(under: Self.path + "/depth", extensions: ["png"]) {
            let name = file.lastPathComponent.replacingOccurrences(of: ".depth.png", with: "")
            let p = try Self.numbers(folder.appendingPathComponent("pose/\(name).pose.txt"))
            let rotation = Matrix3d(rows: Vector3d(p[0], p[1], p[2]), Vector3d(p[4], p[5], p[6]), Vector3d(p[8], p[9], p[10]))
            let pose = RigidTransform(rotation: worldFromFile * rotation, translation: worldFromFile * Vector3d(p[3], p[7], p[11]))
            views.append(View(name: name, worldFromCamera: pose, depth: try Self.depth(file)))
        }
        self.views = views
    }

    private static func numbers(_ file: URL) throws -> [Double] {
        try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    }

    private static func depth(_ file: URL) throws -> DepthImage {
        let image = try Image(contentsOf: file)
        var plane = Plane<Float>(width: image.width, height: image.height, repeating: 0)
        for i in plane.values.indices {
            let value = UInt16(image.bytes[8 * i]) | UInt16(image.bytes[8 * i + 1]) << 8
            plane.values[i] = value == 65535 ? 0 : Float(value) / 1000
        }
        return DepthImage(metres: plane)
    }

    /// Planes n · x = d in the file's world, fitted independently of this package to the fused depth images (SVD of the 204,000 and 49,000 points
    /// within 12 mm). Both differ by about 1.6° from the gravity direction in the file.
    var table: (normal: Vector3d, point: Vector3d) {
        plane(Vector3d(0.00595, -0.89355, -0.44893), 0.8058, Vector3d(-0.021, -0.024, 1.843))
    }
    var floor: (normal: Vector3d, point: Vector3d) {
        plane(Vector3d(0.01714, -0.89097, -0.45374), 1.5419, Vector3d(-1.438, 0.664, 2.039))
    }
    var wall: (normal: Vector3d, point: Vector3d) {
        plane(Vector3d(0.00342, 0.45312, -0.89144), 3.4087, Vector3d(0.104, -0.953, 3.34))
    }

    private func plane(_ normal: Vector3d, _ distance: Double, _ near: Vector3d) -> (normal: Vector3d, point: Vector3d) {
        let off = dot(normal, near) + distance
        return (normalize(worldFromFile * normal), worldFromFile * (near - normal * off))
    }

    /// Simulated tracked points: jittered grid pixels with depth and 3D noise; identifiers are those of cells in space.
    func points(_ view: View, noise: Double, spacing: Int = 24) -> [TrackedPoint] {
        var result: [TrackedPoint] = []
        let toWorld = view.worldFromCamera
        for row in stride(from: spacing / 2, to: 480, by: spacing) {
            for column in stride(from: spacing / 2, to: 640, by: spacing) {
                let z = Double(view.depth.metres[column, row])
                guard z > 0.3, z < 4 else { continue }
                let pixel = Vector2d(Double(column) + 0.5, Double(row) + 0.5)
                let ray = (pixel - Self.camera.center) / Self.camera.focal
                let point = toWorld * Vector3d(ray.x * z, ray.y * z, z)
                // One point per cube of 10 cm, so that the same identifier occurs in several images.
                let cube = SIMD3<Int>(
                    Int((point.x * 10).rounded(.down)), Int((point.y * 10).rounded(.down)), Int((point.z * 10).rounded(.down)))
                let id = ((cube.x &+ 512) &* 1024 &+ cube.y &+ 512) &* 1024 &+ cube.z &+ 512
                var random = TestNumbers(seed: UInt64(id) &+ UInt64(row * 640 + column))
                let error = Vector3d(random.normal(), random.normal(), random.normal()) * noise
                result.append(TrackedPoint(id: id, position: point + error, pixel: pixel))
            }
        }
        return result
    }
}
