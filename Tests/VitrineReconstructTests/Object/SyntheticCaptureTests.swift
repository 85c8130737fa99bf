import Testing
import VitrineMath
import VitrineTestSupport
import VitrineVision

@Suite struct SyntheticCaptureTests {
    @Test func depthsOfTwoPhotosAgree() {
        let capture = SyntheticCapture.distorted
        var (compared, agreed) = (0, 0)
        let (a, b) = (capture.cameras[0], capture.cameras[2])
        for y in stride(from: 4, to: 240, by: 5) {
            for x in stride(from: 4, to: 320, by: 5) where capture.depths[0][x, y] > 0 {
                let depth = Double(capture.depths[0][x, y])
                let normalized = a.intrinsics.normalized(Vector2d(Double(x) + 0.5, Double(y) + 0.5))
                let world = a.cameraFromWorld.inverse * (Vector3d(normalized.x, normalized.y, 1) * depth)
                let other = b.cameraFromWorld * world
                let pixel = b.intrinsics.project(other)
                guard pixel.x > 1, pixel.y > 1, pixel.x < 319, pixel.y < 239 else { continue }
                let seen = Double(capture.depths[2][Int(pixel.x), Int(pixel.y)])
                // Ignores points that are occluded in the other photo.
                guard seen > 0, seen > other.z - 0.01 else { continue }
                compared += 1
                if abs(seen - other.z) < 0.004 { agreed += 1 }
            }
        }
        #expect(compared > 1000)
        #expect(Double(agreed) > 0.98 * Double(compared))
    }

    @Test func captureIsDeterministic() {
        let small = SyntheticCapture { ($0.photos, $0.width, $0.height, $0.subdivisions) = (2, 64, 48, 3) }
        let again = SyntheticCapture { ($0.photos, $0.width, $0.height, $0.subdivisions) = (2, 64, 48, 3) }
        #expect(small.photos == again.photos)
        #expect(small.cameras == again.cameras)
    }

    @Test func masksCoverOnlyTheObject() {
        let capture = SyntheticCapture.plain
        for (mask, depth) in zip(capture.masks, capture.depths) {
            let masked = mask.values.count { $0 != 0 }
            let seen = depth.values.count { $0 > 0 }
            #expect(masked > mask.values.count / 20)
            #expect(abs(masked - seen) < mask.values.count / 100)
        }
    }
}
