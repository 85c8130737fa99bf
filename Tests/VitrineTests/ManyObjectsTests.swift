import Foundation
import Testing
import Vitrine
import VitrineLayers

/// Very many layers in one tree. `VITRINE_MANY` sets their number (default: 1,000); docs/measurements/robustness.md has the times of 10,000.
@Suite(.serialized) @MainActor struct ManyObjectsTests {
    private let count = ProcessInfo.processInfo.environment["VITRINE_MANY"].flatMap { Int($0) } ?? 1000

    /// A square of small squares, each of one colour, as an image of 400 × 400 points.
    private func drawn(_ fill: (_ index: Int) throws -> Fill) throws -> (image: Image, side: Int) {
        let side = Int(Double(count).squareRoot().rounded(.up))
        let view = LayerView(background: .white)
        let step = 400 / Float(side)
        for index in 0..<count {
            let layer = Layer(frame: Rectangle(x: Float(index % side) * step, y: Float(index / side) * step, width: step, height: step))
            layer.fill = try fill(index)
            view.root.add(layer)
        }
        return (try view.snapshot(size: [400, 400]), side)
    }

    private func check(_ image: Image, _ side: Int) {
        for index in [0, count / 2, count - 1] {
            let (x, y) = ((index % side * 400 + 200) / side, (index / side * 400 + 200) / side)
            let pixel = image.bytes[(y * 400 + x) * 4..<(y * 400 + x) * 4 + 3]
            #expect(pixel.allSatisfy { $0 < 128 }, "\(index): \(Array(pixel))")
        }
        // Below the last row there may be background.
        #expect(side * side == count || image.bytes.suffix(4).first == 255)
    }

    @Test func layersAreDrawn() throws {
        let (image, side) = try drawn { _ in .color(.black) }
        check(image, side)
    }

    @Test func layersWithImagesOfTheirOwnAreDrawn() throws {
        let (image, side) = try drawn { index in
            let shade = UInt8(index % 64)
            let pixels = [UInt8](repeating: shade, count: 12).enumerated().map { $0.offset % 4 == 3 ? 255 : $0.element }
            return .image(try Image(width: 1, height: 3, format: .rgba8, bytes: pixels))
        }
        check(image, side)
    }
}
