import Testing
import VitrineMath
import VitrineVision

@testable import VitrineAR

struct CameraTests {
    private let model = CameraIntrinsics(width: 640, height: 480, focal: Vector2d(500, 510), center: Vector2d(321, 239))

    private func camera(_ rotation: Quaternion) -> ARCamera {
        ARCamera(transform: Transform(rotation: rotation).matrix, model: model)
    }

    @Test func intrinsicsArePinholeIntrinsics() {
        let camera = camera(.identity)
        #expect(camera.intrinsics == Matrix3(Vector3(500, 0, 0), Vector3(0, 510, 0), Vector3(321, 239, 1)))
        #expect(camera.imageResolution == Vector2(640, 480))
        #expect(camera.exposureDuration == nil)
    }

    @Test func anglesAreYawThenPitchThenRoll() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<200 {
            let pitch = Float.random(in: -1.5...1.5, using: &random)
            let (yaw, roll) = (Float.random(in: -3...3, using: &random), Float.random(in: -3...3, using: &random))
            let turn =
                Quaternion(angle: .radians(yaw), axis: .up) * Quaternion(angle: .radians(pitch), axis: .right)
                * Quaternion(angle: .radians(roll), axis: Vector3(0, 0, 1))
            #expect(camera(turn).eulerAngles.isClose(Vector3(pitch, yaw, roll), tolerance: 2e-4))
        }
    }

    @Test func rollIsZeroForACameraThatLooksUp() {
        for pitch in [Float.pi / 2, -.pi / 2] {
            let turn = Quaternion(angle: .radians(0.4), axis: .up) * Quaternion(angle: .radians(pitch), axis: .right)
            #expect(camera(turn).eulerAngles.isClose(Vector3(pitch, 0.4, 0), tolerance: 1e-3))
        }
    }

    @Test func raysPassThroughTheirPixels() {
        let lens = LensDistortion.brownConrady(SIMD4(-0.2, 0.05, 1e-3, -1e-3))
        let model = CameraIntrinsics(width: 640, height: 480, focal: Vector2d(500, 510), center: Vector2d(321, 239), distortion: lens)
        let pose = Transform(translation: Vector3(1, 2, 3), rotation: Quaternion(angle: .degrees(50), axis: Vector3(1, 2, 3)))
        let frame = ARFrame(
            timestamp: 0, capturedImage: CapturedImage(luma: Plane(width: 640, height: 480, repeating: 0)),
            camera: ARCamera(transform: pose.matrix, model: model))
        for point in [Vector2(0.1, 0.2), Vector2(0.5, 0.5), Vector2(0.95, 0.9)] {
            let query = frame.raycastQuery(from: point, allowing: .existingPlaneInfinite, alignment: .any)
            #expect(query.origin == Vector3(1, 2, 3))
            #expect(abs(length(query.direction) - 1) < 1e-5)
            let ahead = pose.matrix.affineInverse.transform(direction: query.direction)
            let pixel = model.project(Vector3d(Double(ahead.x), Double(-ahead.y), Double(-ahead.z)))
            #expect(distance(Vector2(pixel), point * Vector2(640, 480)) < 1e-2)
        }
    }
}
