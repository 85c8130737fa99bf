import Testing
import VitrineImageFiles
import VitrineScene
import VitrineTestSupport

@testable import VitrineTestFiles

@Suite struct EXRTests {
    @Test(arguments: [ImageFile.EXRPrecision.half, .float])
    func opaqueRoundTripIsExact(precision: ImageFile.EXRPrecision) throws {
        let noise = try TestImage.noise(width: 33, height: 21, format: .rgba32Float, opaque: true)
        let values = precision == .half ? noise.floats.map { Float(Float16($0)) } : noise.floats
        let image = try Image(width: 33, height: 21, format: .rgba32Float, bytes: values.withUnsafeBytes { [UInt8]($0) })
        let file = try ImageFile.encodeEXR(image, precision: precision)
        let back = try ImageFile.decode(file)
        #expect(back.floats == image.floats)
        #expect(try ImageFile.encodeEXR(image, precision: precision) == file)
    }

    /// Larger than one block of any compression, with its odd edges.
    @Test(arguments: ImageFile.EXRCompression.allCases)
    func everyCompressionIsRead(compression: ImageFile.EXRCompression) throws {
        let (width, height) = (67, 270)
        let values = (0..<(width * height)).flatMap { index -> [Float] in
            let (x, y) = (Float(index % width), Float(index / width))
            return [x / 64, y / 256, (x + y) / 512, 1]
        }
        let image = try Image(width: width, height: height, format: .rgba32Float, bytes: values.withUnsafeBytes { [UInt8]($0) })
        let back = try ImageFile.decode(ImageFile.encodeEXR(image, precision: .half, compression: compression))
        let halves = values.map { Float(Float16($0)) }
        let isLossless = compression.rawValue <= ImageFile.EXRCompression.pxr24.rawValue
        #expect(zip(back.floats, halves).allSatisfy { abs($0 - $1) <= (isLossless ? 0 : 0.02) })
    }

    @Test func tilesAreRead() throws {
        var file = EXRFile(channels: [.init("Y")], width: 5, height: 3)
        file.tileSize = 2
        file.values = ["Y": (0..<15).map { Float($0) }]
        let floats = try ImageFile.decode(file.bytes).floats
        #expect(stride(from: 0, to: 60, by: 4).map { floats[$0] } == (0..<15).map { Float($0) })
    }

    @Test func theFirstOfSeveralPartsIsRead() throws {
        var first = EXRFile(channels: [.init("Y")], width: 2, height: 2)
        first.values = ["Y": [1, 2, 3, 4]]
        let second = EXRFile(channels: [.init("Z")], width: 3, height: 1)
        let floats = try ImageFile.decode(EXRFile.multipart([("one", first), ("two", second)])).floats
        #expect(stride(from: 0, to: 16, by: 4).map { floats[$0] } == [1, 2, 3, 4])
        var huge = second
        huge.dataWindow = (0, 0, 1 << 20, 1 << 20)
        #expect(throws: ImageFileError.self) { try ImageFile.decode(EXRFile.multipart([("one", first), ("two", huge)])) }
    }

    @Test func alphaIsReturnedStraight() throws {
        let values: [Float] = [4, 2, 1, 0.5, 8, 8, 8, 0, 1, 2, 3, 1, 0.25, 0, 0, 0.25]
        let image = try Image(width: 2, height: 2, format: .rgba32Float, bytes: values.withUnsafeBytes { [UInt8]($0) })
        #expect(try ImageFile.decode(ImageFile.encode(image, as: .exr())).floats == values)
    }

    @Test func valuesOverHalfNeedFloats() throws {
        let values: [Float] = [70_000, 1, 1, 1]
        let image = try Image(width: 1, height: 1, format: .rgba32Float, bytes: values.withUnsafeBytes { [UInt8]($0) })
        #expect(throws: ImageFileError.self) { try ImageFile.encodeEXR(image, precision: .half) }
        for keepsFloats in [true, false] {
            #expect(try ImageFile.decode(ImageFile.encode(image, as: .exr(keepsFloats: keepsFloats))).floats == values)
        }
    }

    @Test func greyFillsAllColours() throws {
        for channel in ["Y", "Z", "depth"] {
            var file = EXRFile(channels: [.init(channel)], width: 2, height: 1)
            file.values = [channel: [0.5, 3]]
            #expect(try ImageFile.decode(file.bytes).floats == [0.5, 0.5, 0.5, 1, 3, 3, 3, 1])
        }
    }

    @Test func missingColoursAreBlackAndMissingAlphaIsOne() throws {
        var file = EXRFile(channels: [.init("G", .half)], width: 2, height: 1)
        file.values = ["G": [0.5, 3]]
        #expect(try ImageFile.decode(file.bytes).floats == [0, 0.5, 0, 1, 0, 3, 0, 1])
    }

    @Test func integersBecomeFloats() throws {
        var file = EXRFile(channels: [.init("Y", .uint)], width: 2, height: 1)
        file.values = ["Y": [7, 1_000_000]]
        #expect(try ImageFile.decode(file.bytes).floats == [7, 7, 7, 1, 1e6, 1e6, 1e6, 1])
    }

