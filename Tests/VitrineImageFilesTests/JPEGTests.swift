import Testing
import VitrineImageFiles
import VitrineScene
import VitrineTestSupport

@testable import VitrineTestFiles

@Suite struct JPEGTests {
    /// The left and the right half of an 8 × 8 image, each even within a level or two.
    private func halves(_ file: [UInt8], within tolerance: Int) throws -> (left: [Int], right: [Int]) {
        let image = try ImageFile.decode(file)
        #expect((image.width, image.height) == (8, 8) && image.format == .rgba8)
        let pixels = stride(from: 0, to: image.bytes.count, by: 4).map { first in (0..<4).map { Int(image.bytes[first + $0]) } }
        for y in 0..<8 {
            for x in 0..<8 { #expect(zip(pixels[8 * y + x], pixels[x < 4 ? 0 : 7]).allSatisfy { abs($0 - $1) <= tolerance }) }
        }
        return (pixels[0], pixels[7])
    }

    @Test func greyBecomesRGBA() throws {
        let (left, right) = try halves(TinyFiles.greyJPEG, within: 1)
        #expect(zip(left, [200, 200, 200, 255]).allSatisfy { abs($0 - $1) <= 1 })
        #expect(zip(right, [50, 50, 50, 255]).allSatisfy { abs($0 - $1) <= 1 })
    }

    @Test func storedRGBAndProgressiveAgree() throws {
        let (left, right) = try halves(TinyFiles.rgbJPEG, within: 1)
        #expect(zip(left, [200, 100, 50, 255]).allSatisfy { abs($0 - $1) <= 1 })
        #expect(zip(right, [20, 40, 240, 255]).allSatisfy { abs($0 - $1) <= 1 })
        // This one's colour is subsampled: the halves have bled into one another by a few levels.
        let progressive = try ImageFile.decode(TinyFiles.progressiveJPEG)
        #expect(abs(Int(progressive.bytes[0]) - 200) <= 6 && abs(Int(progressive.bytes[30]) - 240) <= 6)
    }

    @Test(arguments: [TinyFiles.cmykJPEG, TinyFiles.ycckJPEG])
    func inksBecomeLight(file: [UInt8]) throws {
        // Inverted inks: light is C · K / 255 and so on.
        let image = try ImageFile.decode(file)
        #expect(zip(image.bytes[0..<4], [200, 100, 0, 255]).allSatisfy { abs(Int($0) - $1) <= 3 })
        #expect(zip(image.bytes[28..<32], [40, 255, 255, 255]).allSatisfy { abs(Int($0) - $1) <= 3 })
    }

    @Test func smoothImageRoundTripIsClose() throws {
        let bytes = (0..<(64 * 48)).flatMap(Self.gradient)
        let image = try Image(width: 64, height: 48, format: .rgba8, bytes: bytes)
        var sizes: [Int] = []
        for (quality, psnr) in [(30, 30.0), (75, 36), (95, 44)] {
            let file = try ImageFile.encode(image, as: .jpeg(quality: quality))
            #expect(try ImageComparison(ImageFile.decode(file), image).peakSignalToNoise > psnr)
            #expect(try ImageFile.encode(image, as: .jpeg(quality: quality)) == file)
            sizes.append(file.count)
        }
        #expect(sizes == sizes.sorted())
    }

    private static func gradient(_ index: Int) -> [UInt8] {
        let (x, y) = (index % 64, index / 64)
        return [UInt8(4 * x), UInt8(5 * y), 128, 255]
    }

    @Test func whatJPEGCannotHoldIsRefused() throws {
        let transparent = try TestImage.noise(width: 2, height: 2, format: .rgba8, opaque: false)
        #expect(throws: ImageFileError.self) { try ImageFile.encode(transparent, as: .jpeg()) }
        let deep = try TestImage.noise(width: 2, height: 2, format: .rgba16, opaque: true)
        #expect(throws: ImageFileError.self) { try ImageFile.encode(deep, as: .jpeg()) }
        let fine = try TestImage.noise(width: 2, height: 2, format: .rgba8, opaque: true)
        #expect(throws: ImageFileError.self) { try ImageFile.encode(fine, as: .jpeg(quality: 0)) }
        #expect(throws: ImageFileError.self) { try ImageFile.encode(fine, as: .jpeg(quality: 101)) }
    }

    @Test func repeatedScansAreRefused() throws {
        // The last scan of a progressive file again and again: small to send, slow to read.
        let file = TinyFiles.progressiveJPEG
        let scan = try #require(file.indices.last { file[$0...].starts(with: [0xFF, 0xDA]) })
        let tables = try #require(file.indices.last { file[$0...].starts(with: [0xFF, 0xC4]) })
        let repeated = file[min(scan, tables)..<(file.count - 2)]
        var bomb = Array(file.dropLast(2))
        for _ in 0..<300 { bomb += repeated }
        bomb += [0xFF, 0xD9]
        #expect { try ImageFile.decode(bomb) } throws: { "\($0)".contains("progression") }
    }
}
