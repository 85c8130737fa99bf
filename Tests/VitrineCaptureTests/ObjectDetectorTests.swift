import Testing
import VitrineMath
import VitrineTestSupport
import VitrineVision

@testable import VitrineCapture

/// Boxes from landmarks with the errors of a tracker.
@Suite struct ObjectDetectorTests {
    private static let object = OrientedBox(
        center: Vector3d(0, 0.83, 0), axes: .rotation(Vector3d(0, 0.3, 0)), halfExtents: Vector3d(0.058, 0.08, 0.053))
    private static let top = 0.75

    /// A camera at arm's length.
    private static func camera(azimuth: Double) -> PosedCamera {
        let (a, e) = (azimuth * .pi / 180, 25 * Double.pi / 180)
        let back = Vector3d(sin(a) * cos(e), sin(e), cos(a) * cos(e))
        let right = normalize(cross(Vector3d(0, 1, 0), back))
        // x right, y down, z forward.
        let axes = Matrix3d(right, -cross(back, right), -back)
        let pose = RigidTransform(rotation: axes, translation: object.center + back * 0.45)
        return PosedCamera(
            intrinsics: CameraIntrinsics(width: 640, height: 480, focal: Vector2d(492, 492), center: Vector2d(320, 240)),
            cameraFromWorld: pose.inverse)
    }

    /// Landmarks of a wooden table and of the visible sides of the object: their depth is less certain than their direction.
    private static func landmarks(_ camera: PosedCamera, depthNoise: Double, seed: UInt64) -> [Vector3d] {
        var random = SplitMix64(seed: seed)
        func uniform() -> Double { Double(random.below(100_001)) / 100_000 }
        func gauss() -> Double { (0..<6).reduce(0) { sum, _ in sum + uniform() - 0.5 } * 2.0.squareRoot() }
        var points: [Vector3d] = []
        for _ in 0..<1_500 { points.append(Vector3d(uniform() - 0.5, top, uniform() - 0.5)) }
        while points.count < 1_700 {
            // On the front, the right side or the top.
            var inBox = Vector3d(uniform() * 2 - 1, uniform() * 2 - 1, uniform() * 2 - 1)
            inBox[points.count % 3] = 1
            points.append(object.boxFromWorld.inverse * (inBox * object.halfExtents))
        }
        return points.enumerated().map { index, point in
            let ray = normalize(point - camera.centerInWorld)
            // One in thirty is wrong.
            let error = index % 30 == 0 ? 0.06 * gauss() : depthNoise * gauss()
            return point + ray * error
        }
    }

    @Test(arguments: [0.001, 0.006, 0.012]) func boxesOnATexturedTable(depthNoise: Double) throws {
        let camera = Self.camera(azimuth: 20)
        let points = Self.landmarks(camera, depthNoise: depthNoise, seed: 4)
        let box = try #require(ObjectDetector().detect(points, planes: [], camera: camera))
        let excess = box.size - Self.object.size
        #expect(abs(excess.x) < 0.022 && abs(excess.z) < 0.022 && abs(excess.y) < 0.02, "\(box.size)")
        #expect(length(box.center - Self.object.center) < 0.02, "\(box.center)")
        // Landmarks of all sides do not let it grow beyond the object.
        var all = points
        for azimuth in [110.0, 200, 290] { all += Self.landmarks(Self.camera(azimuth: azimuth), depthNoise: depthNoise, seed: 5) }
        let grown = ObjectDetector().extended(box, from: box, to: all).size - Self.object.size
        #expect(grown.x < 0.03 && grown.z < 0.03 && grown.y < 0.02, "\(grown)")
    }
}
