import Testing
import VitrineImageFiles
import VitrineScene
import VitrineTestSupport

@testable import VitrineTestFiles

@Suite struct RadianceTests {
    /// A file with these header lines, resolution and bytes.
    private func file(_ resolution: String, _ pixels: [UInt8]) -> [UInt8] { file([], resolution, pixels) }

    private func file(_ lines: [String], _ resolution: String, _ pixels: [UInt8]) -> [UInt8] {
        Array((["#?RADIANCE"] + lines + ["FORMAT=32-bit_rle_rgbe", "", resolution, ""]).joined(separator: "\n").utf8) + pixels
    }

    @Test func valuesAreMantissaTimesExponent() throws {
        let image = try ImageFile.decode(file("-Y 1 +X 2", [128, 64, 32, 129, 255, 1, 0, 136]))
        #expect(image.floats == [1, 0.5, 0.25, 1, 255, 1, 0, 1])
    }

    @Test func exposureAndGammaAreUndone() throws {
        let image = try ImageFile.decode(file(["EXPOSURE=2", "EXPOSURE= 2.0", "GAMMA=2"], "-Y 1 +X 1", [128, 64, 32, 131]))
        // 4, 2, 1 by the exponent; over 4 and squared.
        #expect(image.floats == [1, 0.25, 0.0625, 1])
    }

    @Test func oldRunsRepeatThePixelBefore() throws {
        // 1 pixel, then 2 more, then 1·256 more: digits of 256, lowest first.
        let runs: [UInt8] = [128, 0, 0, 129, 1, 1, 1, 2, 1, 1, 1, 1]
        let image = try ImageFile.decode(file("-Y 1 +X 259", runs))
        #expect(image.floats.count == 4 * 259)
        #expect(stride(from: 0, to: image.floats.count, by: 4).allSatisfy { image.floats[$0] == 1 && image.floats[$0 + 1] == 0 })
    }

    @Test func newRunsAreByComponent() throws {
        var pixels: [UInt8] = [2, 2, 0, 8]
        pixels += [128 + 8, 128]
        pixels += [8, 1, 2, 3, 4, 5, 6, 7, 8]
        pixels += [128 + 4, 16, 4, 8, 8, 8, 8]
        pixels += [128 + 8, 129]
        let image = try ImageFile.decode(file("-Y 1 +X 8", pixels))
        for x in 0..<8 {
            let expected: [Float] = [1, Float(x + 1) / 128, x < 4 ? 0.125 : 0.0625, 1]
            #expect(Array(image.floats[(4 * x)..<(4 * x + 4)]) == expected)
        }
    }

    /// The image is 1 2 / 3 4 in red, however it is stored.
    @Test(arguments: [
        ("-Y 2 +X 2", [1, 2, 3, 4]), ("-Y 2 -X 2", [2, 1, 4, 3]), ("+Y 2 +X 2", [3, 4, 1, 2]), ("+Y 2 -X 2", [4, 3, 2, 1]),
        ("+X 2 -Y 2", [1, 3, 2, 4]), ("+X 2 +Y 2", [3, 1, 4, 2]), ("-X 2 -Y 2", [2, 4, 1, 3]), ("-X 2 +Y 2", [4, 2, 3, 1]),
    ])
    func orientations(resolution: String, order: [UInt8]) throws {
        let image = try ImageFile.decode(file(resolution, order.flatMap { [128 + $0, 0, 0, 136] }))
        #expect(stride(from: 0, to: 16, by: 4).map { image.floats[$0] } == [129, 130, 131, 132])
    }

    @Test func columnsOfANonSquareImage() throws {
        let image = try ImageFile.decode(file("+X 3 -Y 2", (1...6).flatMap { [128 + $0, 0, 0, 136] }))
        #expect((image.width, image.height) == (3, 2))
        #expect(stride(from: 0, to: 24, by: 4).map { image.floats[$0] } == [129, 131, 133, 130, 132, 134])
    }

    @Test(arguments: [1, 7, 8, 9, 300])
    func roundTripWithinThePrecision(width: Int) throws {
        let image = try TestImage.noise(width: width, height: 5, format: .rgba32Float, opaque: true)
        let file = try ImageFile.encode(image, as: .hdr)
        let back = try ImageFile.decode(file)
        for pixel in stride(from: 0, to: image.floats.count, by: 4) {
            let largest = image.floats[pixel..<(pixel + 3)].max() ?? 0
            for channel in pixel..<(pixel + 3) { #expect(abs(back.floats[channel] - image.floats[channel]) <= largest / 256) }
        }
        #expect(try ImageFile.encode(back, as: .hdr) == file)
        #expect(try ImageFile.decode(ImageFile.encode(back, as: .hdr)).bytes == back.bytes)
    }

    @Test func runLengthsCompressUniformImages() throws {
        let floats = [Float](repeating: 1, count: 4 * 1000 * 10)
        let image = try Image(width: 1000, height: 10, format: .rgba32Float, bytes: floats.withUnsafeBytes { [UInt8]($0) })
        let file = try ImageFile.encode(image, as: .hdr)
        #expect(file.count < 1000)
        #expect(try ImageFile.decode(file).bytes == image.bytes)
    }

    @Test func valuesThatRGBECannotHoldAreRefused() throws {
        for bad: Float in [-1, .nan, .infinity] {
            let image = try Image(width: 1, height: 1, format: .rgba32Float, bytes: [bad, 0, 0, 1].withUnsafeBytes { [UInt8]($0) })
            #expect(throws: ImageFileError.self) { try ImageFile.encode(image, as: .hdr) }
        }
    }

    @Test(arguments: [
        (["FORMAT=32-bit_rle_xyze"], "-Y 1 +X 1"), (["EXPOSURE=0"], "-Y 1 +X 1"), (["EXPOSURE=nan"], "-Y 1 +X 1"), ([], "-Y 0 +X 1"),
        ([], "-Y 1 +Y 1"), ([], "-Y 1"), ([], "-Y 99999999999999999999 +X 1"), ([], ""),
    ])
    func brokenHeadersAreRefused(lines: [String], resolution: String) {
        #expect(throws: ImageFileError.self) { try ImageFile.decode(file(lines, resolution, [128, 0, 0, 129])) }
    }

    @Test(arguments: [
        [1, 1, 1, 2], [128, 0, 0, 129, 1, 1, 1, 9], [2, 2, 0, 9, 137, 1, 137, 1, 137, 1, 137, 1], [2, 2, 0, 8, 0, 1], [2, 2, 0, 8, 137, 1],
        [2, 2, 0, 8, 136, 1, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    ])
    func brokenRunsAreRefused(pixels: [UInt8]) {
        #expect { try ImageFile.decode(file("-Y 1 +X 8", pixels)) } throws: { error in
            guard case .malformed = (error as? ImageFileError)?.reason else { return false }
            return true
        }
    }
}
