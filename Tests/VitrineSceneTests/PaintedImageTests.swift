import Testing
import VitrineMath
import VitrineScene

@Suite struct PaintedImageTests {
    @Test func everyPixelIsPaintedAtItsMiddle() {
        let image = Image.painted(width: 4, height: 2, name: "ramp") { u, v in Vector3(u, v, u > 0.5 ? 7 : -.nan) }
        #expect(image.width == 4 && image.height == 2 && image.format == .rgba8 && image.name == "ramp")
        #expect(Array(image.bytes[0..<4]) == [32, 64, 0, 255])
        #expect(Array(image.bytes[28..<32]) == [223, 191, 255, 255])
        #expect(Image.painted(width: 0, height: -3) { _, _ in .zero }.bytes == [0, 0, 0, 255])
    }
}
