import Testing
import VitrineAR
import VitrineMath
import VitrineVision

@testable import VitrineCapture

/// The motion blur of frames by the poses around them.
@Suite struct MotionWindowTests {
    private static let rate = 0.6, exposure = 0.02, focal = 500.0, distance = 0.5
    private static let object = Vector3d(0.06, 0.08, 0.05)

    /// The blur of a box before a camera that rolls about its axis, `rate` radians per second.
    private func blur(_ box: OrientedBox) throws -> Double {
        var window = MotionWindow()
        var blur: Double?
        let lens = CameraIntrinsics(width: 640, height: 480, focal: Vector2d(Self.focal, Self.focal), center: Vector2d(320, 240))
        let quality = ImageQuality(sharpness: 1, brightness: 0.5, overexposed: 0)
        for index in 0..<5 {
            let time = Double(index) / 20
            let roll = Matrix4(Matrix3(Quaternion(angle: .radians(Float(Self.rate * time)), axis: Vector3(0, 0, 1))))
            let camera = ARCamera(transform: roll, trackingState: .normal, model: lens, exposureDuration: Self.exposure)
            let frame = ARFrame(
                timestamp: time, capturedImage: CapturedImage(luma: Plane(width: 640, height: 480, repeating: 0)), camera: camera)
            let measurements = FrameMeasurements(time: time, projection: nil, isBoxConfirmed: true, quality: quality)
            let entry = MotionWindow.Entry(frame: frame, measurements: measurements, distance: Self.distance)
            if let settled = window.add(entry, box: box, assumedExposure: 0.01) { blur = settled.measurements.shotBlur }
        }
        return try #require(blur)
    }

    /// Detected boxes are often smaller than the object: blur at its true corners counts.
    @Test func boxesSmallerThanTheObjectDoNotHideBlur() throws {
        let center = Vector3d(0, 0, -Self.distance)
        let box = OrientedBox(center: center, axes: Matrix3d.identity, halfExtents: Self.object * 0.85)
        // The nearest corner is the fastest.
        let corner = Vector2d(Self.object.x, Self.object.y)
        let actual = Self.rate * Self.exposure * Self.focal * length(corner) / (Self.distance - Self.object.z)
        let estimate = try blur(box)
        #expect(estimate > actual && estimate < 1.2 * actual, "\(estimate) for \(actual) pixels")
    }
}
