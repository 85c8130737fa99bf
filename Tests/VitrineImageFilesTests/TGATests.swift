import Foundation
import Testing
import VitrineImageFiles
import VitrineScene
import VitrineTestSupport

@testable import VitrineTestFiles

@Suite struct TGATests {
    /// RGB of a pixel, and alpha where it is not 255.
    private func pixels(_ file: TGAFile) throws -> [[UInt8]] { try pixels(file.bytes) }

    private func pixels(_ bytes: [UInt8]) throws -> [[UInt8]] {
        let image = try ImageFile.decode(bytes)
        #expect(image.format == .rgba8)
        return stride(from: 0, to: image.bytes.count, by: 4).map {
            image.bytes[$0 + 3] == 255 ? Array(image.bytes[$0..<$0 + 3]) : Array(image.bytes[$0..<$0 + 4])
        }
    }

    // MARK: Files of other programs

    /// 5 × 3 pixels (50x, 100y, 30 or 200 from x = 3), written by Pillow 12 and ImageMagick 6.
    private static let files: [(name: String, hasAlpha: Bool, base64: String)] = [
        ("ImageMagick, 24 bits, runs", false, "AAAKAAAAAAAAAAAABQADABgABB4AAB4AMh4AZMgAlsgAyAQeZAAeZDIeZGTIZJbIZMgEHsgAHsgyHshkyMiWyMjI"),
        (
            "ImageMagick, 32 bits", true,
            "AAACAAAAAAAAAAAABQADACAIHgAA/x4AMtceAGSvyACWh8gAyF8eZAD/HmQy1x5kZK/IZJaHyGTIXx7IAIAeyDKAHshkgMjIloDIyMiA"
        ),
        (
            "ImageMagick, 32 bits, runs", true,
            "AAAKAAAAAAAAAAAABQADACAIBB4AAP8eADLXHgBkr8gAlofIAMhfBB5kAP8eZDLXHmRkr8hklofIZMhfBB7IAIAeyDKAHshkgMjIloDIyMiA"
        ),
        (
            "ImageMagick, color map", false,
            "AAEBAAAPABgAAAAABQADAAgAHgAAHgAyHgBkHmQAHmQyHmRkHsgAHsgyHshkyACWyADIyGSWyGTIyMiWyMjIAAECCQoDBAULDAYHCA0O"
        ),
        (
            "Pillow, 24 bits, runs", false,
            "AAAKAAAAAAAAAAAABQADABgABB7IAB7IMh7IZMjIlsjIyAQeZAAeZDIeZGTIZJbIZMgEHgAAHgAyHgBkyACWyADIAAAAAAAAAABUUlVFVklTSU9OLVhGSUxFLgA="
        ),
        (
            "Pillow, 32 bits", true,
            "AAACAAAAAAAAAAAABQADACAIHsgAgB7IMoAeyGSAyMiWgMjIyIAeZAD/HmQy1x5kZK/IZJaHyGTIXx4AAP8eADLXHgBkr8gAlofIAMhfAAAAAAAAAABUUlVFVklTSU9OLVhGSUxFLgA="
        ),
    ]

