import Testing
import VitrineMath
import VitrineTestSupport
import VitrineVision

@testable import VitrineReconstruct

@Suite struct BackgroundModelTests {
    @Test func uniformBackdropIsSegmented() throws {
        let capture = SyntheticCapture.plain
        let model = try #require(BackgroundModel.learn(from: capture.photos.map { $0.thumbnail(side: 240) }))
        #expect(model.kind == .uniform)
        for (index, photo) in capture.photos.enumerated() {
            let mask = try #require(model.mask(of: photo, index: index))
            #expect(overlap(mask, capture.masks[index]) > 0.93)
        }
    }

    @Test func patternedTableIsNotABackdrop() {
        #expect(BackgroundModel.learn(from: SyntheticCapture.small.photos.map { $0.thumbnail(side: 240) }) == nil)
    }

    /// The camera may be moved once: then each half of the photos has its own background.
    @Test(arguments: [1, 2]) func staticCameraSegmentsTheTurntable(_ backgrounds: Int) throws {
        // A turntable: the object of the uniform set over patterned images.
        let capture = SyntheticCapture.plain
        let photos = capture.photos.indices.map { index in
            var pasted = SyntheticCapture.small.photos[5 * (index * backgrounds / capture.photos.count)]
            let (photo, mask) = (capture.photos[index], capture.masks[index])
            for pixel in mask.values.indices where mask.values[pixel] != 0 {
                for channel in 0..<3 { pasted.values[3 * pixel + channel] = photo.values[3 * pixel + channel] }
            }
            return pasted
        }
        let model = try #require(BackgroundModel.learn(from: photos.map { $0.thumbnail(side: 240) }))
        #expect(model.kind == .staticScene)
        for index in stride(from: 0, to: photos.count, by: 4) {
            let mask = try #require(model.mask(of: photos[index], index: index))
            // The region in which the object turns: all of the object, and little more.
            let (object, missing) = zip(mask.values, capture.masks[index].values).reduce((0, 0)) {
                ($0.0 + ($1.1 != 0 ? 1 : 0), $0.1 + ($1.1 != 0 && $1.0 == 0 ? 1 : 0))
            }
            #expect(100 * missing < object)
            #expect(overlap(mask, capture.masks[index]) > 0.5)
        }
    }

    @Test func holesAreBackgroundAndShadeIsObject() {
        // A bright frame in front of a dark background, with a hole, a shaded area and a dark speck.
        let (width, height) = (120, 100)
        var image = ColorPlane(width: width, height: height, values: Array(repeating: 12, count: 3 * width * height))
        func fill(_ columns: Range<Int>, _ rows: Range<Int>, _ level: UInt8) {
            for y in rows {
                for x in columns {
                    for channel in 0..<3 { image.values[3 * (y * width + x) + channel] = level }
                }
            }
        }
        fill(20..<100, 20..<80, 160)
        fill(30..<45, 30..<70, 14)
        fill(60..<75, 30..<70, 30)
        fill(85..<87, 40..<42, 12)
        let mask = Silhouette.cut(image, tolerance: 20) { x, y in abs(Float(image.values[3 * (y * width + x)]) - 12) }
        #expect(mask[5, 5] == 0 && mask[25, 50] == 255)
        #expect(mask[37, 50] == 0)
        #expect(mask[67, 50] == 255)
        #expect(mask[85, 40] == 255)
    }

    @Test func emptyAndTinyImagesHaveNoBackground() {
        let tiny = ColorPlane(width: 2, height: 2, values: Array(repeating: 0, count: 12))
        #expect(BackgroundModel.learn(from: Array(repeating: tiny, count: 8)) == nil)
        let empty = ColorPlane(width: 0, height: 0, values: [])
        #expect(BackgroundModel.learn(from: Array(repeating: empty, count: 8)) == nil)
        #expect(BackgroundModel.learn(from: []) == nil)
    }

    @Test func boxOutlineContainsTheObject() throws {
        let capture = SyntheticCapture.distorted
        // Close around the object, which is 0.17 × 0.21 × 0.14 m: a larger box fills these close photos.
        let box = OrientedBox(center: Vector3d(0, 0.105, 0), axes: .identity, halfExtents: Vector3d(0.092, 0.11, 0.077))
        for (camera, truth) in zip(capture.cameras, capture.masks) {
            let mask = try #require(box.outline(in: camera))
            #expect(!zip(mask.values, truth.values).contains { $0 == 0 && $1 != 0 })
            #expect(mask.values.count { $0 != 0 } < mask.values.count * 9 / 10)
        }
        // A camera inside the box has no outline.
        var inside = capture.cameras[0]
        inside.cameraFromWorld = .lookAt(eye: Vector3d(0, 0.1, 0), target: Vector3d(1, 0.1, 0))
        #expect(box.outline(in: inside) == nil)
    }

    /// Intersection over union.
    private func overlap(_ a: MaskPlane, _ b: MaskPlane) -> Double {
        var (both, either) = (0, 0)
        for (x, y) in zip(a.values, b.values) {
            if x != 0 && y != 0 { both += 1 }
            if x != 0 || y != 0 { either += 1 }
        }
        return Double(both) / Double(max(1, either))
    }
}
