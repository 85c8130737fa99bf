import Testing
import VitrineImageFiles
import VitrineScene

@testable import VitrineTestFiles

@Suite struct HEIFTests {
    private func pixel(_ image: Image, _ x: Int, _ y: Int) -> [Int] {
        let first = (y * image.width + x) * image.format.bytesPerPixel
        if image.format == .rgba8 { return (0..<4).map { Int(image.bytes[first + $0]) } }
        return (0..<4).map { (Int(image.bytes[first + 2 * $0]) | Int(image.bytes[first + 2 * $0 + 1]) << 8) / 257 }
    }

    private func isClose(_ a: [Int], _ b: [Int]) -> Bool { zip(a, b).allSatisfy { abs($0 - $1) <= 6 } }

    /// Turned once: by the decoder, not by the EXIF data as well.
    @Test func rotatedImageIsUpright() throws {
        let header = try ImageFile.header(of: TinyFiles.turnedHEIC)
        #expect(header.kind == .heif && (header.width, header.height) == (16, 32) && header.format == .rgba8)
        let image = try ImageFile.decode(TinyFiles.turnedHEIC)
        #expect((image.width, image.height) == (16, 32))
        #expect(isClose(pixel(image, 8, 3), [200, 30, 30, 255]) && isClose(pixel(image, 8, 28), [30, 30, 200, 255]))
        let photo = PhotoMetadata(of: TinyFiles.turnedHEIC)
        #expect(photo.orientation == .up && photo.make == "Vitrine" && photo.focalLength == 4.25 && photo.focalLength35mm == 26)
    }

    @Test func deepImagesKeepTheirBitDepth() throws {
        let image = try ImageFile.decode(TinyFiles.deepHEIC)
        #expect(image.format == .rgba16 && (image.width, image.height) == (32, 16))
        #expect(isClose(pixel(image, 3, 8), [200, 30, 30, 255]) && isClose(pixel(image, 28, 8), [30, 30, 200, 255]))
    }

    @Test func avifIsRead() throws {
        let image = try ImageFile.decode(TinyFiles.avif)
        #expect(image.format == .rgba8 && isClose(pixel(image, 3, 8), [200, 30, 30, 255]))
    }

    @Test func limitsComeFirst() {
        #expect { try ImageFile.decode(TinyFiles.turnedHEIC, limits: ImageLimits(maximumSide: 31)) } throws: {
            "\($0)".contains("16 × 32 pixels; the longest side may have 31")
        }
    }

    /// The tiles' grid states the size of the image a second time: a larger one is refused before it is allocated, not compared afterwards.
    @Test func gridsLargerThanTheImageAreRefused() throws {
        var file = TinyFiles.turnedHEIC
        let name = Array("idat".utf8)
        let start = try #require(file.indices.first { file[$0...].starts(with: name) })
        // Version, flags, rows and columns less one, width and height.
        #expect(Array(file[(start + 4)..<(start + 12)]) == [0, 0, 0, 0, 0, 32, 0, 16])
        file.replaceSubrange((start + 8)..<(start + 12), with: [80, 0, 80, 0])
        #expect { try ImageFile.decode(file) } throws: { "\($0)".contains("exceeds the maximum image size") }
    }

    /// The library would decode them without end, or until the stack overflows.
    @Test func imagesDerivedFromOneAnotherAreRefused() throws {
        var file = TinyFiles.turnedHEIC
        let start = try #require(file.indices.first { file[$0...].starts(with: Array("dimg".utf8)) })
        // The grid is made of one tile: from, count, to.
        #expect(Array(file[(start + 4)..<(start + 10)]) == [0, 2, 0, 1, 0, 1])
        file[start + 9] = 2
        #expect { try ImageFile.decode(file) } throws: { "\($0)".contains("in a circle") }

        func box(_ kind: String, _ content: [UInt8]) -> [UInt8] {
            let size = UInt32(content.count + 8)
            return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(kind.utf8) + content
        }
        func grids(_ rows: [(image: UInt8, tiles: [UInt8])]) -> [UInt8] {
            let references = rows.flatMap { row in box("dimg", [0, row.image, 0, UInt8(row.tiles.count)] + row.tiles.flatMap { [0, $0] }) }
            return box("ftyp", Array("heic\0\0\0\0mif1heic".utf8)) + box("meta", [0, 0, 0, 0] + box("iref", [0, 0, 0, 0] + references))
        }
        let tiles = { (image: UInt8) in [UInt8](repeating: image, count: 200) }
        #expect { try ImageFile.header(of: grids([(1, tiles(2)), (2, tiles(3)), (3, tiles(4))])) } throws: {
            "\($0)".contains("from more than 10000 others")
        }
        #expect { try ImageFile.header(of: grids((1...9).map { ($0, [$0 + 1]) })) } throws: { "\($0)".contains("8 times") }
        #expect { try ImageFile.header(of: grids((1...9).map { ($0 + 1, [$0]) })) } throws: { "\($0)".contains("8 times") }
        // A hundred thousand boxes that state 65,535 references each and have none are read at once.
        let empty = (0..<100_000).flatMap { _ in box("dimg", [0, 1, 255, 255]) }
        let many = box("ftyp", Array("heic\0\0\0\0mif1heic".utf8)) + box("meta", [0, 0, 0, 0] + box("iref", [0, 0, 0, 0] + empty))
        #expect(throws: ImageFileError.self) { try ImageFile.header(of: many) }
        // Allowed: the library misses the other boxes.
        #expect { try ImageFile.header(of: grids([(1, tiles(2)), (2, [3])])) } throws: { !"\($0)".contains("derived") }
    }

    @Test func brokenFilesAreErrors() {
        for length in stride(from: 0, to: TinyFiles.turnedHEIC.count, by: 7) {
            #expect(throws: ImageFileError.self) { try ImageFile.decode(Array(TinyFiles.turnedHEIC[..<length])) }
        }
        // A film is not an image.
        var film = TinyFiles.turnedHEIC
        film.replaceSubrange(8..<28, with: Array("isom\0\0\0\0isommp41avc1".utf8))
        #expect(ImageFile.kind(of: film) == nil)
    }
}
