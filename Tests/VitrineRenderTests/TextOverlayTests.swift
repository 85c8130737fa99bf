import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineRender

@Suite struct TextOverlayTests {
    /// Alpha-free grey levels of one glyph's cell.
    private func cell(_ text: String) -> [UInt8] {
        let panel = TextPanel([text], unit: 2)
        return stride(from: 0, to: panel.pixels.count, by: 4).map { panel.pixels[$0] }
    }

    @Test func glyphsDiffer() {
        let characters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,:-+/%()=_' ".map(String.init)
        var seen: [[UInt8]: String] = [:]
        for character in characters {
            let pixels = cell(character)
            if let other = seen[pixels] { Issue.record("'\(character)' looks like '\(other)'") }
            seen[pixels] = character
            #expect(character == " " || pixels.contains { $0 > 150 }, "'\(character)' has a stroke")
        }
        #expect(cell("#") == cell("~"), "what has no glyph is a box")
    }

    @Test func textIsDrawnOverThePictureAndOnlyThere() throws {
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
        let panel = TextPanel(["12 fps", "3"], unit: 1.5)
        #expect(pixel(11, 11)[2] < 200 && pixel(11, 11)[0] == 0, "the panel darkens")
        let white = (0..<panel.height).flatMap { y in (0..<panel.width).map { pixel(10 + $0, 10 + y) } }.filter {
            $0 == [255, 255, 255, 255]
        }
        #expect(white.count > 20, "strokes are white")
    }

    @Test func aTargetTooSmallIsLeftAlone() throws {
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

    @Test func linesNameWhatThereIs() {
        var statistics = FrameStatistics()
        (statistics.drawCalls, statistics.triangles, statistics.gpuMemory) = (6, 12, 3 << 20)
        #expect(statistics.lines() == ["6 draw calls", "12 triangles", "3 MiB on the GPU"])
        statistics.gpuMilliseconds = 4.25
        #expect(statistics.lines(framesPerSecond: 59.6).prefix(2) == ["60 fps", "4.3 ms on the GPU"])
    }
}
