import Foundation
import Testing
import VitrineFiles
import VitrineScene
import VitrineTestSupport
import VitrineVision

@testable import VitrineReconstruct

/// Masks and depth maps of photos: which are used, their orientation, and the warnings about the others.
@Suite struct CompanionTests {
    private static func depthMap(width: Int, height: Int, millimetres: UInt16) throws -> PixelSource {
        let pixel = [UInt8(millimetres & 255), UInt8(millimetres >> 8)] + [UInt8](repeating: 0, count: 4) + [255, 255]
        let bytes = (0..<width * height).flatMap { _ in pixel }
        return .image(try Image(width: width, height: height, format: .rgba16, bytes: bytes))
    }

    private static func gray(_ values: [UInt8], width: Int) throws -> PixelSource {
        .image(
            try Image(width: width, height: values.count / width, format: .rgba8, bytes: values.flatMap { [$0, $0, $0, 255] as [UInt8] }))
    }

    private static func check(_ width: Int, _ height: Int, _ orientation: PhotoOrientation = .up) -> CompanionCheck {
        CompanionCheck(photo: "a.jpg", size: PhotoSize(width: width, height: height), orientation: orientation)
    }

    @Test func invalidDepthMapsGiveWarnings() throws {
        let missing = URL(fileURLWithPath: "/no/such/file.depth.png")
        let bad: [(source: PixelSource, word: String)] = [
            (try Self.gray(Array(repeating: 7, count: 12), width: 4), "8 bits"),
            (try Self.depthMap(width: 30, height: 40, millimetres: 900), "shape"),
            (try Self.depthMap(width: 40, height: 30, millimetres: 65_535), "contains no depth"),
            (.file(missing), "file.depth.png"),
        ]
        for (source, word) in bad {
            var check = Self.check(400, 300)
            let depth = check.depth(SensorDepthMap(map: Companion(source: source, digest: .zero)))
            #expect(depth == nil)
            #expect(check.warnings.count == 1)
            #expect(check.warnings.first?.hasPrefix("a.jpg: ") == true && check.warnings.first?.contains(word) == true)
        }
        let good = try Self.depthMap(width: 40, height: 30, millimetres: 900)
        let confidence = try Image(width: 2, height: 2, format: .rgba8, bytes: Array(repeating: 255, count: 16))
        for image in [nil, confidence] {
            var check = Self.check(400, 300)
            let depth = check.depth(SensorDepthMap(map: Companion(source: good, digest: .zero), confidence: image))
            #expect(depth != nil)
            #expect(check.warnings.contains { $0.contains("confidence") } == (image != nil))
        }
    }

    /// A program that rotates a photo upright rotates its mask too.
    @Test func uprightMaskIsRotatedToTheStoredOrientation() throws {
        // Upright 2 × 3: the object is in the upper left corner.
        let upright = try Self.gray([255, 0, 0, 0, 0, 0], width: 2)
        func mask(_ check: CompanionCheck) throws -> MaskPlane? {
            var check = check
            var companion = Companion(source: upright, digest: .zero)
            guard let orientation = check.mask(companion)?.orientation else { return nil }
            companion.orientation = orientation
            return try companion.mask()
        }
        // Rotated by 90° clockwise for display: the upper left corner is the lower left corner of the stored image.
        #expect(try mask(Self.check(300, 200, .right)) == MaskPlane(width: 3, height: 2, values: [0, 0, 0, 255, 0, 0]))
        #expect(try mask(Self.check(200, 300))?.values == [255, 0, 0, 0, 0, 0])
        #expect(try mask(Self.check(300, 200)) == nil)
    }

    @Test(arguments: PhotoOrientation.allCases) func storedInvertsEveryOrientation(_ orientation: PhotoOrientation) {
        let (width, height) = (3, 2)
        let stored = Plane<Int>(width: width, height: height, values: Array(0..<6))
        let (w, h) = orientation.swapsSides ? (height, width) : (width, height)
        var upright = Plane<Int>(width: w, height: h, repeating: -1)
        let turn = orientation.uprightFromStored
        for y in 0..<height {
            for x in 0..<width {
                let center = SIMD3((Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height), 1)
                upright[Int((turn.x * center).sum() * Double(w)), Int((turn.y * center).sum() * Double(h))] = stored[x, y]
            }
        }
        #expect(upright.stored(orientation) == stored)
    }

    @Test func labelImagesAreMasks() throws {
        func mask(_ values: [UInt8]) throws -> [UInt8] { try Companion(source: Self.gray(values, width: 2), digest: .zero).mask().values }
        #expect(try mask([0, 1, 2, 0]) == [0, 255, 255, 0])
        #expect(try mask([0, 9, 200, 255]) == [0, 0, 255, 255])
        #expect(try mask([0, 0, 0, 0]) == [0, 0, 0, 0])
    }

    /// Transparent pixels are not part of a photo, independent of their colours.
    @Test func transparentPixelsAreMasked() throws {
        var bytes = [UInt8](repeating: 120, count: 100 * 80 * 4)
        for pixel in 0..<100 * 80 { bytes[pixel * 4 + 3] = pixel % 100 < 40 ? 0 : 255 }
        let cutOut = PhotogrammetrySample(id: 0, image: try Image(width: 100, height: 80, format: .rgba8, bytes: bytes))
        var whole = cutOut
        whole.id = 1
        whole.image = try Image(
            width: 100, height: 80, format: .rgba8, bytes: [UInt8](repeating: 200, count: 100 * 80 * 4).map { max($0, 200) })
        var masked = cutOut
        (masked.id, bytes[0]) = (2, 121)
        masked.image = try Image(width: 100, height: 80, format: .rgba8, bytes: bytes)
        masked.objectMask = try Image(width: 2, height: 1, format: .rgba8, bytes: [255, 255, 255, 255, 0, 0, 0, 255])
        let resources = try StageResources.temporary()
        defer { resources.store.removeIfTemporary() }
        let outcome = try PhotoIntake([cutOut, whole, masked], usesMasks: true).run(with: resources, in: StageContext())
        // The mask has another aspect ratio than the photo, which gives a warning.
        #expect(outcome.warnings.count == 1)
        func mask(_ index: Int) throws -> MaskPlane? {
            let photo = outcome.photos[index]
            let input = FeatureStage.Input(
                index: index, photo: photo.reference, mask: photo.mask, background: nil, sensitivity: .normal)
            return try resources.output(of: FeatureStage.self, input, in: StageContext()).value.mask
        }
        let first = try #require(try mask(0))
        #expect(first[39, 10] == 0 && first[40, 10] == 255)
        #expect(try mask(1) == nil)
    }
}
