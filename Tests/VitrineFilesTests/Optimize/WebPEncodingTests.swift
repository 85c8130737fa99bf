import Testing
import VitrineFiles
import VitrineScene

@testable import VitrineTestFiles

@Suite struct WebPEncodingTests {
    @Test(arguments: [true, false]) func losslessIsExactEvenWhereAlphaIsZero(opaque: Bool) throws {
        let image = try TestImage.noise(width: 33, height: 17, format: .rgba8, opaque: opaque)
        let bytes = try ImageFile.encode(image, as: .webpLossless)
        #expect(ImageFile.kind(of: bytes) == .webp)
        #expect(try ImageFile.decode(bytes).bytes == image.bytes)
        #expect(try ImageFile.encode(image, as: .webpLossless) == bytes)
    }

    @Test func lossyKeepsAlphaAndFollowsItsQuality() throws {
        let image = try WriterScenes.image(64, 64) { x, y in [UInt8(x * 4), UInt8(y * 4), UInt8((x * y) & 255), UInt8(255 - x)] }
        let (small, large) = (try ImageFile.encode(image, as: .webp(quality: 20)), try ImageFile.encode(image, as: .webp(quality: 95)))
        #expect(small.count < large.count)
        let decoded = try ImageFile.decode(large)
        for index in stride(from: 3, to: image.bytes.count, by: 4) { #expect(decoded.bytes[index] == image.bytes[index]) }
    }

    @Test func whatWebPCantHoldIsRefused() throws {
        let deep = try TestImage.noise(width: 4, height: 4, format: .rgba16, opaque: true)
        #expect { try ImageFile.encode(deep, as: .webp()) } throws: { "\($0)".contains("8 bits") }
        let wide = try Image(width: 16_384, height: 1, format: .rgba8, bytes: [UInt8](repeating: 9, count: 65_536))
        #expect { try ImageFile.encode(wide, as: .webpLossless) } throws: { "\($0)".contains("16,383") }
    }
}
