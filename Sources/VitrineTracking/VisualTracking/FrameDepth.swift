import VitrineMath
import VitrineVision

/// The depth image of one frame, read at the image's pixels.
struct FrameDepth: Sendable {
    private let metres: Plane<Float>
    /// Depth pixels per image pixel.
    private let scale: Vector2d

    /// Metres: the range of common sensors, and the largest relative step to the neighbouring pixels. A corner on a silhouette has no certain depth.
    private static let range: ClosedRange<Float> = 0.15...8, largestStep: Float = 0.04

    /// - Parameter image: The size of the camera image.
    init(_ metres: Plane<Float>, image: SIMD2<Int>) {
        self.metres = metres
        scale = Vector2d(Double(metres.width), Double(metres.height)) / Vector2d(Double(max(image.x, 1)), Double(max(image.y, 1)))
    }

    /// The depth along the camera's z axis; nil if it is unknown, out of range, or uncertain.
    func metres(at pixel: Vector2d) -> Double? {
        let position = pixel * scale
        guard position.x >= 1, position.y >= 1, position.x < Double(metres.width - 1), position.y < Double(metres.height - 1) else {
            return nil
        }
        let (x, y) = (Int(position.x), Int(position.y))
        var values: [Float] = []
        values.reserveCapacity(9)
        for row in y - 1...y + 1 {
            for column in x - 1...x + 1 {
                let value = metres.values[row * metres.width + column]
                if Self.range.contains(value) { values.append(value) }
            }
        }
        guard values.count >= 6 else { return nil }
        values.sort()
        let median = values[values.count / 2]
        return values[values.count - 1] - values[0] <= Self.largestStep * median ? Double(median) : nil
    }
}
