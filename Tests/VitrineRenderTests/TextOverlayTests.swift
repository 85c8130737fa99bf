import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineRender

@Suite struct TextOverlayTests {
    /// Alpha-free grey levels of one glyph's cell.
    private func cell(_ text: String) -> [UInt8] {
        let panel = TextRaster([text], unit: 2)
        return stride(from: 0, to: panel.pixels.count, by: 4).map { panel.pixels[$0] }
    }

    @Test func glyphsDiffer() {
        let characters = (32..<127).map { String(Unicode.Scalar(UInt8($0))) } + ["°"]
        var seen: [[UInt8]: String] = [:]
        for character in characters {
            let pixels = cell(character)
            if let other = seen[pixels] { Issue.record("'\(character)' looks like '\(other)'") }
            seen[pixels] = character
            #expect(character == " " || pixels.contains { $0 > 150 }, "'\(character)' has a stroke")
        }
        #expect(cell("é") == cell("ж"), "a character without glyph is a box")
    }

    @Test func textChangesOnlyItsOwnPixels() throws {
        let device = try GPUDevice.make()
        let target = try OffscreenTarget(device, width: 160, height: 80)
        let encoder = try device.makeCommandEncoder("fill")
        let fill = GPUColorAttachment(target.view, load: .clear(GPUColor(0, 0, 1, 1)))
        encoder.renderPass(GPURenderPassDescriptor("fill", colors: [fill])) { _ in }
        device.queue.submit(try encoder.finish())
        let overlay = try TextOverlay(device)
        try overlay.draw(["12 fps", "3"], over: target.view)
        let image = try target.image()
        func pixel(_ x: Int, _ y: Int) -> [UInt8] { Array(image.bytes[(y * 160 + x) * 4..<(y * 160 + x) * 4 + 4]) }
        #expect(pixel(2, 2) == [0, 0, 255, 255] && pixel(150, 70) == [0, 0, 255, 255], "outside nothing changes")
        let panel = TextRaster(["12 fps", "3"], unit: 1.5)
        #expect(pixel(11, 11)[2] < 200 && pixel(11, 11)[0] == 0, "the panel darkens")
        let white = (0..<panel.height).flatMap { y in (0..<panel.width).map { pixel(10 + $0, 10 + y) } }.filter {
            $0 == [255, 255, 255, 255]
        }
        #expect(white.count > 20, "strokes are white")
    }

    @Test func tooSmallTargetStaysUnchanged() throws {
        let device = try GPUDevice.make()
        let target = try OffscreenTarget(device, width: 20, height: 10)
        let encoder = try device.makeCommandEncoder("fill")
        encoder.renderPass(
            GPURenderPassDescriptor("fill", colors: [GPUColorAttachment(target.view, load: .clear(GPUColor(1, 0, 0, 1)))])
        ) { _ in }
        device.queue.submit(try encoder.finish())
        try TextOverlay(device).draw(["a long line"], over: target.view)
        let bytes = try target.image().bytes
        #expect(stride(from: 0, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 && bytes[$0 + 2] == 0 })
    }

    @Test func linesNameStatistics() {
        var statistics = FrameStatistics()
        (statistics.drawCalls, statistics.triangles, statistics.gpuMemory) = (6, 12, 3 << 20)
        #expect(statistics.lines() == ["6 draw calls", "12 triangles", "3 MiB on the GPU"])
        statistics.gpuMilliseconds = 4.25
        #expect(statistics.lines(framesPerSecond: 59.6).prefix(2) == ["60 fps", "4.3 ms on the GPU"])
        statistics.frameMilliseconds = 16.04
        #expect(statistics.lines().prefix(2) == ["16.0 ms a frame", "4.3 ms on the GPU"])
    }

    @Test func wideLinesAreWrapped() {
        #expect(OverlayText.wrap("one two three", columns: 8) == ["one two", "three"])
        #expect(OverlayText.wrap("one two three", columns: 7) == ["one two", "three"])
        #expect(OverlayText.wrap("abcdefghij kl", columns: 4) == ["abcd", "efgh", "ij", "kl"])
        #expect(OverlayText.wrap("", columns: 4) == [""])
        let text = OverlayText(["a message of fifty letters that is far too wide ok"], at: .bottomLeft, wrapsLines: true)
        let layout = text.layout(width: 200, height: 150, scale: 1)
        #expect((layout?.lines.count ?? 0) >= 3 && layout?.unit == OverlayText.unit)
        // Text that must not be wrapped is drawn smaller, down to the smallest legible size.
        let table = OverlayText(["twenty-four letters here"])
        #expect((OverlayText.smallestUnit..<OverlayText.unit).contains(table.layout(width: 180, height: 150, scale: 1)?.unit ?? 0))
        #expect(table.layout(width: 60, height: 150, scale: 1) == nil)
    }
}
