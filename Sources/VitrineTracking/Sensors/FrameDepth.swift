import VitrineMath
import VitrineVision

/// The depth image of one frame, read at the image's pixels.
struct FrameDepth: Sendable {
    private let metres: Plane<Float>
    /// Depth pixels per image pixel.
    private let scale: Vector2d

    /// The range of common sensors in metres, and, of the inverse depths around a feature, the largest deviation from a plane, and the
    /// largest step between pixels, relative to their mean. At a silhouette the depth may be that of either surface.
    private static let range: ClosedRange<Float> = 0.15...8, largestDeviation: Float = 0.008, largestStep: Float = 0.08

    /// The standard deviation of a measured depth, in metres: noise, and errors that a sensor's pixels have in common.
    static func deviation(_ metres: Double) -> Double { 0.01 + 0.015 * metres }

    /// Creates the depth of a frame.
    ///
    /// - Parameter image: The size of the camera image.
    init(_ metres: Plane<Float>, image: SIMD2<Int>) {
        self.metres = metres
        scale = Vector2d(Double(metres.width), Double(metres.height)) / Vector2d(Double(max(image.x, 1)), Double(max(image.y, 1)))
    }

    /// The depth along the camera's z axis; nil if it is unknown, out of range, or uncertain.
    ///
    /// Fits a plane to the 3 × 3 pixels: the inverse depth of a plane is linear in the image.
    func metres(at pixel: Vector2d) -> Double? {
        let position = pixel * scale
        guard position.x >= 1, position.y >= 1, position.x < Double(metres.width - 1), position.y < Double(metres.height - 1) else {
            return nil
        }
        let (x, y) = (Int(position.x), Int(position.y))
        func value(_ k: Int) -> Float { metres.values[(y + k / 3 - 1) * metres.width + x + k % 3 - 1] }
        var (mean, across, down) = (Float(0), Float(0), Float(0))
        for k in 0..<9 {
            guard Self.range.contains(value(k)) else { return nil }
            let inverse = 1 / value(k)
            mean += inverse / 9
            across += Float(k % 3 - 1) * inverse / 6
            down += Float(k / 3 - 1) * inverse / 6
        }
        guard max(abs(across), abs(down)) <= Self.largestStep * mean else { return nil }
        for k in 0..<9 {
            let expected = mean + across * Float(k % 3 - 1) + down * Float(k / 3 - 1)
            guard abs(1 / value(k) - expected) <= Self.largestDeviation * mean else { return nil }
        }
        let offset = position - Vector2d(Double(x) + 0.5, Double(y) + 0.5)
        return 1 / (Double(mean) + Double(across) * offset.x + Double(down) * offset.y)
    }
}
