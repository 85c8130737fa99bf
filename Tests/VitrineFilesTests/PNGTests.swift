import Testing
import VitrineFiles
import VitrineScene
import VitrineTestSupport

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
}
