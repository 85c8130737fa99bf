import Testing
import VitrineGLTF
import VitrineImageFiles
import VitrineScene

@testable import VitrineTestFiles

@Suite struct KTX2Tests {
    private let stripes = [[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3], Array(repeating: 3, count: 16)]

    private func etc1s(alpha: Bool) -> [UInt8] {
        KTX2Builder.etc1s(
            columns: 3, rows: 2, endpoints: [([31, 0, 10], 0), ([4, 20, 31], 3)], selectors: stripes,
            blocks: [(0, 0), (1, 0), (0, 1), (1, 1), (0, 0), (1, 0)], alpha: alpha ? Array(repeating: (1, 1), count: 6) : nil)
    }

    @Test func etc1sIsUnpackedByTheFormula() throws {
        let image = try ImageFile.decode(etc1s(alpha: true))
        #expect((image.width, image.height) == (12, 8))
        func pixel(_ x: Int, _ y: Int) -> [UInt8] { Array(image.bytes[(y * 12 + x) * 4..<(y * 12 + x) * 4 + 4]) }
        // 31 of 31 is 255, 10 is 82; the first table adds −8, −2, 2, 8. Alpha is the second slice's green: 20 is 165, and 42.
        #expect(pixel(0, 0) == [247, 0, 74, 207] && pixel(3, 2) == [255, 8, 90, 207])
        // 4 is 33; the fourth table adds −42, −13, 13, 42.
        #expect(pixel(4, 0) == [0, 123, 213, 207] && pixel(5, 1) == [20, 152, 242, 207] && pixel(7, 0) == [75, 207, 255, 207])
        #expect(pixel(8, 0) == [255, 8, 90, 207] && pixel(0, 7) == [75, 207, 255, 207])
        #expect(try ImageFile.decode(etc1s(alpha: false)).bytes[3] == 255)
    }

    @Test func uastcOfOneColourAndOfAGradient() throws {
        // Mode 8: the code 0x17 in five bits, then eight bits a channel.
        var solid = KTX2Builder.Bits()
        solid.put(0x17, 5)
        for value in [10, 200, 30, 128] { solid.put(value, 8) }
        let first = solid.bytes + Array(repeating: 0, count: 16 - solid.bytes.count)
        // Mode 5: three channels of eight bits, weights of three bits; the highest bit of the first is omitted.
        var gradient = KTX2Builder.Bits()
        gradient.put(0xB, 5)
        gradient.put(0, 15)
        for value in [0, 255, 100, 100, 255, 0] { gradient.put(value, 8) }
        for pixel in 0..<16 { gradient.put(pixel & 7, pixel == 0 ? 2 : 3) }
        let second = gradient.bytes + Array(repeating: 0, count: 16 - gradient.bytes.count)
        let file = KTX2Builder.file(width: 6, height: 3, model: 166, scheme: 0, samples: [0], global: [], level: first + second)
        let image = try ImageFile.decode(file)
        #expect((image.width, image.height, image.format) == (6, 3, .rgba8))
        #expect(Array(image.bytes[0..<4]) == [10, 200, 30, 128] && Array(image.bytes[12..<16]) == [10, 200, 30, 128])
        // Weights 0 and 9 of 64.
        #expect(Array(image.bytes[16..<24]) == [0, 100, 255, 255, 36, 100, 219, 255])
    }

    @Test func whatIsNotReadIsNamed() throws {
        var vulkan = etc1s(alpha: false)
        vulkan[12] = 43
        #expect { try ImageFile.decode(vulkan) } throws: { "\($0)".contains("Vulkan format 43 in KTX2") }
        var astc = etc1s(alpha: false)
        astc[104 + 4 + 8] = 162
        #expect { try ImageFile.decode(astc) } throws: { "\($0)".contains("colour model 162") }
        var noMode = KTX2Builder.Bits()
        noMode.put(0x45, 7)
        let block = noMode.bytes + Array(repeating: 0, count: 15)
        let file = KTX2Builder.file(width: 4, height: 4, model: 166, scheme: 0, samples: [0], global: [], level: block)
        #expect { try ImageFile.decode(file) } throws: { "\($0)".contains("block 0 has no UASTC mode") }
    }

    /// Cut and damaged files end in an error or in other pixels.
    @Test func damagedFilesDoNoHarm() throws {
        let whole = etc1s(alpha: true)
        for count in 0..<whole.count { #expect(throws: ImageFileError.self) { try ImageFile.decode(Array(whole[..<count])) } }
        for position in whole.indices {
            var broken = whole
            broken[position] ^= 0xA5
            _ = try? ImageFile.decode(broken, limits: ImageLimits(maximumSide: 4096, maximumBytes: 1 << 24))
        }
    }

    /// A texture with a packed image only; one with a plain image beside it takes that.
    @Test func glTFReadsCompressedImages() throws {
        func model(_ texture: String) -> [UInt8] {
            let uri = "data:image/ktx2;base64," + base64(etc1s(alpha: false))
            return Array(
                """
                {"asset":{"version":"2.0"},"extensionsUsed":["KHR_texture_basisu"],"images":[{"uri":"\(uri)"},{"uri":"plain.png"}],
                "textures":[\(texture)],"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],"scenes":[{}]}
                """.utf8)
        }
        let packed = try GLTFReader.read(model(#"{"extensions":{"KHR_texture_basisu":{"source":0}}}"#))
        guard case .encoded(let bytes) = try #require(packed.textures.first).texture.content else { throw Missing() }
        #expect(bytes == etc1s(alpha: false))
        let both = model(#"{"source":1,"extensions":{"KHR_texture_basisu":{"source":0}}}"#)
        let chosen = try GLTFReader.read(both) { _ throws(GLTFError) in [0x89, 0x50, 0x4E, 0x47] }
        #expect(chosen.textures.first?.uri == "plain.png")
        // The plain one can't be had.
        #expect(try GLTFReader.read(both).textures.first?.imageIndex == 0)
    }

    private func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return stride(from: 0, to: bytes.count, by: 3).map { first in
            let part = (0..<3).map { first + $0 < bytes.count ? Int(bytes[first + $0]) : 0 }
            let value = part[0] << 16 | part[1] << 8 | part[2]
            let all = (0..<4).map { String(letters[value >> (18 - 6 * $0) & 63]) }
            let kept = min(4, bytes.count - first + 1)
            return all.prefix(kept).joined() + String(repeating: "=", count: 4 - kept)
        }.joined()
    }

    private struct Missing: Error {}
}
