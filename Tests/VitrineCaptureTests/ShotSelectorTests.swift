import Testing
import VitrineAR
import VitrineMath
import VitrineVision

@testable import VitrineCapture

/// The choice of shots by blur and direction.
@Suite struct ShotSelectorTests {
    private struct Choice: Equatable {
        let degrees: Int
        let time: Double
    }

    /// The shots of a camera that turns by a degree with each frame, 15 frames per second; blur in pixels.
    ///
    /// - Parameter stillFrom: The degrees from which on the camera holds still: no blur.
    private func shots(blur: Double, shotBlur: Double, stillFrom: Int = .max) -> [Choice] {
        var selector = ShotSelector(CaptureThresholds())
        let image = CapturedImage(luma: Plane(width: 8, height: 6, repeating: 0))
        let lens = CameraIntrinsics(width: 8, height: 6, verticalFieldOfView: 0.8)
        var choices: [Choice] = []
        var last = 0
        for step in 1..<80 {
            let degrees = min(step, stillFrom)
            let time = Double(step) / 15
            let frame = ARFrame(timestamp: time, capturedImage: image, camera: ARCamera(model: lens))
            let quality = ImageQuality(sharpness: 0.5, brightness: 0.5, overexposed: 0)
            var measurements = FrameMeasurements(time: time, projection: nil, isBoxConfirmed: true, quality: quality)
            (measurements.blur, measurements.shotBlur) = degrees == stillFrom ? (0, 0) : (blur, shotBlur)
            let angle = Double(degrees - last) * .pi / 180
            if let shot = selector.choose(frame, measurements, angle: angle, isCovered: true) {
                choices.append(Choice(degrees: degrees, time: shot.frame.timestamp))
                selector.add(shot.frame, isArea: false)
                last = degrees
            }
        }
        return choices
    }

    @Test func stillCamerasGetAShotOfEachView() {
        let sharp = shots(blur: 1, shotBlur: 1.2)
        #expect(sharp.count >= 5 && sharp.allSatisfy { $0.degrees % 14 == 0 }, "\(sharp)")
    }

    /// A person who ignores that stillness is requested gets fewer shots, as sharp as the detected box allows; one who holds still gets a sharp shot.
    @Test func camerasThatMoveOnGetALaterShot() throws {
        let moving = shots(blur: 1.2, shotBlur: 1.6)
        #expect(moving.map(\.degrees) == [26, 52, 78], "\(moving)")
        let blurred = shots(blur: 1.6, shotBlur: 2)
        #expect(blurred.isEmpty)
        let still = shots(blur: 1.2, shotBlur: 1.6, stillFrom: 20)
        #expect(still.count == 1 && still[0].time >= 20.0 / 15, "\(still)")
    }
}
