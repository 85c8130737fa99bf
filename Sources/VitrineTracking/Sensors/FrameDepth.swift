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
    /// The deviation from a plane above which the pixels contain a silhouette: beyond the noise of common sensors.
    private static let silhouetteDeviation: Float = 0.015

    /// The standard deviation of a measured depth, in metres: noise, and errors that a sensor's pixels have in common.
    private static func deviation(_ metres: Double) -> Double { 0.01 + 0.015 * metres }

    /// Creates the depth of a frame.
    ///
    /// - Parameter image: The size of the camera image.
    init(_ metres: Plane<Float>, image: SIMD2<Int>) {
        self.metres = metres
        scale = Vector2d(Double(metres.width), Double(metres.height)) / Vector2d(Double(max(image.x, 1)), Double(max(image.y, 1)))
    }

    /// The depth at a pixel of the image; nil if it is unknown, out of range, or uncertain.
    func depth(at pixel: Vector2d) -> MeasuredDepth? {
        guard let plane = plane(at: pixel), plane.step <= Self.largestStep, plane.deviation <= Self.largestDeviation else { return nil }
        let metres = 1 / plane.inverseDepth
        return MeasuredDepth(metres: metres, inverseNoise: Self.deviation(metres) / (metres * metres))
    }

    /// Whether the pixels around a feature contain a silhouette: what the images show there is on two surfaces, and moves like neither.
    func isSilhouette(at pixel: Vector2d) -> Bool {
        guard let plane = plane(at: pixel) else { return false }
        return plane.step > Self.largestStep || plane.deviation > Self.silhouetteDeviation
    }

    /// Fits a plane to the 3 × 3 pixels: the inverse depth of a plane is linear in the image. nil if a depth is unknown or out of range.
    ///
    /// - Returns: The inverse depth at the position; the step between pixels and the largest deviation of one, relative to the mean.
    private func plane(at pixel: Vector2d) -> (inverseDepth: Double, step: Float, deviation: Float)? {
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
        var deviation = Float(0)
        for k in 0..<9 {
            let expected = mean + across * Float(k % 3 - 1) + down * Float(k / 3 - 1)
            deviation = max(deviation, abs(1 / value(k) - expected) / mean)
        }
        let offset = position - Vector2d(Double(x) + 0.5, Double(y) + 0.5)
        let inverseDepth = Double(mean) + Double(across) * offset.x + Double(down) * offset.y
        return (inverseDepth, max(abs(across), abs(down)) / mean, deviation)
    }
}
