import Foundation
import Testing
import VitrineImageFiles
import VitrineScene
import VitrineTestSupport

@testable import VitrineTestFiles

/// The image checkers of the other modules' tests must detect differences.
@Suite struct ImageComparisonTests {
    private func image(_ bytes: [UInt8]) throws -> Image {
        try Image(width: bytes.count / 8, height: 2, format: .rgba8, bytes: bytes)
    }

    @Test func equalImagesHaveNoDifference() throws {
        let image = try TestImage.noise(width: 4, height: 4, format: .rgba16, opaque: false)
        let comparison = try ImageComparison(image, image)
        #expect(comparison.maximum == 0 && comparison.mean == 0 && comparison.peakSignalToNoise == .infinity)
    }

    @Test func differencesAreCountedAndPlaced() throws {
        let first = try image([UInt8](repeating: 100, count: 32))
        var bytes = first.bytes
        // Pixel (1, 1): blue by 8; pixel (3, 0): alpha by 2.
        bytes[4 * 5 + 2] = 108
        bytes[4 * 3 + 3] = 98
        let comparison = try ImageComparison(first, image(bytes))
        #expect(comparison.maximum == 8 && comparison.worstPixel == (1, 1))
        #expect(comparison.mean == 10.0 / 32)
        #expect(abs(comparison.rootMeanSquare - (68.0 / 32).squareRoot()) < 1e-12)
        #expect(comparison.share(over: 2) == 1.0 / 8 && comparison.share(over: 1.5) == 2.0 / 8)
        let magnified = try comparison.differenceImage(gain: 16)
        #expect(magnified.bytes[4 * 5] == 128 && magnified.bytes[4 * 3] == 32 && magnified.bytes[0] == 0)
    }

    @Test func formatsShareOneScale() throws {
        func image(_ value: Float) throws -> Image {
            try Image(width: 1, height: 1, format: .rgba32Float, bytes: [value, 0, 0, 1].withUnsafeBytes { [UInt8]($0) })
        }
        #expect(abs(try ImageComparison(image(0.5), image(0.25)).maximum - 63.75) < 1e-9)
        #expect(try ImageComparison(image(.nan), image(1)).maximum == .infinity)
        #expect(try ImageComparison(image(.nan), image(.nan)).maximum == 0)
        let low = try Image(width: 1, height: 1, format: .rgba16, bytes: [0, 0, 0, 0, 0, 0, 0, 0])
        let high = try Image(width: 1, height: 1, format: .rgba16, bytes: [1, 1, 0, 0, 0, 0, 0, 0])
        #expect(try ImageComparison(low, high).maximum == 1)
    }

    @Test func otherShapesAreNoComparison() throws {
        let small = try TestImage.noise(width: 2, height: 2, format: .rgba8, opaque: true)
        let wide = try TestImage.noise(width: 4, height: 1, format: .rgba8, opaque: true)
        #expect(throws: ImageMismatch.self) { try ImageComparison(small, wide) }
    }

    /// 8 × 8 pixels; `changes` are by byte.
    private func ramp(changed changes: [Int: UInt8] = [:]) throws -> Image {
        var bytes = (UInt8(0)..<64).flatMap { index -> [UInt8] in [index * 4, 255 - index * 4, 128, 255] }
        for (index, value) in changes { bytes[index] = value }
        return try Image(width: 8, height: 8, format: .rgba8, bytes: bytes)
    }

    @Test func aGoldenMatches() throws { try GoldenImage.check(ramp(), named: "ramp", tolerance: .exact) }

    @Test(.disabled(if: ProcessInfo.processInfo.environment["VITRINE_UPDATE_GOLDENS"] == "1", "goldens are being written"))
    func goldensAreComparedWithinTheirTolerance() throws {
        let near = try ramp(changed: [0: 2])
        try GoldenImage.check(near, named: "ramp")
        #expect(throws: ImageMismatch.self) { try GoldenImage.check(near, named: "ramp", tolerance: .exact) }
        #expect(throws: ImageMismatch.self) { try GoldenImage.check(ramp(changed: [1: 225]), named: "ramp") }
        #expect(throws: ImageMismatch.self) { try GoldenImage.check(ramp(), named: "never made") }
    }
}
