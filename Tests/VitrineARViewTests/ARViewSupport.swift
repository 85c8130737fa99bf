import Testing
import VitrineTestSupport
import VitrineVision

@testable import VitrineARView

/// Renders images of a floor with a dark spot at the origin for exact camera poses.
struct TestRoom {
    var camera = CameraIntrinsics(width: 160, height: 120, focal: Vector2d(125, 128), center: Vector2d(77, 62))
    /// The radius of the spot in metres; 0 for no spot.
    var spotRadius = 0.06
    var isPlain = false

    /// The floor's luma, 0…1.
    private func floor(_ x: Double, _ z: Double) -> Double {
        if x * x + z * z < spotRadius * spotRadius { return 0.1 }
        if isPlain { return 0.6 }
        let isEven = (Int((x / 0.25).rounded(.down)) + Int((z / 0.25).rounded(.down))) & 1 == 0
        return isEven ? 0.55 : 0.7
    }

    /// The frame of a camera at `pose`, with four samples per pixel.
    func frame(_ pose: Matrix4, time: Double = 0, anchors: [ARAnchor] = [], depth: DepthImage? = nil) -> ARFrame {
        var luma = Plane<UInt8>(width: camera.width, height: camera.height, repeating: 0)
        let eye = SIMD3<Double>(pose.translation)
        let axes = pose.linear
        for y in 0..<camera.height {
            for x in 0..<camera.width {
                var sum = 0.0
                for offset in [Vector2d(0.25, 0.25), Vector2d(0.75, 0.25), Vector2d(0.25, 0.75), Vector2d(0.75, 0.75)] {
                    let n = camera.normalized(Vector2d(Double(x), Double(y)) + offset)
                    let direction = SIMD3<Double>(axes * Vector3(Float(n.x), Float(-n.y), -1))
                    let distance = -eye.y / direction.y
                    let point = eye + direction * distance
                    sum += distance > 0 && distance < 40 ? floor(point.x, point.z) : 0.85
                }
                luma[x, y] = UInt8((sum / 4 * 255).rounded())
            }
        }
        return ARFrame(
            timestamp: time, capturedImage: CapturedImage(luma: luma), camera: ARCamera(transform: pose, model: camera), anchors: anchors,
            lightEstimate: ARLightEstimate(), sceneDepth: depth)
    }

    /// A pose on an arc around the origin, facing a point near it.
    static func pose(_ t: Float) -> Matrix4 {
        let angle = -0.7 + 1.4 * t
        let eye = Vector3(1.3 * sin(angle), 0.7 + 0.3 * sin(5 * t), 1.3 * cos(angle))
        return .lookAt(eye: eye, target: Vector3(0.15 - 0.3 * t, 0, 0.1 * sin(9 * t)), up: normalize(Vector3(0.1 * sin(7 * t), 1, 0)))
    }
}

extension Image {
    /// Red, green, blue of a pixel, 0…255.
    func levels(_ x: Int, _ y: Int) -> SIMD3<Int> {
        let at = (y * width + x) * 4
        return SIMD3(Int(bytes[at]), Int(bytes[at + 1]), Int(bytes[at + 2]))
    }

    /// The weighted centroid of the pixels, and their total weight.
    func centroid(_ weight: (SIMD3<Int>) -> Float) -> (centroid: Vector2, weight: Float) {
        var (sum, total) = (Vector2(0, 0), Float(0))
        for y in 0..<height {
            for x in 0..<width {
                let share = weight(levels(x, y))
                sum += Vector2(Float(x) + 0.5, Float(y) + 0.5) * share
                total += share
            }
        }
        return (sum / max(total, 1e-6), total)
    }
}