    @Test func chromaIsSpreadOverThePixels() throws {
        // One chroma sample for 2 × 2 pixels: red is Y · (1 + RY), blue Y · (1 + BY), green follows from the luminance.
        var file = EXRFile(channels: [.init("BY", .float, sampling: 2), .init("RY", .float, sampling: 2), .init("Y")], width: 2, height: 2)
        file.values = ["Y": [1, 2, 4, 8], "RY": [0.5], "BY": [-0.5]]
        let floats = try ImageFile.decode(file.bytes).floats
        for (pixel, luminance) in [Float(1), 2, 4, 8].enumerated() {
            let (r, g, b) = (floats[4 * pixel], floats[4 * pixel + 1], floats[4 * pixel + 2])
            #expect(abs(r - 1.5 * luminance) < 1e-5 && abs(b - 0.5 * luminance) < 1e-5)
            #expect(abs(0.2126 * r + 0.7152 * g + 0.0722 * b - luminance) < 1e-3 * luminance)
        }
    }

    @Test func displayWindowDefinesTheImage() throws {
        var file = EXRFile(channels: [.init("Y")], width: 2, height: 2)
        file.dataWindow = (-1, -1, 0, 0)
        file.displayWindow = (0, 0, 1, 0)
        file.values = ["Y": [1, 2, 3, 4]]
        // Only the last sample lies inside.
        #expect(try ImageFile.decode(file.bytes).floats == [4, 4, 4, 1, 0, 0, 0, 1])
        file.displayWindow = (5, 5, 6, 6)
        #expect(throws: ImageFileError.self) { try ImageFile.decode(file.bytes) }
    }

    @Test func otherPrimariesBecomeRec709() throws {
        var file = EXRFile(channels: [.init("B"), .init("G"), .init("R")], width: 2, height: 1)
        // ACES AP0: white stays white, its green is outside of Rec.709.
        file.chromaticities = [0.7347, 0.2653, 0, 1, 0.0001, -0.077, 0.32168, 0.33767]
        file.values = ["R": [1, 0], "G": [1, 1], "B": [1, 0]]
        let floats = try ImageFile.decode(file.bytes).floats
        #expect(floats[0..<4].allSatisfy { abs($0 - 1) < 1e-3 })
        #expect(floats[4] < -0.5 && floats[5] > 1 && floats[6] < 0)
    }

    @Test func whatIsNotColourIsRefusedByName() throws {
        let file = EXRFile(channels: [.init("N.X"), .init("N.Y")], width: 1, height: 1)
        #expect { try ImageFile.decode(file.bytes, name: "n.exr") } throws: { "\($0)".contains("\"N.X\", \"N.Y\"") }
        var deep = EXRFile(channels: [.init("Y")], width: 1, height: 1)
        deep.flags = 0x800
        #expect { try ImageFile.decode(deep.bytes) } throws: { "\($0)".contains("deep") }
    }

    @Test func hugeWindowsAreRefusedFromTheHeader() throws {
        let windows: [(Int32, Int32, Int32, Int32)] = [(0, 0, 99_999, 9), (0, 0, 65_000, 65_000), (.min, 0, .max, 0), (0, 0, .max, .max)]
        for window in windows {
            var file = EXRFile(channels: [.init("Y")], width: 1, height: 1)
            file.dataWindow = window
            #expect(throws: ImageFileError.self) { try ImageFile.decode(file.bytes) }
            (file.dataWindow, file.displayWindow) = ((0, 0, 0, 0), window)
            #expect(throws: ImageFileError.self) { try ImageFile.decode(file.bytes) }
        }
    }

    /// The library ignores the stated size and continues after the value: the next bytes, a text of 2 GB for instance, were never checked.
    @Test(arguments: ["lineOrder", "compression", "chlist", "box2i"])
    func attributesHaveTheSizeOfTheirType(type: String) throws {
        var bytes = EXRFile(channels: [.init("Y")], width: 2, height: 2).bytes
        let text = Array("\(type)\0".utf8)
        let start = try #require(bytes.indices.last { bytes[$0...].starts(with: text) }) + text.count
        bytes[start] += 1
        bytes.insert(0, at: start + 4 + Int(bytes[start]) - 1)
        #expect { try ImageFile.header(of: bytes, name: "a.exr") } throws: { "\($0)".contains("size") || "\($0)".contains("its type has") }
    }

    @Test func attributesContainTheirTexts() throws {
        func number(_ value: Int32) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { [UInt8]($0) } }
        func file(_ type: String, _ value: [UInt8]) -> [UInt8] {
            let bytes = EXRFile(channels: [.init("Y")], width: 2, height: 2).bytes
            return Array(bytes[..<8] + Array("extra\0\(type)\0".utf8) + number(Int32(value.count)) + value + bytes[8...])
        }
        let texts = number(1) + [65] + number(2) + [66, 67]
        for valid in [
            file("stringvector", texts), file("floatvector", number(0)), file("preview", number(1) + number(1) + number(0)),
            file("new", [1]),
        ] {
            #expect(try ImageFile.header(of: valid).width == 2)
        }
        let invalid = [
            file("stringvector", number(.max) + [65]), file("stringvector", texts.dropLast()), file("floatvector", [0]),
            file("preview", number(65_536) + number(65_536) + number(0)), file("preview", number(-1) + number(-1)), file("preview", []),
        ]
        for bytes in invalid { #expect(throws: ImageFileError.self) { try ImageFile.header(of: bytes) } }
    }
}
