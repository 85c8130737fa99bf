@testable import VitrineDense
@testable import VitrineGeometry
@testable import VitrineMath
@testable import VitrineVision

/// Depth of one photo of 1,024 × 768 pixels from six others around it: a textured ball before a textured wall, photographed in memory.
struct DepthStage {
    private static let radius = 1.0
    private static let wall = 1.5
    private let views: [PhotoView]

    init() {
        let angles = [0.0, -24, -16, -8, 8, 16, 24]
        views = Parallel().map(angles.count) { Self.photo($0, angle: angles[$0]) }
    }

    /// Runs both passes. The second one needs the first one of all photos, of which only that of the photo itself is counted.
    func measure() throws -> String {
        let estimator = DepthEstimator(options: .reduced)
        var maps: [DepthMap] = []
        for index in 1..<views.count {
            let others = views.indices.filter { $0 != index }.map { views[$0] }
            maps.append(try estimator.estimate(reference: views[index], sources: others))
        }
        let sources = zip(views.dropFirst(), maps).map { (view: $0, map: DepthMap?.some($1)) }
        let (seconds, found) = try VitrineStages.time {
            let first = try estimator.estimate(reference: views[0], sources: Array(views.dropFirst()))
            return try estimator.refineConsistently(reference: views[0], map: first, sources: sources)
        }
        let known = found.depths.count { $0 > 0 }
        let right = found.depths.indices.count { abs(Double(found.depths[$0]) / trueDepth(found, $0) - 1) < 0.002 }
        return
            #"{"seconds": \#(seconds), "pixels": \#(found.depths.count), "known": \#(known), "right": \#(right), "ns_a_comparison": \#(comparison())}"#
    }

    private func trueDepth(_ map: DepthMap, _ pixel: Int) -> Double {
        Self.hit(map.camera, Double(pixel % map.width) + 0.5, Double(pixel / map.width) + 0.5).depth
    }

    /// Returns the nanoseconds that the comparison of one patch takes alone, on one thread, with its pixels available.
    private func comparison() -> Double {
        let image = StereoImage(gray: views[0].color.gray)
        let patch = ReferencePatch(.allocate(capacity: ReferencePatch.vectorCount))
        defer { patch.vectors.deallocate() }
        let middle = (image.height / 2) * image.stride + image.width / 2
        patch.load(UnsafePointer(image.words) + middle, stride: image.stride)
        let count = 2_000_000
        var sum: Float = 0
        let (seconds, _) = VitrineStages.time {
            for turn in 0..<count {
                let shift = Float(turn & 63) * 0.37
                sum += patch.cost(
                    UnsafePointer(image.words), stride: Float(image.stride), x: Float(image.width / 2) + shift,
                    y: Float(image.height / 2) - shift, jxx: 0.97, jxy: 0.05, jyx: -0.04, jyy: 1.02)
            }
        }
        precondition(sum.isFinite)
        return seconds / Double(count) * 1e9
    }

    private static func photo(_ index: Int, angle: Double) -> PhotoView {
        let intrinsics = CameraIntrinsics(width: 1024, height: 768, focal: Vector2d(1200, 1200), center: Vector2d(512, 384))
        let pose = RigidTransform(rotation: Matrix3d.rotation(Vector3d(0, angle * .pi / 180, 0)), translation: Vector3d(0, 0, 5))
        let camera = PosedCamera(intrinsics: intrinsics, cameraFromWorld: pose)
        var values = [UInt8](repeating: 0, count: 1024 * 768 * 3)
        for pixel in 0..<1024 * 768 {
            let value = texture(hit(camera, Double(pixel % 1024) + 0.5, Double(pixel / 1024) + 0.5).point)
            for channel in 0..<3 { values[pixel * 3 + channel] = UInt8(min(255, max(0, value * 255))) }
        }
        return PhotoView(
            photo: index, camera: camera, color: ColorPlane(width: 1024, height: 768, values: values), mask: nil, depthRange: 2...12)
    }

    /// Returns the point at which the ray through a pixel meets the ball or the wall, and its depth.
    private static func hit(_ camera: PosedCamera, _ x: Double, _ y: Double) -> (depth: Double, point: Vector3d) {
        let ray = camera.intrinsics.normalized(Vector2d(x, y))
        let direction = camera.cameraFromWorld.rotation.transpose * Vector3d(ray.x, ray.y, 1)
        let origin = camera.centerInWorld
        let (a, b, c) = (dot(direction, direction), dot(origin, direction), dot(origin, origin) - radius * radius)
        let root = b * b - a * c
        let depth = root > 0 ? (-b - root.squareRoot()) / a : (wall - origin.z) / direction.z
        return (depth, origin + direction * depth)
    }

    /// Returns the brightness at a point of a texture of waves with many directions and lengths, 0…1.
    private static func texture(_ p: Vector3d) -> Double {
        var sum = 0.0
        for wave in 1...8 {
            let size = 4 * Double(wave)
            let turn = Double(wave) * 2.4
            sum += VitrineMath.sin(size * (p.x * VitrineMath.cos(turn) + p.y * VitrineMath.sin(turn)) + 3 * p.z * Double(wave))
        }
        return 0.5 + sum / 14
    }
}
