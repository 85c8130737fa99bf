import Testing
import VitrineImageFiles
import VitrineScene
import VitrineTestSupport

@testable import VitrineTestFiles

@Suite struct PNGTests {
    @Test(arguments: [PixelFormat.rgba8, .rgba16], [true, false])
    func roundTripIsExact(format: PixelFormat, opaque: Bool) throws {
        let image = try TestImage.noise(width: 37, height: 23, format: format, opaque: opaque)
        for speed in [ImageFile.PNGSpeed.fast, .balanced, .small] {
            let file = try ImageFile.encode(image, as: .png(speed))
            let back = try ImageFile.decode(file, name: "noise")
            #expect(back.format == format)
            #expect(back.bytes == image.bytes)
            #expect(try ImageFile.encode(image, as: .png(speed)) == file)
        }
    }

    @Test func floatsAreRefused() throws {
        let image = try TestImage.noise(width: 2, height: 2, format: .rgba32Float, opaque: true)
        #expect(throws: ImageFileError.self) { try ImageFile.encode(image, as: .png()) }
    }

    @Test func greyOfFewBits() throws {
        let one = PNGFile(width: 4, height: 1, depth: 1, colourType: 0, scanlines: [0, 0b1010_0000])
        #expect(try ImageFile.decode(one.bytes).bytes == [255, 255, 255, 255, 0, 0, 0, 255, 255, 255, 255, 255, 0, 0, 0, 255])
        let two = PNGFile(width: 3, height: 1, depth: 2, colourType: 0, scanlines: [0, 0b0001_1000])
        #expect(try ImageFile.decode(two.bytes).bytes == [0, 0, 0, 255, 85, 85, 85, 255, 170, 170, 170, 255])
        let four = PNGFile(width: 2, height: 1, depth: 4, colourType: 0, scanlines: [0, 0x1F])
        #expect(try ImageFile.decode(four.bytes).bytes == [17, 17, 17, 255, 255, 255, 255, 255])
    }

    @Test func greyWithAlpha() throws {
        let file = PNGFile(width: 2, height: 1, colourType: 4, scanlines: [0, 10, 20, 30, 40])
        #expect(try ImageFile.decode(file.bytes).bytes == [10, 10, 10, 20, 30, 30, 30, 40])
    }

    @Test func paletteWithAlpha() throws {
        var file = PNGFile(width: 3, height: 1, depth: 8, colourType: 3, scanlines: [0, 2, 1, 0])
        file.chunks = [("PLTE", [1, 2, 3, 4, 5, 6, 7, 8, 9]), ("tRNS", [100, 101])]
        #expect(try ImageFile.decode(file.bytes).bytes == [7, 8, 9, 255, 4, 5, 6, 101, 1, 2, 3, 100])
    }

    @Test func transparentColour() throws {
        var file = PNGFile(width: 2, height: 1, colourType: 2, scanlines: [0, 1, 2, 3, 4, 5, 6])
        file.chunks = [("tRNS", [0, 4, 0, 5, 0, 6])]
        #expect(try ImageFile.decode(file.bytes).bytes == [1, 2, 3, 255, 4, 5, 6, 0])
    }

    @Test func sixteenBitsKeepTheirOrder() throws {
        let file = PNGFile(width: 1, height: 1, depth: 16, colourType: 0, scanlines: [0, 0x12, 0x34])
        let image = try ImageFile.decode(file.bytes)
        #expect(image.format == .rgba16)
        #expect(image.bytes == [0x34, 0x12, 0x34, 0x12, 0x34, 0x12, 0xFF, 0xFF])
    }

    @Test func gammaChangesNothing() throws {
        var file = PNGFile(width: 1, height: 1, colourType: 0, scanlines: [0, 100])
        file.chunks = [("gAMA", [0, 1, 0x86, 0xA0])]
        #expect(try ImageFile.decode(file.bytes).bytes == [100, 100, 100, 255])
    }

    @Test func interlacedRowsComeInOrder() throws {
        // Adam7 over 3 × 3 pixels numbered from the top: passes of 1, 0, 0, 1, 2, 2 and 3 pixels.
        let passes: [[UInt8]] = [[0], [2], [6, 8], [1], [7], [3, 4, 5]]
        let file = PNGFile(width: 3, height: 3, colourType: 0, isInterlaced: true, scanlines: passes.flatMap { [0] + $0 })
        let bytes = try ImageFile.decode(file.bytes).bytes
        #expect(stride(from: 0, to: 36, by: 4).map { bytes[$0] } == Array(0..<9))
    }

    @Test(arguments: ["IHDR", "IDAT", "tRNS", "IEND"])
    func aWrongChecksumIsAnError(chunk: String) throws {
        var file = PNGFile(width: 2, height: 1, colourType: 2, scanlines: [0, 1, 2, 3, 4, 5, 6])
        file.chunks = [("tRNS", [0, 4, 0, 5, 0, 6])]
        var bytes = file.bytes
        let type = try #require(bytes.indices.first { bytes[$0...].starts(with: chunk.utf8) })
        let length = bytes[(type - 4)..<type].reduce(0) { $0 << 8 | Int($1) }
        bytes[type + 4 + length] ^= 1
        #expect { try ImageFile.decode(bytes, name: "sum.png") } throws: { "\($0)".contains("CRC") }
    }

    @Test func aBombIsRefusedFromItsHeader() throws {
        for (width, height) in [(100_000, 100_000), (65_536, 65_536), (0x7FFF_FFFF, 1), (11_000, 11_000)] {
            let file = PNGFile(width: UInt32(width), height: UInt32(height), colourType: 6, scanlines: [0])
            #expect(throws: ImageFileError.self) { try ImageFile.decode(file.bytes) }
        }
        let image = try TestImage.noise(width: 20, height: 20, format: .rgba8, opaque: true)
        let file = try ImageFile.encode(image, as: .png())
        #expect { try ImageFile.decode(file, limits: ImageLimits(maximumSide: 19)) } throws: { Self.isTooLarge($0) }
        #expect { try ImageFile.decode(file, limits: ImageLimits(maximumBytes: 1599)) } throws: { Self.isTooLarge($0) }
        #expect(throws: Never.self) { try ImageFile.decode(file, limits: ImageLimits(maximumSide: 20, maximumBytes: 1600)) }
    }

    private static func isTooLarge(_ error: any Error) -> Bool {
        guard case .tooLarge = (error as? ImageFileError)?.reason else { return false }
        return true
    }
}