    @Test(arguments: files.indices) func filesOfOtherPrograms(index: Int) throws {
        let file = Self.files[index]
        let image = try ImageFile.decode([UInt8](try #require(Data(base64Encoded: file.base64))), name: file.name)
        #expect((image.width, image.height) == (5, 3))
        // ImageMagick 6 writes its rows from the top although the header states the bottom.
        let isFlipped = file.name.hasPrefix("ImageMagick")
        for y in 0..<3 {
            for x in 0..<5 {
                let row = isFlipped ? 2 - y : y
                let alpha = file.hasAlpha ? (y < 2 ? 255 - 40 * x : 128) : 255
                let expected = [50 * x, 100 * y, x > 2 ? 200 : 30, alpha].map { UInt8($0) }
                #expect(Array(image.bytes[4 * (row * 5 + x)..<4 * (row * 5 + x) + 4]) == expected, "\(file.name) at \(x), \(y)")
            }
        }
    }

    @Test(.enabled(if: SharedData.has("dae"), SharedData.missing)) func aRealTexture() throws {
        let url = try SharedData.url("dae/assimp/duckCM.tga")
        let image = try Image(contentsOf: url)
        #expect((image.width, image.height) == (512, 512))
        // As Pillow reads it: a sum that depends on the order.
        #expect(image.bytes.enumerated().reduce(0) { $0 + Int($1.element) * ($1.offset % 251) } == 22_847_642_884)
    }

    // MARK: Pixels

    @Test func rowsBeginAtTheBottom() throws {
        let values: [UInt8] = [1, 2, 3, 4]
        let orders: [(UInt8, [UInt8])] = [(0, [3, 4, 1, 2]), (0x10, [4, 3, 2, 1]), (0x20, [1, 2, 3, 4]), (0x30, [2, 1, 4, 3])]
        for (descriptor, expected) in orders {
            let found = try pixels(TGAFile(type: 3, depth: 8, descriptor: descriptor, pixels: values))
            #expect(found.map { $0[0] } == expected, "descriptor \(descriptor)")
        }
    }

    @Test func fifteenAndSixteenBits() throws {
        let words: [UInt8] = [0xFF, 0xFF, 0x00, 0x7C, 0xE0, 0x03, 0x1F, 0x80]
        let white: [UInt8] = [255, 255, 255]
        // One alpha bit.
        #expect(
            try pixels(TGAFile(depth: 16, descriptor: 0x21, pixels: words)) == [white, [255, 0, 0, 0], [0, 255, 0, 0], [0, 0, 255]])
        // None declared, and none that could be.
        #expect(try pixels(TGAFile(depth: 16, descriptor: 0x20, pixels: words)) == [white, [255, 0, 0], [0, 255, 0], [0, 0, 255]])
        #expect(try pixels(TGAFile(depth: 15, descriptor: 0x20, pixels: words)) == [white, [255, 0, 0], [0, 255, 0], [0, 0, 255]])
        // 5 bits to 8, rounded: 16 of 31 is 132.
        #expect(try pixels(TGAFile(width: 1, height: 1, depth: 16, pixels: [16, 0])) == [[0, 0, 132]])
    }

    @Test func colorMaps() throws {
        let map: [UInt8] = [0, 0, 255, 0, 255, 0, 255, 0, 0]
        let expected: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 0, 0]]
        var file = TGAFile(type: 1, depth: 8, descriptor: 0x20, mapFirst: 5, mapCount: 3, mapDepth: 24, map: map, pixels: [5, 6, 7, 5])
        #expect(try pixels(file) == expected)
        // Two bytes an index, entries of 16 bits.
        file = TGAFile(
            type: 1, depth: 16, descriptor: 0x20, mapFirst: 300, mapCount: 3, mapDepth: 16, map: [0, 0x7C, 0xE0, 3, 0x1F, 0],
            pixels: [44, 1, 45, 1, 46, 1, 44, 1])
        #expect(try pixels(file) == expected)
        file.pixels[2] = 47
        #expect { try ImageFile.decode(file.bytes) } throws: { error in
            guard case .malformed(let text) = (error as? ImageFileError)?.reason else { return false }
            return text.contains("color index") && (error as? ImageFileError)?.row == 0
        }
        // The reader skips a colour map that a true-colour image does not need.
        file = TGAFile(descriptor: 0x20, mapCount: 3, mapDepth: 24, map: map, pixels: [0, 0, 255, 0, 255, 0, 255, 0, 0, 0, 0, 255])
        #expect(try pixels(file) == expected)
    }

    @Test func runsCrossRows() throws {
        // A run of 5 over both rows, then one stored pixel; the last packet promises more than the image has.
        let file = TGAFile(type: 10, width: 3, height: 2, descriptor: 0x20, pixels: [0x84, 1, 2, 3, 0x87, 9, 8, 7])
        #expect(try pixels(file) == Array(repeating: [3, 2, 1], count: 5) + [[7, 8, 9]])
    }

    @Test func identifierAndGrayAlpha() throws {
        let file = TGAFile(
            type: 3, width: 2, height: 1, depth: 16, descriptor: 8, identifier: Array("made by hand".utf8), pixels: [7, 128, 9, 255])
        #expect(try pixels(file) == [[7, 7, 7, 128], [9, 9, 9]])
    }

    // MARK: Alpha

    @Test func alphaByDescriptorAndExtension() throws {
        func first(_ descriptor: UInt8, _ attributes: UInt8?, _ alpha: UInt8) throws -> [UInt8] {
            try pixels(
                TGAFile(width: 1, height: 1, depth: 32, descriptor: descriptor, pixels: [30, 20, 10, alpha], attributes: attributes))[0]
        }
        #expect(try first(8, nil, 128) == [10, 20, 30, 128])
        #expect(try first(8, nil, 0) == [10, 20, 30, 0])
        // Not declared: used, unless it would hide the whole image.
        #expect(try first(0, nil, 128) == [10, 20, 30, 128])
        #expect(try first(0, nil, 0) == [10, 20, 30])
        // The extension area decides: no alpha, to be ignored, undefined, straight, premultiplied.
        #expect(try first(8, 0, 128) == [10, 20, 30])
        #expect(try first(8, 1, 128) == [10, 20, 30])
        #expect(try first(8, 2, 0) == [10, 20, 30])
        #expect(try first(8, 3, 128) == [10, 20, 30, 128])
        #expect(try first(8, 4, 128) == [20, 40, 60, 128])
    }

    // MARK: Files that are not TGA

    @Test func otherBytesAreNoTGA() throws {
        let good = TGAFile(pixels: Array(repeating: 9, count: 12)).bytes
        #expect(ImageFile.kind(of: good) == .tga)
        let wrong: [(Int, UInt8)] = [(1, 2), (2, 0), (2, 32), (4, 1), (12, 0), (14, 0), (16, 12), (17, 0x40), (17, 0x80), (17, 9)]
        for (offset, value) in wrong {
            var bytes = good
            bytes[offset] = value
            #expect(ImageFile.kind(of: bytes) == nil, "byte \(offset) is \(value)")
        }
        // A mapped image without a map.
        #expect(ImageFile.kind(of: TGAFile(type: 1, depth: 8, pixels: [0, 0, 0, 0]).bytes) == nil)
        // An icon, a cursor, zeros, a binary STL with an empty header.
        #expect(ImageFile.kind(of: [0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0, 8, 0, 0, 0, 22, 0]) == nil)
        #expect(ImageFile.kind(of: [0, 0, 2, 0, 1, 0, 16, 16, 0, 0, 1, 0, 1, 0, 8, 0, 0, 0, 22, 0]) == nil)
        #expect(ImageFile.kind(of: [UInt8](repeating: 0, count: 134)) == nil)
        // With the footer of version 2.0, numbers in the description of a missing colour map are accepted.
        var loose = TGAFile(pixels: Array(repeating: 9, count: 12), attributes: 0).bytes
        loose[7] = 24
        #expect(ImageFile.kind(of: loose) == .tga)
    }

    @Test func aShortFileAsksForNoMemory() throws {
        let huge = TGAFile(type: 10, width: 65_535, height: 65_535, depth: 32, pixels: [0xFF, 1, 2, 3, 4]).bytes
        #expect { try ImageFile.decode(huge, limits: ImageLimits(maximumBytes: .max)) } throws: { error in
            guard case .truncated = (error as? ImageFileError)?.reason else { return false }
            return true
        }
        #expect { try ImageFile.decode(huge) } throws: { error in
            guard case .tooLarge = (error as? ImageFileError)?.reason else { return false }
            return true
        }
    }
}
