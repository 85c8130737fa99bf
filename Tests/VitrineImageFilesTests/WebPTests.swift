import Testing
import VitrineImageFiles
import VitrineScene

@testable import VitrineTestFiles

@Suite struct WebPTests {
    private let expected = (UInt8(0)..<16).flatMap { index -> [UInt8] in [index * 16, 255 - index * 8, 100, index < 8 ? 255 : 128] }

    @Test func losslessIsExact() throws {
        let image = try ImageFile.decode(TinyFiles.losslessWebP)
        #expect((image.width, image.height) == (4, 4) && image.format == .rgba8)
        #expect(image.bytes == expected)
    }

    @Test func lossyIsCloseAndItsAlphaExact() throws {
        let image = try ImageFile.decode(TinyFiles.lossyWebP)
        for (index, byte) in image.bytes.enumerated() {
            #expect(abs(Int(byte) - Int(expected[index])) <= (index % 4 == 3 ? 0 : 48))
        }
    }

    @Test func animationIsRefusedByName() {
        var file = TinyFiles.lossyWebP
        file[20] |= 2
        #expect { try ImageFile.decode(file) } throws: { "\($0)".contains("animated") }
    }
}
