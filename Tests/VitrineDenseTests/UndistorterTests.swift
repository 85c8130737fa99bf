import Testing
import VitrineMath
import VitrineVision

@testable import VitrineDense

struct UndistorterTests {
    private func pattern(_ direction: Vector2d) -> Double { 0.5 + 0.4 * sin(direction.x * 14) * cos(direction.y * 11) }

    /// A photo of the pattern on the plane z = 1 through the given lens.
    private func photo(_ intrinsics: CameraIntrinsics) -> ColorPlane {
        var values: [UInt8] = []
        for y in 0..<intrinsics.height {
            for x in 0..<intrinsics.width {
                let value = UInt8(255 * pattern(intrinsics.normalized(Vector2d(Double(x) + 0.5, Double(y) + 0.5))))
                values += [value, value, 10]
            }
        }
        return ColorPlane(width: intrinsics.width, height: intrinsics.height, values: values)
    }

    private func intrinsics(_ k1: Double) -> CameraIntrinsics {
        CameraIntrinsics(
            width: 240, height: 180, focal: Vector2d(200, 202), center: Vector2d(118, 93), radial: Vector3d(k1, 0.01, 0),
            tangential: Vector2d(0.002, -0.001))
    }

    @Test(arguments: [60, 120, 240]) func undistortionMatchesThePinhole(side: Int) throws {
        let camera = PosedCamera(intrinsics: intrinsics(-0.15), cameraFromWorld: .identity)
        let undistorter = Undistorter(camera: camera, maximumSide: side)
        let view = try undistorter.view(photo: 3, color: photo(camera.intrinsics), depthRange: 1...2)
        #expect(!view.camera.intrinsics.isDistorted)
        #expect(view.color.width == side && view.color.height == side * 3 / 4)
        var worst = 0.0
        for y in 2..<view.color.height - 2 {
            for x in 2..<view.color.width - 2 where view.mask.map({ $0[x, y] != 0 }) ?? true {
                let expected = 255 * pattern(view.camera.intrinsics.normalized(Vector2d(Double(x) + 0.5, Double(y) + 0.5)))
                worst = max(worst, abs(Double(view.color.values[(y * view.color.width + x) * 3]) - expected))
            }
        }
        // The mean of the pattern over a large pixel has slightly less contrast than its value at the centre.
        #expect(worst < (side == 60 ? 12 : 4))
    }

    @Test func pixelsOutsideThePhotoAreMasked() throws {
        // Pincushion distortion: the corners of the pinhole image are outside the photo.
        let camera = PosedCamera(intrinsics: intrinsics(0.3), cameraFromWorld: .identity)
        let view = try Undistorter(camera: camera, maximumSide: 240).view(photo: 0, color: photo(camera.intrinsics), depthRange: 1...2)
        let mask = try #require(view.mask)
        #expect(mask[0, 0] == 0 && mask[120, 90] != 0)
    }

    /// A sensor's depth of a pixel moves with the pixel's colour.
    @Test func depthsAreUndistortedLikeColours() throws {
        let camera = PosedCamera(intrinsics: intrinsics(-0.15), cameraFromWorld: .identity)
        // An inclined plane, at half the photo's size.
        var depths = Plane<Float>(width: 120, height: 90, repeating: 0)
        func plane(_ direction: Vector2d) -> Float { Float(1 / (1 - 0.3 * direction.x)) }
        for y in 0..<90 {
            for x in 0..<120 { depths[x, y] = plane(camera.intrinsics.normalized(Vector2d(2 * Double(x) + 1, 2 * Double(y) + 1))) }
        }
        let undistorter = Undistorter(camera: camera, maximumSide: 160)
        let found = undistorter.depths(depths)
        let pinhole = undistorter.target.intrinsics
        #expect((found.width, found.height) == (pinhole.width, pinhole.height))
        var (worst, known) = (Float(0), 0)
        for y in 0..<found.height {
            for x in 0..<found.width where found[x, y] > 0 {
                worst = max(worst, abs(found[x, y] / plane(pinhole.normalized(Vector2d(Double(x) + 0.5, Double(y) + 0.5))) - 1))
                known += 1
            }
        }
        #expect(known > found.values.count / 2)
        // Half a pixel of the map.
        #expect(worst < 0.005)
        let straight = PosedCamera(
            intrinsics: CameraIntrinsics(width: 240, height: 180, focal: Vector2d(200, 200), center: Vector2d(120, 90)),
            cameraFromWorld: .identity)
        #expect(Undistorter(camera: straight, maximumSide: 100).depths(depths) == depths)
    }

    @Test func masksAreUndistortedLikeColours() throws {
        let pinhole = CameraIntrinsics(width: 100, height: 80, focal: Vector2d(90, 90), center: Vector2d(50, 40))
        var mask = MaskPlane(width: 50, height: 40, repeating: 0)
        for y in 0..<40 { for x in 25..<50 { mask[x, y] = 1 } }
        let color = ColorPlane(width: 100, height: 80, values: (0..<24000).map { UInt8($0 % 251) })
        let undistorter = Undistorter(camera: PosedCamera(intrinsics: pinhole, cameraFromWorld: .identity), maximumSide: 400)
        let view = try undistorter.view(photo: 0, color: color, mask: mask, depthRange: 1...2)
        #expect(view.color == color)
        let fitted = try #require(view.mask)
        #expect(fitted.width == 100 && fitted[49, 10] == 0 && fitted[50, 10] != 0)
        #expect(throws: DenseError.self) {
            try undistorter.view(
                photo: 0, color: ColorPlane(width: 2, height: 2, values: [UInt8](repeating: 0, count: 12)), depthRange: 1...2)
        }
    }
}
