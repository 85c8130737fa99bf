import Testing
import VitrineImageFiles
import VitrineScene
import VitrineTestSupport

@testable import VitrineTestFiles

@Suite struct ReducedDecodingTests {
    /// Smooth, so that small differences between filters don't matter.
    private static func waves(_ width: Int, _ height: Int) throws -> Image {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let (u, v) = ((Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
                bytes += [UInt8(40 + 170 * u), UInt8(40 + 170 * v), UInt8(200 - 100 * u * v), 255]
            }
        }
        return try Image(width: width, height: height, format: .rgba8, bytes: bytes)
    }

    @Test(arguments: [400, 200, 199, 130, 100, 50, 37, 3])
    func jpegsShrinkToTheSideAskedFor(side: Int) throws {
        let file = try ImageFile.encode(Self.waves(400, 300), as: .jpeg(quality: 98))
        let image = try ImageFile.decode(file, maximumSide: side)
        #expect(image.width == side && image.height == (300 * side + 200) / 400)
        #expect(try ImageComparison(image, Self.waves(image.width, image.height)).peakSignalToNoise > 40)
    }

    @Test func othersShrinkToo() throws {
        let image = try ImageFile.decode(ImageFile.encode(Self.waves(90, 60), as: .png()), maximumSide: 30)
        #expect((image.width, image.height) == (30, 20))
        #expect(try ImageComparison(image, Self.waves(30, 20)).peakSignalToNoise > 45)
    }

    @Test func theMeanStays() throws {
        // 3 × 1 to 2 × 1: each takes one pixel and a half.
        let bytes: [UInt8] = [30, 0, 0, 255, 90, 0, 0, 255, 240, 0, 0, 255]
        let file = try ImageFile.encode(Image(width: 3, height: 1, format: .rgba8, bytes: bytes), as: .png())
        let image = try ImageFile.decode(file, maximumSide: 2)
        #expect(image.bytes == [50, 0, 0, 255, 190, 0, 0, 255])
    }

    @Test func smallerImagesStayUnchanged() throws {
        let image = try TestImage.noise(width: 9, height: 5, format: .rgba16, opaque: false)
        let file = try ImageFile.encode(image, as: .png())
        #expect(try ImageFile.decode(file, maximumSide: 9).bytes == image.bytes)
        let half = try ImageFile.decode(file, maximumSide: 4)
        #expect(half.format == .rgba16 && (half.width, half.height) == (4, 2))
    }

    /// An image too large to be decoded whole can be read small.
    @Test func limitsAreOfWhatIsDecoded() throws {
        let file = try ImageFile.encode(Self.waves(400, 300), as: .jpeg())
        let limits = ImageLimits(maximumBytes: 50_000)
        #expect(throws: ImageFileError.self) { try ImageFile.decode(file, limits: limits) }
        #expect(try ImageFile.decode(file, maximumSide: 100, limits: limits).width == 100)
    }
}
